/** Limits how often second factors may be tried, with the same counts over all nodes as passwords have. */
import type { SecurityEvents } from '../foundation/security-log.ts';
import { type Attempt, AttemptLimits, type Tried } from './attempt-limits.ts';
import type { LoginRecords } from './login-records.ts';

interface FactorAttempt extends Attempt {
  readonly tried: Extract<Tried, 'factor'>;
}

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
  async recall(attempt: FactorAttempt): Promise<void> {
    this.check(attempt);
    await this.#records.recall(attempt);
  }

  /** Throws `too_many_attempts` when the attempt has to wait. */
  check({ tried, ...attempt }: FactorAttempt): void {
    try {
      this.#limits.check(attempt, tried);
    } catch (error) {
      this.#security.record({ event: 'login_refused', channel: 'http', address: attempt.address });
      throw error;
    }
  }

  fail({ tried, ...attempt }: FactorAttempt, reason: string): void {
    const { counted, usedUp } = this.#limits.fail(attempt, tried);
    this.#records.keep(counted);
    const { address } = attempt;
    const username = tried === 'factor' ? attempt.username : undefined;
    const event = { channel: 'http', address, username } as const;
    for (const { kind } of usedUp) this.#security.record({ ...event, event: 'login_locked', object: kind });
    this.#security.record({ ...event, event: 'login_failed', method: tried, reason });
  }
}
