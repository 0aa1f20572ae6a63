/**
 * An SMPP carrier as the event loop that delivers sees it: the carrier itself runs in a thread of its own.
 *
 *   submit ──parts of a turn──▶ port ──▶ carrier
 *   outcome, receipts, incoming ◀── port ◀──┘
 *
 * A thread that ends by itself is started anew; what it had been handed is in doubt.
 */
import type { MessagePort } from 'node:worker_threads';
import type { Clock } from '../../foundation/clock.ts';
import { Slots } from '../../foundation/slots.ts';
import { receiptIds } from '../../wire/smpp/message-id.ts';
import type {
  Carrier,
  CarrierEvents,
  CarrierStatus,
  InDoubtPolicy,
  Outcome,
  OutgoingPart,
  Receipt,
} from '../carrier.ts';
import type { CarrierNews, CarrierOrder, CrossingReceipt, Keepable, Kept, ToKeep } from './crossing.ts';
import { type Reach, reachOf } from './reach.ts';
import type { SmppSettings } from './settings.ts';
import type { SmppThread } from './smpp-thread.ts';

const beginAgainMs = 1_000;
/** A carrier tells that it has stopped soon after the deadline of a stop. */
const stopGraceMs = 2_000;

export interface FarCarrierOptions {
  readonly id: number;
  readonly name: string;
  readonly settings: SmppSettings;
  /** Unique over all lives of all nodes. */
  readonly instance: number;
  readonly clock: Clock;
  readonly thread: SmppThread;
}

export class FarCarrier implements Carrier {
  readonly id: number;
  readonly name: string;
  readonly inDoubtPolicy: InDoubtPolicy;
  readonly window: number;
  readonly takesWhole: boolean;
  readonly smsWindow?: number;
  readonly #options: FarCarrierOptions;
  #events: CarrierEvents | undefined;
  #port: MessagePort | undefined;
  /** How often the carrier was begun in a thread. */
  #lives = 0;
  /** Parts without an outcome. */
  #parts = new Slots<OutgoingPart>();
  #toSubmit: OutgoingPart[] = [];
  #submitting: NodeJS.Immediate | undefined;
  #status: CarrierStatus;
  #beginAgain: NodeJS.Timeout | undefined;
  #isStopping = false;
  #stopped: (() => void) | undefined;

  constructor(options: FarCarrierOptions) {
    const { id, name, settings, clock } = options;
    const { window, takesWhole, smsWindow }: Reach = reachOf(settings);
    this.id = id;
    this.name = name;
    this.inDoubtPolicy = settings.inDoubt;
    this.window = window;
    this.takesWhole = takesWhole;
    if (smsWindow !== undefined) this.smsWindow = smsWindow;
    this.#options = options;
    this.#status = { state: 'starting', since: clock.now(), reason: null, figures: {} };
  }

  async start(events: CarrierEvents): Promise<void> {
    this.#events = events;
    this.#begin();
  }

  submit(parts: readonly OutgoingPart[]): void {
    for (const part of parts) this.#toSubmit.push(part);
    // All that is handed over in this turn of the event loop crosses together.
    this.#submitting ??= setImmediate(() => this.#cross());
  }

  status(): CarrierStatus {
    return this.#status;
  }

  async stop(deadlineMs: number): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#beginAgain);
    this.#isDown('it was stopped');
    // What has not crossed yet is given back here.
    this.#cross();
    if (this.#port !== undefined) await this.#stopFar(deadlineMs);
    // The thread is no more, or was held up for so long that it must not be waited for.
    this.#lose('the carrier was stopped before the SMSC answered');
    this.#events = undefined;
  }

  #begin(): void {
    const { id, name, settings, instance, thread } = this.#options;
    this.#lives += 1;
    const life = this.#lives === 1 ? '' : `.${this.#lives.toString(36)}`;
    const port = thread.open({ id, name, settings, instance: `${instance.toString(36)}${life}` });
    port.on('message', (news: CarrierNews) => this.#hear(news));
    port.once('close', () => this.#ended(port));
    this.#port = port;
  }

  #cross(): void {
    clearImmediate(this.#submitting);
    this.#submitting = undefined;
    const parts = this.#toSubmit;
    this.#toSubmit = [];
    if (parts.length === 0) return;
    if (this.#port === undefined || this.#isStopping) this.#putOff(parts);
    else this.#order({ kind: 'submit', slots: parts.map((part) => this.#parts.add(part)), parts });
  }

  #putOff(parts: readonly OutgoingPart[]): void {
    const time = this.#options.clock.now() + (this.#isStopping ? 0 : beginAgainMs);
    const reason = this.#status.reason ?? 'the carrier is not there';
    for (const part of parts) this.#events?.outcome(part, { kind: 'retryAt', time, reason });
  }

  #order(order: CarrierOrder): void {
    this.#port?.postMessage(order);
  }

  #hear({ outcomes: { slots, outcomes }, toKeep, status, hasStopped }: CarrierNews): void {
    for (const [index, slot] of slots.entries()) {
      const part = this.#parts.remove(slot);
      if (part !== undefined) this.#events?.outcome(part, outcomes[index] as Outcome);
    }
    for (const one of toKeep) void this.#keep(one);
    if (status !== undefined && !this.#isStopping) this.#status = status;
    if (hasStopped) this.#stopped?.();
  }

  async #keep({ id, what }: ToKeep): Promise<void> {
    this.#order({ kind: 'kept', id, kept: await this.#attempt(what) });
  }

  async #attempt(what: Keepable): Promise<Kept> {
    const events = this.#events;
    if (events === undefined) return { error: 'the carrier was stopped' };
    try {
      switch (what.kind) {
        case 'receipts':
          await events.receipts(what.receipts.map((receipt) => this.#toReceipt(receipt)));
          return {};
        case 'unreadableReceipt':
          await events.unreadableReceipt(what.receipt);
          return {};
        case 'incoming':
          return { sms: await events.incoming(what.sms) };
      }
    } catch (error) {
      // The SMSC is told that it can't be taken now, and brings it again (DLV-5).
      return { error: (error as Error).message };
    }
  }

  #toReceipt(receipt: CrossingReceipt): Receipt {
    const { messageId } = this.#options.settings;
    return { ...receipt, otherIds: () => receiptIds(receipt.writtenIds, messageId).otherIds() };
  }

  async #stopFar(deadlineMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, deadlineMs + stopGraceMs);
      this.#stopped = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#order({ kind: 'stop', deadlineMs });
    });
    this.#port?.close();
    this.#port = undefined;
  }

  /** By itself, if it is still the port in use: the thread has ended. */
  #ended(port: MessagePort): void {
    if (this.#port !== port) return;
    this.#port = undefined;
    const reason = `the thread of SMPP carriers ended: ${this.#options.thread.failure ?? 'it told no reason'}`;
    this.#isDown(reason);
    this.#lose(reason);
    this.#stopped?.();
    if (!this.#isStopping) this.#beginAgain = setTimeout(() => this.#begin(), beginAgainMs);
  }

  /** Nobody will tell what became of these. */
  #lose(reason: string): void {
    const lost = this.#parts;
    this.#parts = new Slots();
    for (const part of lost) this.#events?.outcome(part, { kind: 'inDoubt', reason });
  }

  #isDown(reason: string): void {
    this.#status = { ...this.#status, state: 'down', since: this.#options.clock.now(), reason };
  }
}
