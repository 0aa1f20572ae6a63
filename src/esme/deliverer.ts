/**
 * Delivers to one user's receivers at this node what waits for the user: each once it is its turn, at most one window at a
 * time, and kept until a client acknowledges it. What concerns the same message goes in order.
 *
 *   waits ──a receiver has room──▶ under way ──acknowledged, or refused for good──▶ removed
 *     ▲                               │
 *     └──the connection ends; after a pause, if it was refused for now──┘
 */
import { Pauses } from '../foundation/breaker.ts';
import { timeIn } from '../foundation/clock.ts';
import type { OutboxNode } from '../outbox/outbox.ts';
import { Sender } from '../outbox/sender.ts';
import { commandStatus } from '../wire/smpp/command-status.ts';
import {
  beforeAll,
  type Delivery,
  type DeliveryPlace,
  holdDeliveries,
  readDeliveries,
  releaseDeliveries,
  settleDelivery,
} from './delivery.ts';
import { deliverFields } from './delivery-pdu.ts';
import type { ClientSession } from './session.ts';

interface DelivererOptions extends Pick<OutboxNode, 'store' | 'clock' | 'chance' | 'log'> {
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

/** What concerns one message, in order; the first is under way, or due. */
interface Line {
  readonly waiting: Delivery[];
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
  /** Lines whose first may go now. */
  #ready: Line[] = [];
  #deferred: { readonly line: Line; readonly dueAt: number }[] = [];

  constructor(options: DelivererOptions) {
    this.#options = options;
    this.#sender = new Sender({
      clock: options.clock,
      stopMs,
      mayDeliver: options.mayDeliver,
      next: (now) => this.#next(now),
      dueAt: () => this.#dueAt(),
      setBack: (ms) => {
        this.#asksAgainAt -= ms;
        this.#deferred = this.#deferred.map(({ line, dueAt }) => ({ line, dueAt: dueAt - ms }));
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

  /** Lets another node deliver. */
  async stop(): Promise<void> {
    await this.#sender.stop();
    const { store, userId, nodeId, log } = this.#options;
    await store
      .write(releaseDeliveries, { userId, nodeId })
      .catch((error: unknown) => log.warn({ error }, 'another node delivers once this one has ended'));
  }

  #next(now: number): Promise<void> | undefined {
    if (this.#holds !== true) {
      if (this.#isReading || now < this.#asksAgainAt || this.#receiver() === undefined) return undefined;
      return this.#hold(now);
    }
    this.#moveDue(now);
    const window = this.#options.window();
    const receiver = this.#underWay < window ? this.#receiver() : undefined;
    const line = receiver && this.#ready.shift();
    if (receiver !== undefined && line !== undefined) return this.#deliver(line, receiver);
    const isFull = this.#lines.size >= 2 * window;
    return this.#isStale && !this.#isReading && !isFull ? this.#read(window) : undefined;
  }

  #dueAt(): number {
    if (this.#holds !== true) return this.#asksAgainAt;
    return Math.min(Number.POSITIVE_INFINITY, ...this.#deferred.map(({ dueAt }) => dueAt));
  }

  #moveDue(now: number): void {
    if (this.#deferred.length === 0) return;
    const due = this.#deferred.filter(({ dueAt }) => dueAt <= now);
    if (due.length === 0) return;
    this.#deferred = this.#deferred.filter(({ dueAt }) => dueAt > now);
    this.#ready.push(...due.map(({ line }) => line));
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
    const line = this.#lines.get(nameOf(delivery));
    if (line !== undefined) {
      line.waiting.push(delivery);
      return;
    }
    const begun = { waiting: [delivery], failures: 0 };
    this.#lines.set(nameOf(delivery), begun);
    this.#ready.push(begun);
  }

  async #deliver(line: Line, receiver: ClientSession): Promise<void> {
    const [delivery] = line.waiting as [Delivery];
    this.#underWay += 1;
    try {
      const status = await receiver.deliver(deliverFields(delivery, receiver.interfaceVersion));
      if (status === undefined) this.#ready.unshift(line);
      else if (status === commandStatus.ESME_ROK || lasting.has(status)) await this.#settle(line, delivery);
      else this.#defer(line);
    } catch (error) {
      this.#defer(line);
      throw error;
    } finally {
      this.#underWay -= 1;
    }
  }

  async #settle(line: Line, delivery: Delivery): Promise<void> {
    const { store, userId } = this.#options;
    const { place, shownId } = delivery;
    await this.#sender.persistently(() => store.write(settleDelivery, { userId, place, shownId }));
    line.waiting.shift();
    line.failures = 0;
    if (line.waiting.length > 0) this.#ready.push(line);
    else this.#lines.delete(nameOf(delivery));
  }

  #defer(line: Line): void {
    const { clock, chance } = this.#options;
    line.failures += 1;
    this.#deferred.push({ line, dueAt: timeIn(clock, pauses.pauseMs(line.failures, chance())) });
  }
}

/** Messages and incoming SMS may have the same ids. */
function nameOf({ kind, subjectId }: Delivery): string {
  return `${kind} ${subjectId}`;
}
