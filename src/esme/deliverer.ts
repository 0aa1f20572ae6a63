/**
 * Delivers to one user's receivers at this node what waits for the user: each once it is its turn, at most one window at a
 * time, and kept until a client acknowledges it. What concerns the same message goes in order.
 *
 *   waits ──a receiver has room──▶ under way ──acknowledged, or refused for good──▶ removed
 *     ▲                               │
 *     └──the connection ends; after a pause, if it was refused for now──┘
 */
import { Pauses } from '../foundation/breaker.ts';
import { type Stopwatch, timeIn } from '../foundation/clock.ts';
import type { OutboxNode } from '../outbox/outbox.ts';
import { Sender } from '../outbox/sender.ts';
import { commandStatus } from '../wire/smpp/command-status.ts';
import {
  beforeAll,
  type Delivery,
  type DeliveryPlace,
  holdDeliveries,
  isGone,
  readDeliveries,
  settleDelivery,
} from './delivery.ts';
import { deliverFields } from './delivery-pdu.ts';
import type { ClientSession } from './session.ts';

interface DelivererOptions extends Pick<OutboxNode, 'store' | 'clock' | 'chance' | 'log'> {
  /** The system's stopwatch by default. */
  readonly stopwatch?: Stopwatch;
  readonly userId: number;
  readonly nodeId: number;
  /** Whether this node may still act under that id. */
  readonly mayDeliver: () => boolean;
  readonly window: () => number;
  /** The user's sessions here. */
  readonly sessions: () => Iterable<ClientSession>;
}

/** Statuses by which a client refuses a delivery for good (SMPP 3.4 5.1.3); it is refused for now by any other. */
const lasting: ReadonlySet<number> = new Set([commandStatus.ESME_RX_P_APPN, commandStatus.ESME_RX_R_APPN]);

const pauses = new Pauses([1_000, 5_000, 15_000, 60_000]);
/** Until this node asks again whether it may deliver, while another one does. */
const heldElsewhereMs = 2_000;
const stopMs = 5_000;
/** Beyond so many that are refused for now, nothing more is read until some are taken. */
const maxFailing = 10_000;

/** What concerns one message, in order; the first is under way, or due. */
interface Line {
  readonly name: string;
  readonly waiting: DeliveryPlace[];
  /** Undefined while it is not in memory. */
  first: Delivery | undefined;
  failures: number;
}

export class Deliverer {
  readonly #options: DelivererOptions;
  readonly #sender: Sender;
  #holds: boolean | undefined;
  #asksAgainAt = 0;
  #after: DeliveryPlace = beforeAll;
  /** Whether there may be more in the store. */
  #isStale = true;
  #isReading = false;
  #underWay = 0;
  readonly #lines = new Map<string, Line>();
  /** Lines whose first may go now, and has not failed. */
  #ready: Line[] = [];
  /** The same of those that failed before. */
  #again: Line[] = [];
  #isTurnOfAgain = false;
  /** Lines that failed, whether they are due or not. */
  #failing = 0;
  #deferred: { readonly line: Line; readonly dueAt: number }[] = [];
  /** When the first of them is due. */
  #deferredUntil = Number.POSITIVE_INFINITY;

