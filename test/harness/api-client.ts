/** Calls the HTTP API as a client does. */
import { setTimeout as delay } from 'node:timers/promises';

export type Credentials = { readonly username: string; readonly password: string } | { readonly key: string };

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed JSON body, or the text itself if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads from the answer what it expects there.
  readonly body: any;
}

export type Parameters = Readonly<Record<string, string | number | boolean>>;

export interface ApiClient {
  /** Pass the query as a string to use an encoding that `URLSearchParams` would not produce. */
  get(path: string, query?: Parameters | string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** An object is sent as JSON, a string unchanged. */
  post(path: string, body?: object | string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  patch(path: string, body?: object | string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  request(method: string, path: string, init?: RequestInit): Promise<Answer>;
}

/** On a busy machine a whole server may refuse some of many concurrent calls; it has then not carried them out. */
export const patientTries = 10;

/** A store that is slow to be reached refuses too, and has then kept nothing; of any other fault it says so. */
export function isRefused({ code, error }: { readonly code?: string; readonly error?: string }): boolean {
  return code === 'overloaded' || (error ?? '').startsWith('The store cannot be reached or written just now');
}

export function apiClient(baseUrl: string, credentials?: Credentials, maxTries = 1): ApiClient {
  const authentication = credentials === undefined ? {} : headersOf(credentials);
  const request: ApiClient['request'] = async (method, path, init = {}) => {
    const headers = { ...authentication, ...(init.headers as Record<string, string> | undefined) };
    for (let tries = 1; ; tries++) {
      const response = await fetch(baseUrl + path, { ...init, method, headers });
      const text = await response.text();
      const answer: Answer = {
        status: response.status,
        headers: response.headers,
        text,
        body: jsonOrText(text),
      };
      if (tries === maxTries || !isRefused(answer.body ?? {})) return answer;
      await delay(Number(response.headers.get('retry-after')) * 1_000);
    }
  };
  const withBody = (method: string, path: string, body: string | object = '', headers: object = {}) =>
    request(method, path, {
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    });
  return {
    request,
    get(path, query = '', headers = {}) {
      const text = typeof query === 'string' ? query : new URLSearchParams(strings(query)).toString();
      return request('GET', text === '' ? path : `${path}?${text}`, { headers });
    },
    post: (path, body, headers) => withBody('POST', path, body, headers),
    patch: (path, body, headers) => withBody('PATCH', path, body, headers),
  };
}

/** The header for a change based on a version; empty for a change whatever the version. */
export function ifMatch(version: string | undefined): Readonly<Record<string, string>> {
  return version === undefined ? {} : { 'if-match': `"${version}"` };
}

function headersOf(credentials: Credentials): Record<string, string> {
  if ('key' in credentials) return { 'x-api-key': credentials.key };
  const pair = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64');
  return { authorization: `Basic ${pair}` };
}

function strings(parameters: Parameters): Record<string, string> {
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, String(value)]));
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
