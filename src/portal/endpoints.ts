/** Endpoints that the portal's pages call to sign in and out; they are undocumented, since nothing else can use them. */
import Type from 'typebox';
import type { Account } from '../accounts/account.ts';
import type { Caller } from '../accounts/caller.ts';
import { listAdministrators } from '../accounts/logins.ts';
import { maxPasswordLength } from '../accounts/password.ts';
import { type Role, roles } from '../accounts/role.ts';
import { readPasswordIsManaged } from '../accounts/set-keys.ts';
import { type ActKind, actKinds, wordsOfActs } from '../audit/act-words.ts';
import { isOfPortal } from '../audit/audit-log.ts';
import { shownCarriers } from '../carriers/provisioned/carrier-rows.ts';
import { ServiceError } from '../foundation/errors.ts';
import { linkOnly, passwordOnly, sessionOnly, sessionToEnrol } from '../http/credentials/credentials.ts';
import { endpointsFor } from '../http/endpoints/endpoint.ts';
import { text } from '../http/parameters/kinds.ts';
import { listCarriersOfCompany } from '../routing/route-records.ts';
import type { Store } from '../storage/store.ts';
import { factorEndpoints, lacking, stepEndpoints } from './factor-calls.ts';
import type { HintStreams } from './hint-streams.ts';
import type { ProviderPages } from './provider-pages.ts';
import { askFor } from './second-step.ts';
import type { Session } from './session.ts';
import { findSession, listSessions } from './session-store.ts';
import { hasEnded, lacksFactor } from './sessions.ts';
import { ended, shownSession, showSession } from './shown-session.ts';
import {
  confirm,
  end,
  holderOf,
  type SignIn,
  setOwnPassword,
  signIn,
  signInByFactor,
  signInByLink,
} from './sign-in.ts';

const endpoint = endpointsFor<Caller>();
const group = 'Portal';
const bySession = { group, credentials: sessionOnly } as const;
/** Also for users who have yet to set up a required second factor. */
const toEnrol = { group, credentials: sessionToEnrol } as const;

/** The user who is signed in. */
const signedIn = Type.Object({
  username: Type.String(),
  company: Type.Object({
    name: Type.String(),
    language: Type.Union([Type.Literal('en'), Type.Literal('sv')]),
    countryCode: Type.Optional(Type.String()),
    hasSimulator: Type.Boolean({ description: 'Whether a route of the company leads to a simulator.' }),
  }),
  roles: Type.Array(Type.Unsafe<Role>({ type: 'string', enum: [...roles] })),
  replaceCharacters: Type.Boolean({
    description: 'Whether the user may have characters of a text replaced, so that it has fewer parts.',
  }),
  passwordNeeded: Type.Boolean({
    description: 'Whether the session was started with a link, so that a password must still be set.',
  }),
  factorMissing: Type.Boolean({
    description: 'Whether a second factor is required, and none has been given in the session.',
  }),
  passwordManaged: Type.Boolean({
    description: 'Whether a provisioning file sets the password, so that the user can’t change it.',
  }),
  provider: Type.Optional(
    Type.Object(
      { name: Type.String(), label: Type.String() },
      { description: 'The identity provider that the user signed in with.' },
    ),
  ),
  hasSmppServer: Type.Boolean({
    description: 'Whether this node has an SMPP server to which programs of users can bind.',
  }),
  version: Type.String({ description: 'Version of the server.' }),
});

/** The user who is signed in, or what is lacking before the session begins. */
const begun = Type.Object({
  ...Type.Partial(signedIn).properties,
  lacking,
});

const signedOut = Type.Object({
  ...ended.properties,
  next: Type.Optional(
    Type.String({ description: 'The page of the identity provider at which the user signs out there too.' }),
  ),
});

interface PortalServices extends SignIn {
  readonly hints: HintStreams;
  readonly providers: Pick<ProviderPages, 'named' | 'signOutAddress'>;
  readonly hasSmppServer: boolean;
  readonly version: string;
}

