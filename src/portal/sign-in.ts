/** Begins and ends sessions, creates links that begin one, and sets passwords. */
import type { KeyObject } from 'node:crypto';
import type { Account } from '../accounts/account.ts';
import type { Caller, CallerSession } from '../accounts/caller.ts';
import type { IdentityProvider } from '../accounts/identity-providers.ts';
import { overloaded } from '../accounts/login-queue.ts';
import { checkNewPassword, type Passwords } from '../accounts/password.ts';
import { managedFault } from '../accounts/set-keys.ts';
import { type Actor, byUser, isOfPortal } from '../audit/audit-log.ts';
import { outgoingMailTopic } from '../email/outgoing/outgoing-mail.ts';
import type { Budget } from '../foundation/budget.ts';
import { timeIn } from '../foundation/clock.ts';
import { errorOfFields, ServiceError } from '../foundation/errors.ts';
import type { FairLimits } from '../foundation/fair-queue.ts';
import { fault, orThrow } from '../foundation/result.ts';
import type { Authenticate, LoginOrigin } from '../http/credentials/credentials.ts';
import type { Call } from '../http/endpoints/endpoint.ts';
import type { Context } from '../storage/context.ts';
import { announceHint } from '../storage/hints.ts';
import type { News } from '../storage/news.ts';
import { challengeMs, type FactorProof, type UsedChallenge } from './factor.ts';
import type { FactorRefusal } from './factor-records.ts';
import type { Holder } from './factors.ts';
import { beginByProvider, type Identity, type Refusal as ProviderRefusal } from './provider-store.ts';
import { type GivenFactor, prove, proven, type SecondSteps } from './second-step.ts';
import { digestOf, type EndedSessions, isToken, linkMs, newSession, newToken } from './session.ts';
import {
  type BegunSession,
  beginByLink,
  beginSession,
  changePassword,
  endSessions,
  keepLink,
} from './session-store.ts';
import { hasEnded } from './sessions.ts';

export interface SignIn extends Context, SecondSteps<number> {
  readonly news: News;
  /** Created by `sessionSecret`. */
  readonly secret: KeyObject;
  readonly passwords: Passwords;
  /** Changes of passwords under way, within the bounds of `maxConcurrentChanges`. */
  readonly choosing: Budget;
  /** The domain that mail is sent from; undefined when no mail is sent. */
  readonly mailDomain: string | undefined;
  /** Checks a password within the limits on attempts. */
  readonly authenticate: Authenticate<Caller>;
}

/**
 * Maximum numbers of password changes under way: in all, per company, per user. Passwords are hashed one at a time, so
 * the last of a hundred changes waits for about a second.
 */
export const maxConcurrentChanges: FairLimits = { inAll: 100, ofOwner: 20, ofMember: 1 };

/** The list shown on pages. */
const sessionsList = 'sessions';

/** Where a call comes from. */
type Place = Pick<Call, 'address' | 'browser'>;

/** A call that gives its place to others while its passwords are verified and hashed. */
type PatientCall = Place & Pick<Call, 'whileWaiting' | 'isOver'>;

interface Begun {
  readonly account: Account;
  readonly token: string;
}

/** A second factor is lacking. The text goes with it in the next call. */
interface FactorLacking {
  readonly lacking: string;
}

/** What a password that was right leaves behind until a second factor is given. */
interface RightPassword {
  readonly userId: number;
  readonly passwordMark?: string | undefined;
}

/** Begins a session for a caller who has just given the password. */
export async function signIn(
  services: SignIn,
  { userId, passwordMark }: Caller,
  place: Place,
): Promise<Begun | FactorLacking> {
  const right: RightPassword = { userId, passwordMark };
  const begun = await begin(services, right, place, {});
  if (typeof begun !== 'string') return begun;
  const { secrets, clock } = services;
  return { lacking: secrets.sign('sign in', right, timeIn(clock, challengeMs)) };
}

export async function signInByLink(
  services: SignIn,
  linkToken: string,
  place: Place,
): Promise<Begun | FactorLacking> {
  const begun = await beginWithLink(services, linkToken, place, undefined);
  if (begun === 'factorUsed') throw hasEnded('link');
  return begun === 'factorNeeded' ? { lacking: linkToken } : begun;
}

