/**
 * Posts the events waiting for one endpoint: reads ahead, posts several at once, and stores the outcome of each try before it
 * continues.
 */
import { createHash } from 'node:crypto';
import type { Holder, OutboxNode } from '../../outbox/outbox.ts';
import { Sender } from '../../outbox/sender.ts';
import { announceHint } from '../../storage/hints.ts';
import { isTaken } from '../attempt-counts.ts';
import { eventTypes } from '../endpoint.ts';
import type { Posted, Poster } from '../posting/post.ts';
import { signedHeaders } from '../posting/signature.ts';
import {
  type Outcome,
  type Post,
  PostQueue,
  postBackoff,
  type QueuedEvent,
  type Retry,
  type Settled,
} from './post-queue.ts';
import { Replay } from './replay.ts';
import {
  type EndpointRow,
  eventsOf,
  type Progress,
  type QueueEnd,
  readEvents,
  readEventsOf,
  readRetries,
  recordProgress,
} from './sending-store.ts';

export interface PostingOptions extends OutboxNode {
  readonly poster: Pick<Poster, 'post'>;
  /** Called after each try. */
  readonly tried: (posted: Posted, events: number) => void;
}

interface EndpointSenderOptions extends PostingOptions {
  readonly row: EndpointRow;
  /** Undefined if the secrets were sealed under another server secret, so nothing can be signed. */
  readonly keys: readonly Buffer[] | undefined;
  readonly holder: Holder;
  /**
   * Called when the sender stops posting. The reason says why the endpoint is disabled, and is undefined if the outcome
   * could not be stored.
   */
  readonly ended: (reason: string | undefined) => void;
}

const page = 500;
const stopMs = 3_000;
const userAgent = 'Carillon-Webhooks/1';

export class EndpointSender {
  readonly #options: EndpointSenderOptions;
  readonly #queue: PostQueue;
  readonly #sender: Sender;
  #lastSeq: number;
  #lastAttempt: number;
  #timesEnabled: number;
  #replay: Replay | undefined;
  #isReading = false;
  #isSendingAgain = false;
  /** Whether the endpoint was failing when open pages were last notified. */
  #isFailing: boolean;
  /** An endpoint's transactions run one after the other. */
  #recording: Promise<void> = Promise.resolve();

