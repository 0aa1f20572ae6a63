/** Notifies the open pages of each company which of its lists have changed; see `open-pages.ts`. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Caller } from '../accounts/caller.ts';
import { topics } from '../changes/journal.ts';
import type { LiveHints } from '../changes/live-hints.ts';
import type { EventStream } from '../http/answers/event-stream.ts';
import { trackLatest } from '../messages/tracked.ts';
import { readHint } from '../storage/hints.ts';
import type { News, Topic } from '../storage/news.ts';
import type { Store } from '../storage/store.ts';
import { OpenPages } from './open-pages.ts';
import type { Sessions } from './sessions.ts';

/** After this time, every node knows which companies are being listened to. */
const knownAfterMs = 1_500;
/** Maximum number of streams in total, per company, and per user in all windows on all devices. */
const limits = { inAll: 3_000, ofOwner: 300, ofMember: 12 };

/** The lists that each topic of news concerns. */
const listsOfNews: readonly (readonly [Topic, readonly string[]])[] = [
  ['accounts', ['users', 'apikeys', 'company', 'numbers']],
  ['templates', ['templates']],
  ['carriers', ['carriers']],
  ['webhooks', ['webhooks']],
];

interface HintStreamsParts {
  readonly store: Store;
  readonly news: News;
  readonly sessions: Sessions;
  readonly live: LiveHints;
  readonly log: { warn(details: object, message: string): void };
}

export class HintStreams {
  readonly #parts: HintStreamsParts;
  readonly #pages: OpenPages<number>;
  readonly #companies = new Map<number, () => Promise<void>>();

  constructor(parts: HintStreamsParts) {
    this.#parts = parts;
    const { store, news, sessions, log } = parts;
    this.#pages = new OpenPages({
      limits,
      goesOn: (digest) => sessions.goesOn(digest),
      begun: (companyId) => this.#listenTo(companyId),
      ended: (companyId) => this.#leaveIfAlone(companyId),
      log,
    });
    store.onAnnouncement((announced) => {
      const hint = readHint(announced);
      if (hint !== undefined) this.#pages.tell(hint.list, hint.companyId);
    });
    this.#pages.follow(news, listsOfNews);
  }

  start(): this {
    this.#pages.start();
    return this;
  }

  async stop(): Promise<void> {
    await Promise.all([this.#pages.stop(), this.#parts.live.stop()]);
  }

  open({ userId, companyId }: Caller, digest: string): EventStream {
    return this.#pages.open({ owner: companyId, member: userId, digest });
  }

  #listenTo(companyId: number): void {
    if (this.#companies.has(companyId)) return;
    const { live } = this.#parts;
    const subscribed = live.subscribe(companyId, ({ topic }) => this.#pages.tell(topic, companyId));
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
    if (this.#pages.isStopped || !this.#companies.has(companyId)) return;
    await this.#parts.store.write(trackLatest, companyId);
    this.#tellAll(companyId);
  }

  #tellAll(companyId: number): void {
    for (const topic of topics) this.#pages.tell(topic, companyId);
  }

  #leaveIfAlone(companyId: number): void {
    if (this.#pages.isOpenFor(companyId)) return;
    const leave = this.#companies.get(companyId);
    this.#companies.delete(companyId);
    leave?.().catch((error: unknown) =>
      this.#parts.log.warn({ error }, 'live lists in the portal wait for the store'),
    );
  }
}
