/**
 * Notifies each open page, by server-sent events, which lists of its company have changed, at most twice a second. The page
 * then reloads what it shows with its own rights. A stream ends within a second of its session.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Caller } from '../accounts/caller.ts';
import { topics } from '../changes/journal.ts';
import type { LiveHints } from '../changes/live-hints.ts';
import { Budget } from '../foundation/budget.ts';
import { ServiceError } from '../foundation/errors.ts';
import { WokenLoop } from '../foundation/woken-loop.ts';
import { EventStream, type EventWriter } from '../http/answers/event-stream.ts';
import { trackLatest } from '../messages/tracked.ts';
import { readHint } from '../storage/hints.ts';
import type { News, Topic } from '../storage/news.ts';
import type { Store } from '../storage/store.ts';
import type { Sessions } from './sessions.ts';

const beatEveryMs = 15_000;
/** Sessions are checked this often, so nobody is notified for longer than this after their session has ended. */
const lookEveryMs = 300;
/** However much changes, hints about a list are at least this far apart. */
const leastBetweenMs = 500;
/** After this time, every node knows which companies are being listened to. */
const knownAfterMs = 1_500;
/** Maximum number of streams in total, per company, and per user in all windows on all devices. */
const limits = { inAll: 3_000, ofOwner: 300, ofMember: 12 };

/**
 * The lists that each topic of news concerns. News does not say which company it concerns, so pages of all companies
 * are notified.
 */
const listsOfNews: readonly (readonly [Topic, readonly string[]])[] = [
  ['accounts', ['users', 'apikeys', 'company', 'numbers']],
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
  readonly #checks: WokenLoop;
  readonly #beats: WokenLoop;
  #telling: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(parts: HintStreamsParts) {
    this.#parts = parts;
    const failed = (error: unknown) =>
      parts.log.warn({ error }, 'sessions of open pages could not be checked');
    this.#checks = new WokenLoop({ pauseMs: lookEveryMs, failed }, () => this.#endThoseWithoutSession());
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
    this.#checks.start();
    this.#beats.start();
    return this;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#telling);
    for (const { writer } of this.#streams) writer.end();
    this.#streams.clear();
    await Promise.all([this.#checks.stop(), this.#beats.stop(), this.#parts.live.stop()]);
  }

  open({ userId, companyId }: Caller, digest: string): EventStream {
    if (!this.#places.hasRoomFor(1, companyId, userId))
      throw new ServiceError('overloaded', { sentence: 'pages_open' });
    if (this.#isStopped)
      throw new ServiceError('shutting_down', 'This server is stopping. Try again in a moment.');
    return new EventStream((writer) => {
      // Other streams may have begun since the check for room.
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
    // A page that is not notified reloads when a user next looks at it; the log says why it is not notified.
    listening.catch((error: unknown) => {
      this.#companies.delete(companyId);
      this.#parts.log.warn({ error }, 'live lists in the portal wait for the store');
    });
    this.#companies.set(companyId, async () => (await subscribed)());
  }

  /**
   * There are no hints for messages accepted before the nodes knew that somebody listens, so those messages are read and
   * listened to from now on.
   */
  async #catchUp(companyId: number): Promise<void> {
    this.#tellAll(companyId);
    await delay(knownAfterMs, undefined, { ref: false });
    if (this.#isStopped || !this.#companies.has(companyId)) return;
    await this.#parts.store.write(trackLatest, companyId);
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
      this.#parts.log.warn({ error }, 'live lists in the portal wait for the store'),
    );
  }

  /** Without `companyId`, for all companies. */
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
      // A stream also ends when its session cannot be checked: the page requests another stream and then learns why there is
      // none.
      const goesOn = await this.#parts.sessions.goesOn(digest).catch(() => false);
      if (!goesOn) writer.end();
    }
  }
}