  private constructor(options: EndpointSenderOptions, retries: readonly Retry[]) {
    const { row, keys, clock, holder } = options;
    this.#options = options;
    this.#lastSeq = row.last_seq;
    this.#lastAttempt = row.last_attempt;
    this.#timesEnabled = row.times_enabled;
    this.#isFailing = row.failing_since !== null;
    const now = clock.now();
    // A try in the future was made before the clock was set back.
    const setBackMs = Math.max(0, (row.last_tried_at ?? 0) - now);
    const nextAt = Math.max(0, row.next_at - setBackMs);
    this.#queue = new PostQueue({
      batch: row.batch === 1,
      doneSeq: row.done_seq,
      breaker: { failures: row.failures, failingSince: row.failing_since, nextAt },
      retries: retries.map((retry) => ({
        ...retry,
        dueAt: Math.min(retry.dueAt, now + postBackoff.longestAfterMs(retry.tries)),
      })),
    });
    this.#sender = new Sender({
      clock,
      stopMs,
      mayDeliver: () => keys !== undefined && holder.mayDeliver(),
      next: (now) => keys && this.#next(keys, now),
      dueAt: () => Math.min(this.#queue.dueAt(), this.#replay?.dueAt ?? Infinity),
      setBack: (ms) => {
        this.#queue.setBack(ms);
        this.#replay?.setBack(ms);
      },
      failed: (error) => this.#warn(error),
    });
    this.follow({ ...row, endpoint_id: row.id });
  }

  static async open(options: EndpointSenderOptions): Promise<EndpointSender> {
    return new EndpointSender(options, await options.store.read(readRetries, options.row.id));
  }

  /** Takes the current end of the queue and the range to send again. */
  follow({ last_seq, replay_next, replay_to, replay_only }: QueueEnd): void {
    this.#lastSeq = Math.max(this.#lastSeq, last_seq);
    if (this.#replay === undefined && replay_next !== null && replay_to !== null) {
      const only = replay_only === null ? undefined : (JSON.parse(replay_only) as number[]);
      this.#replay = new Replay(replay_next, replay_to, only);
    }
    this.#sender.wake();
  }

  /** Called when somebody has recorded in the store that the receiver works again. */
  notFailing(): void {
    // The store can't know that a failure is over if the failure has not been stored yet.
    if (!this.#isFailing) return;
    this.#isFailing = false;
    this.#queue.retryAllNow();
    this.#sender.wake();
  }

  /**
   * Resolves when the outcomes of the posts under way are stored or when that takes too long; events whose outcome is
   * not stored are posted again.
   */
  stop(): Promise<void> {
    return this.#sender.stop();
  }

  #next(keys: readonly Buffer[], now: number): Promise<void> | undefined {
    const post = this.#queue.next(now);
    if (post !== undefined) return this.#deliver(post, keys);
    const expired = this.#queue.expire(now);
    if (expired.length > 0) return this.#record({ put: expired, removed: [], disabled: undefined });
    const replay = this.#replay;
    if (replay?.isDue(now) && !this.#isSendingAgain && this.#queue.mayReplay(now)) {
      replay.begin(now);
      return this.#sendAgain(replay, keys);
    }
    if (!this.#isReading && this.#queue.wantsMore && this.#queue.readSeq < this.#lastSeq)
      return this.#readAhead();
    return undefined;
  }

  async #readAhead(): Promise<void> {
    const { store, row } = this.#options;
    this.#isReading = true;
    try {
      // More may have been queued meanwhile.
      const end = this.#lastSeq;
      const range = { endpointId: row.id, after: this.#queue.readSeq, limit: page };
      const events = eventsOf(await store.read(readEvents, range));
      this.#queue.offer(events, events.length < page ? end : (events.at(-1)?.seq ?? end));
    } finally {
      this.#isReading = false;
    }
  }

  async #deliver(post: Post, keys: readonly Buffer[]): Promise<void> {
    const { store, row } = this.#options;
    const events =
      post.events ??
      (await this.#sender.persistently(() =>
        store.read(readEventsOf, { endpointId: row.id, seqs: post.seqs }),
      ));
    const outcome = events.length === 0 ? purged : await this.#try(post, events, keys);
    if (this.#sender.isOver) return;
    const now = this.#options.clock.now();
    const settled = this.#queue.settle(post, outcome, now);
    if (post.kind === 'replay') this.#replay?.settle(post.seqs.at(-1) ?? 0, outcome, now);
    await this.#record(settled, outcome.attempt);
  }

  async #try(post: Post, events: readonly QueuedEvent[], keys: readonly Buffer[]): Promise<Tried> {
    const { row, poster, clock, chance, tried } = this.#options;
    const at = clock.now();
    const { id, body } = composePost(row, events, at);
    const headers = {
      'content-type': 'application/json',
      'user-agent': userAgent,
      ...signedHeaders({ id, at, body }, keys),
    };
    const posted = await this.#sender.persistently(() => poster.post(row.url, headers, body));
    const { status } = posted;
    tried(posted, events.length);
    this.#lastAttempt += 1;
    return {
      isTaken: isTaken(status),
      isPosted: true,
      isGone: status === 410,
      askedMs: posted.retryAfterMs,
      chance: chance(),
      attempt: {
        number: this.#lastAttempt,
        at,
        firstSeq: post.firstSeq,
        events: events.length,
        tries: post.tries + 1,
        address: posted.address ?? null,
        status: status ?? null,
        durationMs: posted.durationMs,
        error: posted.error ?? null,
        answer: posted.answer,
        seqs: events.map(({ seq }) => seq),
      },
    };
  }

  /** Sends one post of the replay. */
  async #sendAgain(replay: Replay, keys: readonly Buffer[]): Promise<void> {
    this.#isSendingAgain = true;
    try {
      const events = await this.#eventsOf(replay);
      if (events.length === 0) {
        replay.finish();
        return await this.#record({ put: [], removed: [], disabled: undefined });
      }
      const post = this.#queue.replay(events, replay.tries, this.#options.clock.now());
      if (post !== undefined) await this.#deliver(post, keys);
    } finally {
      this.#isSendingAgain = false;
    }
  }

  async #eventsOf({ left, next, to }: Replay): Promise<readonly QueuedEvent[]> {
    const { store, row } = this.#options;
    if (left !== undefined) return store.read(readEventsOf, { endpointId: row.id, seqs: left });
    const range = { endpointId: row.id, after: (next ?? 0) - 1, limit: this.#queue.maxEvents };
    return eventsOf(await store.read(readEvents, range)).filter(({ seq }) => seq <= to);
  }

  #record(settled: Settled, attempt?: Progress['attempt']): Promise<void> {
    const record = async () => {
      if (this.#sender.isOver) return;
      const { row, holder, store, clock, ended } = this.#options;
      // Retries are stored in the transaction that moves the queue past them.
      this.#queue.kept(settled.put.map(({ firstSeq }) => firstSeq));
      const { doneSeq, breaker } = this.#queue;
      const replay = this.#replay;
      const progress: Progress = {
        endpointId: row.id,
        nodeId: holder.nodeId,
        doneSeq,
        ...breaker,
        replayNext: replay?.next,
        attempt,
        timesEnabled: this.#timesEnabled,
        ...settled,
        now: clock.now(),
      };
      const timesEnabled = await this.#sender.persistently(() => store.write(recordProgress, progress));
      if (progress.replayNext === null) this.#endReplay();
      if (timesEnabled !== null && timesEnabled !== this.#timesEnabled) return this.#enabled(timesEnabled);
      const isKept = timesEnabled !== null;
      if (isKept) this.#tellPages(settled.disabled !== undefined || breaker.failingSince !== null);
      if (isKept && settled.disabled === undefined) return;
      this.#sender.end();
      ended(isKept ? settled.disabled : undefined);
    };
    this.#recording = this.#recording.then(record, record);
    return this.#recording;
  }

  /** The endpoint was enabled while the post was under way, so the outcome no longer counts. */
  #enabled(timesEnabled: number): void {
    this.#timesEnabled = timesEnabled;
    this.#queue.retryAllNow();
    this.#tellPages(false);
    this.#sender.wake();
  }

  #tellPages(isFailing: boolean): void {
    const { store, row } = this.#options;
    if (this.#isFailing !== isFailing) announceHint(store, row.company_id, 'webhooks');
    this.#isFailing = isFailing;
  }

  #endReplay(): void {
    const { id, name, company } = this.#options.row;
    if (this.#replay?.isGivenUp)
      this.#options.log.warn(
        { webhook: name, company, endpointId: id },
        'a replay to a webhook was given up: a post was not accepted for a day',
      );
    this.#replay = undefined;
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

