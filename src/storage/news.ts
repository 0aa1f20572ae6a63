/**
 * Counters in the store say when a node's cached rows are stale. They are raised in the same transaction as the change and
 * read several times a second; a node that can't read them stops trusting its cache.
 */

import { type Stopwatch, systemStopwatch } from '../foundation/clock.ts';
import { WokenLoop } from '../foundation/woken-loop.ts';
import { sql } from './sql.ts';
import type { Store } from './store.ts';
import { readVerb, type Transaction } from './verb.ts';

/**
 * `accounts`: companies, users, API keys, numbers. `senders`: whose sender ids are. `carriers`: carriers and routes. `templates`: saved texts. `logins`:
 * networks in which users are known. `listening`: companies whose changes are written down. `webhooks`: who is told of what. `sessions`: of the portal, that have ended.
 * `batches`: those that are paused.
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
  | 'batches';

/** To be called in the transaction that makes the change. */
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
/** A revoked key must stop working within a second: memory is trusted so much longer than the last reading. */
const trustMs = 900;

export class News {
  readonly #store: Store;
  readonly #stopwatch: Stopwatch;
  readonly #versions = new Map<string, number>();
  readonly #listeners = new Map<Topic, (() => void | Promise<void>)[]>();
  #readAt = Number.NEGATIVE_INFINITY;
  /** A failed reading is no news by itself: trust runs out, and the next reading tries again. */
  readonly #reading = new WokenLoop({ pauseMs: pollMs, failed: () => undefined }, () => this.read());

  constructor(store: Store, stopwatch: Stopwatch = systemStopwatch) {
    this.#store = store;
    this.#stopwatch = stopwatch;
  }

  /** Whether what the listeners have cached may still be used. */
  get trusted(): boolean {
    return this.#stopwatch.elapsed() - this.#readAt < trustMs;
  }

  /** The listener drops or renews what the topic's news make stale; it is awaited before the news count as read. */
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

  /** What is being read just now is of no use any more, and nothing to wait for. */
  stop(): void {
    void this.#reading.stop();
  }

  /** Reads the counters now, for a change that this process has just made itself. */
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
