/**
 * Endpoints that the portal's pages call to sign in with second factors, and to change them, for users and for operators; they
 * are undocumented, since nothing else can use them.
 */
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import Type from 'typebox';
import { maxPasswordLength } from '../accounts/password.ts';
import { linkOnly, sessionToEnrol } from '../http/credentials/credentials.ts';
import { type Call, endpointsFor } from '../http/endpoints/endpoint.ts';
import { text } from '../http/parameters/kinds.ts';
import { maxPasskeyName, passkeyOrigin } from './factor.ts';
import type { Owner } from './factor-records.ts';
import {
  beginPasskey,
  beginTotp,
  dropFactor,
  type FactorServices,
  finishPasskey,
  finishTotp,
  type Holder,
  newCodes,
} from './factors.ts';
import type { askFor, GivenFactor } from './second-step.ts';

/** Also for those who have yet to set up a required second factor. */
const bySession = { group: 'Portal', credentials: sessionToEnrol } as const;

const time = Type.String({ description: 'ISO 8601, UTC.' });
const recoveryCodes = Type.Array(Type.String(), {
  description: 'Shown this once; empty if there are no new ones.',
});
const withCodes = Type.Object({ recoveryCodes });
const removed = Type.Object({ removed: Type.Boolean() });

/** A code of an app has 6 digits, and a recovery code 10 letters and digits. */
const code = text({ maxLength: 40, description: 'A code of an app, or a recovery code.' });
const codeOfApp = text({ required: true, maxLength: 40, description: 'A code of the app.' });
/** Longer than any text that is signed for a page. */
const signed = text({ required: true, maxLength: 1_000, description: 'From the previous step.' });

/** With three copies of a key of RSA, an answer has about 4,000 characters. */
const maxPasskeyAnswer = 10_000;
const passkey = text({
  maxLength: maxPasskeyAnswer,
  description: 'What the browser answered when it was asked for a passkey, in JSON.',
});
/** The longest id of a credential, 1,023 bytes, in Base64url. */
const maxPasskeyId = 1_364;

/** What can be given besides the password. */
const asks = Type.Object({
  codes: Type.Boolean({ description: 'Codes of an app.' }),
  passkey: Type.Optional(
    Type.Unsafe<PublicKeyCredentialRequestOptionsJSON>({
      type: 'object',
      description: 'What the browser has to be asked for.',
    }),
  ),
});

/** Answered to a password or a link that is right, if a second factor is needed too. */
export const lacking = Type.Optional(Type.Object({ token: Type.String(), asks }));

/** What differs between users and operators, in the steps of their sessions. The text is the token of a new session. */
interface Steps<Path extends string, Caller> {
  readonly path: Path;
  readonly askFor: (caller: Caller) => ReturnType<typeof askFor>;
  readonly begin: (
    caller: Caller,
    given: GivenFactor & { readonly token: string },
    call: Call,
  ) => Promise<string>;
  readonly confirm: (
    caller: Caller,
    given: GivenFactor & { readonly password: string | undefined },
    call: Call,
  ) => Promise<string>;
}

export function stepEndpoints<const Path extends string, Caller>({
  path,
  askFor,
  begin,
  confirm,
}: Steps<Path, Caller>) {
  const endpoint = endpointsFor<Caller>();
  return [
    endpoint({
      path: `${path}/factor` as const,
      methods: ['POST'],
      group: 'Portal',
      title: 'Sign in with a second factor',
      description: 'Starts the session that a password or a link asked for.',
      credentials: linkOnly,
      parameters: { token: signed, code, passkey },
      answer: Type.Object({}),
      async handle(caller, input, call) {
        call.keepSession(await begin(caller, input, call));
        return {};
      },
    }),
    endpoint({
      path: `${path}/confirm` as const,
      methods: ['GET'],
      ...bySession,
      title: 'What confirms who you are',
      description: 'Says which second factors can be given instead of the password.',
      parameters: {},
      answer: asks,
      handle: (caller) => askFor(caller),
    }),
    endpoint({
      path: `${path}/confirm` as const,
      methods: ['POST'],
      ...bySession,
      title: 'Confirm who you are',
      description: 'Starts a session in which a password or a second factor has just been given.',
      parameters: {
        password: text({ maxLength: maxPasswordLength, description: 'The current password.' }),
        code,
        passkey,
      },
      answer: Type.Object({}),
      async handle(caller, input, call) {
        call.keepSession(await confirm(caller, input, call));
        return {};
      },
    }),
  ] as const;
}

