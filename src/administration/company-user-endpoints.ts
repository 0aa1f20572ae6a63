/**
 * The management API's endpoints for administrators to manage the users of their company, and the values that a call may give
 * for a user.
 */
import Type from 'typebox';
import type { Caller } from '../accounts/caller.ts';
import { isRole, type Role, roles } from '../accounts/role.ts';
import { maxUsernameLength, newUsername } from '../accounts/user-records.ts';
import { isOfPortal } from '../audit/audit-log.ts';
import { greatestMaxRecipients } from '../batches/batch.ts';
import { eachOf, fault, quoted, type Result, success } from '../foundation/result.ts';
import { anyMethod, passwordOnly } from '../http/credentials/credentials.ts';
import { endpointsFor } from '../http/endpoints/endpoint.ts';
import { boolean, digits, integer, text, word } from '../http/parameters/kinds.ts';
import { textList } from '../http/parameters/lists.ts';
import { inOrderOfLanguage, nameCursor, namePageParameters, nextOf } from '../http/parameters/page.ts';
import { clearable, type Input, ruled } from '../http/parameters/parameter.ts';
import { shownSession, showSession } from '../portal/shown-session.ts';
import { type Category, categories, standardCategory } from '../wire/category.ts';
import { isCountry } from '../wire/country.ts';
import { canonicalEmail } from '../wire/email-address.ts';
import { parseSender } from '../wire/sender-id.ts';
import {
  changeUser,
  endSessionsOfUser,
  linkUser,
  makeUser,
  pageOfUsers,
  readUser,
  releaseUser,
  removeUser,
  resetFactorsOf,
  sessionsOfUser,
  type UserAdministration,
} from './administer-company-users.ts';
import { companyKeyEndpoints } from './company-key-endpoints.ts';
import { type CompanyUser, showLogin, type UserChange, userStates, versionOf } from './company-user.ts';
import { shownLogin, smppLogin, smppPasswordEndpoint } from './smpp-login-endpoint.ts';

export const name = ruled(
  text({
    required: true,
    maxLength: maxUsernameLength,
    description: 'User name for signing in, unique in the whole service. It never changes.',
  }),
  newUsername,
);

const role = (given: string): Result<Role> =>
  isRole(given)
    ? success(given)
    : fault('invalid_value', { sentence: 'not_one_of', given: quoted(given), words: roles.join(', ') });

function sender(given: string): Result<string> {
  const parsed = parseSender(given);
  return parsed.ok ? success(parsed.value.value) : parsed;
}

function country(given: string): Result<string> {
  const code = given.toUpperCase();
  return /^[A-Z]{2}$/.test(code) && isCountry(code)
    ? success(code)
    : fault('invalid_value', { sentence: 'unknown_country', country: quoted(given) });
}

const parts = (description: string) => clearable(integer({ min: 1, max: 1_000_000_000, description }));

export const settings = {
  roles: ruled(
    textList({
      maxItems: 10,
      maxLength: 20,
      description: `Any of ${roles.join(', ')}, limited to those that you have yourself.`,
    }),
    (given) => eachOf(given, role),
  ),
  defaultSender: clearable(
    ruled(text({ maxLength: 60, description: 'Sender id used when a call gives none.' }), sender),
  ),
  senders: clearable(
    ruled(
      textList({ maxItems: 100, maxLength: 60, description: 'The only sender ids that the user may use.' }),
      (given) => eachOf(given, sender),
    ),
  ),
  replaceCharacters: boolean({
    description: 'Whether calls may ask for characters outside GSM 03.38 to be replaced.',
  }),
  quotaParts: clearable(
    integer({
      max: 1_000_000_000_000,
      description: 'SMS parts that the user may send in all, within the company’s quota.',
    }),
  ),
  partsPerMinute: parts('SMS parts that the user may send per minute.'),
  partsPerDay: parts('SMS parts that the user may send per day (UTC).'),
  countries: clearable(
    ruled(
      textList({
        maxItems: 300,
        maxLength: 10,
        description: 'The only countries that the user may send to (ISO 3166).',
      }),
      (given) => eachOf(given, country),
    ),
  ),
  maxBatch: clearable(
    integer({ max: greatestMaxRecipients, description: 'Maximum number of recipients in a batch.' }),
  ),
  smtpSplit: boolean({
    description: 'Whether e-mail senders that the user pays for may get receipts and answers by e-mail.',
  }),
  email: clearable(
    ruled(text({ maxLength: 254, description: 'Address for e-mails about sign-ins.' }), canonicalEmail),
  ),
  category: word(categories, {
    description: `Category of messages in calls that give none. Initially \`${standardCategory}\`.`,
  }),
  addressBooks: textList({
    maxItems: 1_000,
    maxLength: 200,
    description: 'Names of the address books that the user may read.',
  }),
  defaultAddressBook: clearable(
    text({ maxLength: 200, description: 'The one of them in which the user finds recipients.' }),
  ),
  systemUser: clearable(
    text({
      maxLength: maxUsernameLength,
      description: 'The system user whose saved jobs the user may start.',
    }),
  ),
  smpp: smppLogin,
} as const;