export function portalEndpoints(services: PortalServices) {
  return [
    ...beginningEndpoints(services),
    ...stepEndpoints({
      path: '/portal/api/session',
      askFor: ({ userId }: Caller) => askFor(services, userId),
      begin: async (caller, given, call) => (await signInByFactor(services, caller, given, call)).token,
      confirm: async (caller, given, call) => (await confirm(services, caller, given, call)).token,
    }),
    ...ownEndpoints(services),
    ...factorEndpoints({
      path: '/portal/api/factors',
      services,
      holderOf: (caller: Caller) => holderOf(services, caller),
    }),
    ...listEndpoints(services),
  ] as const;
}

async function shown(
  { store, hasSmppServer, version, providers }: PortalServices,
  { user, company }: Account,
  { byLink, factorAt, provider }: Pick<Session, 'byLink' | 'factorAt' | 'provider'>,
) {
  const { name, language = 'en', countryCode } = company;
  const [passwordManaged, hasSimulator, by] = await Promise.all([
    store.read(readPasswordIsManaged, user.username),
    leadsToSimulator(store, company.id),
    provider === undefined ? undefined : providers.named(provider),
  ]);
  return {
    username: user.username,
    company: { name, language, countryCode, hasSimulator },
    roles: [...user.roles],
    replaceCharacters: user.replaceCharacters,
    passwordNeeded: byLink && !passwordManaged,
    factorMissing: lacksFactor({ session: { factorAt, provider }, account: { user, company } }),
    passwordManaged,
    provider: by,
    hasSmppServer,
    version,
  };
}

async function lacks(services: PortalServices, { userId }: Caller, token: string) {
  return { lacking: { token, asks: await askFor(services, userId) } };
}

async function leadsToSimulator(store: Store, companyId: number): Promise<boolean> {
  const theirs = await store.read(listCarriersOfCompany, companyId);
  return (await shownCarriers(store)).some(({ name, type }) => type === 'simulator' && theirs.has(name));
}

function beginningEndpoints(services: PortalServices) {
  return [
    endpoint({
      path: '/portal/api/session',
      methods: ['POST'],
      group,
      title: 'Sign in',
      description: 'Starts a session with `username` and `password`, or says what else is needed.',
      credentials: passwordOnly,
      parameters: {},
      answer: begun,
      async handle(caller, _, call) {
        const entered = await signIn(services, caller, call);
        if ('lacking' in entered) return lacks(services, caller, entered.lacking);
        call.keepSession(entered.token);
        return shown(services, entered.account, { byLink: false });
      },
    }),
    endpoint({
      path: '/portal/api/session/link',
      methods: ['POST'],
      group,
      title: 'Sign in with a link',
      description: 'Starts a session with the token of a link, which works once.',
      credentials: linkOnly,
      parameters: {
        token: text({ required: true, maxLength: 100, description: 'The part of the link after the `#`.' }),
      },
      answer: begun,
      async handle(caller, { token: linkToken }, call) {
        const entered = await signInByLink(services, linkToken, call);
        if ('lacking' in entered) return lacks(services, caller, entered.lacking);
        call.keepSession(entered.token);
        return shown(services, entered.account, { byLink: true });
      },
    }),
  ] as const;
}

