/** Who has signed in, and the calls by which that begins and ends. */
import type { Role } from '../../../src/accounts/role.ts';
import { call, get, post, remove, showTo } from '../api/client.ts';
import type { AnswerOf } from '../api/endpoints.ts';
import { Fault } from '../api/fault.ts';
import { sharedValue } from '../browser/value.ts';

export type Session = AnswerOf<'GET', '/portal/api/session'>;

const shared = sharedValue<Session | undefined>(undefined);

export const currentSession: typeof shared = {
  ...shared,
  set(session) {
    showTo(session?.username);
    shared.set(session);
  },
};

/** Of whoever has signed in; pages are shown to nobody else. */
export function useSession(): Session {
  const session = currentSession.use();
  if (session === undefined) throw new Error('a page is shown to somebody who has not signed in');
  return session;
}

export function hasOneOf({ roles }: Session, anyOf: readonly Role[] | undefined): boolean {
  return anyOf === undefined || anyOf.some((role) => roles.includes(role));
}

export const readSession = () => get('/portal/api/session', {});
export const choosePassword = (password: string) => post('/portal/api/password', { password });

/** Whose session has ended has signed out already. */
export async function signOut(): Promise<void> {
  try {
    await remove('/portal/api/session', {}, { takes401: true });
  } catch (error) {
    if (!(error instanceof Fault) || error.status !== 401) throw error;
  }
}

/** Who signs in stands in no table of parameters: the server knows who calls before it looks at those. */
export async function signIn(username: string, password: string): Promise<Session> {
  await call('POST', '/portal/api/session', { username, password }, { takes401: true });
  return begun();
}

/** A link is good once: it is not used up where no session can come of it. */
export async function signInByLink(token: string): Promise<Session> {
  if (!navigator.cookieEnabled) throw new Fault(0, { code: 'nocookies' });
  await post('/portal/api/session/link', { token });
  return begun();
}

/** As the server sees it: a browser that keeps no cookies has none. */
async function begun(): Promise<Session> {
  try {
    return await call('GET', '/portal/api/session', {}, { takes401: true });
  } catch (error) {
    if (error instanceof Fault && error.status === 401) throw new Fault(0, { code: 'nocookies' });
    throw error;
  }
}