  constructor(options: DelivererOptions) {
    this.#options = options;
    this.#sender = new Sender({
      clock: options.clock,
      ...(options.stopwatch && { stopwatch: options.stopwatch }),
      stopMs,
      mayDeliver: options.mayDeliver,
      next: (now) => this.#next(now),
      dueAt: () => this.#dueAt(),
      setBack: (ms) => {
        this.#asksAgainAt -= ms;
        this.#deferred = this.#deferred.map(({ line, dueAt }) => ({ line, dueAt: dueAt - ms }));
        this.#deferredUntil -= ms;
      },
      failed: (error) => options.log.warn({ error }, 'deliveries to SMPP clients wait for the store'),
    });
  }

  /** A receiver has room. */
  wake(): void {
    this.#sender.wake();
  }

  /** Something may have been queued. */
  follow(): void {
    this.#isStale = true;
    this.#sender.wake();
  }

  /** Resolves when another node may deliver, once this one lets it. */
  stop(): Promise<void> {
    return this.#sender.stop();
  }

  #next(now: number): Promise<void> | undefined {
    if (this.#holds !== true) {
      if (this.#isReading || now < this.#asksAgainAt || this.#receiver() === undefined) return undefined;
      return this.#hold(now);
    }
    this.#moveDue(now);
    const window = this.#options.window();
    const mayDeliver = this.#underWay < window && this.#receiver() !== undefined;
    const line = mayDeliver ? this.#take() : undefined;
    if (line !== undefined) return this.#deliver(line);
    const isFull = this.#lines.size - this.#failing >= 2 * window || this.#failing >= maxFailing;
    return this.#isStale && !this.#isReading && !isFull ? this.#read(window) : undefined;
  }

  #dueAt(): number {
    return this.#holds === true ? this.#deferredUntil : this.#asksAgainAt;
  }

  #moveDue(now: number): void {
    if (now < this.#deferredUntil) return;
    const deferred = this.#deferred;
    this.#deferred = [];
    this.#deferredUntil = Number.POSITIVE_INFINITY;
    for (const { line, dueAt } of deferred) {
      if (dueAt <= now) this.#again.push(line);
      else this.#deferUntil(line, dueAt);
    }
  }

  /** Lines that have failed take turns with the others, so that neither hold the other up. */
  #take(): Line | undefined {
    this.#isTurnOfAgain = !this.#isTurnOfAgain;
    const [first, second] = this.#isTurnOfAgain ? [this.#again, this.#ready] : [this.#ready, this.#again];
    return first.shift() ?? second.shift();
  }

  /** The receiver with the fewest unanswered deliveries. */
  #receiver(): ClientSession | undefined {
    let best: ClientSession | undefined;
    for (const session of this.#options.sessions())
      if (session.hasRoom && (best === undefined || session.load < best.load)) best = session;
    return best;
  }

  async #hold(now: number): Promise<void> {
    const { store, userId, nodeId } = this.#options;
    this.#isReading = true;
    this.#asksAgainAt = now + heldElsewhereMs;
    try {
      this.#holds = await store.write(holdDeliveries, { userId, nodeId });
    } finally {
      this.#isReading = false;
    }
  }

  async #read(limit: number): Promise<void> {
    const { store, userId } = this.#options;
    this.#isReading = true;
    this.#isStale = false;
    try {
      const found = await store.read(readDeliveries, { userId, after: this.#after, limit });
      for (const delivery of found) this.#add(delivery);
      this.#after = found.at(-1) ?? this.#after;
      if (found.length === limit) this.#isStale = true;
    } catch (error) {
      this.#isStale = true;
      throw error;
    } finally {
      this.#isReading = false;
    }
  }

  #add(delivery: Delivery): void {
    const name = nameOf(delivery);
    const { place, shownId } = delivery;
    const line = this.#lines.get(name);
    if (line !== undefined) {
      line.waiting.push({ place, shownId });
      return;
    }
    const begun: Line = { name, waiting: [{ place, shownId }], first: delivery, failures: 0 };
    this.#lines.set(name, begun);
    this.#ready.push(begun);
  }

  async #deliver(line: Line): Promise<void> {
    this.#underWay += 1;
    try {
      line.first ??= await this.#readFirst(line);
      if (line.first === undefined || isGone(line.first)) await this.#settle(line);
      else await this.#attempt(line, line.first);
    } catch (error) {
      this.#defer(line);
      throw error;
    } finally {
      this.#underWay -= 1;
    }
  }

  async #attempt(line: Line, delivery: Delivery): Promise<void> {
    const receiver = this.#receiver();
    const status = await receiver?.deliver(deliverFields(delivery, receiver.interfaceVersion));
    if (status === undefined) (line.failures === 0 ? this.#ready : this.#again).unshift(line);
    else if (status === commandStatus.ESME_ROK || lasting.has(status)) await this.#settle(line);
    else this.#defer(line);
  }

  /** Undefined if it is no longer kept. */
  async #readFirst({ waiting }: Line): Promise<Delivery | undefined> {
    const { store, userId } = this.#options;
    const [{ place, shownId }] = waiting as [DeliveryPlace];
    const after = { place, shownId: shownId - 1 };
    const [found] = await store.read(readDeliveries, { userId, after, limit: 1 });
    return found?.place === place && found.shownId === shownId ? found : undefined;
  }

  async #settle(line: Line): Promise<void> {
    const { store, userId } = this.#options;
    const [{ place, shownId }] = line.waiting as [DeliveryPlace];
    await this.#sender.persistently(() => store.write(settleDelivery, { userId, place, shownId }));
    line.waiting.shift();
    line.first = undefined;
    if (line.failures > 0) this.#failing -= 1;
    line.failures = 0;
    if (line.waiting.length > 0) this.#ready.push(line);
    else this.#lines.delete(line.name);
  }

  /** Only its places stay in memory meanwhile: there may be many, and a text may be erased. */
  #defer(line: Line): void {
    const { clock, chance } = this.#options;
    if (line.failures === 0) this.#failing += 1;
    line.failures += 1;
    line.first = undefined;
    this.#deferUntil(line, timeIn(clock, pauses.pauseMs(line.failures, chance())));
  }

  #deferUntil(line: Line, dueAt: number): void {
    this.#deferred.push({ line, dueAt });
    this.#deferredUntil = Math.min(this.#deferredUntil, dueAt);
  }
}

/** Messages and incoming SMS may have the same ids. */
function nameOf({ kind, subjectId }: Delivery): string {
  return `${kind} ${subjectId}`;
}
