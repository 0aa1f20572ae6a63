/**
 * What is held in memory of accounts may be believed until news of accounts arrive, and only while news arrive at all:
 * so a revoked key or a closed account is out within a second on every node. The same holds for other topics.
 */
import type { News, Topic } from '../storage/news.ts';

/** Counts the news of a topic: what was read in the present edition is as the store has it. */
export class Freshness {
  readonly #news: News;
  #edition = 0;

  constructor(news: News, topic: Topic = 'accounts') {
    this.#news = news;
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
  /** Of the moment before the read, so that news that came meanwhile make the result stale. */
  readonly edition: number;
}

/** With a second's bound on what may be stale, a read may be shared only while it is young. */
const shareableMs = 300;

/** Requests that need the same rows at the same time share one read: after news, many do. */
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