/** Begins a session for a caller found by what `signIn` or `signInByLink` left, who now gives the second factor. */
export async function signInByFactor(
  services: SignIn,
  { userId, username }: Caller,
  { token, ...given }: GivenFactor & { readonly token: string },
  place: Place,
): Promise<Begun> {
  const asked = { owner: userId, username, address: place.address };
  const proof = await prove(services, asked, given);
  if (isToken(services.secret, 'link', token))
    return proven(services.attempts, asked, given, await beginWithLink(services, token, place, proof));
  const right = services.secrets.open<RightPassword>('sign in', token, services.clock.now());
  if (right === undefined) throw hasEnded('step');
  const begun = await begin(services, right, place, { proof, challenge: right.used });
  return proven(services.attempts, asked, given, begun);
}

/** Begins another session for its user, who gives the password or a second factor again. */
export async function confirm(
  services: SignIn,
  caller: Caller,
  { password, ...given }: GivenFactor & { readonly password: string | undefined },
  call: PatientCall,
): Promise<Begun> {
  const { userId, username, session } = caller;
  if (!isOfPortal(session)) throw hasEnded('session');
  const asked = { owner: userId, username, address: call.address };
  if (password !== undefined) {
    await checkPassword(services, caller, { password, field: 'password' }, call);
    return proven(services.attempts, asked, {}, await begin(services, caller, call, { from: session }));
  }
  const proof = await prove(services, asked, given);
  return proven(
    services.attempts,
    asked,
    given,
    await begin(services, caller, call, { proof, from: session }),
  );
}

interface Beginning {
  readonly proof?: FactorProof;
  readonly challenge?: UsedChallenge;
  /** The session that the new one goes on from. */
  readonly from?: CallerSession;
}

async function begin(
  services: SignIn,
  { userId, passwordMark }: RightPassword,
  place: Place,
  { proof, challenge, from }: Beginning,
): Promise<Begun | FactorRefusal> {
  const { token, session } = newSession(services, 'session', place);
  const { store, mailDomain } = services;
  const factorAt = proof === undefined ? from?.factorAt : session.createdAt;
  const begun = await store.write(beginSession, {
    session: {
      ...session,
      ...sameProvider(from, session.createdAt),
      userId,
      factorAt,
      byLink: from?.isByLink === true,
    },
    passwordMark,
    proof,
    challenge,
    from: from?.digest,
    address: place.address,
    mailDomain,
  });
  if (begun === undefined) throw hasEnded('session');
  if (typeof begun === 'string') return begun;
  announceHint(store, begun.account.company.id, sessionsList);
  return announced(services, begun, token);
}

/** A session that goes on from one by an identity provider ends when that one would have ended. */
function sameProvider(from: CallerSession | undefined, now: number) {
  const before = from?.byProvider;
  return before && { provider: before.name, createdAt: before.at, confirmedAt: now };
}

async function beginWithLink(
  services: SignIn,
  linkToken: string,
  place: Place,
  proof: FactorProof | undefined,
): Promise<Begun | FactorRefusal> {
  const { token, session } = newSession(services, 'session', place);
  const { store, mailDomain } = services;
  const begun = await store.write(beginByLink, {
    linkDigest: digestOf(linkToken),
    session: { ...session, byLink: true, factorAt: proof && session.createdAt },
    proof,
    address: place.address,
    mailDomain,
  });
  if (begun === undefined) throw hasEnded('link');
  return typeof begun === 'string' ? begun : announced(services, begun, token);
}

interface Confirmed {
  readonly provider: IdentityProvider;
  readonly identity: Identity;
  /** When the user proved to the provider who they are; 0 if it does not say. */
  readonly confirmedAt: number;
  /** The only user who may sign in. */
  readonly confirms: number | undefined;
}

/** Begins a session for somebody whom an identity provider has vouched for. */
export async function signInByProvider(
  services: Pick<SignIn, 'store' | 'clock' | 'secret' | 'mailDomain'>,
  { provider, identity, confirmedAt, confirms }: Confirmed,
  place: Place,
): Promise<Begun | ProviderRefusal> {
  const { token, session } = newSession(services, 'session', place);
  const { store, mailDomain } = services;
  const begun = await store.write(beginByProvider, {
    provider,
    identity,
    session: { ...session, byLink: false, provider: provider.name, confirmedAt },
    confirms,
    address: place.address,
    mailDomain,
  });
  if (typeof begun === 'string') return begun;
  announceHint(store, begun.account.company.id, sessionsList);
  return announced(services, begun, token);
}

function announced(
  { store }: Pick<SignIn, 'store'>,
  { account, isNotified }: BegunSession,
  token: string,
): Begun {
  if (isNotified) store.announce(outgoingMailTopic);
  return { account, token };
}

