/** Endpoints that the portal's pages call for second factors; they are undocumented, since nothing else can use them. */
import Type from 'typebox';
import type { Caller } from '../accounts/caller.ts';
import { sessionToEnrol } from '../http/credentials/credentials.ts';
import { endpointsFor } from '../http/endpoints/endpoint.ts';
import { text } from '../http/parameters/kinds.ts';
import { beginTotp, dropFactor, factorsOf, finishTotp, newCodes } from './factors.ts';
import type { SignIn } from './sign-in.ts';

const endpoint = endpointsFor<Caller>();
const bySession = { group: 'Portal', credentials: sessionToEnrol } as const;
const path = '/portal/api/factors';

const time = Type.String({ description: 'ISO 8601, UTC.' });
const recoveryCodes = Type.Array(Type.String(), {
  description: 'Shown this once; empty if there are no new ones.',
});
const withCodes = Type.Object({ recoveryCodes });
const removed = Type.Object({ removed: Type.Boolean() });

/** A code of an app has 6 digits, and a recovery code 10 letters and digits. */
export const code = text({ maxLength: 40, description: 'A code of an app, or a recovery code.' });
const codeOfApp = text({ required: true, maxLength: 40, description: 'A code of the app.' });
/** Longer than any text that is signed for a page. */
export const signed = text({ required: true, maxLength: 1_000, description: 'From the previous step.' });

export function factorEndpoints(services: SignIn) {
  return [
    endpoint({
      path,
      methods: ['GET'],
      ...bySession,
      title: 'Your second factors',
      description: 'Lists what signs the user in besides the password.',
      parameters: {},
      answer: Type.Object({
        codes: Type.Optional(Type.Object({ made: time, used: time })),
        recoveryCodes: Type.Integer({ description: 'How many are left.' }),
      }),
      async handle(caller) {
        const { totp, recoveryDigests } = await factorsOf(services, caller);
        return {
          codes: totp && { made: iso(totp.createdAt), used: iso(totp.usedAt) },
          recoveryCodes: recoveryDigests.length,
        };
      },
    }),
    endpoint({
      path: `${path}/codes/setup`,
      methods: ['POST'],
      ...bySession,
      title: 'Set up codes of an app',
      description: 'Creates a secret for an app. It counts once a code of it has been given.',
      parameters: {},
      answer: Type.Object({ secret: Type.String(), picture: Type.String(), token: Type.String() }),
      handle: (caller) => beginTotp(services, caller),
    }),
    endpoint({
      path: `${path}/codes`,
      methods: ['POST'],
      ...bySession,
      title: 'Confirm codes of an app',
      description: 'Codes of the app are needed at each sign-in from then on.',
      parameters: { token: signed, code: codeOfApp },
      answer: withCodes,
      errors: ['password_needed', 'factor_needed', 'taken'],
      concernsSecurity: () => ({ event: 'factor_added', object: 'codes' }),
      handle: (caller, input) => finishTotp(services, caller, input),
    }),
    endpoint({
      path: `${path}/codes`,
      methods: ['DELETE'],
      ...bySession,
      title: 'Remove codes of an app',
      description: 'Codes of the app no longer work.',
      parameters: {},
      answer: removed,
      errors: ['factor_needed', 'not_found', 'in_use'],
      concernsSecurity: () => ({ event: 'factor_removed', object: 'codes' }),
      handle: (caller) => dropFactor(services, caller, undefined),
    }),
    endpoint({
      path: `${path}/recovery-codes`,
      methods: ['POST'],
      ...bySession,
      title: 'Create new recovery codes',
      description: 'The earlier codes no longer work.',
      parameters: {},
      answer: withCodes,
      errors: ['factor_needed', 'not_found'],
      concernsSecurity: () => ({ event: 'factor_added', object: 'recovery codes' }),
      handle: (caller) => newCodes(services, caller),
    }),
  ] as const;
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
