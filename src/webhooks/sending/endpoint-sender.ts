/** Posts what waits for one endpoint: reads ahead, posts some at once, and stores how each try went before it goes on. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../foundation/clock.ts';
import type { Store } from '../../storage/store.ts';
import type { Posted, Poster } from '../posting/post.ts';
import { isDue } from '../posting/schedule.ts';
import { signedHeaders } from '../posting/signature.ts';
import { composePost } from './compose-post.ts';
import {
  type Outcome,
  type Post,
  PostQueue,
  type QueuedEvent,
  type Retry,
  type Settled,
} from './post-queue.ts';
import {
  type EndpointRow,
  type Progress,
  type QueueEnd,
  readEvents,
  readEventsOf,
  readRetries,
  recordProgress,
} from './sending-store.ts';

export interface EndpointSenderOptions {
  readonly row: EndpointRow;
  /** Undefined: its secrets were sealed under another secret of the server, and nothing can be signed. */
  readonly keys: readonly Buffer[] | undefined;
  readonly nodeId: number;
  readonly store: Pick<Store, 'read' | 'write'>;
  readonly poster: Pick<Poster, 'post'>;
  readonly clock: Clock;
  /** Whether this node may still post. */
  readonly isHeld: () => boolean;
  /** From 0 to 1. */
  readonly chance: () => number;
  /** Is told of each try. */
  readonly tried: (posted: Posted, events: number) => void;
  /** It posts nothing more. The sentence says why the endpoint is disabled; undefined: what it did could not be kept. */
  readonly ended: (reason: string | undefined) => void;
  readonly log: { warn(details: object, message: string): void };
}

const page = 500;
/** A replay is beside what is new: so many posts a second at most. */
const replayPauseMs = 100;
const storePauseMs = 1_000;
/** It is said again each minute that the store is out of reach. */
const triesOfWarning = 60;
/** What a stop waits for. */
const stopMs = 3_000;
const userAgent = 'Carillon-Webhooks/1';

export class EndpointSender {
  readonly #options: EndpointSenderOptions;
  readonly #queue: PostQueue;
  readonly #working = new Set<Promise<void>>();
  #lastSeq: number;
  #lastAttempt: number;
  #replay: { next: number; readonly to: number } | undefined;
  #replayAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #isReading = false;
  #isSendingAgain = false;
  #isStopped = false;
  /** Nothing more is stored: another sender may be at it. */
  #isOver = false;
  /** One transaction of an endpoint comes after the other. */
  #recording: Promise<void> = Promise.resolve();

