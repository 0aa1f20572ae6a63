/** What administrators do with the users of their company: the endpoints of the management API, and what a call may say of a user. */
import Type from 'typebox';
import type { Caller } from '../accounts/caller.ts';
import { isRole, type Role, roles } from '../accounts/role.ts';
import { isUsername, maxUsernameLength } from '../accounts/user-records.ts';
import { greatestMaxRecipients } from '../batches/batch.ts';
import { fault, quoted, type Result, success } from '../foundation/result.ts';
import { anyMethod, passwordOnly } from '../http/credentials/credentials.ts';
import { endpointsFor } from '../http/endpoints/endpoint.ts';
import { boolean, digits, integer, text } from '../http/parameters/kinds.ts';
import { textList } from '../http/parameters/lists.ts';
import {
  nextOf,
  pageOf,
  pageParameters,
  textPageParameters,
  writeTextCursor,
} from '../http/parameters/page.ts';
import { clearable, type Input, ruled } from '../http/parameters/parameter.ts';
import { isCountry } from '../wire/country.ts';
import { canonicalEmail } from '../wire/email-address.ts';
import { parseSender } from '../wire/sender-id.ts';
import {
  changeUser,
  linkUser,
  makeUser,
  pageOfUsers,
  pageOfUsersKeys,
  readUser,
  removeUser,
  revokeUsersKey,
  type UserAdministration,
} from './administer-company-users.ts';
import { type CompanyUser, type UserChange, versionOf } from './company-user.ts';
import { showKey, shownKey } from './user-key-endpoints.ts';

export const name = ruled(
  text({
    required: true,
    maxLength: maxUsernameLength,
    description:
      'The user name by which it signs in, which nobody else has in the whole service. It never changes.',
  }),
  (given): Result<string> =>
    isUsername(given) && given.trim() === given
      ? success(given)
      : fault('invalid_value', { sentence: 'username_form' }),
);

/** Each once. */
function eachOf<Item>(
  items: readonly string[],
  rule: (item: string) => Result<Item>,
): Result<readonly Item[]> {
  const kept = new Set<Item>();
  for (const item of items) {
    const result = rule(item);
    if (!result.ok) return result;
    kept.add(result.value);
  }
  return success([...kept]);
}

const role = (given: string): Result<Role> =>
  isRole(given)
    ? success(given)
    : fault('invalid_value', `${quoted(given)} is no role: ${roles.join(', ')}.`);

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
      description: `Some of ${roles.join(', ')}; you have them yourself.`,
    }),
    (given) => eachOf(given, role),
  ),
  defaultSender: clearable(
    ruled(text({ maxLength: 60, description: 'Sender id where a call names none.' }), sender),
  ),
  senders: clearable(
    ruled(
      textList({ maxItems: 100, maxLength: 60, description: 'The only sender ids that it may send from.' }),
      (given) => eachOf(given, sender),
    ),
  ),
  replaceCharacters: boolean({
    description: 'Characters outside of GSM 03.38 are replaced where a call asks for it.',
  }),
  quotaParts: clearable(
    integer({
      max: 1_000_000_000_000,
      description: 'SMS parts that it may send in all; within those of the company.',
    }),
  ),
  partsPerMinute: parts('SMS parts that it may send in a minute.'),
  partsPerDay: parts('SMS parts that it may send in a day (UTC).'),
  countries: clearable(
    ruled(
      textList({
        maxItems: 300,
        maxLength: 10,
        description: 'The only countries that it may send to (ISO 3166).',
      }),
      (given) => eachOf(given, country),
    ),
  ),
  maxBatch: clearable(
    integer({ max: greatestMaxRecipients, description: 'The most recipients of a batch.' }),
  ),
  smtpSplit: boolean({ description: 'Receipts and answers may go back by mail.' }),
  email: clearable(
    ruled(text({ maxLength: 254, description: 'Where the user hears of sign-ins.' }), canonicalEmail),
  ),
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
/** A key that was stolen must not make a user, or a link, which would outlive it. */
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
    active: Type.Boolean({ description: 'An inactive user gets in by no way.' }),
    hasPassword: Type.Boolean({ description: 'Without one it gets in by a link, or by API key.' }),
    defaultSender: Type.Optional(Type.String({ description: 'Absent: that of the company.' })),
    senders: Type.Optional(Type.Array(Type.String(), { description: 'Absent: any.' })),
    replaceCharacters: Type.Boolean(),
    quotaParts: count('Absent: as many as the company.'),
    partsPerMinute: count('Absent: as many as the company.'),
    partsPerDay: count('Absent: as many as the company.'),
    countries: Type.Optional(Type.Array(Type.String(), { description: 'Absent: those of the company.' })),
    maxBatch: count('Absent: as many as anybody’s.'),
    smtpSplit: Type.Boolean(),
    email: Type.Optional(Type.String()),
    managed: Type.Boolean({ description: 'A provisioning file names the user: it alone removes it.' }),
    managedKeys: Type.Array(Type.String(), {
      description: 'What a provisioning file has set, by its words there: it alone changes these.',
    }),
    version: Type.String({ description: 'Changes whenever the user changes.' }),
  },
  { title: 'User' },
);
const link = Type.String({
  description:
    'Signs in as the user, once and within 30 minutes, to choose a password. It is told this once: send it by a way that nobody else reads.',
});

