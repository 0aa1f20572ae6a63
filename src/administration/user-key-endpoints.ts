/** The endpoints through which users can manage their own API keys. */
import Type from 'typebox';
import {
  type ApiKeyIssuer,
  type ApiKeyState,
  apiKeyState,
  apiKeyStates,
  type KeyLimits,
  writeApiKey,
} from '../accounts/api-keys.ts';
import type { Caller } from '../accounts/caller.ts';
import { type KeyScope, keyScope, maxScopeLength, maxScopes, scopesInWords } from '../accounts/key-scopes.ts';
import { eachOf, type Result } from '../foundation/result.ts';
import { passwordOnly } from '../http/credentials/credentials.ts';
import { endpointsFor } from '../http/endpoints/endpoint.ts';
import { digits, text } from '../http/parameters/kinds.ts';
import { textList } from '../http/parameters/lists.ts';
import { clearable, ruled } from '../http/parameters/parameter.ts';
import type { Access } from '../resources/api-declaration.ts';
import { ResourceApi, undated } from '../resources/resource-api.ts';
import { network } from '../wire/network-list.ts';
import { parseTime } from '../wire/schedule-time.ts';
import { changeUserKey, type UserKey, userKeys } from './user-key.ts';

const endpoint = endpointsFor<Caller>();
const path = '/api/v1/apikeys';
const group = 'API keys';

type ShownKey = Omit<UserKey, 'changedAt' | 'changedBy' | 'managed' | 'managedFields' | 'generation'>;

/** A key as the management API shows it, always without the secret text. */
const keyShape = {
  properties: {
    name: Type.String(),
    state: Type.Unsafe<ApiKeyState>({ type: 'string', enum: [...apiKeyStates] }),
    created: Type.String({ description: 'ISO 8601, UTC.' }),
    expires: Type.Optional(Type.String({ description: 'Absent if it never expires.' })),
    scopes: Type.Optional(
      Type.Array(Type.Unsafe<KeyScope>({ type: 'string' }), {
        description: `What it may do, of ${scopesInWords}; absent: all that its user may.`,
      }),
    ),
    networks: Type.Optional(
      Type.Array(Type.String(), { description: 'From where it is accepted; absent: from anywhere.' }),
    ),
    used: Type.Optional(Type.String({ description: 'Last use, to the minute; absent if unknown.' })),
  },
  show(key: ShownKey, now: number) {
    const isoOf = (time: number | undefined) =>
      time === undefined ? undefined : new Date(time).toISOString();
    return {
      name: key.name,
      state: apiKeyState(key, now),
      created: new Date(key.createdAt).toISOString(),
      expires: isoOf(key.expiresAt),
      scopes: key.scopes && [...key.scopes],
      networks: key.networks && [...key.networks],
      used: isoOf(key.usedAt),
    };
  },
};

export const shownKey = Type.Object(
  { id: Type.String(), ...undated, ...keyShape.properties },
  { title: 'ApiKey' },
);

export function showKey(key: ShownKey, now: number) {
  return { id: String(key.key), version: key.version, ...keyShape.show(key, now) };
}

const expires = ruled(
  text({ maxLength: 40, description: 'When it expires, ISO 8601 with zone.' }),
  parseTime,
);

/** What limits a key. Empty values are refused: a variable that is not set in a script must not make a key without limits. */
const limits = {
  expires,
  scopes: limit(keyScope, {
    maxItems: maxScopes,
    maxLength: maxScopeLength,
    description: `The only scopes in which it may make calls, of ${scopesInWords} (alerts for the receiver of that name). Initially all that its user may make.`,
  }),
  networks: limit(network, {
    maxItems: 50,
    maxLength: 50,
    description:
      'The only IP addresses and networks (`10.0.0.0/8`) from which it is accepted. Initially any.',
  }),
};

function limit<Item>(
  rule: (item: string) => Result<Item>,
  options: { readonly maxItems: number; readonly maxLength: number; readonly description: string },
) {
  return { ...ruled(textList(options), (given) => eachOf(given, rule)), refusesEmpty: true } as const;
}

export const clearableLimits = {
  expires: clearable(limits.expires),
  scopes: clearable(limits.scopes),
  networks: clearable(limits.networks),
};

/** The event of a change to a key. */
export function eventOf({ scopes, networks }: KeyLimits): 'key_expiry_set' | 'key_limits_set' {
  return scopes === undefined && networks === undefined ? 'key_expiry_set' : 'key_limits_set';
}

/** Open to every user, for its own keys. */
const ofCaller = {
  parameters: {},
  readErrors: [],
  writeErrors: [],
  reads: async (_, { userId }) => userId,
  writes: async (_, { userId }) => userId,
} satisfies Access<Record<never, never>>;

export function userKeyEndpoints(issuer: ApiKeyIssuer) {
  const api = new ResourceApi(userKeys, issuer, {
    path,
    group,
    type: 'ApiKey',
    // A stolen key must not create another key, which would outlive it.
    credentials: passwordOnly,
    access: ofCaller,
    plural: 'apiKeys',
    key: { name: 'id', description: 'Id of the API key.' },
    listed: keyShape,
    shown: keyShape,
    once: {
      properties: { apiKey: Type.String({ description: 'The key. Shown only this once.' }) },
      show: ({ key, generation }, { username }) => ({
        apiKey: writeApiKey(issuer.secret, { username, keyId: key, generation }),
      }),
    },
    more: {
      create: {
        name: text({ required: true, minLength: 1, maxLength: 100, description: 'A name of your choice.' }),
        ...limits,
      },
      change: clearableLimits,
    },
    list: {
      description:
        'Lists the account’s API keys, oldest first, with their state but without the keys themselves.',
      example: { url: {} },
    },
    create: {
      description:
        'Creates an API key for programs that act as the account, and returns it once. The call needs the account’s password or a portal session; a key can’t create keys. Empty `scopes` or `networks` are refused.',
      example: { json: { name: 'reports' } },
      errors: ['name_taken', 'too_many_keys', 'invalid_time'],
      event: 'key_issued',
    },
    get: { description: 'Returns an API key’s state.', example: { url: { id: '1' } } },
    change: {
      description:
        'Sets when a key of the account expires, what it may do, and from where. An empty text takes the limit away.',
      example: { url: { id: '1' }, json: { expires: '2035-12-31T23:59Z', scopes: ['read', 'send'] } },
      errors: ['invalid_time'],
      event: eventOf,
    },
  });
  return [api.list(), api.create(), api.get(), api.change(), revokeEndpoint(issuer)] as const;
}

function revokeEndpoint(issuer: ApiKeyIssuer) {
  return endpoint({
    path: `${path}/{id}/revoke`,
    methods: ['POST'],
    group,
    credentials: passwordOnly,
    operation: 'revokeApiKey',
    title: 'Revoke an API key',
    description: 'The key stops working within a second on every node. Its name can’t be reused.',
    example: { url: { id: '1' }, json: {} },
    parameters: {
      id: digits({ get: 'id', required: true, maxLength: 15, description: 'Id of the API key.' }),
    },
    answer: shownKey,
    answersVersion: true,
    errors: ['not_found'],
    concernsSecurity: (_, { name }) => ({ event: 'key_revoked', object: name }),
    async handle(caller, { id }) {
      const key = await changeUserKey(issuer, caller, {
        userId: caller.userId,
        id: Number(id),
        change: { revoked: true },
      });
      return showKey(key, issuer.clock.now());
    },
  });
}
