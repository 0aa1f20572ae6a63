/** Begins, admits and ends the sessions of operators, and sets their own passwords. */

import type { KeyObject } from 'node:crypto';
import { overloaded } from '../accounts/login-queue.ts';
import { findOperator, type OperatorRecord } from '../accounts/logins.ts';
import { checkNewPassword, type Passwords } from '../accounts/password.ts';
import type { PasswordAuthentication } from '../accounts/password-authentication.ts';
import { managedFault } from '../accounts/set-keys.ts';
import type { Budget } from '../foundation/budget.ts';
import { timeIn } from '../foundation/clock.ts';
import { errorOfFields } from '../foundation/errors.ts';
import { orThrow } from '../foundation/result.ts';
import type { PageCredentials } from '../http/credentials/credentials.ts';
import type { Call } from '../http/endpoints/endpoint.ts';
import { challengeMs } from '../portal/factor.ts';
import type { FactorRefusal, Proved } from '../portal/factor-records.ts';
import type { Holder } from '../portal/factors.ts';
import { type GivenFactor, prove, proven, type SecondSteps } from '../portal/second-step.ts';
import { digestOf, isToken, newSession, touchEveryMs } from '../portal/session.ts';
import { asShownTo, factorMissing, hasEnded } from '../portal/sessions.ts';
import { verified } from '../portal/sign-in.ts';
import { byOperator, type Operator, operatorOf } from './operator.ts';
import {
  admitOperator,
  beginOperatorSession,
  changeOperatorPassword,
  touchOperatorSession,
} from './session-store.ts';

export interface OperatorSignIn extends SecondSteps<string> {
  /** Whether operators must have a second factor. */
  readonly requiresFactor: boolean;
  /** Created by `sessionSecret`. */
  readonly secret: KeyObject;
  readonly passwords: Passwords;
  readonly byPassword: PasswordAuthentication<OperatorRecord, Operator>;
  /** Changes of passwords under way. */
  readonly choosing: Budget;
  readonly log: { warn(details: object, message: string): void };
}

/** What a password that was right leaves behind until a second factor is given. */
type RightPassword = Pick<Operator, 'username' | 'passwordMark'>;

/** Admits the page of an operator by its session, or by what `signInOperator` left. */
export async function authenticateOperator(
  services: OperatorSignIn,
  { kind, token, shownTo, toEnrol }: PageCredentials,
): Promise<Operator> {
  const { store, clock, secret, log } = services;
  if (kind === 'link') return byRightPassword(services, token);
  if (!isToken(secret, 'operator', token)) throw hasEnded('session');
  const [digest, now] = [digestOf(token), clock.now()];
  const admitted = await store.read(admitOperator, { digest, now });
  if (admitted === undefined) throw hasEnded('session');
  if (now - admitted.usedAt >= touchEveryMs)
    // The call does not wait for this.
    store
      .write(touchOperatorSession, { digest, now })
      .catch((error: unknown) => log.warn({ error }, 'the last use of a session could not be stored'));
  if (lacksFactor(services, admitted.operator) && toEnrol !== true) throw factorMissing();
  return asShownTo(shownTo, admitted.operator);
}

/** Whether a second factor is required, and none has been given in the session. */
export function lacksFactor(
  { requiresFactor }: Pick<OperatorSignIn, 'requiresFactor'>,
  { factorAt }: Operator,
): boolean {
  return requiresFactor && factorAt === undefined;
}

async function byRightPassword({ store, clock, secrets }: OperatorSignIn, token: string): Promise<Operator> {
  const right = secrets.open<RightPassword>('sign in', token, clock.now());
  const record = right && (await store.read(findOperator, right.username));
  const operator = record && operatorOf(record);
  if (operator === undefined || operator.passwordMark !== right?.passwordMark) throw hasEnded('step');
  return operator;
}

type Place = Pick<Call, 'address' | 'browser'>;

/** The token of a session; or a second factor is lacking, and the text goes with it in the next call. */
type Entered = { readonly token: string } | { readonly lacking: string };

/** Begins a session for an operator who has just given the password. */
export async function signInOperator(
  services: OperatorSignIn,
  { username, passwordMark }: Operator,
  place: Place,
): Promise<Entered> {
  const right: RightPassword = { username, passwordMark };
  const begun = await begin(services, right, place, {});
  if (typeof begun !== 'string') return begun;
  const { secrets, clock } = services;
  return { lacking: secrets.sign('sign in', right, timeIn(clock, challengeMs)) };
}

/** Begins a session for an operator found by what `signInOperator` left, who now gives the second factor. */
export async function signInOperatorByFactor(
  services: OperatorSignIn,
  { username }: Operator,
  { token, ...given }: GivenFactor & { readonly token: string },
  place: Place,
): Promise<string> {
  const asked = { owner: username, username, address: place.address };
  const proof = await prove(services, asked, given);
  const right = services.secrets.open<RightPassword>('sign in', token, services.clock.now());
  if (right === undefined) throw hasEnded('step');
  const begun = await begin(services, right, place, { proof, challenge: right.used });
  return proven(services.attempts, asked, given, begun).token;
}

/** Begins another session for its operator, who gives the password or a second factor again. */
export async function confirmOperator(
  services: OperatorSignIn,
  operator: Operator,
  { password, ...given }: GivenFactor & { readonly password: string | undefined },
  call: Call,
): Promise<string> {
  const { username, factorAt } = operator;
  const from = sessionOf(operator);
  const asked = { owner: username, username, address: call.address };
  if (password !== undefined) {
    const right = await verified(call, 'password', (origin) =>
      services.byPassword.authenticate(username, password, origin),
    );
    return proven(services.attempts, asked, {}, await begin(services, right, call, { factorAt, from })).token;
  }
  const proof = await prove(services, asked, given);
  return proven(services.attempts, asked, given, await begin(services, operator, call, { proof, from }))
    .token;
}

interface Continued extends Proved {
  /** When a factor was given in the session that the new one goes on from, and the digest of that session. */
  readonly factorAt?: number | undefined;
  readonly from?: string;
}

async function begin(
  services: OperatorSignIn,
  { username, passwordMark }: RightPassword,
  place: Place,
  { factorAt, from, ...proved }: Continued,
): Promise<{ readonly token: string } | FactorRefusal> {
  const { token, session } = newSession(services, 'operator', place);
  const given = proved.proof === undefined ? factorAt : session.createdAt;
  const refusal = await services.store.write(beginOperatorSession, {
    session: { ...session, username, passwordMark, factorAt: given },
    from,
    ...proved,
  });
  if (refusal === 'ended') throw hasEnded('session');
  return refusal ?? { token };
}

/** The operator as the one whose second factors the page changes. */
export function holderOf(
  { requiresFactor }: Pick<OperatorSignIn, 'requiresFactor'>,
  operator: Operator,
): Holder<string> {
  return {
    owner: operator.username,
    username: operator.username,
    asking: sessionOf(operator),
    by: byOperator(operator),
    isRequired: requiresFactor,
    announce: () => undefined,
  };
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
  if (done === 'managed') throw orThrow(managedFault({ sentence: 'managed_password' }));
  if (!done) throw hasEnded('session');
  return token;
}
