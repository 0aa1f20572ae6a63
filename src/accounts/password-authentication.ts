/**
 * Lets callers in by user name and password. A verified password is remembered for a while, so that a password client is
 * as fast as a key client:
 *
 *   remembered, no news since ──────────────────────────────▶ let in (memory only)
 *   remembered, news since ──▶ read the account ──same hash──▶ let in (no verification)
 *   else ──within the limits of failed attempts──▶ read ──▶ verify ──▶ remember, let in
 *              └──beyond──▶ 429                              └──▶ count, 401
 */
import { createHash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Stopwatch } from '../foundation/clock.ts';
import type { ServiceError } from '../foundation/errors.ts';
import type { SecurityEvents } from '../foundation/security-log.ts';
import type { LoginOrigin } from '../http/credentials.ts';
import type { Store } from '../storage/store.ts';
import type { AttemptLimits, CountedAttempt } from './attempt-limits.ts';
import { type Caller, callerOf } from './caller.ts';
import { type Freshness, type FreshRead, FreshReads } from './fresh-reads.ts';
import { maxPasswordLength, type Passwords } from './password.ts';
import { findAccountByUsername } from './store.ts';
import { unauthorised } from './unauthorised.ts';
import { type Account, isActive, isUsername } from './user.ts';

/** Counted from the verification, however often the password is used meanwhile. */
const rememberMs = 600_000;
/** Passwords in use at the same time on a node; those beyond are verified more often. */
const maxRemembered = 10_000;

interface Remembered {
  /** What the password was verified against: with another hash in the store it is forgotten. */
  readonly passwordHash: string;
  /** By the stopwatch. */
  readonly until: number;
  readonly caller: Caller;
  readonly edition: number;
}

export interface PasswordAuthenticationParts {
  readonly store: Store;
  readonly freshness: Freshness;
  readonly stopwatch: Stopwatch;
  readonly passwords: Passwords;
  readonly limits: AttemptLimits;
  readonly security: SecurityEvents;
}

interface Attempt {
  readonly username: string;
  readonly password: string;
  readonly from: LoginOrigin;
  /** Stands for the pair in memory. */
  readonly digest: string;
}

export class PasswordAuthentication {
  readonly #parts: PasswordAuthenticationParts;
  readonly #reads: FreshReads<string, Account | undefined>;
  /**
   * Memory holds no passwords, but hashes under a key that dies with the process. An HMAC takes twice the time, and
   * guards against nothing here: nobody ever sees a digest that could be continued.
   */
  readonly #digestKey = randomBytes(32).toString('base64');
  readonly #remembered = new LRUCache<string, Remembered>({ max: maxRemembered });
  readonly #verifications = new Map<string, Promise<boolean>>();

  constructor(parts: PasswordAuthenticationParts) {
    this.#parts = parts;
    this.#reads = new FreshReads(parts.freshness, (username) =>
      parts.store.read(findAccountByUsername, username),
    );
  }

  authenticate(username: string, password: string, from: LoginOrigin): Caller | Promise<Caller> {
    if (!isUsername(username) || password.length > maxPasswordLength) this.#refuseImpossible(from);
    const digest = this.#digest(username, password);
    const remembered = this.#remember(digest);
    if (remembered !== undefined && this.#parts.freshness.holds(remembered.edition)) return remembered.caller;
    // Before the read, so that who is beyond the limits costs nothing.
    if (remembered === undefined) this.#parts.limits.check(username, from.address);
    return this.#askStore({ username, password, from, digest }, remembered);
  }

  /** No account has such a name or password: that is no secret, so nothing is verified. */
  #refuseImpossible(from: LoginOrigin): never {
    this.#parts.limits.check('', from.address);
    this.#parts.limits.count('', from.address);
    throw this.#refusal(from, undefined);
  }

  #digest(username: string, password: string): string {
    // The length in front keeps apart what the border between the two would not.
    return createHash('sha256')
      .update(`${this.#digestKey}${username.length}:${username}${password}`)
      .digest('base64');
  }

  #remember(digest: string): Remembered | undefined {
    const remembered = this.#remembered.get(digest);
    if (remembered === undefined || this.#parts.stopwatch.elapsed() < remembered.until) return remembered;
    this.#remembered.delete(digest);
    return undefined;
  }

  async #askStore(attempt: Attempt, remembered: Remembered | undefined): Promise<Caller> {
    const read = await this.#reads.read(attempt.username);
    const passwordHash = read.result?.user.passwordHash;
    if (remembered !== undefined && remembered.passwordHash === passwordHash) {
      return this.#letIn(attempt, read, remembered.until);
    }
    this.#remembered.delete(attempt.digest);
    if (!(await this.#verify(attempt, passwordHash))) {
      throw this.#refusal(attempt.from, read.result, 'wrong_password');
    }
    return this.#letIn(attempt, read, this.#parts.stopwatch.elapsed() + rememberMs);
  }

  #letIn(
    attempt: Attempt,
    { result: account, edition }: FreshRead<Account | undefined>,
    until: number,
  ): Caller {
    const passwordHash = account?.user.passwordHash;
    if (account === undefined || passwordHash === undefined || !isActive(account)) {
      this.#parts.limits.count(attempt.username, attempt.from.address);
      throw this.#refusal(attempt.from, account, 'inactive');
    }
    const caller = callerOf(account);
    this.#remembered.set(attempt.digest, { passwordHash, until, caller, edition });
    return caller;
  }

  /**
   * The first requests of a client come together, with the same password: they share one verification. Each of them
   * counts as an attempt when it fails.
   */
  async #verify(
    { username, password, from: { address }, digest }: Attempt,
    hash: string | undefined,
  ): Promise<boolean> {
    const { limits } = this.#parts;
    const shared = `${digest} ${address} ${hash ?? ''}`;
    const others = this.#verifications.get(shared);
    if (others !== undefined) {
      const matches = await others;
      if (!matches) limits.count(username, address);
      return matches;
    }
    const own = this.#tryInTurn(username, password, address, hash);
    this.#verifications.set(shared, own);
    try {
      return await own;
    } finally {
      this.#verifications.delete(shared);
    }
  }

  #refusal(
    { address, channel = 'http' }: LoginOrigin,
    account: Account | undefined,
    reason = 'unknown_user',
  ): ServiceError {
    this.#parts.security.record({
      ...{ event: 'login_failed', method: 'password', channel, address },
      username: account?.user.username,
      reason: account === undefined ? 'unknown_user' : reason,
    });
    return unauthorised();
  }

  /** Counts as failed from its turn on until it succeeds, so that guesses sent all at once are not all tried. */
  async #tryInTurn(username: string, password: string, address: string, hash: string | undefined) {
    const { limits, passwords } = this.#parts;
    let attempt: CountedAttempt | undefined;
    const matches = await passwords.matches(password, hash, () => {
      limits.check(username, address);
      attempt = limits.count(username, address);
    });
    if (matches) attempt?.takeBack();
    return matches;
  }
}
