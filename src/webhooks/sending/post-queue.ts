/**
 * Decides what is posted to one endpoint, and when. Posts about one subject (a message, a batch, a job) follow one another;
 * all others go on meanwhile. This file uses no clock, store or network.
 *
 *   waiting ──▶ under way ──taken──▶ done
 *      │         │   ▲
 *      │      failed │ due
 *      │         ▼   │
 *      └───────▶ retry ──a day old──▶ given up
 *       of a subject that is in a retry
 *
 * While the breaker is open, one probe at a time is posted; once it closes, everything that waits is due at once. An accepted
 * post makes other retries due as well, unless they have failed so often that the fault seems to lie with them.
 */
import { Breaker, type BreakerState, type Failure, Pauses } from '../../foundation/breaker.ts';
import { groupedBy } from '../../foundation/grouped.ts';
import { disabledReasons } from '../endpoint.ts';

export interface QueuedEvent {
  readonly seq: number;
  /** The id of the message, batch or job that the event is about. */
  readonly subjectId: number;
  /** The code of the event type. */
  readonly type: number;
  readonly at: number;
  readonly queuedAt: number;
  /** JSON. */
  readonly data: string;
}

/** Events whose post failed, or that come after such events. */
export interface Retry {
  readonly firstSeq: number;
  readonly seqs: readonly number[];
  readonly subjects: readonly number[];
  readonly oldestAt: number;
  tries: number;
  dueAt: number;
  /** Whether the retry is stored, so that the queue may advance past it. */
  isKept: boolean;
}

export interface Post {
  readonly kind: 'fresh' | 'retry' | 'replay';
  readonly firstSeq: number;
  readonly seqs: readonly number[];
  /** Number of tries before this one. */
  readonly tries: number;
  readonly isProbe: boolean;
  /** Undefined if the events have yet to be read. */
  readonly events: readonly QueuedEvent[] | undefined;
}

export interface Outcome {
  readonly isTaken: boolean;
  /** False if no event was left to post. */
  readonly isPosted: boolean;
  /** Whether the status was 410: the receiver wants no more events. */
  readonly isGone: boolean;
  /** How long the receiver asks us to wait. */
  readonly askedMs: number | undefined;
  /** A random number from 0 to 1. */
  readonly chance: number;
}

interface QueueState {
  readonly batch: boolean;
  readonly doneSeq: number;
  readonly breaker: BreakerState;
  readonly retries: readonly Retry[];
}

/** The outcome of a post, to be stored. */
export interface Settled {
  readonly put: readonly {
    readonly firstSeq: number;
    readonly seqs: readonly number[];
    readonly tries: number;
    /** Null if given up. */
    readonly dueAt: number | null;
  }[];
  /** The first event number of each retry that is finished. */
  readonly removed: readonly number[];
  /** The reason for disabling the endpoint. */
  readonly disabled: string | undefined;
}

const maxEvents = 500;
const maxBytes = 256 * 1_024;
/** The bytes around an event's data. */
const envelopeBytes = 120;
/** A retry with this many tries is not made due by other posts that succeed. */
const maxPulled = 5;

interface Limits {
  readonly events: number;
  readonly maxConcurrent: number;
  /** With this many retries, the queue waits for them. */
  readonly retries: number;
  /** Events are read ahead until this many are waiting. */
  readonly waiting: number;
}

const limitsOfBatches: Limits = { events: maxEvents, maxConcurrent: 4, retries: 100, waiting: 2_000 };
const limitsOfSingles: Limits = { events: 1, maxConcurrent: 8, retries: 1_000, waiting: 100 };

export class PostQueue {
  readonly #limits: Limits;
  #waiting: QueuedEvent[] = [];
  readonly #underWay = new Set<Post>();
  readonly #retries: Map<number, Retry>;
  /** The number of posts under way, plus retries, per subject. */
  readonly #busy = new Map<number, number>();
  readonly #breaker: Breaker;
  /** Events that are read again after a restart because something before them was unfinished. */
  readonly #keptBefore: ReadonlySet<number>;
  #readSeq: number;

  constructor({ batch, doneSeq, breaker, retries }: QueueState) {
    this.#limits = batch ? limitsOfBatches : limitsOfSingles;
    this.#readSeq = doneSeq;
    this.#breaker = new Breaker(breaker, postBackoff);
    this.#retries = new Map(retries.map((retry) => [retry.firstSeq, retry]));
    this.#keptBefore = new Set(retries.flatMap(({ seqs }) => seqs));
    for (const { subjects } of retries) this.#occupy(subjects);
  }

