/**
 * Simulates random lives of an endpoint: whatever the receiver does, and whenever the node dies, its queue keeps its
 * guarantees.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assertRuns, longRunMs } from '../../../test/harness/runs.ts';
import { type Outcome, type Post, PostQueue, type QueuedEvent, type Settled } from './post-queue.ts';

const hour = 3_600_000;
const page = 40;

interface Act {
  readonly kind: 'events' | 'post' | 'taken' | 'failed' | 'gone' | 'wait' | 'restart';
  readonly number: number;
  readonly ms: number;
}

const act: fc.Arbitrary<Act> = fc.record({
  kind: fc.oneof(
    { weight: 4, arbitrary: fc.constant('events' as const) },
    { weight: 8, arbitrary: fc.constant('post' as const) },
    { weight: 5, arbitrary: fc.constant('taken' as const) },
    { weight: 5, arbitrary: fc.constant('failed' as const) },
    { weight: 1, arbitrary: fc.constant('gone' as const) },
    { weight: 3, arbitrary: fc.constant('wait' as const) },
    { weight: 1, arbitrary: fc.constant('restart' as const) },
  ),
  number: fc.nat(100),
  ms: fc.oneof(
    { weight: 5, arbitrary: fc.nat(60_000) },
    { weight: 2, arbitrary: fc.nat(5 * hour) },
    { weight: 1, arbitrary: fc.nat(30 * hour) },
  ),
});

/** The store, receiver and clock of one endpoint, and what is known about each event. */
class Endpoint {
  readonly #batch: boolean;
  readonly #maxConcurrent: number;
  readonly #events: QueuedEvent[] = [];
  #now = 1_000 * hour;
  #stored: {
    doneSeq: number;
    breaker: PostQueue['breaker'];
    retries: ReadonlyMap<number, Settled['put'][number]>;
  } = { doneSeq: 0, breaker: { failures: 0, failingSince: null, nextAt: 0 }, retries: new Map() };
  #queue: PostQueue;
  #underWay: Post[] = [];
  /** Ends by event number. */
  readonly #ends = new Map<number, 'taken' | 'givenUp'>();

  constructor(batch: boolean) {
    this.#batch = batch;
    this.#maxConcurrent = batch ? 4 : 8;
    this.#queue = this.#open();
  }

  do({ kind, number, ms }: Act): void {
    if (kind === 'events') this.#add(number);
    else if (kind === 'post') this.#post();
    else if (kind === 'wait') this.#wait(ms);
    else if (kind === 'restart') this.#restart();
    else if (this.#underWay.length > 0) {
      const [post] = this.#underWay.splice(number % this.#underWay.length, 1) as [Post];
      const askedMs = number % 3 === 0 ? ms : undefined;
      this.#settle(post, {
        isTaken: kind === 'taken',
        isGone: kind === 'gone',
        askedMs,
        chance: number / 100,
      });
    }
    this.#check();
  }

  /** The receiver has recovered and accepts everything that is left. */
  finish(): void {
    for (let turns = 0; this.#isLeft() && turns < 10_000; turns += 1) {
      this.#post();
      for (const post of this.#underWay.splice(0))
        this.#settle(post, { isTaken: true, isGone: false, askedMs: undefined, chance: 0.5 });
      this.#check();
      this.#wait(10 * 60_000);
    }
    expect(this.#isLeft()).toBe(false);
    expect(this.#stored.doneSeq).toBe(this.#events.length);
    expect(this.#events.map(({ seq }) => this.#ends.has(seq))).not.toContain(false);
  }

  #isLeft(): boolean {
    const { doneSeq, retries } = this.#stored;
    return this.#ends.size < this.#events.length || doneSeq < this.#events.length || retries.size > 0;
  }

  #open(): PostQueue {
    const { doneSeq, breaker, retries } = this.#stored;
    const found = [...retries.values()].map(({ firstSeq, seqs, tries, dueAt }) => {
      const events = this.#named(seqs);
      const subjects = [...new Set(events.map(({ subjectId }) => subjectId))];
      const oldestAt = Math.min(...events.map(({ queuedAt }) => queuedAt));
      return { firstSeq, seqs, tries, dueAt: dueAt ?? 0, subjects, oldestAt, isKept: true };
    });
    return new PostQueue({ batch: this.#batch, doneSeq, breaker, retries: found });
  }

  #named(seqs: readonly number[]): readonly QueuedEvent[] {
    return seqs.map((seq) => this.#events[seq - 1] as QueuedEvent);
  }

  #add(number: number): void {
    for (let count = 0; count <= number % 12; count += 1) {
      const seq = this.#events.length + 1;
      const at = this.#now;
      this.#events.push({ seq, subjectId: (number * 7 + count) % 6, type: 0, at, queuedAt: at, data: '{}' });
    }
  }

  #read(): void {
    while (this.#queue.wantsMore && this.#queue.readSeq < this.#events.length) {
      const from = this.#queue.readSeq;
      const events = this.#events.slice(from, from + page);
      this.#queue.offer(events, events.at(-1)?.seq ?? from);
    }
  }

  #post(): void {
    this.#read();
    for (let post = this.#queue.next(this.#now); post !== undefined; post = this.#queue.next(this.#now)) {
      this.#judge(post);
      this.#underWay.push(post);
    }
  }

  /** Checks that a post stays within the concurrency limit and overtakes no unfinished event of its subject. */
  #judge(post: Post): void {
    const others = this.#underWay;
    expect(others.length).toBeLessThan(this.#maxConcurrent);
    if (post.isProbe) expect(others).toEqual([]);
    const busy = new Set(others.flatMap(({ seqs }) => this.#named(seqs)).map(({ subjectId }) => subjectId));
    for (const { seq, subjectId } of this.#named(post.seqs)) {
      expect(busy.has(subjectId)).toBe(false);
      const earlier = this.#events.slice(0, seq - 1).filter((one) => one.subjectId === subjectId);
      const left = earlier.filter((one) => !(this.#ends.has(one.seq) || post.seqs.includes(one.seq)));
      expect(left).toEqual([]);
    }
  }

  #settle(post: Post, outcome: Omit<Outcome, 'isPosted'>): void {
    const settled = this.#queue.settle(post, { ...outcome, isPosted: true }, this.#now);
    if (outcome.isTaken) for (const seq of post.seqs) this.#ends.set(seq, 'taken');
    expect(settled.disabled !== undefined).toBe(outcome.isGone);
    this.#store(settled);
  }

  #wait(ms: number): void {
    this.#now += ms;
    this.#read();
    this.#store({ put: this.#queue.expire(this.#now), removed: [], disabled: undefined });
  }

  /** Stores in one transaction, as the sender does. */
  #store({ put, removed }: Settled): void {
    this.#queue.kept(put.map(({ firstSeq }) => firstSeq));
    const retries = new Map(this.#stored.retries);
    for (const seq of removed) retries.delete(seq);
    for (const one of put) {
      if (one.dueAt !== null) retries.set(one.firstSeq, one);
      else {
        retries.delete(one.firstSeq);
        for (const seq of one.seqs) if (!this.#ends.has(seq)) this.#ends.set(seq, 'givenUp');
      }
    }
    this.#stored = { doneSeq: this.#queue.doneSeq, breaker: this.#queue.breaker, retries };
  }

  /** Posts in progress may or may not have arrived, and events beyond the cursor may arrive twice. */
  #restart(): void {
    this.#underWay = [];
    this.#queue = this.#open();
  }

  /** Checks that nothing is forgotten: every event before the cursor has an end or waits for a retry. */
  #check(): void {
    const waiting = new Set([...this.#stored.retries.values()].flatMap(({ seqs }) => seqs));
    for (const { seq } of this.#events.slice(0, this.#stored.doneSeq))
      expect([seq, this.#ends.has(seq) || waiting.has(seq)]).toEqual([seq, true]);
  }
}

test(
  '[EVT-2] [HOOK-3] [HOOK-4] A post queue keeps the order of each subject and the limit on concurrent posts, and always comes to an end',
  async () => {
    const life = fc.record({ batch: fc.boolean(), acts: fc.array(act, { maxLength: 120, size: 'max' }) });
    await assertRuns(
      fc.asyncProperty(life, async ({ batch, acts }) => {
        const endpoint = new Endpoint(batch);
        for (const one of acts) endpoint.do(one);
        endpoint.finish();
      }),
      300,
    );
  },
  longRunMs(30_000),
);