function ownEndpoints(services: PortalServices) {
  const { store, hints } = services;
  return [
    endpoint({
      path: '/portal/api/session',
      methods: ['GET'],
      ...toEnrol,
      title: 'Who is signed in',
      description: 'Returns the session’s user.',
      parameters: {},
      answer: signedIn,
      async handle(caller) {
        const found = await store.read(findSession, digestOf(caller));
        if (found === undefined) throw hasEnded('session');
        return shown(services, found.account, found.session);
      },
    }),
    endpoint({
      path: '/portal/api/session',
      methods: ['DELETE'],
      ...toEnrol,
      title: 'Sign out',
      description: 'Ends the session.',
      parameters: {},
      answer: signedOut,
      async handle(caller, _, call) {
        const digest = digestOf(caller);
        const provider = (await store.read(findSession, digest))?.session.provider;
        const count = await end(services, caller, { digest });
        call.keepSession(undefined);
        if (provider === undefined) return { ended: count };
        return { ended: count, next: await call.whileWaiting(services.providers.signOutAddress(provider)) };
      },
    }),
    passwordEndpoint(services),
    endpoint({
      path: '/portal/api/audit-acts',
      methods: ['GET'],
      ...bySession,
      title: 'What acts are called',
      description: 'Names the acts of the audit log by their kinds, in the language asked for.',
      parameters: {},
      answer: Type.Object({
        kinds: Type.Array(
          Type.Object({
            kind: Type.Unsafe<ActKind>({ type: 'string', enum: [...actKinds] }),
            acts: Type.Array(Type.Object({ act: Type.String(), words: Type.String() })),
          }),
        ),
      }),
      handle: (_, __, { language }) => ({
        kinds: actKinds.map((kind) => ({ kind, acts: wordsOfActs(kind, language) })),
      }),
    }),
    endpoint({
      path: '/portal/api/administrators',
      methods: ['GET'],
      ...bySession,
      title: 'Who can give a role',
      description: 'Names a few administrators of the company.',
      parameters: {},
      answer: Type.Object({ administrators: Type.Array(Type.String()) }),
      handle: async ({ companyId }) => ({ administrators: await store.read(listAdministrators, companyId) }),
    }),
    endpoint({
      path: '/portal/api/hints',
      methods: ['GET'],
      ...bySession,
      title: 'Follow changes',
      description: 'Server-sent events, each with the `topic` of a list to reload.',
      parameters: {},
      answer: Type.Object({ topic: Type.String() }),
      handle: (caller) => hints.open(caller, digestOf(caller)),
    }),
  ] as const;
}

function passwordEndpoint(services: PortalServices) {
  return endpoint({
    path: '/portal/api/password',
    methods: ['POST'],
    ...toEnrol,
    title: 'Set your password',
    description: 'Sets a new password, and ends all other sessions.',
    parameters: {
      current: text({
        maxLength: maxPasswordLength,
        description: 'Not needed in a session started with a link.',
      }),
      password: text({ required: true, maxLength: maxPasswordLength, description: 'The new password.' }),
    },
    answer: signedIn,
    errors: ['managed'],
    concernsSecurity: () => ({ event: 'password_set' }),
    async handle(caller, input, call) {
      const { account, token } = await setOwnPassword(services, caller, input, call);
      call.keepSession(token);
      const { session } = caller;
      const factorAt = isOfPortal(session) ? session.factorAt : undefined;
      return shown(services, account, { byLink: false, factorAt });
    },
  });
}

function listEndpoints(services: PortalServices) {
  const { store, clock } = services;
  return [
    endpoint({
      path: '/portal/api/sessions',
      methods: ['GET'],
      ...bySession,
      title: 'List your sessions',
      description: 'Lists the user’s sessions, most recently used first.',
      parameters: {},
      answer: Type.Object({ sessions: Type.Array(shownSession) }),
      async handle(caller) {
        const own = digestOf(caller);
        const sessions = await store.read(listSessions, { userId: caller.userId, now: clock.now() });
        return { sessions: sessions.map((session) => showSession(session, own)) };
      },
    }),
    endpoint({
      path: '/portal/api/sessions',
      methods: ['DELETE'],
      ...bySession,
      title: 'End all other sessions',
      description: 'Ends all of the user’s sessions except the current one.',
      parameters: {},
      answer: ended,
      handle: async (caller) => ({ ended: await end(services, caller, { allBut: digestOf(caller) }) }),
    }),
    endpoint({
      path: '/portal/api/sessions/{id}',
      methods: ['DELETE'],
      ...bySession,
      title: 'End one session',
      description: 'Ends any of the user’s sessions, including the current one.',
      parameters: {
        id: text({
          get: 'id',
          required: true,
          maxLength: 40,
          description: 'Id of the session, from the list.',
        }),
      },
      answer: ended,
      errors: ['not_found'],
      async handle(caller, { id }) {
        const count = await end(services, caller, { id });
        if (count === 0)
          throw new ServiceError('not_found', 'You have no such session. It may have ended already.');
        return { ended: count };
      },
    }),
  ] as const;
}

/** Callers are admitted here only with a session. */
function digestOf({ session }: Caller): string {
  if (!isOfPortal(session)) throw hasEnded('session');
  return session.digest;
}
