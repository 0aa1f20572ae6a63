/**
 * Guessing passwords is made slow: so many failed attempts on one account or from one address, and the next is refused
 * until the window that began with the first of them has passed (API: 429 `too_many_attempts`).
 */
import { LRUCache } from 'lru-cache';
import type { Stopwatch } from '../foundation/clock.ts';
import { ServiceError } from '../foundation/errors.ts';
import { networkOf } from '../http/network-of.ts';

const windowMs = 300_000;
/** A guesser gets 2,880 guesses a day; a person who mistypes waits five minutes at most. */
const maxFailuresPerAccount = 10;
/** Many people may share an address: it gets more. */
const maxFailuresPerAddress = 50;
/**
 * Accounts and addresses remembered, those longest without an attempt dropped first. To push one out, a guesser would
 * need 2,000 networks, each of them used up.
 */
const maxCounters = 100_000;

interface Counter {
  failures: number;
  readonly endsAt: number;
}

export interface CountedAttempt {
  /** It did not fail after all. */
  takeBack(): void;
}

export class AttemptLimits {
  readonly #stopwatch: Stopwatch;
  readonly #accounts = new LRUCache<string, Counter>({ max: maxCounters });
  readonly #networks = new LRUCache<string, Counter>({ max: maxCounters });

  constructor(stopwatch: Stopwatch) {
    this.#stopwatch = stopwatch;
  }

  /**
   * Throws when the account or the address has used up its attempts. An account is counted by its name, whether it
   * exists or not, so that the refusal tells nobody who exists.
   */
  check(username: string, address: string): void {
    const now = this.#stopwatch.elapsed();
    const endsAt = Math.max(
      usedUpUntil(this.#accounts.get(username), maxFailuresPerAccount, now),
      usedUpUntil(this.#networks.get(networkOf(address)), maxFailuresPerAddress, now),
    );
    if (endsAt <= now) return;
    const seconds = Math.ceil((endsAt - now) / 1_000);
    throw new ServiceError(
      'too_many_attempts',
      `Too many failed attempts to log in to this account or from this address. The next is possible in ${seconds} s; API keys go on working.`,
      { headers: { 'retry-after': String(seconds) } },
    );
  }

  /** Counts as failed until it is taken back. */
  count(username: string, address: string): CountedAttempt {
    const now = this.#stopwatch.elapsed();
    const counters = [
      countIn(this.#accounts, username, now),
      countIn(this.#networks, networkOf(address), now),
    ];
    return {
      takeBack() {
        for (const counter of counters) counter.failures -= 1;
      },
    };
  }
}

function usedUpUntil(counter: Counter | undefined, max: number, now: number): number {
  return counter !== undefined && counter.failures >= max ? counter.endsAt : now;
}

function countIn(counters: LRUCache<string, Counter>, key: string, now: number): Counter {
  let counter = counters.get(key);
  if (counter === undefined || counter.endsAt <= now) {
    counter = { failures: 0, endsAt: now + windowMs };
    counters.set(key, counter);
  }
  counter.failures += 1;
  return counter;
}
