/**
 * Limits how often second factors may be tried, and how often sign-ins at identity providers may fail, with the same counts
 * over all nodes as passwords have.
 */
import type { SecurityEvents } from '../foundation/security-log.ts';
import { type Attempt, AttemptLimits } from './attempt-limits.ts';
import type { LoginRecords } from './login-records.ts';
import type { LoginKind } from './logins.ts';

export class FactorAttempts {
  readonly #records: LoginRecords;
  readonly #security: SecurityEvents;
  readonly #limits: AttemptLimits;
  readonly #kind: LoginKind | 'provider';
  readonly #tried: 'factor' | 'provider';

  constructor(records: LoginRecords, security: SecurityEvents, kind: LoginKind | 'provider' = 'user') {
    this.#tried = kind === 'provider' ? 'provider' : 'factor';
    this.#records = records;
    this.#security = security;
    this.#kind = kind;
    this.#limits = new AttemptLimits(records.counts);
  }

  /**
   * Learns what other nodes have counted. What is tried next is checked, compared and counted without waiting in between, so
   * that no number of simultaneous calls gets more tries.
   */
  async recall(attempt: Attempt): Promise<void> {
    this.check(attempt);
    await this.#records.recall(this.#counted(attempt));
  }

  /** Throws `too_many_attempts` when the attempt has to wait. */
  check(attempt: Attempt): void {
    try {
      this.#limits.check(this.#counted(attempt), this.#tried);
    } catch (error) {
      this.#security.record({ event: 'login_refused', channel: 'http', address: attempt.address });
      throw error;
    }
  }

  /** The user name is empty if it is not known. */
  fail(attempt: Attempt, reason: string): void {
    const { counted, usedUp } = this.#limits.fail(this.#counted(attempt), this.#tried);
    this.#records.keep(counted);
    const { username, address } = attempt;
    const who = this.#kind === 'operator' ? { operator: username } : { username: username || undefined };
    const event = { channel: 'http', address, ...who } as const;
    for (const { kind } of usedUp) this.#security.record({ ...event, event: 'login_locked', object: kind });
    this.#security.record({ ...event, event: 'login_failed', method: this.#tried, reason });
  }

  /** A user and an operator may have the same name. */
  #counted({ username, address }: Attempt): Attempt {
    return { username: this.#kind === 'operator' ? `operator:${username}` : username, address };
  }
}
