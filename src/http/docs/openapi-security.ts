/** The authentication methods in the OpenAPI document (API: authentication). */

import { isDeepStrictEqual } from 'node:util';
import type { AcceptedCredentials } from '../credentials/credentials.ts';
import type { Endpoint, Method } from '../endpoints/endpoint.ts';
import { takesBody } from '../request-context.ts';

const base64 = 'Base64 of the UTF-8 bytes, so that any character can be sent.';

const limited = 'It may be limited to scopes and networks: see `/docs`.';

/** OpenAPI has no notion of credentials in a JSON body; they are described as fields of the body. */
export const securitySchemes = {
  basic: { type: 'http', scheme: 'basic', description: 'User name and password in UTF-8.' },
  useridHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Service-Userid',
    description: `User name: ${base64}`,
  },
  passwordHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Service-Password',
    description: `Password: ${base64}`,
  },
  bearer: { type: 'http', scheme: 'bearer', description: `An API key, under \`/api/v1\` only. ${limited}` },
  apiKeyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: `An API key. ${limited}` },
  apiKeyUrl: {
    type: 'apiKey',
    in: 'query',
    name: 'key',
    description: 'An API key in the URL of any method.',
  },
  usernameUrl: { type: 'apiKey', in: 'query', name: 'U', description: 'User name in the URL, with `P`.' },
  passwordUrl: { type: 'apiKey', in: 'query', name: 'P', description: 'Password in the URL, with `U`.' },
} as const;

type Requirement = Partial<Record<keyof typeof securitySchemes, readonly []>>;

/** What most operations accept: stated once, for all operations that state nothing else. */
export const usualSecurity: readonly Requirement[] = [
  { basic: [] },
  { useridHeader: [], passwordHeader: [] },
  { usernameUrl: [], passwordUrl: [] },
  { bearer: [] },
  { apiKeyHeader: [] },
  { apiKeyUrl: [] },
];

export function securityUnlessUsual(security: readonly Requirement[]): {
  readonly security?: readonly Requirement[];
} {
  return isDeepStrictEqual(security, usualSecurity) ? {} : { security };
}

/** Any one of these is enough; the empty one represents credentials in the body. */
export function securityOf<Caller>(
  { path, credentials, body }: Endpoint<Caller>,
  method: Method,
): readonly Requirement[] {
  const requirements: Requirement[] = [{ basic: [] }];
  if (credentials.password) {
    requirements.push({ useridHeader: [], passwordHeader: [] });
    if (!takesBody(method) || credentials.passwordInPostUrl)
      requirements.push({ usernameUrl: [], passwordUrl: [] });
  }
  if (credentials.apiKey && path.startsWith('/api/v1/')) requirements.push({ bearer: [] });
  if (credentials.apiKey) requirements.push({ apiKeyHeader: [] }, { apiKeyUrl: [] });
  if (takesBody(method) && (body ?? 'json') === 'json' && credentials.password) requirements.push({});
  return requirements;
}

const username = {
  title: 'Username',
  type: 'string',
  description: 'Credentials, with `password`; or use another method.',
};
const password = {
  title: 'Password',
  type: 'string',
  format: 'password',
  description: 'Credentials, with `username`.',
};
const apikey = {
  title: 'ApiKeyText',
  type: 'string',
  description: 'Credentials: an API key; or use another method.',
};

export function bodyCredentials(accepted: AcceptedCredentials): Readonly<Record<string, object>> {
  return { ...(accepted.password ? { username, password } : {}), ...(accepted.apiKey ? { apikey } : {}) };
}
