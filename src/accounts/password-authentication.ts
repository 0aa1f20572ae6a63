/**
 * Authenticates callers by user name and password. A verified password is remembered for a while, so that a client with
 * a password is as fast as a client with a key:
 *
 *   remembered, no news since ──────────────────────────────▶ let in (memory only)
 *   remembered, news since ──▶ read the account ──same hash──▶ let in (no verification)
 *   else ──within the limits──▶ wait for its turn ──▶ read ──▶ verify ──▶ remember, let in
 *              └──beyond: 429        └──too many wait: 503        └──▶ count, 401
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Stopwatch } from '../foundation/clock.ts';
import type { ServiceError } from '../foundation/errors.ts';
import { lruCache } from '../foundation/lru-cache.ts';
import type { SecurityEvent, SecurityEvents } from '../foundation/security-log.ts';
import type { LoginOrigin } from '../http/credentials/credentials.ts';
import { type Attempt, AttemptLimits } from './attempt-limits.ts';
import { type Freshness, type FreshRead, FreshReads } from './fresh-reads.ts';
import { type LoginQueue, overloaded } from './login-queue.ts';
import type { LoginRecords } from './login-records.ts';
import type { NetworkOwner } from './login-store.ts';
import { maxPasswordLength, type Passwords } from './password.ts';
import { unauthorised } from './unauthorised.ts';
import { isUsername } from './user-records.ts';

/** How long a verified password stays cached, however often it is used in the meantime. */
const rememberMs = 600_000;
/** The maximum number of cached passwords; others are verified more often. */
const maxRemembered = 10_000;
/**
 * The maximum number of requests that wait for one verification. Nothing else bounds the requests of a client that sends
 * without awaiting answers.
 */
const maxSharing = 2_000;

/** Accounts of one kind: how one is found by its name, and what a caller who has given its password is admitted as. */
export interface PasswordAccounts<Account, Admitted> {
  /** Precedes the name in counts of failures, because accounts of different kinds may have the same name. */
  readonly counted: '' | 'operator:' | 'smpp:';
  find(name: string): Promise<Account | undefined>;
  passwordHashOf(account: Account): string | undefined;
  /** Undefined when the account is not active. */
  admit(account: Account): Admitted | undefined;
  /** How the security log names the account. */
  named(account: Account): Pick<SecurityEvent, 'username' | 'operator'>;
  networkOwner(account: Account): NetworkOwner;
}

interface RememberedPassword<Admitted> {
  /** The hash that the password was verified against; the entry is dropped when the stored hash differs. */
  readonly passwordHash: string;
  /** By the stopwatch. */
  readonly until: number;
  readonly caller: Admitted;
  readonly edition: number;
}

export interface PasswordAuthenticationParts<Account, Admitted> {
  readonly accounts: PasswordAccounts<Account, Admitted>;
  readonly freshness: Freshness;
  readonly stopwatch: Stopwatch;
  readonly passwords: Passwords;
  readonly queue: LoginQueue;
  readonly records: LoginRecords;
  readonly security: SecurityEvents;
}

interface PasswordAttempt extends Attempt {
  /** The name as given; `username` is the name by which failures are counted. */
  readonly name: string;
  readonly password: string;
  readonly from: LoginOrigin;
  /** The cache key for the user name and password. */
  readonly digest: string;
}

interface Verdict<Admitted> {
  /** Undefined when the login is refused. */
  readonly caller: Admitted | undefined;
  /** The name of an existing account; empty when there is none. */
  readonly named: Pick<SecurityEvent, 'username' | 'operator'>;
  readonly reason: string;
  /** Whether the user had logged in from this network before. */
  readonly isKnown: boolean;
}

interface Verification<Admitted> {
  readonly verdict: Promise<Verdict<Admitted>>;
  readonly origins: LoginOrigin[];
}

export class PasswordAuthentication<Account, Admitted> {
  readonly #parts: PasswordAuthenticationParts<Account, Admitted>;
  readonly #limits: AttemptLimits;
  readonly #reads: FreshReads<string, Account | undefined>;
  /**
   * Memory holds no passwords, only hashes under a key that dies with the process. An HMAC takes twice the time and has no
   * benefit here, because no one ever sees a digest that could be extended.
   */
  readonly #digestKey = randomBytes(32).toString('base64');
  readonly #remembered = lruCache<string, RememberedPassword<Admitted>>(maxRemembered);
  readonly #verifications = new Map<string, Verification<Admitted>>();

  constructor(parts: PasswordAuthenticationParts<Account, Admitted>) {
    this.#parts = parts;
    this.#limits = new AttemptLimits(parts.records.counts);
    this.#reads = new FreshReads(parts.freshness, (name) => parts.accounts.find(name));
  }

  authenticate(name: string, password: string, from: LoginOrigin): Admitted | Promise<Admitted> {
    // No account has such a name or password, so what was given is neither a secret nor a guess, and nothing is verified or
    // counted.
    if (!isUsername(name) || password.length > maxPasswordLength) {
      throw this.#refusal(from, { named: {}, reason: 'unknown_user' });
    }
    const digest = this.#digest(name, password);
    const remembered = this.#remember(digest);
    if (remembered !== undefined && this.#parts.freshness.holds(remembered.edition)) return remembered.caller;
    const username = this.#parts.accounts.counted + name;
    const attempt = { name, username, password, address: from.address, from, digest };
    return remembered === undefined ? this.#verifyInTurn(attempt) : this.#renew(attempt, remembered);
  }

  #digest(name: string, password: string): string {
    // The length prefix makes the boundary between name and password unambiguous.
    return createHash('sha256')
      .update(`${this.#digestKey}${name.length}:${name}${password}`)
      .digest('base64');
  }

