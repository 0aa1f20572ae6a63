/** Keeps one session up: connects, and reconnects after growing pauses when the session ends. */
import { Backoff } from '../../backoff.ts';
import { type BindRole, type LinkOptions, LinkSession, type LinkSessionEvents } from './session.ts';

/** After a session that lasted this long, or that carried traffic, the next attempt comes soon. */
const goodAfterMs = 30_000;

export type BindEvents = Omit<LinkSessionEvents, 'closed'> & {
  /** The session was lost, or could not be established. */
  lost(reason: string): void;
};

export class Bind {
  readonly role: BindRole;
  /** Why there is no session; null when there is a session, or none has been attempted yet. */
  reason: string | null = null;
  readonly #link: LinkOptions;
  readonly #events: BindEvents;
  readonly #backoff: Backoff;
  #session: LinkSession | undefined;
  #boundAt: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopping = false;
  #stopped: (() => void) | undefined;

  constructor(link: LinkOptions, events: (bind: Bind) => BindEvents) {
    this.role = link.role;
    this.#link = link;
    this.#events = events(this);
    this.#backoff = new Backoff(link.settings.reconnectMinMs, link.settings.reconnectMaxMs);
  }

  get session(): LinkSession | undefined {
    return this.#session;
  }

  get isBound(): boolean {
    return this.#session?.isBound ?? false;
  }

  open(): void {
    const events = this.#events;
    const session = new LinkSession(this.#link, {
      ...events,
      bound: () => {
        this.#boundAt = performance.now();
        this.reason = null;
        events.bound();
      },
      closed: (reason) => this.#closed(reason),
    });
    this.#session = session;
  }

  /** The session was useful, so the pauses after its loss start from the shortest. */
  proved(): void {
    this.#backoff.reset();
  }

  /** Stops connecting; resolves when the session has ended, by an unbind if the SMSC responds to it in time. */
  async close(deadlineMs: number): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    const session = this.#session;
    if (session === undefined) return;
    const reason = 'the carrier was stopped before the SMSC answered';
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => session.close(reason), deadlineMs);
      this.#stopped = () => {
        clearTimeout(timer);
        resolve();
      };
      session.giveUp(reason);
    });
  }

  #closed(reason: string): void {
    this.#session = undefined;
    this.reason = reason;
    if (this.#boundAt !== undefined) {
      this.#link.counters.disconnects += 1;
      if (performance.now() - this.#boundAt > goodAfterMs) this.#backoff.reset();
      this.#boundAt = undefined;
    }
    if (!this.#isStopping) this.#timer = setTimeout(() => this.open(), this.#backoff.next());
    this.#events.lost(reason);
    this.#stopped?.();
  }
}