export function changeOf({ roles: given, countries, ...others }: Input<typeof settings>): UserChange {
  return {
    ...others,
    roles: given && roles.filter((role) => given.includes(role)),
    countries: countries && [...countries].sort(),
  };
}

const endpoint = endpointsFor<Caller>();
const path = '/api/v1/users';
const reading = { group: 'Users', credentials: anyMethod } as const;
/** A stolen key must not create a user or a link, which would outlive the key. */
const writing = { group: 'Users', credentials: passwordOnly } as const;
const errors = ['role_missing', 'not_found'] as const;
const writingErrors = [...errors, 'password_needed'] as const;
const changeErrors = [
  ...writingErrors,
  ...(['managed', 'beyond_own_rights', 'last_administrator'] as const),
  ...(['sender_not_allowed', 'sender_not_yours', 'invalid_sender'] as const),
] as const;

const id = digits({ get: 'id', required: true, maxLength: 15, description: 'Id of the user.' });
const count = (description: string) => Type.Optional(Type.Integer({ description }));

const shown = Type.Object(
  {
    id: Type.String(),
    username: Type.String(),
    roles: Type.Array(Type.Unsafe<Role>({ type: 'string', enum: [...roles] })),
    active: Type.Boolean({ description: 'Whether the user can sign in and make calls.' }),
    hasPassword: Type.Boolean({
      description: 'Whether the user has a password; without a password, a user signs in by link or API key.',
    }),
    defaultSender: Type.Optional(Type.String({ description: 'Absent: that of the company is used.' })),
    senders: Type.Optional(Type.Array(Type.String(), { description: 'Absent: any.' })),
    replaceCharacters: Type.Boolean(),
    quotaParts: count('Absent: limited only by the company.'),
    partsPerMinute: count('Absent: limited only by the company.'),
    partsPerDay: count('Absent: limited only by the company.'),
    countries: Type.Optional(
      Type.Array(Type.String(), { description: 'Absent: those of the company apply.' }),
    ),
    maxBatch: count('Absent: the standard limit.'),
    smtpSplit: Type.Boolean(),
    email: Type.Optional(Type.String()),
    category: Type.Unsafe<Category>({ type: 'string', enum: [...categories] }),
    addressBooks: Type.Array(Type.String()),
    defaultAddressBook: Type.Optional(Type.String()),
    systemUser: Type.Optional(Type.String()),
    smpp: Type.Optional(shownLogin),
    lastSignIn: Type.Optional(
      Type.String({ description: 'Last sign-in to the portal; after 90 days, only its day.' }),
    ),
    managed: Type.Boolean({
      description: 'Whether a provisioning file has this user; only the file can then remove the user.',
    }),
    managedKeys: Type.Array(Type.String(), {
      description: 'Keys set by a provisioning file; only that file can change them.',
    }),
    version: Type.String({ description: 'Changes whenever the user changes.' }),
  },
  { title: 'User' },
);

