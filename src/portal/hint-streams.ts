/**
 * Tells each open page which lists of its company have changed, by server-sent events, at most twice a second. A page reads
 * again what it shows, by its own rights; a stream ends within a second when its session does.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Caller } from '../accounts/caller.ts';
import { topics } from '../changes/journal.ts';
import type { LiveHints } from '../changes/live-hints.ts';
import { Budget } from '../foundation/budget.ts';
import { ServiceError } from '../foundation/errors.ts';
import { WokenLoop } from '../foundation/woken-loop.ts';
import { EventStream, type EventWriter } from '../http/answers/event-stream.ts';
import { listenToLatest } from '../messages/listened.ts';
import { readHint } from '../storage/hints.ts';
import type { News, Topic } from '../storage/news.ts';
import type { Store } from '../storage/store.ts';
import type { Sessions } from './sessions.ts';

const beatEveryMs = 15_000;
/** Nobody hears anything for longer after his session has ended. */
const lookEveryMs = 300;
/** However much changes, a hint of a list comes no sooner after the one before. */
const leastBetweenMs = 500;
/** By then each node has heard who is listened to. */
const knownAfterMs = 1_500;
/** Streams in all, of a company, and of a user in all windows on all devices. */
const limits = { inAll: 3_000, ofOwner: 300, ofMember: 12 };

/** The lists that these news tell of: to pages of all companies, since news don't say whose. */
const listsOfNews: readonly (readonly [Topic, readonly string[]])[] = [
  ['accounts', ['users', 'apikeys']],
  ['templates', ['templates']],
  ['carriers', ['carriers']],
  ['webhooks', ['webhooks']],
];

interface Stream {
  readonly userId: number;
  readonly companyId: number;
  readonly digest: string;
  readonly writer: EventWriter;
  /** Lists that have changed since the last hints. */
  readonly changed: Set<string>;
}

interface HintStreamsParts {
  readonly store: Store;
  readonly news: News;
  readonly sessions: Sessions;
  readonly live: LiveHints;
  readonly log: { warn(details: object, message: string): void };
}

export class HintStreams {
  readonly #parts: HintStreamsParts;
  readonly #streams = new Set<Stream>();
  readonly #places = new Budget(limits);
  readonly #companies = new Map<number, () => Promise<void>>();
  readonly #looks: WokenLoop;
  readonly #beats: WokenLoop;
  #telling: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(parts: HintStreamsParts) {
    this.#parts = parts;
    const failed = (error: unknown) =>
      parts.log.warn({ error }, 'sessions of open pages could not be looked at');
    this.#looks = new WokenLoop({ pauseMs: lookEveryMs, failed }, () => this.#endThoseWithoutSession());
    this.#beats = new WokenLoop({ pauseMs: beatEveryMs, failed }, () => {
      for (const { writer } of this.#streams) writer.beat();
    });
    parts.store.onAnnouncement((announced) => {
      const hint = readHint(announced);
      if (hint !== undefined) this.#tell(hint.list, hint.companyId);
    });
    for (const [topic, lists] of listsOfNews)
      parts.news.on(topic, () => {
        for (const list of lists) this.#tell(list);
      });
  }

  start(): this {
    this.#looks.start();
    this.#beats.start();
    return this;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#telling);
    for (const { writer } of this.#streams) writer.end();
    this.#streams.clear();
    await Promise.all([this.#looks.stop(), this.#beats.stop(), this.#parts.live.stop()]);
  }

  open({ userId, companyId }: Caller, digest: string): EventStream {
    if (!this.#places.hasRoomFor(1, companyId, userId))
      throw new ServiceError(
        'overloaded',
        'More pages are open than can be kept up to date: close some. This one is as it was when it was loaded.',
      );
    if (this.#isStopped)
      throw new ServiceError('shutting_down', 'This server is stopping. Try again in a moment.');
    return new EventStream((writer) => {
      // Other streams may have begun since there was room.
      if (!this.#places.take(1, companyId, userId)) {
        writer.end();
        return () => undefined;
      }
      const stream = { userId, companyId, digest, writer, changed: new Set<string>() };
      this.#streams.add(stream);
      this.#listenTo(companyId);
      return () => {
        this.#streams.delete(stream);
        this.#places.give(1, companyId, userId);
        this.#leaveIfAlone(companyId);
      };
    });
  }

  #listenTo(companyId: number): void {
    if (this.#companies.has(companyId)) return;
    const { live } = this.#parts;
    const subscribed = live.subscribe(companyId, ({ topic }) => this.#tell(topic, companyId));
    const listening = subscribed.then(() => this.#catchUp(companyId));
    // A page that hears nothing asks again when it is looked at again; the log says why it hears nothing.
    listening.catch((error: unknown) => {
      this.#companies.delete(companyId);
      this.#parts.log.warn({ error }, 'the live lists of companies wait for the store');
    });
    this.#companies.set(companyId, async () => (await subscribed)());
  }

  /** There is no hint of what was accepted before the nodes knew that somebody listens: it is read, and listened to from then on. */
  async #catchUp(companyId: number): Promise<void> {
    this.#tellAll(companyId);
    await delay(knownAfterMs, undefined, { ref: false });
    if (this.#isStopped || !this.#companies.has(companyId)) return;
    await this.#parts.store.write(listenToLatest, companyId);
    this.#tellAll(companyId);
  }

  #tellAll(companyId: number): void {
    for (const topic of topics) this.#tell(topic, companyId);
  }

  #leaveIfAlone(companyId: number): void {
    if (this.#places.taken(companyId) > 0) return;
    const leave = this.#companies.get(companyId);
    this.#companies.delete(companyId);
    leave?.().catch((error: unknown) =>
      this.#parts.log.warn({ error }, 'the live lists of companies wait for the store'),
    );
  }

  /** `companyId` absent: of all. */
  #tell(list: string, companyId?: number): void {
    for (const stream of this.#streams)
      if (companyId === undefined || stream.companyId === companyId) stream.changed.add(list);
    if (this.#streams.size === 0 || this.#telling !== undefined) return;
    this.#telling = setTimeout(() => {
      this.#telling = undefined;
      for (const { writer, changed } of this.#streams) {
        for (const topic of changed) writer.send({ topic });
        changed.clear();
      }
    }, leastBetweenMs);
  }

  async #endThoseWithoutSession(): Promise<void> {
    for (const { digest, writer } of this.#streams) {
      // A session that can't be asked about ends its stream too: the page asks for another one, and hears why there is none.
      const goesOn = await this.#parts.sessions.goesOn(digest).catch(() => false);
      if (!goesOn) writer.end();
    }
  }
}
