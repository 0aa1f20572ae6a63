/** Endpoints that the portal's pages call for second factors; they are undocumented, since nothing else can use them. */
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server';
import Type from 'typebox';
import type { Caller } from '../accounts/caller.ts';
import { sessionToEnrol } from '../http/credentials/credentials.ts';
import { endpointsFor } from '../http/endpoints/endpoint.ts';
import { text } from '../http/parameters/kinds.ts';
import { maxPasskeyName, passkeyOrigin } from './factor.ts';
import {
  beginPasskey,
  beginTotp,
  dropFactor,
  factorsOf,
  finishPasskey,
  finishTotp,
  newCodes,
} from './factors.ts';
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

/** With three copies of a key of RSA, an answer has about 4,000 characters. */
const maxPasskeyAnswer = 10_000;
export const passkey = text({
  maxLength: maxPasskeyAnswer,
  description: 'What the browser answered when it was asked for a passkey, in JSON.',
});
/** The longest id of a credential, 1,023 bytes, in Base64url. */
const maxPasskeyId = 1_364;

export function factorEndpoints(services: SignIn) {
  return [...codeEndpoints(services), ...passkeyEndpoints(services)] as const;
}

function codeEndpoints(services: SignIn) {
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
        passkeys: Type.Array(
          Type.Object({ id: Type.String(), name: Type.String(), made: time, used: Type.Optional(time) }),
        ),
        passkeyOrigin: Type.Optional(
          Type.String({ description: 'The only origin at which passkeys can be added and used.' }),
        ),
        recoveryCodes: Type.Integer({ description: 'How many are left.' }),
      }),
      async handle(caller) {
        const { totp, passkeys, recoveryDigests } = await factorsOf(services, caller);
        return {
          codes: totp && { made: iso(totp.createdAt), used: iso(totp.usedAt) },
          passkeys: passkeys.map(({ id, name, createdAt, usedAt }) => ({
            id,
            name,
            made: iso(createdAt),
            used: usedAt === undefined ? undefined : iso(usedAt),
          })),
          passkeyOrigin: passkeyOrigin(services.publicUrl()),
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

function passkeyEndpoints(services: SignIn) {
  return [
    endpoint({
      path: `${path}/passkeys/setup`,
      methods: ['POST'],
      ...bySession,
      title: 'Ask for a new passkey',
      description: 'Says what the browser has to be asked for.',
      parameters: {},
      answer: Type.Object({
        options: Type.Unsafe<PublicKeyCredentialCreationOptionsJSON>({ type: 'object' }),
      }),
      handle: async (caller) => ({ options: await beginPasskey(services, caller) }),
    }),
    endpoint({
      path: `${path}/passkeys`,
      methods: ['POST'],
      ...bySession,
      title: 'Add a passkey',
      description: 'The passkey, or another second factor, is needed at each sign-in from then on.',
      parameters: {
        name: text({
          required: true,
          minLength: 1,
          maxLength: maxPasskeyName,
          description: 'A name of your choice.',
        }),
        answer: text({
          required: true,
          maxLength: maxPasskeyAnswer,
          description: 'What the browser answered, in JSON.',
        }),
      },
      answer: withCodes,
      errors: ['password_needed', 'factor_needed', 'taken'],
      concernsSecurity: () => ({ event: 'factor_added', object: 'passkey' }),
      handle: (caller, input) => finishPasskey(services, caller, input),
    }),
    endpoint({
      path: `${path}/passkeys`,
      methods: ['DELETE'],
      ...bySession,
      title: 'Remove a passkey',
      description: 'The passkey no longer works.',
      parameters: {
        id: text({ get: 'id', required: true, maxLength: maxPasskeyId, description: 'From the list.' }),
      },
      answer: removed,
      errors: ['factor_needed', 'not_found', 'in_use'],
      concernsSecurity: () => ({ event: 'factor_removed', object: 'passkey' }),
      handle: (caller, { id }) => dropFactor(services, caller, id),
    }),
  ] as const;
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
