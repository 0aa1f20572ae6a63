/** The current session, and the calls that begin and end it. */
import type { Role } from '../../../src/accounts/role.ts';
import { call, get, post, remove, showTo } from '../api/client.ts';
import type { AnswerOf, ParametersOf } from '../api/endpoints.ts';
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

/** The session of the signed-in user; pages are shown to nobody else. */
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

/**
 * A user whose session has ended is already signed out. Returns the page at which the user signs out with the identity
 * provider too.
 */
export async function signOut(): Promise<string | undefined> {
  try {
    return (await remove('/portal/api/session', {}, { takes401: true })).next;
  } catch (error) {
    if (!(error instanceof Fault) || error.status !== 401) throw error;
    return undefined;
  }
}

/**
 * Uses the untyped `call`, because no parameter table has the credentials: the server authenticates the caller before it
 * reads parameters by such a table.
 */
export async function signIn(username: string, password: string): Promise<Session | Lacking> {
  const { lacking } = await call<Entered>(
    'POST',
    '/portal/api/session',
    { username, password },
    { takes401: true },
  );
  return lacking ?? begun();
}

type Entered = AnswerOf<'POST', '/portal/api/session'>;

/** A password or a link was right, and a second factor is needed too. */
export type Lacking = NonNullable<Entered['lacking']>;

export function isLacking<Entered extends object>(entered: Entered | Lacking): entered is Lacking {
  return 'token' in entered;
}

/** What can be given as a second factor. */
export type GivenFactor = Pick<ParametersOf<'POST', '/portal/api/session/factor'>, 'code' | 'passkey'>;

export async function giveFactor({ token }: Lacking, given: GivenFactor): Promise<Session> {
  await post('/portal/api/session/factor', { token, ...given }, { takes401: true });
  return begun();
}

export type Confirmation = ParametersOf<'POST', '/portal/api/session/confirm'>;

/** Another session, in which the password or a second factor has just been given. */
export async function confirmSelf(given: Confirmation): Promise<Session> {
  await post('/portal/api/session/confirm', given);
  return begun();
}

/** A link works only once, so it is not used up if no session can result from it. */
export async function signInByLink(token: string): Promise<Session | Lacking> {
  if (!navigator.cookieEnabled) throw new Fault(0, { code: 'nocookies' });
  const { lacking } = await post('/portal/api/session/link', { token });
  return lacking ?? begun();
}

/** Reads the session from the server, which sees none if the browser keeps no cookies. */
async function begun(): Promise<Session> {
  try {
    return await call('GET', '/portal/api/session', {}, { takes401: true });
  } catch (error) {
    if (error instanceof Fault && error.status === 401) throw new Fault(0, { code: 'nocookies' });
    throw error;
  }
}
