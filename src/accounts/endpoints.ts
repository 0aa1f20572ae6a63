/** The endpoint under which users get their API keys (API: API key). */
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
