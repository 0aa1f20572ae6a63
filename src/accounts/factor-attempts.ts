/** Limits how often second factors may be tried, with the same counts over all nodes as passwords have. */
import type { SecurityEvents } from '../foundation/security-log.ts';
import { type Attempt, AttemptLimits } from './attempt-limits.ts';
import type { LoginRecords } from './login-records.ts';

export class FactorAttempts {
  readonly #records: LoginRecords;
  readonly #security: SecurityEvents;
  readonly #limits: AttemptLimits;

  constructor(records: LoginRecords, security: SecurityEvents) {
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
      this.#limits.check(attempt, 'factor');
    } catch (error) {
      this.#security.record({ event: 'login_refused', channel: 'http', address: attempt.address });
      throw error;
    }
  }

  fail({ username, address }: Attempt, reason: string): void {
    const { counted, usedUp } = this.#limits.fail({ username, address }, 'factor');
    this.#records.keep(counted);
    const event = { channel: 'http', address, username } as const;
    for (const { kind } of usedUp) this.#security.record({ ...event, event: 'login_locked', object: kind });
    this.#security.record({ ...event, event: 'login_failed', method: 'factor', reason });
  }
}