  private constructor(options: EndpointSenderOptions, retries: readonly Retry[]) {
    const { row } = options;
    this.#options = options;
    this.#lastSeq = row.last_seq;
    this.#lastAttempt = row.last_attempt;
    this.#queue = new PostQueue({
      batch: row.batch === 1,
      doneSeq: row.done_seq,
      breaker: { failures: row.failures, failingSince: row.failing_since, nextAt: row.next_at },
      retries,
    });
    this.follow({ ...row, endpoint_id: row.id });
  }

  static async open(options: EndpointSenderOptions): Promise<EndpointSender> {
    const { store, row } = options;
    const retries: Retry[] = [];
    for (const stored of await store.read(readRetries, row.id)) {
      const events = await store.read(readEventsOf, { endpointId: row.id, seqs: stored.seqs });
      const subjects = [...new Set(events.map(({ subjectId }) => subjectId))];
      const oldestAt = Math.min(...events.map(({ queuedAt }) => queuedAt));
      retries.push({ ...stored, subjects, oldestAt, isKept: true });
    }
    const sender = new EndpointSender(options, retries);
    sender.#pump();
    return sender;
  }

  /** How far the queue goes by now, and what is to be sent again. */
  follow({ last_seq, replay_next, replay_to }: QueueEnd): void {
    this.#lastSeq = Math.max(this.#lastSeq, last_seq);
    if (this.#replay === undefined && replay_next !== null && replay_to !== null)
      this.#replay = { next: replay_next, to: replay_to };
    this.#pump();
  }

  /** Resolves when what is under way is stored, or takes too long: then it will be posted again. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    const waiting = new AbortController();
    await Promise.race([
      Promise.allSettled([...this.#working]),
      delay(stopMs, undefined, { signal: waiting.signal }).catch(() => undefined),
    ]);
    waiting.abort();
    this.#isOver = true;
  }

  #pump(): void {
    const { keys, clock, isHeld } = this.#options;
    if (this.#isStopped || keys === undefined || !isHeld()) return;
    clearTimeout(this.#timer);
    if (!this.#isReading && this.#queue.wantsMore && this.#queue.readSeq < this.#lastSeq)
      this.#work(this.#readAhead());
    const now = clock.now();
    for (let post = this.#queue.next(now); post !== undefined; post = this.#queue.next(now))
      this.#work(this.#deliver(post, keys));
    const expired = this.#queue.expire(now);
    if (expired.length > 0) this.#work(this.#record({ put: expired, removed: [], disabled: undefined }));
    const mayReplay = !this.#isSendingAgain && this.#queue.mayReplay(now) && isDue(this.#replayAt, now);
    if (this.#replay !== undefined && mayReplay) {
      this.#replayAt = now + replayPauseMs;
      this.#isSendingAgain = true;
      const sent = this.#sendAgain(this.#replay, keys);
      this.#work(
        sent.finally(() => {
          this.#isSendingAgain = false;
        }),
      );
    }
    const dueAt = Math.min(this.#queue.dueAt(), this.#replay === undefined ? Infinity : this.#replayAt);
    const waitMs = Math.min(Math.max(dueAt - now, replayPauseMs), 60_000);
    this.#timer = setTimeout(() => this.#pump(), waitMs).unref();
  }

  #work(work: Promise<void>): void {
    const done = work.then(
      () => undefined,
      (error: unknown) => {
        if (!this.#isStopped) this.#warn(error);
      },
    );
    this.#working.add(done);
    void done.then(() => this.#working.delete(done));
  }

  async #readAhead(): Promise<void> {
    const { store, row } = this.#options;
    this.#isReading = true;
    try {
      // There may be more by now.
      const end = this.#lastSeq;
      const events = await store.read(readEvents, {
        endpointId: row.id,
        after: this.#queue.readSeq,
        limit: page,
      });
      this.#queue.offer(events, events.length < page ? end : (events.at(-1)?.seq ?? end));
    } finally {
      this.#isReading = false;
    }
    this.#pump();
  }

  async #deliver(post: Post, keys: readonly Buffer[]): Promise<void> {
    const { store, row } = this.#options;
    const events =
      post.events ??
      (await this.#persistently(() => store.read(readEventsOf, { endpointId: row.id, seqs: post.seqs })));
    const outcome = events.length === 0 ? purged : await this.#try(post, events, keys);
    if (this.#isOver) return;
    const settled = this.#queue.settle(post, outcome, this.#options.clock.now());
    const replayNext = post.kind === 'replay' ? this.#replayAfter(post, outcome) : undefined;
    await this.#record(settled, { replayNext, attempt: outcome.attempt });
    this.#pump();
  }

  async #try(post: Post, events: readonly QueuedEvent[], keys: readonly Buffer[]): Promise<Tried> {
    const { row, poster, clock, chance, tried } = this.#options;
    const at = clock.now();
    const isCallback = row.system_user_id !== null;
    const { id, body } = composePost({ endpointId: row.id, isCallback, batch: row.batch === 1 }, events, at);
    const headers = {
      'content-type': 'application/json',
      'user-agent': userAgent,
      ...signedHeaders({ id, at, body }, keys),
    };
    const posted = await poster.post(row.url, headers, body);
    const { status } = posted;
    tried(posted, events.length);
    this.#lastAttempt += 1;
    return {
      isTaken: status !== undefined && status >= 200 && status < 300,
      isPosted: true,
      isGone: status === 410,
      askedMs: posted.retryAfterMs,
      chance: chance(),
      attempt: {
        ...{
          number: this.#lastAttempt,
          at,
          firstSeq: post.firstSeq,
          events: events.length,
          tries: post.tries + 1,
        },
        ...{ address: posted.address ?? null, status: status ?? null, durationMs: posted.durationMs },
        ...{ error: posted.error ?? null, answer: posted.answer },
      },
    };
  }

  /** One post of the replay. Who does not take it is not offered the rest. */
  async #sendAgain(replay: { next: number; readonly to: number }, keys: readonly Buffer[]): Promise<void> {
    const { store, row, clock } = this.#options;
    const found = await store.read(readEvents, {
      endpointId: row.id,
      after: replay.next - 1,
      limit: this.#queue.maxEvents,
    });
    const events = found.filter(({ seq }) => seq <= replay.to);
    if (events.length === 0 && this.#replay === replay) {
      this.#replay = undefined;
      return this.#record(nothingSettled, { replayNext: null });
    }
    const post = this.#queue.replay(events, clock.now());
    if (post !== undefined) await this.#deliver(post, keys);
  }

  #replayAfter({ seqs }: Post, { isTaken }: Outcome): number | null {
    const replay = this.#replay;
    const next = (seqs.at(-1) ?? 0) + 1;
    if (replay !== undefined && isTaken && next <= replay.to) {
      replay.next = next;
      return next;
    }
    this.#replay = undefined;
    return null;
  }

  #record(
    settled: Settled,
    { replayNext, attempt }: Partial<Pick<Progress, 'replayNext' | 'attempt'>> = {},
  ): Promise<void> {
    const record = async () => {
      if (this.#isOver) return;
      const { row, nodeId, store, clock, ended } = this.#options;
      // In the transaction that moves the queue past them.
      this.#queue.kept(settled.put.map(({ firstSeq }) => firstSeq));
      const { doneSeq, breaker } = this.#queue;
      const progress: Progress = {
        ...{ endpointId: row.id, nodeId, doneSeq, ...breaker, replayNext, attempt },
        ...{ ...settled, now: clock.now() },
      };
      const isKept = await this.#persistently(() => store.write(recordProgress, progress));
      if (isKept && settled.disabled === undefined) return;
      this.#isStopped = true;
      this.#isOver = true;
      clearTimeout(this.#timer);
      ended(isKept ? settled.disabled : undefined);
    };
    this.#recording = this.#recording.then(record, record);
    return this.#recording;
  }

  /** What has been posted is to be stored, however long the store is out of reach. */
  async #persistently<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await ask();
      } catch (error) {
        if (this.#isStopped) throw error;
        if (tries % triesOfWarning === 1) this.#warn(error);
        await delay(storePauseMs);
      }
    }
  }

  #warn(error: unknown): void {
    const { id, name, company } = this.#options.row;
    this.#options.log.warn(
      { error, webhook: name, company, endpointId: id },
      'a webhook waits for the store',
    );
  }
}

interface Tried extends Outcome {
  readonly attempt: Progress['attempt'];
}

/** Nothing is left of it to be posted. */
const purged: Tried = {
  isTaken: true,
  isPosted: false,
  isGone: false,
  askedMs: undefined,
  chance: 0,
  attempt: undefined,
};

const nothingSettled: Settled = { put: [], removed: [], disabled: undefined };
