/** Begins, admits and ends the sessions of operators, and sets their own passwords. */
import type { KeyObject } from 'node:crypto';
import { overloaded } from '../accounts/login-queue.ts';
import type { OperatorRecord } from '../accounts/logins.ts';
import { checkNewPassword, type Passwords } from '../accounts/password.ts';
import type { PasswordAuthentication } from '../accounts/password-authentication.ts';
import { managedError } from '../accounts/set-keys.ts';
import type { Budget } from '../foundation/budget.ts';
import { errorOfFields } from '../foundation/errors.ts';
import type { PageCredentials } from '../http/credentials/credentials.ts';
import type { Call } from '../http/endpoints/endpoint.ts';
import { digestOf, isToken, newSession, touchEveryMs } from '../portal/session.ts';
import { asShownTo, hasEnded } from '../portal/sessions.ts';
import { verified } from '../portal/sign-in.ts';
import type { Context } from '../storage/context.ts';
import type { Operator } from './operator.ts';
import {
  admitOperator,
  beginOperatorSession,
  changeOperatorPassword,
  touchOperatorSession,
} from './session-store.ts';

export interface OperatorSignIn extends Context {
  /** Created by `sessionSecret`. */
  readonly secret: KeyObject;
  readonly passwords: Passwords;
  readonly byPassword: PasswordAuthentication<OperatorRecord, Operator>;
  /** Changes of passwords under way. */
  readonly choosing: Budget;
  readonly log: { warn(details: object, message: string): void };
}

/** Admits the page of an operator by its session. */
export async function authenticateOperator(
  { store, clock, secret, log }: OperatorSignIn,
  { kind, token, shownTo }: PageCredentials,
): Promise<Operator> {
  if (kind !== 'session' || !isToken(secret, 'operator', token)) throw hasEnded('session');
  const [digest, now] = [digestOf(token), clock.now()];
  const admitted = await store.read(admitOperator, { digest, now });
  if (admitted === undefined) throw hasEnded('session');
  if (now - admitted.usedAt >= touchEveryMs)
    // The call does not wait for this.
    store
      .write(touchOperatorSession, { digest, now })
      .catch((error: unknown) => log.warn({ error }, 'the last use of a session could not be stored'));
  return asShownTo(shownTo, admitted.operator);
}

/** Begins a session for an operator who has just given the password. Returns its token. */
export async function signInOperator(
  services: OperatorSignIn,
  { username, passwordMark }: Operator,
  place: Pick<Call, 'address' | 'browser'>,
): Promise<string> {
  const { token, session } = newSession(services, 'operator', place);
  if (!(await services.store.write(beginOperatorSession, { ...session, username, passwordMark })))
    throw hasEnded('session');
  return token;
}

/** The digest of the session that a call comes from; only those who have one come this far. */
export function sessionOf({ session }: Operator): string {
  if (session === undefined) throw hasEnded('session');
  return session;
}

interface PasswordChange {
  readonly current: string;
  readonly password: string;
}

/** Sets the operator's password, begins a new session, and ends all others. Returns the token of the new session. */
export async function setOperatorPassword(
  services: OperatorSignIn,
  operator: Operator,
  change: PasswordChange,
  call: Call,
): Promise<string> {
  const allowed = checkNewPassword(change.password);
  if (!allowed.ok) throw errorOfFields(allowed, 'password');
  const choice = () => choose(services, operator, change, call);
  const token = await services.choosing.run(choice, 'operators', operator.username);
  if (token === undefined) throw overloaded;
  return token;
}

async function choose(
  services: OperatorSignIn,
  operator: Operator,
  { current, password }: PasswordChange,
  call: Call,
): Promise<string> {
  const { username } = operator;
  const asking = sessionOf(operator);
  const { passwordMark: currentMark } = await verified(call, 'current', (from) =>
    services.byPassword.authenticate(username, current, from),
  );
  const passwordHash = await call.whileWaiting(services.passwords.hash(password));
  const { token, session } = newSession(services, 'operator', call);
  const done = await services.store.write(changeOperatorPassword, {
    passwordHash,
    session: { ...session, username },
    asking,
    currentMark,
  });
  if (done === 'managed') throw managedError('Your password');
  if (!done) throw hasEnded('session');
  return token;
}