const link = Type.String({
  description:
    'Link that signs in as the user, once within 30 minutes, to choose a password. Shown only this once: send it over a private channel.',
});

function shownUser(one: CompanyUser) {
  const { user, isManaged, managedKeys, addressBooks, defaultAddressBook, systemUser, smpp, lastSignIn } =
    one;
  const { partsPerMinute, partsPerDay, countries } = user.limits ?? {};
  return {
    id: String(user.id),
    username: user.username,
    roles: [...user.roles],
    active: user.active,
    hasPassword: user.passwordHash !== undefined,
    defaultSender: user.defaultSender,
    senders: user.senders && [...user.senders],
    replaceCharacters: user.replaceCharacters,
    quotaParts: user.quotaParts,
    partsPerMinute,
    partsPerDay,
    countries: countries && [...countries],
    maxBatch: user.maxBatch,
    smtpSplit: user.smtpSplit,
    email: user.email,
    category: user.category ?? standardCategory,
    addressBooks: [...addressBooks],
    defaultAddressBook,
    systemUser,
    smpp: smpp && showLogin(smpp),
    lastSignIn: lastSignIn === undefined ? undefined : new Date(lastSignIn).toISOString(),
    managed: isManaged,
    managedKeys: [...managedKeys],
    version: versionOf(one),
  };
}

/** The endpoint that removes a user comes last. */
export function userEndpoints(services: UserAdministration) {
  return [
    ...listEndpoints(services),
    ...stateEndpoints(services),
    linkEndpoint(services),
    ...companyKeyEndpoints(services),
    ...sessionsOfUsers(services),
    factorsOfUser(services),
    ...oneEndpoints(services),
  ] as const;
}

function listEndpoints(services: UserAdministration) {
  return [
    endpoint({
      path,
      methods: ['GET'],
      ...reading,
      operation: 'listUsers',
      title: 'List users',
      description: `Lists the company’s users by name. ${inOrderOfLanguage} Requires the role companyAdmin.`,
      example: { url: {} },
      parameters: {
        name: text({
          get: 'name',
          maxLength: maxUsernameLength,
          description: 'Only the user with this name.',
        }),
        q: text({
          get: 'q',
          maxLength: maxUsernameLength,
          description:
            'Only users whose names contain this. A page may then be empty though `next` leads on.',
        }),
        state: word(userStates, {
          get: 'state',
          description: 'Only active users with a password, active users without one, or inactive users.',
        }),
        ...namePageParameters,
      },
      answer: Type.Object({ users: Type.Array(shown), next: nextOf('users') }),
      errors: ['role_missing'],
      async handle(caller, { after, ...given }, { language }) {
        const from = after ?? { language };
        const { users, readTo } = await pageOfUsers(services, caller, { ...given, from });
        const next = readTo === undefined ? undefined : nameCursor(from)({ name: readTo });
        return { users: users.map(shownUser), next };
      },
    }),
    endpoint({
      path,
      methods: ['POST'],
      ...writing,
      creates: 'id',
      operation: 'createUser',
      title: 'Create a user',
      description:
        'Creates a user of the company. The link in the answer lets the user choose a password. The user gets your limits and address books, and with the role jobs your system user; you can’t give more than you have.',
      example: { json: { name: 'night desk', roles: ['send'], defaultSender: 'NightDesk' } },
      parameters: { name, ...settings },
      answer: Type.Object({ ...shown.properties, link }, { title: 'UserWithLink' }),
      answersVersion: true,
      errors: [
        ...([
          'role_missing',
          'password_needed',
          'name_taken',
          'too_many_users',
          'beyond_own_rights',
        ] as const),
        ...(['sender_not_allowed', 'sender_not_yours', 'invalid_sender', 'invalid_email'] as const),
      ],
      concernsSecurity: (_, { username }) => ({ event: 'user_made', object: username }),
      async handle(caller, { name, ...given }) {
        const made = await makeUser(services, caller, { name, change: changeOf(given) });
        return { ...shownUser(made.one), link: made.link };
      },
    }),
  ] as const;
}

