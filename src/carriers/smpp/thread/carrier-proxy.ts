/**
 * An SMPP carrier as the event loop that delivers sees it: the carrier itself runs in a thread of its own.
 *
 *   submit ──parts of a moment──▶ port ──▶ carrier
 *   outcome, receipts, incoming ◀── port ◀──┘
 *
 * A thread that ends by itself is started anew; what it had been handed is in doubt.
 */
import { type Clock, timeIn } from '../../../foundation/clock.ts';
import type { SharedLease } from '../../../foundation/shared-lease.ts';
import { Slots } from '../../../foundation/slots.ts';
import { receiptIds } from '../../../wire/smpp/message-id.ts';
import type {
  Carrier,
  CarrierEvents,
  CarrierStatus,
  InDoubtPolicy,
  Outcome,
  OutgoingPart,
  Receipt,
} from '../../carrier.ts';
import { type Reach, reachOf } from '../carrier/capacity.ts';
import { Backoff } from '../link/backoff.ts';
import { Vigil } from '../link/watchdog.ts';
import type { SmppSettings } from '../settings.ts';
import { Gathering } from './gathering.ts';
import type { CarrierNews, CarrierOrder, CrossingReceipt, Keepable, Kept, ToKeep } from './protocol.ts';
import type { Opened, SmppThread } from './smpp-thread.ts';

/** Between a thread that ended and the next. */
const beginAgainMs = 1_000;
const longestBeginAgainMs = 30_000;
const usualMostSilentMs = 30_000;
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
  /** Nothing is submitted when it is over. */
  readonly lease: SharedLease;
  /** A carrier tells its status four times a second: a thread that is silent for longer than this is ended. */
  readonly mostSilentMs?: number;
}

export class FarCarrier implements Carrier {
  readonly id: number;
  readonly name: string;
  readonly inDoubtPolicy: InDoubtPolicy;
  readonly inDoubtTries: number;
  readonly window: number;
  readonly takesWhole: boolean;
  readonly smsWindow?: number;
  readonly #options: FarCarrierOptions;
  #events: CarrierEvents | undefined;
  #opened: Opened | undefined;
  /** How often the carrier was begun in a thread. */
  #lives = 0;
  /** Parts without an outcome. */
  #parts = new Slots<OutgoingPart>();
  #toSubmit: OutgoingPart[] = [];
  /** For the life of the thread that asked. */
  #kept: Kept[] = [];
  readonly #gathering = new Gathering(() => this.#cross());
  #status: CarrierStatus;
  readonly #backoff = new Backoff(beginAgainMs, longestBeginAgainMs);
  readonly #mostSilentMs: number;
  readonly #vigil: Vigil;
  #heardAt = 0;
  #beginAgain: NodeJS.Timeout | undefined;
  #isStopping = false;
  #stopped: (() => void) | undefined;

  constructor(options: FarCarrierOptions) {
    const { id, name, settings, clock } = options;
    const { window, takesWhole, smsWindow }: Reach = reachOf(settings);
    this.id = id;
    this.name = name;
    this.inDoubtPolicy = settings.inDoubt;
    this.inDoubtTries = settings.inDoubtTries;
    this.window = window;
    this.takesWhole = takesWhole;
    if (smsWindow !== undefined) this.smsWindow = smsWindow;
    this.#options = options;
    this.#mostSilentMs = options.mostSilentMs ?? usualMostSilentMs;
    this.#vigil = new Vigil(this.#mostSilentMs, (now) => this.#look(now));
    this.#status = { state: 'starting', since: clock.now(), reason: null, figures: {} };
  }

  async start(events: CarrierEvents): Promise<void> {
    this.#events = events;
    this.#vigil.start();
    this.#begin();
  }

  submit(parts: readonly OutgoingPart[]): void {
    for (const part of parts) this.#toSubmit.push(part);
    this.#gathering.add();
  }

  status(): CarrierStatus {
    return this.#status;
  }

  async stop(deadlineMs: number): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#beginAgain);
    this.#vigil.stop();
    this.#goDown('it was stopped');
    this.#gathering.flush();
    if (this.#opened !== undefined) await this.#stopFar(this.#opened, deadlineMs);
    // What was submitted in this very turn.
    this.#gathering.flush();
    // The thread is no more, or was held up for so long that it must not be waited for.
    this.#lose('the carrier was stopped before the SMSC answered');
    this.#events = undefined;
  }

