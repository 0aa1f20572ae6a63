/** The operator who is signed in, and the calls that begin and end the session. */
import { call, get, post, remove, showTo } from '../api/client.ts';
import type { AnswerOf } from '../api/endpoints.ts';
import { Fault } from '../api/fault.ts';
import { sharedValue } from '../browser/value.ts';
import type { Confirmation, GivenFactor, Lacking } from '../session/session.ts';

export type OperatorSession = AnswerOf<'GET', '/portal/api/operator/session'>;

const path = '/portal/api/operator/session';
const shared = sharedValue<OperatorSession | undefined>(undefined);

export const useOperator = shared.use;

function enter(session: OperatorSession | undefined): void {
  showTo(session?.username);
  shared.set(session);
}

/** Undefined answers are those of nobody: the page then asks for the password. */
export async function readOperator(): Promise<void> {
  try {
    enter(await get(path, {}, { takes401: true }));
  } catch (error) {
    if (!(error instanceof Fault) || error.status !== 401) throw error;
    enter(undefined);
  }
}

/** Uses the untyped `call`, because no parameter table has the credentials. */
export async function signInOperator(username: string, password: string): Promise<OperatorSession | Lacking> {
  const { lacking } = await call<{ readonly lacking?: Lacking }>(
    'POST',
    path,
    { username, password },
    { takes401: true },
  );
  return lacking ?? begun();
}

export async function giveOperatorsFactor({ token }: Lacking, given: GivenFactor): Promise<OperatorSession> {
  await post(`${path}/factor`, { token, ...given }, { takes401: true });
  return begun();
}

/** Another session, in which the password or a second factor has just been given. */
export async function confirmOperator(given: Confirmation): Promise<void> {
  await post(`${path}/confirm`, given);
  await begun();
}

async function begun(): Promise<OperatorSession> {
  await readOperator();
  const session = shared.get();
  if (session === undefined) throw new Fault(0, { code: 'nocookies' });
  return session;
}

/** An operator whose session has ended is already signed out. */
export async function signOutOperator(): Promise<void> {
  try {
    await remove(path, {}, { takes401: true });
  } catch (error) {
    if (!(error instanceof Fault) || error.status !== 401) throw error;
  }
  enter(undefined);
}
