/**
 * The server-sent events of open pages: each names a list that has changed, at most twice a second. The page then reloads what
 * it shows with its own rights. A stream ends within a second of its session.
 */
import { Budget } from '../foundation/budget.ts';
import { ServiceError } from '../foundation/errors.ts';
import type { FairLimits } from '../foundation/fair-queue.ts';
import { WokenLoop } from '../foundation/woken-loop.ts';
import { EventStream, type EventWriter } from '../http/answers/event-stream.ts';
import type { News, Topic } from '../storage/news.ts';

const beatEveryMs = 15_000;
/** Sessions are checked this often, so nobody is notified for longer than this after their session has ended. */
const lookEveryMs = 300;
/** However much changes, hints about a list are at least this far apart. */
const leastBetweenMs = 500;

/** Whose page it is, for the limits, and its session. */
interface Viewer<Owner> {
  readonly owner: Owner;
  readonly member: number | string;
  /** The digest of the session. */
  readonly digest: string;
}

interface Stream<Owner> extends Viewer<Owner> {
  readonly writer: EventWriter;
  /** Lists that have changed since the last hints. */
  readonly changed: Set<string>;
}

interface OpenPagesOptions<Owner> {
  readonly limits: FairLimits;
  /** Whether a session that was admitted would be admitted now. */
  readonly goesOn: (digest: string) => Promise<boolean>;
  readonly begun?: (owner: Owner) => void;
  readonly ended?: (owner: Owner) => void;
  readonly log: { warn(details: object, message: string): void };
}

export class OpenPages<Owner extends number | string> {
  readonly #options: OpenPagesOptions<Owner>;
  readonly #streams = new Set<Stream<Owner>>();
  readonly #places: Budget;
  readonly #checks: WokenLoop;
  readonly #beats: WokenLoop;
  #telling: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: OpenPagesOptions<Owner>) {
    this.#options = options;
    this.#places = new Budget(options.limits);
    const failed = (error: unknown) =>
      options.log.warn({ error }, 'sessions of open pages could not be checked');
    this.#checks = new WokenLoop({ pauseMs: lookEveryMs, failed }, () => this.#endThoseWithoutSession());
    this.#beats = new WokenLoop({ pauseMs: beatEveryMs, failed }, () => {
      for (const { writer } of this.#streams) writer.beat();
    });
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  start(): void {
    this.#checks.start();
    this.#beats.start();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#telling);
    for (const { writer } of this.#streams) writer.end();
    this.#streams.clear();
    await Promise.all([this.#checks.stop(), this.#beats.stop()]);
  }

  isOpenFor(owner: Owner): boolean {
    return this.#places.taken(owner) > 0;
  }

  open(viewer: Viewer<Owner>): EventStream {
    const { owner, member } = viewer;
    if (!this.#places.hasRoomFor(1, owner, member))
      throw new ServiceError('overloaded', { sentence: 'pages_open' });
    if (this.#isStopped)
      throw new ServiceError('shutting_down', 'This server is stopping. Try again in a moment.');
    return new EventStream((writer) => {
      // Other streams may have begun since the check for room.
      if (!this.#places.take(1, owner, member)) {
        writer.end();
        return () => undefined;
      }
      const stream = { ...viewer, writer, changed: new Set<string>() };
      this.#streams.add(stream);
      this.#options.begun?.(owner);
      return () => {
        this.#streams.delete(stream);
        this.#places.give(1, owner, member);
        this.#options.ended?.(owner);
      };
    });
  }

  /** Tells of the lists that each topic of news concerns. News does not say whom it concerns, so all pages are notified. */
  follow(news: News, lists: readonly (readonly [Topic, readonly string[]])[]): void {
    for (const [topic, concerned] of lists)
      news.on(topic, () => {
        for (const list of concerned) this.tell(list);
      });
  }

  /** Without `owner`, for the pages of all. */
  tell(list: string, owner?: Owner): void {
    for (const stream of this.#streams)
      if (owner === undefined || stream.owner === owner) stream.changed.add(list);
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
    for (const session of new Set([...this.#streams].map(({ digest }) => digest))) {
      // A stream also ends when its session cannot be checked: the page requests another stream and then learns why there is
      // none.
      if (await this.#options.goesOn(session).catch(() => false)) continue;
      for (const { digest, writer } of this.#streams) if (digest === session) writer.end();
    }
  }
}
