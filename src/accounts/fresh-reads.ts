/**
 * Cached accounts are valid until a change notice for accounts arrives, and only while notices can be read at all, so that a
 * revoked key or a closed account is refused within a second on every node. The same holds for other topics.
 */
import type { News, Topic } from '../storage/news.ts';

/** Counts the change notices of some topics. A value that was read in the current edition matches the store. */
export class Freshness {
  readonly #news: News;
  #edition = 0;

  constructor(news: News, ...topics: readonly [Topic, ...Topic[]]) {
    this.#news = news;
    for (const topic of topics)
      news.on(topic, () => {
        this.#edition += 1;
      });
  }

  get edition(): number {
    return this.#edition;
  }

  holds(edition: number): boolean {
    return edition === this.#edition && this.#news.trusted;
  }
}

export interface FreshRead<Result> {
  readonly result: Result;
  /** The edition before the read, so that a notice that arrives during the read makes the result stale. */
  readonly edition: number;
}

/** A read is shared only while it is younger than this, since nothing may be stale for more than a second. */
const shareableMs = 300;

/** Lets requests that need the same rows at the same time share one read, as often happens after a change notice. */
export class FreshReads<Key, Result> {
  readonly #freshness: Freshness;
  readonly #read: (key: Key) => Promise<Result>;
  readonly #underWay = new Map<
    Key,
    { readonly startedAt: number; readonly read: Promise<FreshRead<Result>> }
  >();

  constructor(freshness: Freshness, read: (key: Key) => Promise<Result>) {
    this.#freshness = freshness;
    this.#read = read;
  }

  read(key: Key): Promise<FreshRead<Result>> {
    const now = performance.now();
    const others = this.#underWay.get(key);
    if (others !== undefined && now - others.startedAt < shareableMs) return others.read;
    const own = { startedAt: now, read: this.#start(key) };
    this.#underWay.set(key, own);
    const ended = () => {
      if (this.#underWay.get(key) === own) this.#underWay.delete(key);
    };
    own.read.then(ended, ended);
    return own.read;
  }

  async #start(key: Key): Promise<FreshRead<Result>> {
    const edition = this.#freshness.edition;
    return { result: await this.#read(key), edition };
  }
}