function shownUser(one: CompanyUser) {
  const { user, isManaged, managedKeys } = one;
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
    managed: isManaged,
    managedKeys: [...managedKeys],
    version: versionOf(one),
  };
}

/** What removes a user comes last. */
export function userEndpoints(services: UserAdministration) {
  return [
    ...listEndpoints(services),
    ...stateEndpoints(services),
    linkEndpoint(services),
    ...keysOfUsers(services),
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
      description: 'Lists the users of the company by their names. Requires the role companyAdmin.',
      example: { url: {} },
      parameters: {
        name: text({ get: 'name', maxLength: maxUsernameLength, description: 'Only the user of this name.' }),
        ...textPageParameters,
      },
      answer: Type.Object({ users: Type.Array(shown), next: nextOf('users') }),
      errors: ['role_missing'],
      async handle(caller, { name, after, limit }) {
        const page = { name, after: String(after?.[0] ?? ''), limit: limit + 1 };
        const rows = await pageOfUsers(services, caller, page);
        const { items, next } = pageOf(rows, limit, ({ user }) => writeTextCursor([user.username]));
        return { users: items.map(shownUser), next };
      },
    }),
    endpoint({
      path,
      methods: ['POST'],
      ...writing,
      creates: 'id',
      operation: 'createUser',
      title: 'Make a user',
      description:
        'Makes a user of the company, who chooses a password by the link of the answer. It has the limits and address books of whoever makes it, and nobody gives more than they have themselves.',
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
    told: { readonly operation: string; readonly title: string; readonly description: string },
  ) =>
    endpoint({
      path: `${path}/{id}/${verb}` as const,
      methods: ['POST'],
      ...writing,
      ...told,
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
      title: 'Close a user',
      description:
        'From then on, within a second on every node, the user gets in by no password, API key or session. What it has sent stays.',
    }),
    state('activate', {
      operation: 'activateUser',
      title: 'Open a user again',
      description: 'Lets a user in that was closed, by its password and API keys. Sessions begin anew.',
    }),
  ] as const;
}

function linkEndpoint(services: UserAdministration) {
  return endpoint({
    path: `${path}/{id}/link`,
    methods: ['POST'],
    ...writing,
    operation: 'createSignInLink',
    title: 'Make a link that signs a user in',
    description:
      'For who has no password, or has lost it; in place of the link before. It takes whoever has all rights of the user.',
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

function keysOfUsers(services: UserAdministration) {
  const { clock } = services;
  const keys = `${path}/{id}/apikeys` as const;
  return [
    endpoint({
      path: keys,
      methods: ['GET'],
      ...reading,
      operation: 'listUserApiKeys',
      title: 'List the API keys of a user',
      description: 'Lists them oldest first, with what has become of each and when it was used last.',
      example: { url: { id: '10001' } },
      parameters: { id, ...pageParameters },
      answer: Type.Object({ apiKeys: Type.Array(shownKey), next: nextOf('apiKeys') }),
      errors,
      async handle(caller, { id, after, limit }) {
        const page = { id, after: after?.id, limit: limit + 1 };
        const rows = await pageOfUsersKeys(services, caller, page);
        const { items, next } = pageOf(rows, limit, ({ key }) => String(key));
        return { apiKeys: items.map((key) => showKey(key, clock.now())), next };
      },
    }),
    endpoint({
      path: `${keys}/{key}/revoke`,
      methods: ['POST'],
      ...writing,
      operation: 'revokeUserApiKey',
      title: 'Revoke an API key of a user',
      description: 'From then on, within a second on every node, the key lets nobody in.',
      example: { url: { id: '10001', key: '1' }, json: {} },
      parameters: {
        id,
        key: digits({ get: 'key', required: true, maxLength: 15, description: 'Id of the API key.' }),
      },
      answer: shownKey,
      answersVersion: true,
      errors: writingErrors,
      concernsSecurity: (_, key) => ({ event: 'key_revoked', object: key.name }),
      handle: async (caller, input) => showKey(await revokeUsersKey(services, caller, input), clock.now()),
    }),
  ] as const;
}

function oneEndpoints(services: UserAdministration) {
  return [
    endpoint({
      path: `${path}/{id}`,
      methods: ['GET'],
      ...reading,
      operation: 'getUser',
      title: 'Read a user',
      description: 'Gives what a user is and may do.',
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
        'Changes what is given, and leaves the rest. It holds within a second on every node; a role more asks the user for the password again.',
      example: { url: { id: '10002' }, json: { roles: ['send', 'jobs'], partsPerDay: 500 } },
      parameters: { id, ...settings },
      answer: shown,
      answersVersion: true,
      takesVersion: true,
      errors: [...changeErrors, 'invalid_email', 'own_email'],
      concernsSecurity: (_, { username }) => ({ event: 'user_changed', object: username }),
      handle: async (caller, { id, ...given }, { ifMatch }) =>
        shownUser(await changeUser(services, caller, { id, ifMatch, change: changeOf(given) })),
    }),
    endpoint({
      path: `${path}/{id}`,
      methods: ['DELETE'],
      ...writing,
      operation: 'deleteUser',
      title: 'Remove a user',
      description:
        'Removes a user with its API keys and sessions. What it has sent stays, and the bill goes on to name it. One that a number, an e-mail sender or the like still needs is not removed.',
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