  /** Adds the next events in order. Nothing up to `end` is left to read. */
  offer(events: readonly QueuedEvent[], end: number): void {
    this.#waiting.push(...events.filter(({ seq }) => !this.#keptBefore.has(seq)));
    this.#readSeq = Math.max(this.#readSeq, events.at(-1)?.seq ?? 0, end);
  }

  get readSeq(): number {
    return this.#readSeq;
  }

  get wantsMore(): boolean {
    return this.#waiting.length < this.#limits.waiting && this.#retries.size < this.#limits.retries;
  }

  get maxEvents(): number {
    return this.#limits.events;
  }

  get breaker(): BreakerState {
    return this.#breaker.state;
  }

  /** Everything up to this number was accepted, was given up, or is stored as a retry. */
  get doneSeq(): number {
    const first = [
      this.#waiting[0]?.seq,
      ...[...this.#underWay].map((post) => (post.kind === 'fresh' ? post.firstSeq : undefined)),
      ...[...this.#retries.values()].map((retry) => (retry.isKept ? undefined : retry.firstSeq)),
    ].filter((seq) => seq !== undefined);
    return Math.min(this.#readSeq + 1, ...first) - 1;
  }

  /** Returns the next post, or undefined if nothing may be posted now. The post is under way until it is settled. */
  next(now: number): Post | undefined {
    if (!this.#breaker.mayTry(now, this.#underWay.size, this.#limits.maxConcurrent)) return undefined;
    const post = this.#breaker.isOpen ? this.#probe() : (this.#dueRetry(now) ?? this.#fresh());
    if (post !== undefined) this.#underWay.add(post);
    return post;
  }

  /**
   * Whether a post of the replay may go out now. While the breaker is open, it may be the probe if no other post is.
   */
  mayReplay(now: number): boolean {
    const isReplaying = [...this.#underWay].some(({ kind }) => kind === 'replay');
    return !isReplaying && this.#breaker.mayTry(now, this.#underWay.size, Infinity);
  }

  /** Only one replay post is under way at a time, beside all other posts. */
  replay(events: readonly QueuedEvent[], tries: number, now: number): Post | undefined {
    if (events.length === 0 || !this.mayReplay(now)) return undefined;
    const chosen = this.#fitting(events);
    const post = { ...postOf('replay', chosen, tries), isProbe: this.#breaker.isOpen };
    this.#underWay.add(post);
    return post;
  }

  /** The time of the next check, if nothing else happens. */
  dueAt(): number {
    const dues = [...this.#retries.values()]
      .filter(({ firstSeq }) => !this.#isUnderWay(firstSeq))
      .map(({ dueAt }) => (this.#breaker.isOpen ? 0 : dueAt));
    const hasFresh = this.#waiting.length > 0 ? [0] : [];
    return Math.max(this.breaker.nextAt, Math.min(...dues, ...hasFresh));
  }

  settle(post: Post, { isTaken, isPosted, isGone, askedMs, chance }: Outcome, now: number): Settled {
    this.#underWay.delete(post);
    const retry = post.kind === 'retry' ? this.#retries.get(post.firstSeq) : undefined;
    if (isTaken) {
      if (isPosted) this.#pullRetries(this.#breaker.close());
      if (retry !== undefined) this.#drop(retry);
      if (post.kind === 'fresh') this.#free(subjectsOf(post.events));
      return {
        put: this.#behind(now),
        removed: retry === undefined ? [] : [retry.firstSeq],
        disabled: undefined,
      };
    }
    const failure = { isProbe: post.isProbe, now, chance, askedMs };
    this.#breaker.fail(failure);
    const failed = post.kind === 'replay' ? [] : [this.#failed(post, retry, failure)];
    const gone = isGone ? disabledReasons.gone : undefined;
    const tooLong = this.#breaker.failingForMs(now) >= disableAfterMs ? disabledReasons.failures : undefined;
    return { put: [...failed, ...this.#behind(now)], removed: [], disabled: gone ?? tooLong };
  }

  /** Gives up events that are a day old, without another try, while the receiver is away. */
  expire(now: number): Settled['put'] {
    if (!this.#breaker.isOpen) return [];
    const isOld = (at: number) => now - at >= giveUpAfterMs;
    const old = [...this.#retries.values()].filter(
      ({ firstSeq, oldestAt }) => isOld(oldestAt) && !this.#isUnderWay(firstSeq),
    );
    for (const retry of old) this.#drop(retry);
    const waiting = this.#waiting.filter(({ queuedAt }) => isOld(queuedAt));
    if (waiting.length > 0) this.#waiting = this.#waiting.filter(({ queuedAt }) => !isOld(queuedAt));
    const groups = inGroups(waiting, maxEvents).map((events) => ({
      firstSeq: (events[0] as QueuedEvent).seq,
      seqs: events.map(({ seq }) => seq),
      tries: 0,
      dueAt: null,
    }));
    return [...old.map(({ firstSeq, seqs, tries }) => ({ firstSeq, seqs, tries, dueAt: null })), ...groups];
  }

  /**
   * The receiver responds again. Retries that it has refused often while accepting others keep to their pauses. Otherwise,
   * each accepted post would trigger another try of them.
   */
  #pullRetries(wasAway: boolean): void {
    for (const retry of this.#retries.values()) if (wasAway || retry.tries < maxPulled) retry.dueAt = 0;
  }

  /** The clock was set back by this many milliseconds. */
  setBack(ms: number): void {
    this.#breaker.setBack(ms);
    for (const retry of this.#retries.values()) retry.dueAt -= ms;
  }

  /** Called when somebody has reported that the receiver works again, so everything waiting is due. */
  retryAllNow(): void {
    this.#breaker.reset();
    this.#pullRetries(true);
  }

  /** Called when everything that was to be stored has been stored. */
  kept(firstSeqs: readonly number[]): void {
    for (const seq of firstSeqs) {
      const retry = this.#retries.get(seq);
      if (retry !== undefined) retry.isKept = true;
    }
  }

  /** Picks the retry with the fewest tries, so that one that is never accepted is not tried instead of all others. */
  #probe(): Post | undefined {
    const [retry] = [...this.#firstRetries()].sort((a, b) => a.tries - b.tries);
    const post = retry === undefined ? this.#fresh() : toPost(retry);
    return post && { ...post, isProbe: true };
  }

  #dueRetry(now: number): Post | undefined {
    for (const retry of this.#firstRetries()) if (retry.dueAt <= now) return toPost(retry);
    return undefined;
  }

  /** Returns retries in order, without those that share a subject with an earlier retry or with a post under way. */
  *#firstRetries(): Iterable<Retry> {
    const all = [...this.#retries.values()].sort((a, b) => a.firstSeq - b.firstSeq);
    const underWay = all.filter(({ firstSeq }) => this.#isUnderWay(firstSeq));
    const earlier = new Set(underWay.flatMap(({ subjects }) => subjects));
    for (const retry of all) {
      if (!retry.subjects.some((subject) => earlier.has(subject))) yield retry;
      for (const subject of retry.subjects) earlier.add(subject);
    }
  }

  #fresh(): Post | undefined {
    if (this.#retries.size >= this.#limits.retries) return undefined;
    const passedOver = new Set<number>();
    const free = (event: QueuedEvent) => {
      if (!(this.#busy.has(event.subjectId) || passedOver.has(event.subjectId))) return true;
      passedOver.add(event.subjectId);
      return false;
    };
    const chosen = this.#fitting(this.#waiting, free);
    if (chosen.length === 0) return undefined;
    const taken = new Set(chosen);
    this.#waiting = this.#waiting.filter((event) => !taken.has(event));
    this.#occupy(subjectsOf(chosen));
    return postOf('fresh', chosen, 0);
  }

  /** Takes as many events as fit in one post, but at least one if there is any. */
  #fitting(
    events: readonly QueuedEvent[],
    isFree: (event: QueuedEvent) => boolean = () => true,
  ): QueuedEvent[] {
    const chosen: QueuedEvent[] = [];
    let bytes = 0;
    for (const event of events) {
      if (chosen.length >= this.#limits.events) break;
      if (!isFree(event)) continue;
      bytes += Buffer.byteLength(event.data) + envelopeBytes;
      if (chosen.length > 0 && bytes > maxBytes) break;
      chosen.push(event);
    }
    return chosen;
  }

  #failed(post: Post, retry: Retry | undefined, { now, chance, askedMs }: Failure): Settled['put'][number] {
    const { firstSeq, seqs } = post;
    const tries = post.tries + 1;
    const events = post.events ?? [];
    const oldestAt = retry?.oldestAt ?? Math.min(...events.map(({ queuedAt }) => queuedAt));
    if (now - oldestAt >= giveUpAfterMs) {
      if (retry !== undefined) this.#drop(retry);
      else this.#free(subjectsOf(events));
      return { firstSeq, seqs, tries, dueAt: null };
    }
    const dueAt = now + postBackoff.pauseMs(tries, chance, askedMs);
    if (retry !== undefined) {
      retry.tries = tries;
      retry.dueAt = dueAt;
    } else {
      // The subjects stay occupied by the retry.
      const subjects = subjectsOf(events);
      this.#retries.set(firstSeq, { firstSeq, seqs, subjects, oldestAt, tries, dueAt, isKept: false });
    }
    return { firstSeq, seqs, tries, dueAt };
  }

  /**
   * Events waiting for a retry are stored behind it, so the queue can be read further. They are kept apart from those waiting
   * for another retry. Otherwise, ordering them by first number would break the order within each subject.
   */
  #behind(now: number): Settled['put'] {
    if (this.#retries.size === 0) return [];
    const inOrder = [...this.#retries.values()].sort((a, b) => a.firstSeq - b.firstSeq);
    const held = new Map(
      inOrder.flatMap(({ subjects, firstSeq }) => subjects.map((subject) => [subject, firstSeq] as const)),
    );
    const behind = this.#waiting.filter(({ subjectId }) => held.has(subjectId));
    if (behind.length === 0) return [];
    this.#waiting = this.#waiting.filter(({ subjectId }) => !held.has(subjectId));
    const groups = [...groupedBy(behind, ({ subjectId }) => held.get(subjectId)).values()];
    return groups
      .flatMap((group) => inGroups(group, this.#limits.events))
      .map((events) => {
        const { seq: firstSeq } = events[0] as QueuedEvent;
        const seqs = events.map(({ seq }) => seq);
        const subjects = subjectsOf(events);
        const oldestAt = Math.min(...events.map(({ queuedAt }) => queuedAt));
        this.#occupy(subjects);
        this.#retries.set(firstSeq, {
          firstSeq,
          seqs,
          subjects,
          oldestAt,
          tries: 0,
          dueAt: now,
          isKept: false,
        });
        return { firstSeq, seqs, tries: 0, dueAt: now };
      });
  }

  #isUnderWay(firstSeq: number): boolean {
    return [...this.#underWay].some((post) => post.kind === 'retry' && post.firstSeq === firstSeq);
  }

  #drop(retry: Retry): void {
    this.#retries.delete(retry.firstSeq);
    this.#free(retry.subjects);
  }

  #occupy(subjects: readonly number[]): void {
    for (const subject of subjects) this.#busy.set(subject, (this.#busy.get(subject) ?? 0) + 1);
  }

  #free(subjects: readonly number[]): void {
    for (const subject of subjects) {
      const left = (this.#busy.get(subject) ?? 0) - 1;
      if (left > 0) this.#busy.set(subject, left);
      else this.#busy.delete(subject);
    }
  }
}

function subjectsOf(events: readonly QueuedEvent[] = []): readonly number[] {
  return [...new Set(events.map(({ subjectId }) => subjectId))];
}

function postOf(kind: Post['kind'], events: readonly QueuedEvent[], tries: number): Post {
  const seqs = events.map(({ seq }) => seq);
  return { kind, firstSeq: seqs[0] ?? 0, seqs, tries, isProbe: false, events };
}

function toPost({ firstSeq, seqs, tries }: Retry): Post {
  return { kind: 'retry', firstSeq, seqs, tries, isProbe: false, events: undefined };
}

function inGroups<Item>(items: readonly Item[], size: number): Item[][] {
  const groups: Item[][] = [];
  for (let start = 0; start < items.length; start += size) groups.push(items.slice(start, start + size));
  return groups;
}

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** If the receiver asks for a longer wait, it is tried again after this time. */
const longestAskedMs = 4 * hourMs;

/** Receivers that restart are mostly back within a minute, so until then they are tried every five seconds. */
export const postBackoff = new Pauses(
  [
    ...[secondMs, 2 * secondMs, ...Array.from({ length: 12 }, () => 5 * secondMs)],
    ...[10 * secondMs, 30 * secondMs, minuteMs, 2 * minuteMs, 5 * minuteMs, 10 * minuteMs, 30 * minuteMs],
    ...[hourMs, 2 * hourMs, 4 * hourMs],
  ],
  longestAskedMs,
);

/** Older events that were not accepted are kept as given up. */
export const giveUpAfterMs = 24 * hourMs;
/** An endpoint that has only had failures for this long is disabled. */
export const disableAfterMs = 5 * 24 * hourMs;
