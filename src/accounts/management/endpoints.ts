/** The endpoints of the management API by which administrators look after the users of their company. */
import Type from 'typebox';
import { anyMethod, passwordOnly } from '../../http/credentials/credentials.ts';
import { endpointsFor } from '../../http/endpoints/endpoint.ts';
import { digits } from '../../http/parameters/kinds.ts';
import {
  nextOf,
  pageOf,
  pageParameters,
  textPageParameters,
  writeTextCursor,
} from '../../http/parameters/page.ts';
import type { Caller } from '../caller.ts';
import { type Role, roles } from '../role.ts';
import { apiKeySchema, shownKey } from '../shown-key.ts';
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
import { type CompanyUser, versionOf } from './company-user.ts';
import { changeOf, name, settings, version } from './parameters.ts';

const endpoint = endpointsFor<Caller>();
const path = '/api/v1/users';
const reading = { group: 'Users', credentials: anyMethod } as const;
/** A key that was stolen must not make a user, or a link, which would outlive it. */
const writing = { group: 'Users', credentials: passwordOnly } as const;
const errors = ['role_missing', 'not_found'] as const;
const writingErrors = [...errors, 'password_needed'] as const;
const changeErrors = [
  ...writingErrors,
  ...(['managed', 'changed_meanwhile', 'beyond_own_rights', 'last_administrator'] as const),
  ...(['sender_not_allowed', 'invalid_sender'] as const),
] as const;

const id = digits({ get: 'id', required: true, maxLength: 15, description: 'Id of the user.' });
const count = (description: string) => Type.Optional(Type.Integer({ description }));

const shown = Type.Object(
  {
    id: Type.String(),
    username: Type.String(),
    roles: Type.Array(Type.Unsafe<Role>({ type: 'string', enum: [...roles] })),
    active: Type.Boolean({ description: 'An inactive user gets in by no way.' }),
    haspassword: Type.Boolean({ description: 'Without one it gets in by a link, or by API key.' }),
    defaultsender: Type.Optional(Type.String({ description: 'Absent: that of the company.' })),
    senders: Type.Optional(Type.Array(Type.String(), { description: 'Absent: any.' })),
    replacecharacters: Type.Boolean(),
    quotaparts: count('Absent: as many as the company.'),
    partsperminute: count('Absent: as many as the company.'),
    partsperday: count('Absent: as many as the company.'),
    countries: Type.Optional(Type.Array(Type.String(), { description: 'Absent: those of the company.' })),
    maxbatch: count('Absent: as many as anybody’s.'),
    smtpsplit: Type.Boolean(),
    email: Type.Optional(Type.String()),
    managed: Type.Boolean({ description: 'A provisioning file names the user: it alone removes it.' }),
    managedkeys: Type.Array(Type.String(), {
      description: 'What a provisioning file has set, by its words there: it alone changes these.',
    }),
    version: Type.String({ description: 'Another one when anything of the user is another.' }),
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
    ...{ id: String(user.id), username: user.username, roles: [...user.roles], active: user.active },
    haspassword: user.passwordHash !== undefined,
    ...{ defaultsender: user.defaultSender, senders: user.senders && [...user.senders] },
    ...{ replacecharacters: user.replaceCharacters, quotaparts: user.quotaParts },
    ...{ partsperminute: partsPerMinute, partsperday: partsPerDay, countries: countries && [...countries] },
    ...{ maxbatch: user.maxBatch, smtpsplit: user.smtpSplit, email: user.email },
    ...{ managed: isManaged, managedkeys: [...managedKeys], version: versionOf(one) },
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
      description: 'Lists the users of the company by their names. Administrators do.',
      example: { url: {} },
      parameters: textPageParameters,
      answer: Type.Object({ users: Type.Array(shown), next: nextOf('users') }),
      errors: ['role_missing'],
      async handle(caller, { after, limit }) {
        const page = { after: String(after?.[0] ?? ''), limit: limit + 1 };
        const rows = await pageOfUsers(services, caller, page);
        const { items, next } = pageOf(rows, limit, ({ user }) => writeTextCursor([user.username]));
        return { users: items.map(shownUser), next };
      },
    }),
    endpoint({
      path,
      methods: ['POST'],
      ...writing,
      operation: 'createUser',
      title: 'Make a user',
      description:
        'Makes a user of the company, who chooses a password by the link of the answer. It has the limits and address books of whoever makes it, and nobody gives more than they have themselves.',
      example: { json: { name: 'night desk', roles: ['send'], defaultsender: 'NightDesk' } },
      parameters: { name, ...settings },
      answer: Type.Object({ ...shown.properties, link }, { title: 'UserWithLink' }),
      errors: [
        ...([
          'role_missing',
          'password_needed',
          'name_taken',
          'too_many_users',
          'beyond_own_rights',
        ] as const),
        ...(['sender_not_allowed', 'invalid_sender', 'invalid_email'] as const),
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
      parameters: { id, version },
      answer: shown,
      errors: changeErrors,
      concernsSecurity: (_, { username }) => ({ event: 'user_changed', object: `${username}: ${verb}` }),
      handle: async (caller, { id, version }) =>
        shownUser(
          await changeUser(services, caller, { id, version, change: { active: verb === 'activate' } }),
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
      answer: Type.Object({ apikeys: Type.Array(apiKeySchema), next: nextOf('apikeys') }),
      errors,
      async handle(caller, { id, after, limit }) {
        const page = { id, after: after?.id ?? 0, limit: limit + 1 };
        const rows = await pageOfUsersKeys(services, caller, page);
        const { items, next } = pageOf(rows, limit, (key) => String(key.id));
        return { apikeys: items.map((key) => shownKey(key, clock.now())), next };
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
      answer: apiKeySchema,
      errors: writingErrors,
      concernsSecurity: (_, key) => ({ event: 'key_revoked', object: key.name }),
      handle: async (caller, input) => shownKey(await revokeUsersKey(services, caller, input), clock.now()),
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
      errors,
      handle: async (caller, input) => shownUser(await readUser(services, caller, input.id)),
    }),
    endpoint({
      path: `${path}/{id}`,
      methods: ['POST'],
      ...writing,
      operation: 'updateUser',
      title: 'Change a user',
      description:
        'Changes what is given, and leaves the rest. It holds within a second on every node; a role more asks the user for the password again.',
      example: { url: { id: '10002' }, json: { roles: ['send', 'jobs'], partsperday: 500 } },
      parameters: { id, version, ...settings },
      answer: shown,
      errors: [...changeErrors, 'invalid_email', 'own_email'],
      concernsSecurity: (_, { username }) => ({ event: 'user_changed', object: username }),
      handle: async (caller, { id, version, ...given }) =>
        shownUser(await changeUser(services, caller, { id, version, change: changeOf(given) })),
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
      parameters: { id, version },
      answer: Type.Object({ id: Type.String(), username: Type.String() }),
      errors: [...writingErrors, 'managed', 'changed_meanwhile', 'last_administrator', 'in_use'],
      concernsSecurity: (_, { username }) => ({ event: 'user_removed', object: username }),
      async handle(caller, input) {
        const { user } = await removeUser(services, caller, input);
        return { id: input.id, username: user.username };
      },
    }),
  ] as const;
}
