/** The endpoint under which users get their API keys (API: API key). */
import Type from 'typebox';
import { basicOnly, passwordOnly } from '../http/credentials/credentials.ts';
import { type Endpoint, endpointsFor } from '../http/endpoints/endpoint.ts';
import { digits, text } from '../http/parameters/kinds.ts';
import { nextOf, pageOf, pageParameters } from '../http/parameters/page.ts';
import { clearable, ruled } from '../http/parameters/parameter.ts';
import { parseTime } from '../wire/schedule-time.ts';
import { type ApiKeyIssuer, endOwnKey, issueApiKey, makeOwnKey, pageOfKeys } from './api-keys.ts';
import type { Caller } from './caller.ts';
import { apiKeySchema, keyFields, shownKey } from './shown-key.ts';

const endpoint = endpointsFor<Caller>();

export function accountEndpoints(issuer: ApiKeyIssuer): readonly Endpoint<Caller>[] {
  return [
    endpoint({
      path: '/authentication/auth/apikey',
      methods: ['GET'],
      group: 'API keys',
      operation: 'getApiKey',
      title: 'Get an API key',
      description:
        'Gives the API key of a name, which is made when there is none: the same name gives the same key. It does not depend on the password and works until it is revoked, or until the operator lets it expire.',
      example: { url: { name: 'first' } },
      parameters: {
        name: text({
          get: 'name',
          required: true,
          maxLength: 100,
          description: 'What the caller calls the key, to tell it from others.',
        }),
      },
      credentials: basicOnly,
      answer: Type.String({ description: 'The API key.' }),
      answersText: true,
      errors: ['key_revoked', 'too_many_keys'],
      concernsSecurity: ({ name }) => ({ event: 'key_issued', object: name }),
      handle: (caller, { name }) => issueApiKey(issuer, caller, name),
    }),
  ];
}

const path = '/api/v1/apikeys';
/** A stolen key must not make another, which would outlive it. */
const management = { group: 'API keys', credentials: passwordOnly } as const;

const keyId = digits({ get: 'id', required: true, maxLength: 15, description: 'Id of the API key.' });
const expires = ruled(
  text({ maxLength: 40, description: 'When it ends by itself, in ISO 8601 with a zone.' }),
  parseTime,
);

/** Of the caller's own keys. */
export function keyEndpoints(issuer: ApiKeyIssuer) {
  return [...listedKeys(issuer), ...endingKeys(issuer)] as const;
}

function listedKeys(issuer: ApiKeyIssuer) {
  const { store, clock } = issuer;
  return [
    endpoint({
      path,
      methods: ['GET'],
      ...management,
      operation: 'listApiKeys',
      title: 'List the own API keys',
      description:
        'Lists the API keys of the account, oldest first, with what has become of each; never the keys themselves.',
      example: { url: {} },
      parameters: pageParameters,
      answer: Type.Object({ apiKeys: Type.Array(apiKeySchema), next: nextOf('apiKeys') }),
      async handle({ userId }, { after, limit }) {
        const rows = await store.read(pageOfKeys, { userId, after: after?.id ?? 0, limit: limit + 1 });
        const { items, next } = pageOf(rows, limit, ({ id }) => String(id));
        return { apiKeys: items.map((key) => shownKey(key, clock.now())), next };
      },
    }),
    endpoint({
      path,
      methods: ['POST'],
      ...management,
      operation: 'createApiKey',
      title: 'Make an API key',
      description:
        'Makes an API key by which programs call in the name of the account, and tells it once. It takes the password of the account, or the portal: a key makes no other.',
      example: { json: { name: 'reports' } },
      parameters: {
        name: text({ required: true, minLength: 1, maxLength: 100, description: 'To tell it from others.' }),
        expires,
      },
      answer: Type.Object({
        ...keyFields,
        apiKey: Type.String({ description: 'The key; it is told this once.' }),
      }),
      errors: ['name_taken', 'too_many_keys', 'invalid_time'],
      concernsSecurity: ({ name }) => ({ event: 'key_issued', object: name }),
      async handle(caller, { name, expires: expiresAt }) {
        const { key, text: apiKey } = await makeOwnKey(issuer, caller, { name, expiresAt });
        return { ...shownKey(key, clock.now()), apiKey };
      },
    }),
  ] as const;
}

function endingKeys(issuer: ApiKeyIssuer) {
  const { clock } = issuer;
  return [
    endpoint({
      path: `${path}/{id}`,
      methods: ['PATCH'],
      ...management,
      operation: 'updateApiKey',
      title: 'Let an API key end at a time',
      description: 'Sets when a key of the account ends by itself; an empty text: never.',
      example: { url: { id: '1' }, json: { expires: '2035-12-31T23:59Z' } },
      parameters: { id: keyId, expires: clearable(expires) },
      answer: apiKeySchema,
      errors: ['not_found', 'invalid_time'],
      concernsSecurity: (_, { name }) => ({ event: 'key_expiry_set', object: name }),
      async handle(caller, { id, expires: at }) {
        const key = await endOwnKey(issuer, caller, Number(id), { at: at ?? undefined });
        return shownKey(key, clock.now());
      },
    }),
    endpoint({
      path: `${path}/{id}/revoke`,
      methods: ['POST'],
      ...management,
      operation: 'revokeApiKey',
      title: 'Revoke an API key',
      description:
        'From then on, within a second on every node, the key lets nobody in. Its name stays taken.',
      example: { url: { id: '1' }, json: {} },
      parameters: { id: keyId },
      answer: apiKeySchema,
      errors: ['not_found'],
      concernsSecurity: (_, { name }) => ({ event: 'key_revoked', object: name }),
      handle: async (caller, { id }) =>
        shownKey(await endOwnKey(issuer, caller, Number(id), 'now'), clock.now()),
    }),
  ] as const;
}