/** `holderOf`: whose factors the caller of an endpoint changes. */
interface Parts<Path extends string, Caller, Who extends Owner> {
  readonly path: Path;
  readonly services: FactorServices<Who>;
  readonly holderOf: (caller: Caller) => Holder<Who>;
}

export function factorEndpoints<const Path extends string, Caller, Who extends Owner>(
  parts: Parts<Path, Caller, Who>,
) {
  return [...codeEndpoints(parts), ...passkeyEndpoints(parts)] as const;
}

function codeEndpoints<const Path extends string, Caller, Who extends Owner>({
  path,
  services,
  holderOf,
}: Parts<Path, Caller, Who>) {
  const endpoint = endpointsFor<Caller>();
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
        const { totp, passkeys, recoveryDigests } = await services.store.read(
          services.factors.read,
          holderOf(caller).owner,
        );
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
      path: `${path}/codes/setup` as const,
      methods: ['POST'],
      ...bySession,
      title: 'Set up codes of an app',
      description: 'Creates a secret for an app. It counts once a code of it has been given.',
      parameters: {},
      answer: Type.Object({ secret: Type.String(), picture: Type.String(), token: Type.String() }),
      handle: (caller) => beginTotp(services, holderOf(caller)),
    }),
    endpoint({
      path: `${path}/codes` as const,
      methods: ['POST'],
      ...bySession,
      title: 'Confirm codes of an app',
      description: 'Codes of the app are needed at each sign-in from then on.',
      parameters: { token: signed, code: codeOfApp },
      answer: withCodes,
      errors: ['password_needed', 'factor_needed', 'taken'],
      concernsSecurity: () => ({ event: 'factor_added', object: 'codes' }),
      handle: (caller, input) => finishTotp(services, holderOf(caller), input),
    }),
    endpoint({
      path: `${path}/codes` as const,
      methods: ['DELETE'],
      ...bySession,
      title: 'Remove codes of an app',
      description: 'Codes of the app no longer work.',
      parameters: {},
      answer: removed,
      errors: ['factor_needed', 'not_found', 'in_use'],
      concernsSecurity: () => ({ event: 'factor_removed', object: 'codes' }),
      handle: (caller) => dropFactor(services, holderOf(caller), undefined),
    }),
    endpoint({
      path: `${path}/recovery-codes` as const,
      methods: ['POST'],
      ...bySession,
      title: 'Create new recovery codes',
      description: 'The earlier codes no longer work.',
      parameters: {},
      answer: withCodes,
      errors: ['factor_needed', 'not_found'],
      concernsSecurity: () => ({ event: 'factor_added', object: 'recovery codes' }),
      handle: (caller) => newCodes(services, holderOf(caller)),
    }),
  ] as const;
}

function passkeyEndpoints<const Path extends string, Caller, Who extends Owner>({
  path,
  services,
  holderOf,
}: Parts<Path, Caller, Who>) {
  const endpoint = endpointsFor<Caller>();
  return [
    endpoint({
      path: `${path}/passkeys/setup` as const,
      methods: ['POST'],
      ...bySession,
      title: 'Ask for a new passkey',
      description: 'Says what the browser has to be asked for.',
      parameters: {},
      answer: Type.Object({
        options: Type.Unsafe<PublicKeyCredentialCreationOptionsJSON>({ type: 'object' }),
      }),
      handle: async (caller) => ({ options: await beginPasskey(services, holderOf(caller)) }),
    }),
    endpoint({
      path: `${path}/passkeys` as const,
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
      handle: (caller, input) => finishPasskey(services, holderOf(caller), input),
    }),
    endpoint({
      path: `${path}/passkeys` as const,
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
      handle: (caller, { id }) => dropFactor(services, holderOf(caller), id),
    }),
  ] as const;
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