/** No event is left to post. */
const purged: Tried = {
  isTaken: true,
  isPosted: false,
  isGone: false,
  askedMs: undefined,
  chance: 0,
  attempt: undefined,
};

/**
 * The id is the same whenever the same events are posted. A callback of a system user is posted as the contract requires,
 * without an envelope.
 */
function composePost(
  { id: endpointId, system_user_id, batch }: EndpointRow,
  events: readonly QueuedEvent[],
  now: number,
): { readonly id: string; readonly body: string } {
  const [first] = events as [QueuedEvent];
  const id = `evt_${endpointId}_${first.seq}`;
  if (system_user_id !== null) return { id, body: first.data };
  if (batch !== 1) return { id, body: envelope(first) };
  const digest = createHash('sha256').update(events.map(({ seq }) => seq).join());
  return {
    id: `${id}_${digest.digest('hex').slice(0, 16)}`,
    body: `{"type":"events","timestamp":"${new Date(now).toISOString()}","data":[${events.map(envelope).join(',')}]}`,
  };
}

/** An event as it is posted, and as a receiver that pulls gets it. */
function envelope({ seq, type, at, data }: QueuedEvent): string {
  return `{"type":"${eventTypes[type]}","timestamp":"${new Date(at).toISOString()}","seq":${seq},"data":${data}}`;
}