  #begin(): void {
    const { id, name, settings, instance, thread, lease } = this.#options;
    this.#lives += 1;
    const life = this.#lives === 1 ? '' : `.${this.#lives.toString(36)}`;
    const opening = { id, name, settings, instance: `${instance.toString(36)}${life}` };
    const opened = thread.open({ ...opening, lease: lease.memory });
    opened.port.on('message', (news: CarrierNews) => this.#hear(opened, news));
    opened.port.once('close', () => this.#ended(opened));
    this.#heardAt = performance.now();
    this.#kept = [];
    this.#opened = opened;
  }

  #cross(): void {
    const [parts, kept, opened] = [this.#toSubmit, this.#kept, this.#opened];
    this.#toSubmit = [];
    this.#kept = [];
    const takesMore = opened !== undefined && !this.#isStopping;
    if (!takesMore) this.#putOff(parts);
    const crossing = takesMore ? parts.map((part) => ({ ...part, slot: this.#parts.add(part) })) : [];
    if (opened !== undefined && crossing.length + kept.length > 0)
      order(opened, { kind: 'go on', parts: crossing, kept });
  }

  #putOff(parts: readonly OutgoingPart[]): void {
    const time = timeIn(this.#options.clock, this.#isStopping ? 0 : beginAgainMs);
    const reason = this.#status.reason ?? 'the carrier is not there';
    for (const part of parts) this.#events?.outcome(part, { kind: 'retryAt', time, reason });
  }

  #hear(opened: Opened, { outcomes: { slots, outcomes }, toKeep, status, hasStopped }: CarrierNews): void {
    this.#heardAt = performance.now();
    for (const [index, slot] of slots.entries()) {
      const part = this.#parts.remove(slot);
      if (part !== undefined) this.#events?.outcome(part, outcomes[index] as Outcome);
    }
    for (const one of toKeep) void this.#keep(opened, one);
    if (status !== undefined && !this.#isStopping) this.#status = status;
    if (status?.state === 'up') this.#backoff.reset();
    if (hasStopped) this.#stopped?.();
  }

  /** The answer goes to the life of the thread that asked: in the next one, the id is another's. */
  async #keep(opened: Opened, { id, what }: ToKeep): Promise<void> {
    const isStored = await this.#isStored(what);
    if (this.#opened !== opened) return;
    this.#kept.push({ id, isStored });
    this.#gathering.add();
  }

  async #isStored(what: Keepable): Promise<boolean> {
    const events = this.#events;
    if (events === undefined) return false;
    try {
      switch (what.kind) {
        case 'receipts':
          await events.receipts(what.receipts.map((receipt) => this.#toReceipt(receipt)));
          break;
        case 'unreadableReceipt':
          await events.unreadableReceipt(what.receipt);
          break;
        case 'incoming':
          await events.incoming(what.sms);
      }
      return true;
    } catch {
      // The SMSC is told that it can't be taken now, and brings it again (DLV-5).
      return false;
    }
  }

  #toReceipt(receipt: CrossingReceipt): Receipt {
    const { messageId } = this.#options.settings;
    return { ...receipt, otherIds: () => receiptIds(receipt.writtenIds, messageId).otherIds() };
  }

  async #stopFar(opened: Opened, deadlineMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      // What has come while this process was held up itself is read before it is over.
      const timer = setTimeout(() => setImmediate(resolve), deadlineMs + stopGraceMs);
      this.#stopped = () => {
        clearTimeout(timer);
        resolve();
      };
      order(opened, { kind: 'stop', deadlineMs });
    });
    this.#opened = undefined;
    opened.port.close();
  }

  /** By itself, if it is still the one in use: the thread has ended. */
  #ended(opened: Opened): void {
    if (this.#opened !== opened) return;
    this.#opened = undefined;
    const reason = 'the thread of SMPP carriers ended';
    this.#goDown(reason);
    this.#lose(reason);
    this.#stopped?.();
    if (this.#isStopping) return;
    this.#beginAgain = setTimeout(() => this.#begin(), this.#backoff.next());
    // Why comes after it, or has come before.
    void opened.ended.then((failure) => {
      if (failure !== undefined && this.#opened === undefined && !this.#isStopping)
        this.#goDown(`${reason}: ${failure}`);
    });
  }

  /** A thread that does not come back to its event loop would be noticed by nobody. */
  #look(now: number): void {
    if (now - this.#heardAt > this.#mostSilentMs)
      this.#opened?.end(`it told nothing for ${this.#mostSilentMs} ms`);
  }

  /** Nobody will tell what became of these. */
  #lose(reason: string): void {
    const lost = this.#parts;
    this.#parts = new Slots();
    for (const part of lost) this.#events?.outcome(part, { kind: 'inDoubt', reason });
  }

  #goDown(reason: string): void {
    this.#status = { ...this.#status, state: 'down', since: this.#options.clock.now(), reason };
  }
}

function order({ port }: Opened, what: CarrierOrder): void {
  port.postMessage(what);
}
