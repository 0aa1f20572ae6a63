/** The endpoint that gives users their API keys (API: API key). */
import Type from 'typebox';
import { basicOnly } from '../http/credentials/credentials.ts';
import { type Endpoint, endpointsFor } from '../http/endpoints/endpoint.ts';
import { text } from '../http/parameters/kinds.ts';
import { type ApiKeyIssuer, issueApiKey } from './api-keys.ts';
import type { Caller } from './caller.ts';

const endpoint = endpointsFor<Caller>();

export function accountEndpoints(issuer: ApiKeyIssuer): readonly Endpoint<Caller>[] {
  return [
    endpoint({
      path: '/authentication/auth/apikey',
      methods: ['GET'],
      group: 'API keys',
      operation: 'issueApiKey',
      title: 'Get an API key',
      description:
        'Returns the API key with a given name, and creates it if there is none: the same name returns the same key. The key does not depend on the password, and works until it is revoked or expires.',
      example: { url: { name: 'first' } },
      parameters: {
        name: text({
          get: 'name',
          required: true,
          maxLength: 100,
          description: 'Name of the key, chosen by the caller.',
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