  #remember(digest: string): RememberedPassword<Admitted> | undefined {
    const remembered = this.#remembered.get(digest);
    if (remembered === undefined || this.#parts.stopwatch.elapsed() < remembered.until) return remembered;
    this.#remembered.delete(digest);
    return undefined;
  }

  /** After a change notice for accounts, the password is still right if the stored hash is unchanged. */
  async #renew(attempt: PasswordAttempt, remembered: RememberedPassword<Admitted>): Promise<Admitted> {
    const read = await this.#reads.read(attempt.name);
    if (this.#hashOf(read.result) === remembered.passwordHash) {
      const caller = this.#letIn(attempt, read, remembered.until);
      if (caller !== undefined) return caller;
    }
    this.#remembered.delete(attempt.digest);
    return this.#verifyInTurn(attempt);
  }

  #hashOf(account: Account | undefined): string | undefined {
    return account && this.#parts.accounts.passwordHashOf(account);
  }

  /** Undefined when the account is not active. */
  #letIn(
    { digest }: PasswordAttempt,
    { result: account, edition }: FreshRead<Account | undefined>,
    until: number,
  ): Admitted | undefined {
    const passwordHash = this.#hashOf(account);
    const caller = account && this.#parts.accounts.admit(account);
    if (passwordHash === undefined || caller === undefined) return undefined;
    this.#remembered.set(digest, { passwordHash, until, caller, edition });
    return caller;
  }

  /**
   * A client's first requests often arrive together with the same password, so they share one verification. Each of them
   * counts as an attempt if it fails.
   */
  #verifyInTurn(attempt: PasswordAttempt): Promise<Admitted> {
    const { records, queue } = this.#parts;
    const { digest, address, from } = attempt;
    const isKnown = records.isKnown(attempt);
    // Checks the limits in memory first, so that a caller beyond them costs next to nothing.
    this.#check(attempt, isKnown);
    const shared = `${digest} ${address}`;
    const others = this.#verifications.get(shared);
    if (others !== undefined && others.origins.length >= maxSharing) throw overloaded;
    from.beginWaiting?.();
    others?.origins.push(from);
    if (others !== undefined) return this.#settle(attempt, others.verdict);
    const origins = [from];
    const isGone = () => origins.every((origin) => origin.isGone === true);
    const verdict = queue
      .run({ address, isKnown, isGone }, () => this.#verify(attempt))
      .finally(() => this.#verifications.delete(shared));
    this.#verifications.set(shared, { verdict, origins });
    return this.#settle(attempt, verdict);
  }

  async #verify(attempt: PasswordAttempt): Promise<Verdict<Admitted>> {
    const { accounts, records, passwords, stopwatch } = this.#parts;
    const [read, isKnown] = await Promise.all([this.#reads.read(attempt.name), records.recall(attempt)]);
    // Checks again with the counts of other nodes and of the logins that were ahead in the queue.
    this.#check(attempt, isKnown);
    const { result: account } = read;
    const isRight = await passwords.matches(attempt.password, this.#hashOf(account));
    const caller = isRight ? this.#letIn(attempt, read, stopwatch.elapsed() + rememberMs) : undefined;
    if (account === undefined) return { caller, named: {}, reason: 'unknown_user', isKnown };
    if (caller !== undefined) records.remember(attempt, accounts.networkOwner(account));
    const reason = isRight ? 'inactive' : 'wrong_password';
    return { caller, named: accounts.named(account), reason, isKnown };
  }

  async #settle(attempt: PasswordAttempt, verified: Promise<Verdict<Admitted>>): Promise<Admitted> {
    const verdict = await verified;
    if (verdict.caller !== undefined) return verdict.caller;
    const { counted, usedUp } = this.#limits.fail(attempt, verdict.isKnown ? 'known' : 'account');
    this.#parts.records.keep(counted);
    const { address, channel = 'http' } = attempt.from;
    for (const { kind } of usedUp)
      this.#parts.security.record({
        event: 'login_locked',
        channel,
        address,
        object: kind,
        ...verdict.named,
      });
    throw this.#refusal(attempt.from, verdict);
  }

  #check(attempt: PasswordAttempt, isKnown: boolean): void {
    try {
      this.#limits.check(attempt, isKnown ? 'known' : 'account');
    } catch (error) {
      const { address, channel = 'http' } = attempt.from;
      this.#parts.security.record({ event: 'login_refused', channel, address });
      throw error;
    }
  }

  #refusal(
    { address, channel = 'http' }: LoginOrigin,
    { named, reason }: Pick<Verdict<Admitted>, 'named' | 'reason'>,
  ): ServiceError {
    this.#parts.security.record({
      event: 'login_failed',
      method: 'password',
      channel,
      address,
      reason,
      ...named,
    });
    return unauthorised();
  }
}