function stateEndpoints(services: UserAdministration) {
  const state = <Verb extends 'activate' | 'deactivate'>(
    verb: Verb,
    described: { readonly operation: string; readonly title: string; readonly description: string },
  ) =>
    endpoint({
      path: `${path}/{id}/${verb}` as const,
      methods: ['POST'],
      ...writing,
      ...described,
      example: { url: { id: '10002' }, json: {} },
      parameters: { id },
      answer: shown,
      answersVersion: true,
      takesVersion: true,
      errors: changeErrors,
      concernsSecurity: (_, { username }) => ({ event: 'user_changed', object: `${username}: ${verb}` }),
      handle: async (caller, { id }, { ifMatch }) =>
        shownUser(
          await changeUser(services, caller, { id, ifMatch, change: { active: verb === 'activate' } }),
        ),
    });
  return [
    state('deactivate', {
      operation: 'deactivateUser',
      title: 'Deactivate a user',
      description:
        'Within a second, on every node, the user’s password, API keys and sessions stop working. What the user has sent stays.',
    }),
    state('activate', {
      operation: 'activateUser',
      title: 'Reactivate a user',
      description:
        'The user’s password and API keys work again. Earlier sessions do not: the user must sign in again.',
    }),
  ] as const;
}

function linkEndpoint(services: UserAdministration) {
  return endpoint({
    path: `${path}/{id}/link`,
    methods: ['POST'],
    ...writing,
    operation: 'createSignInLink',
    title: 'Create a sign-in link for a user',
    description:
      'Creates a link for a user who has no password or has lost it. It replaces the previous link. You need all rights that the user has.',
    example: { url: { id: '10002' }, json: {} },
    parameters: { id },
    answer: Type.Object({ ...shown.properties, link }, { title: 'UserWithLink' }),
    answersVersion: true,
    errors: [...writingErrors, 'beyond_own_rights', 'too_late'],
    concernsSecurity: (_, { username }) => ({ event: 'link_made', object: `user ${username}` }),
    async handle(caller, input) {
      const made = await linkUser(services, caller, input.id);
      return { ...shownUser(made.one), link: made.link };
    },
  });
}

const shownIdentity = Type.Object({
  provider: Type.String({ description: 'Name of the identity provider.' }),
  since: Type.String({ description: 'Time of the first sign-in with it, ISO 8601, UTC.' }),
});

function sessionsOfUsers(services: UserAdministration) {
  const sessions = `${path}/{id}/sessions` as const;
  return [
    endpoint({
      path: sessions,
      methods: ['GET'],
      ...reading,
      operation: 'listUserSessions',
      title: 'List the sessions of a user',
      description:
        'Lists where a user is signed in to the portal, most recently used first, and the identity providers that know the user.',
      example: { url: { id: '10001' } },
      parameters: { id },
      answer: Type.Object({ sessions: Type.Array(shownSession), identities: Type.Array(shownIdentity) }),
      errors,
      async handle(caller, input) {
        const own = isOfPortal(caller.session) ? caller.session.digest : undefined;
        const { sessions, identities } = await sessionsOfUser(services, caller, input.id);
        return {
          sessions: sessions.map((session) => showSession(session, own)),
          identities: identities.map(({ provider, since }) => ({
            provider,
            since: new Date(since).toISOString(),
          })),
        };
      },
    }),
    endpoint({
      path: sessions,
      methods: ['DELETE'],
      ...writing,
      operation: 'deleteUserSessions',
      title: 'End the sessions of a user',
      description:
        'Signs a user out everywhere within a second, except in the session that makes the call. The password and API keys go on working.',
      example: { url: { id: '10002' } },
      parameters: { id },
      answer: Type.Object({
        username: Type.String(),
        ended: Type.Integer({ description: 'Number of sessions ended.' }),
      }),
      errors: writingErrors,
      concernsSecurity: (_, { username }) => ({
        event: 'user_changed',
        object: `${username}: sessions ended`,
      }),
      handle: async (caller, input) => endSessionsOfUser(services, caller, input.id),
    }),
    endpoint({
      path: `${path}/{id}/identities`,
      methods: ['DELETE'],
      ...writing,
      operation: 'deleteUserIdentities',
      title: 'Release a user from identity providers',
      description:
        'Identity providers no longer know the user. Anyone who has the user’s name at a provider of the company can then sign in as the user.',
      example: { url: { id: '10002' } },
      parameters: { id },
      answer: shown,
      answersVersion: true,
      errors: [...writingErrors, 'beyond_own_rights'],
      concernsSecurity: (_, { username }) => ({
        event: 'user_changed',
        object: `${username}: released from identity providers`,
      }),
      handle: async (caller, input) => shownUser(await releaseUser(services, caller, input.id)),
    }),
  ] as const;
}