/**
 * Ends sessions of the caller, or of another user. Returns how many were ended; they end at once on this node, and within a
 * second on all others.
 */
export async function end(
  { store, news, clock }: Pick<SignIn, 'store' | 'news' | 'clock'>,
  caller: Caller,
  which: EndedSessions,
  userId = caller.userId,
): Promise<number> {
  const ended = await store.write(endSessions, { userId, which, now: clock.now(), by: byUser(caller) });
  await news.read();
  announceHint(store, caller.companyId, sessionsList);
  return ended;
}

interface PasswordChange {
  /** Not needed from users who signed in with a link. */
  readonly current: string | undefined;
  readonly password: string;
}

/** Sets the caller's password, begins a new session, and ends all others. */
export async function setOwnPassword(
  services: SignIn,
  caller: Caller,
  { current, password }: PasswordChange,
  call: PatientCall,
): Promise<Begun> {
  const allowed = checkNewPassword(password);
  if (!allowed.ok) throw errorOfFields(allowed, 'password');
  const choice = () => choose(services, caller, { current, password }, call);
  const begun = await services.choosing.run(choice, caller.companyId, caller.userId);
  if (begun === undefined) throw overloaded;
  return begun;
}

async function choose(
  services: SignIn,
  caller: Caller,
  { current, password }: PasswordChange,
  call: PatientCall,
): Promise<Begun> {
  const { store, news, passwords } = services;
  const { userId, session: asking } = caller;
  if (!isOfPortal(asking)) throw hasEnded('session');
  if (!asking.isByLink) await checkPassword(services, caller, { password: current, field: 'current' }, call);
  const passwordHash = await call.whileWaiting(passwords.hash(password));
  const { token, session } = newSession(services, 'session', call);
  const account = await store.write(changePassword, {
    passwordHash,
    session: { ...session, userId, byLink: false, factorAt: asking.factorAt },
    asking: asking.digest,
    by: byUser(caller),
  });
  if (account === 'managed') throw orThrow(managedFault({ sentence: 'managed_password' }));
  if (account === undefined) throw hasEnded('session');
  await news.read();
  return { account, token };
}

async function checkPassword(
  { authenticate }: SignIn,
  { username }: Caller,
  { password, field }: { readonly password: string | undefined; readonly field: string },
  call: PatientCall,
): Promise<void> {
  if (password === undefined)
    throw errorOfFields(fault('missing_parameter', { sentence: 'password_missing' }), field);
  const credentials = { kind: 'password', username, password } as const;
  await verified(call, field, (from) => authenticate(credentials, from));
}

/** Verifies the password in a field of a call that is already admitted. A wrong one is a fault of the field. */
export async function verified<Admitted>(
  call: PatientCall,
  field: string,
  authenticate: (from: LoginOrigin) => Admitted | Promise<Admitted>,
): Promise<Admitted> {
  const from = {
    address: call.address,
    get isGone() {
      return call.isOver;
    },
  };
  try {
    return await call.whileWaiting(Promise.resolve(authenticate(from)));
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'unauthorised') throw error;
    throw errorOfFields(fault('invalid_value', { sentence: 'wrong_password' }), field);
  }
}

interface LinkOrder {
  readonly username: string;
  /** The company that the user must belong to; null for any. */
  readonly companyId: number | null;
  readonly by: Actor;
}

/** The path for a browser to open, valid once and for half an hour. Undefined when there is no such user. */
export async function makeLink(
  { store, clock, secret }: Pick<SignIn, 'store' | 'clock' | 'secret'>,
  order: LinkOrder,
): Promise<string | undefined> {
  const token = newToken(secret, 'link');
  const made = await store.write(keepLink, {
    ...order,
    digest: digestOf(token),
    now: clock.now(),
    expiresAt: timeIn(clock, linkMs),
  });
  // The part after the `#` reaches no server and no log.
  return made && `/portal/link#${token}`;
}

/** The caller as the one whose second factors the page changes. */
export function holderOf({ store, news }: Pick<SignIn, 'store' | 'news'>, caller: Caller): Holder<number> {
  const { userId, username, companyId, session } = caller;
  if (!isOfPortal(session)) throw hasEnded('session');
  return {
    owner: userId,
    username,
    asking: session.digest,
    by: byUser(caller),
    async announce({ isNotified }) {
      if (isNotified) store.announce(outgoingMailTopic);
      announceHint(store, companyId, sessionsList);
      await news.read();
    },
  };
}
