/** A signed-in portal browser as the server sees it: a cookie, and the headers that browsers send. */
import type { Answer, ApiClient } from './api-client.ts';
import type { WholeApp } from './app.ts';

export const ownPage = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' } as const;

export interface BrowserSession {
  /** The value of the `Cookie` header. */
  readonly cookie: string;
  readonly begun: Answer;
  readonly get: ApiClient['get'];
  readonly post: ApiClient['post'];
  readonly patch: ApiClient['patch'];
  delete(path: string): Promise<Answer>;
  /** The status of a call that any session may make. */
  status(): Promise<number>;
}

type Node = Pick<WholeApp, 'as'>;

/** Signs in with these fields at `path`. */
export async function beginSession(
  app: Node,
  body: object,
  path = '/portal/api/session',
): Promise<BrowserSession> {
  return sessionOf(app, await app.as().post(path, body, ownPage));
}

/** The session from a response that sets a cookie, or the same session on another node. */
export function sessionOf(app: Node, begun: Answer, cookie = cookieOf(begun)): BrowserSession {
  const headers = { ...ownPage, cookie };
  const client = app.as();
  const get: ApiClient['get'] = (path, query, more) => client.get(path, query, { ...headers, ...more });
  return {
    cookie,
    begun,
    get,
    post: (path, body, more) => client.post(path, body, { ...headers, ...more }),
    patch: (path, body, more) => client.patch(path, body, { ...headers, ...more }),
    delete: (path) => client.request('DELETE', path, { headers }),
    status: async () => (await get('/portal/api/session')).status,
  };
}

export function cookieOf(answer: Answer): string {
  return answer.headers.get('set-cookie')?.split(';', 1).join('') ?? '';
}