function factorsOfUser(services: UserAdministration) {
  return endpoint({
    path: `${path}/{id}/factors`,
    methods: ['DELETE'],
    ...writing,
    operation: 'deleteUserFactors',
    title: 'Remove the second factors of a user',
    description:
      'For a user who has lost a phone or a key: the password alone signs in again. The user’s sessions end, and the user is told by e-mail.',
    example: { url: { id: '10002' } },
    parameters: { id },
    answer: Type.Object({
      username: Type.String(),
      removed: Type.Boolean({ description: 'Whether the user had any.' }),
    }),
    errors: [...writingErrors, 'own_factors'],
    concernsSecurity: (_, { username }) => ({ event: 'factor_removed', object: `user ${username}` }),
    handle: (caller, input) => resetFactorsOf(services, caller, input.id),
  });
}

function oneEndpoints(services: UserAdministration) {
  return [
    endpoint({
      path: `${path}/{id}`,
      methods: ['GET'],
      ...reading,
      operation: 'getUser',
      title: 'Read a user',
      description: 'Returns a user’s settings and rights.',
      example: { url: { id: '10001' } },
      parameters: { id },
      answer: shown,
      answersVersion: true,
      errors,
      handle: async (caller, input) => shownUser(await readUser(services, caller, input.id)),
    }),
    endpoint({
      path: `${path}/{id}`,
      methods: ['PATCH'],
      ...writing,
      operation: 'updateUser',
      title: 'Change a user',
      description:
        'Changes the given fields and keeps the rest, within a second on every node. After a role is added, the user must enter the password again.',
      example: {
        url: { id: '10002' },
        json: { roles: ['send', 'jobs'], partsPerDay: 500, smpp: { systemId: 'night-desk' } },
      },
      parameters: { id, ...settings },
      answer: shown,
      answersVersion: true,
      takesVersion: true,
      errors: [...changeErrors, 'invalid_email', 'own_email', 'name_taken'],
      concernsSecurity: (_, { username }) => ({ event: 'user_changed', object: username }),
      handle: async (caller, { id, ...given }, { ifMatch }) =>
        shownUser(await changeUser(services, caller, { id, ifMatch, change: changeOf(given) })),
    }),
    // The example of the call above gives the login.
    smppPasswordEndpoint(services),
    endpoint({
      path: `${path}/{id}`,
      methods: ['DELETE'],
      ...writing,
      operation: 'deleteUser',
      title: 'Remove a user',
      description:
        'Removes a user, including the user’s API keys and sessions. Sent messages stay, and usage keeps the name. A user that a number, an e-mail sender or another setting still refers to can’t be removed.',
      example: { url: { id: '10002' } },
      parameters: { id },
      answer: Type.Object({ id: Type.String(), username: Type.String() }),
      takesVersion: true,
      errors: [...writingErrors, 'managed', 'last_administrator', 'in_use'],
      concernsSecurity: (_, { username }) => ({ event: 'user_removed', object: username }),
      async handle(caller, { id }, { ifMatch }) {
        const { user } = await removeUser(services, caller, { id, ifMatch });
        return { id, username: user.username };
      },
    }),
  ] as const;
}
