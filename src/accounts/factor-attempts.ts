/**
 * Limits how often second factors may be tried, and how often sign-ins at identity providers may fail, with the same counts
 * over all nodes as passwords have.
 */
import type { SecurityEvents } from '../foundation/security-log.ts';
import { type Attempt, AttemptLimits, type Tried } from './attempt-limits.ts';
import type { LoginRecords } from './login-records.ts';

export class FactorAttempts {
  readonly #records: LoginRecords;
  readonly #security: SecurityEvents;
  readonly #limits: AttemptLimits;
  readonly #tried: Extract<Tried, 'factor' | 'provider'>;

  constructor(
    records: LoginRecords,
    security: SecurityEvents,
    tried: Extract<Tried, 'factor' | 'provider'> = 'factor',
  ) {
    this.#tried = tried;
    this.#records = records;
    this.#security = security;
    this.#limits = new AttemptLimits(records.counts);
  }

  /**
   * Learns what other nodes have counted. What is tried next is checked, compared and counted without waiting in between, so
   * that no number of simultaneous calls gets more tries.
   */
  async recall(attempt: Attempt): Promise<void> {
    this.check(attempt);
    await this.#records.recall(attempt);
  }

  /** Throws `too_many_attempts` when the attempt has to wait. */
  check(attempt: Attempt): void {
    try {
      this.#limits.check(attempt, this.#tried);
    } catch (error) {
      this.#security.record({ event: 'login_refused', channel: 'http', address: attempt.address });
      throw error;
    }
  }

  /** The user name is empty if it is not known. */
  fail({ username, address }: Attempt, reason: string): void {
    const { counted, usedUp } = this.#limits.fail({ username, address }, this.#tried);
    this.#records.keep(counted);
    const event = { channel: 'http', address, username: username || undefined } as const;
    for (const { kind } of usedUp) this.#security.record({ ...event, event: 'login_locked', object: kind });
    this.#security.record({ ...event, event: 'login_failed', method: this.#tried, reason });
  }
}
