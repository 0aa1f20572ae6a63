/**
 * Counters in the store that show when a node's cached rows are stale. They are raised in the same transaction as the change
 * and read several times a second. A node that can't read them stops trusting its cache.
 */

import { type Stopwatch, systemStopwatch } from '../foundation/clock.ts';
import { WokenLoop } from '../foundation/woken-loop.ts';
import { sql } from './sql.ts';
import type { Store } from './store.ts';
import { readVerb, type Transaction } from './verb.ts';

/**
 * `accounts`: companies, users, API keys, numbers. `senders`: owners of sender ids. `carriers`: carriers and routes.
 * `templates`: saved texts. `logins`: networks that users are known from. `listening`: companies whose changes are recorded.
 * `webhooks`: which endpoints are notified of what. `sessions`: portal sessions that have ended. `batches`: paused batches.
 * `providers`: identity providers. `tests`: SMS by which operators try a carrier.
 */
export type Topic =
  | 'accounts'
  | 'senders'
  | 'carriers'
  | 'templates'
  | 'logins'
  | 'listening'
  | 'webhooks'
  | 'sessions'
  | 'batches'
  | 'providers'
  | 'tests';

/** Call this in the transaction that makes the change. */
export async function raiseNews(transaction: Transaction, topic: Topic): Promise<void> {
  await transaction.run(
    sql`INSERT INTO news (topic, version) VALUES (${topic}, 1)
        ON CONFLICT (topic) DO UPDATE SET version = news.version + 1`,
  );
}

export const readNews = readVerb('storage.readNews', async (reading, _: null) =>
  reading.all<{ topic: string; version: number }>(sql`SELECT topic, version FROM news`),
);

const pollMs = 300;
/** A revoked key must stop working within a second, so the cache is trusted only this long after the last successful read. */
const trustMs = 900;

export class News {
  readonly #store: Store;
  readonly #stopwatch: Stopwatch;
  readonly #versions = new Map<string, number>();
  readonly #listeners = new Map<Topic, (() => void | Promise<void>)[]>();
  #readAt = Number.NEGATIVE_INFINITY;
  /** A failed read needs no action: trust expires, and the next read tries again. */
  readonly #reading = new WokenLoop({ pauseMs: pollMs, failed: () => undefined }, () => this.read());

  constructor(store: Store, stopwatch: Stopwatch = systemStopwatch) {
    this.#store = store;
    this.#stopwatch = stopwatch;
  }

  /** Whether the listeners' caches may still be used. */
  get trusted(): boolean {
    return this.#stopwatch.elapsed() - this.#readAt < trustMs;
  }

  /** The listener drops or reloads what the topic's news makes stale. It is awaited before the news counts as read. */
  on(topic: Topic, listener: () => void | Promise<void>): void {
    const listeners = this.#listeners.get(topic) ?? [];
    listeners.push(listener);
    this.#listeners.set(topic, listeners);
  }

  async start(): Promise<void> {
    for (const { topic, version } of await this.#store.read(readNews, null))
      this.#versions.set(topic, version);
    this.#readAt = this.#stopwatch.elapsed();
    this.#reading.start();
  }

  /** A read in progress is of no more use, so this does not wait for it. */
  stop(): void {
    void this.#reading.stop();
  }

  /** Reads the counters now, after a change that this process has just made itself. */
  async read(): Promise<void> {
    const startedAt = this.#stopwatch.elapsed();
    for (const { topic, version } of await this.#store.read(readNews, null)) {
      if (this.#versions.get(topic) === version) continue;
      for (const listener of this.#listeners.get(topic as Topic) ?? []) await listener();
      this.#versions.set(topic, version);
    }
    this.#readAt = startedAt;
  }
}
