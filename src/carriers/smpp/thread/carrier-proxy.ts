/**
 * Stands in for an SMPP carrier in the event loop that delivers: the carrier itself runs in a thread of its own.
 *
 *   submit ──parts of a moment──▶ port ──▶ carrier
 *   outcome, receipts, incoming ◀── port ◀──┘
 *
 * A thread that ends unexpectedly is started again; the parts that it had been handed are in doubt.
 */
import { type Clock, timeIn } from '../../../foundation/clock.ts';
import type { SharedLease } from '../../../foundation/shared-lease.ts';
import { Slots } from '../../../foundation/slots.ts';
import { Watchdog } from '../../../foundation/watchdog.ts';
import { receiptIds } from '../../../wire/smpp/message-id.ts';
import { Backoff } from '../../backoff.ts';
import type {
  Carrier,
  CarrierEvents,
  CarrierStatus,
  InDoubtPolicy,
  Outcome,
  OutgoingPart,
  Receipt,
} from '../../carrier.ts';
import { type SmppSettings, smppCapacity } from '../settings.ts';
import {
  type CarrierOrder,
  type CarrierReport,
  type ItemToStore,
  Outbox,
  outcomes,
  type StoreRequest,
  type StoreResult,
  slottedParts,
  type TransferableReceipt,
  transferableReceipts,
} from './protocol.ts';
import type { OpenedCarrier, SmppThread } from './smpp-thread.ts';

/** The pause between the end of a thread and the start of the next. */
const restartMs = 1_000;
const maxRestartMs = 30_000;
const defaultMaxSilentMs = 30_000;
/** How long after the deadline of a stop the carrier may take to report that it has stopped. */
const stopGraceMs = 2_000;

export interface CarrierProxyOptions {
  readonly id: number;
  readonly name: string;
  readonly settings: SmppSettings;
  /** Unique across nodes and restarts. */
  readonly instance: number;
  readonly clock: Clock;
  readonly thread: SmppThread;
  /** Nothing is submitted after the lease has expired. */
  readonly lease: SharedLease;
  /** A carrier reports its status four times a second, so a thread that is silent for longer than this is ended. */
  readonly maxSilentMs?: number;
}

export class CarrierProxy implements Carrier {
  readonly id: number;
  readonly name: string;
  readonly inDoubtPolicy: InDoubtPolicy;
  readonly inDoubtTries: number;
  readonly window: number;
  readonly takesWhole: boolean;
  readonly smsWindow?: number;
  readonly #options: CarrierProxyOptions;
  #events: CarrierEvents | undefined;
  #opened: OpenedCarrier | undefined;
  /** How often the carrier was started in a thread. */
  #lives = 0;
  /** Parts without an outcome. */
  #parts = new Slots<OutgoingPart>();
  #toSubmit: OutgoingPart[] = [];
  /** Results of storing, for the thread that asked for it. */
  #storeResults: StoreResult[] = [];
  readonly #outbox = new Outbox(() => this.#cross());
  #status: CarrierStatus;
  readonly #backoff = new Backoff(restartMs, maxRestartMs);
  readonly #maxSilentMs: number;
  readonly #watchdog: Watchdog;
  #receivedAt = 0;
  #restartTimer: NodeJS.Timeout | undefined;
  #isStopping = false;
  #stopped: (() => void) | undefined;

  constructor(options: CarrierProxyOptions) {
    const { id, name, settings, clock } = options;
    const { window, takesWhole, smsWindow } = smppCapacity(settings);
    this.id = id;
    this.name = name;
    this.inDoubtPolicy = settings.inDoubt;
    this.inDoubtTries = settings.inDoubtTries;
    this.window = window;
    this.takesWhole = takesWhole;
    if (smsWindow !== undefined) this.smsWindow = smsWindow;
    this.#options = options;
    this.#maxSilentMs = options.maxSilentMs ?? defaultMaxSilentMs;
    this.#watchdog = new Watchdog(this.#maxSilentMs, (now) => this.#checkSilence(now));
    this.#status = { state: 'starting', since: clock.now(), reason: null, figures: {} };
  }

  async start(events: CarrierEvents): Promise<void> {
    this.#events = events;
    this.#watchdog.start();
    this.#begin();
  }

  submit(parts: readonly OutgoingPart[]): void {
    for (const part of parts) this.#toSubmit.push(part);
    this.#outbox.add();
  }

  status(): CarrierStatus {
    return this.#status;
  }

  async stop(deadlineMs: number): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#restartTimer);
    this.#watchdog.stop();
    this.#goDown('it was stopped');
    this.#outbox.flush();
    if (this.#opened !== undefined) await this.#stopHosted(this.#opened, deadlineMs);
    // Sends parts that were submitted in this very turn.
    this.#outbox.flush();
    // The thread has ended, or was blocked for so long that waiting is pointless.
    this.#giveUpParts('the carrier was stopped before the SMSC answered');
    this.#events = undefined;
  }

  #begin(): void {
    const { id, name, settings, instance, thread, lease } = this.#options;
    this.#lives += 1;
    const life = this.#lives === 1 ? '' : `.${this.#lives.toString(36)}`;
    const opening = { id, name, settings, instance: `${instance.toString(36)}${life}` };
    const opened = thread.open({ ...opening, lease: lease.memory });
    opened.port.on('message', (news: CarrierReport) => this.#receive(opened, news));
    opened.port.once('close', () => this.#ended(opened));
    this.#receivedAt = performance.now();
    this.#storeResults = [];
    this.#opened = opened;
  }

  #cross(): void {
    const [parts, storeResults, opened] = [this.#toSubmit, this.#storeResults, this.#opened];
    this.#toSubmit = [];
    this.#storeResults = [];
    const takesMore = opened !== undefined && !this.#isStopping;
    if (!takesMore) this.#retryLater(parts);
    const crossing = takesMore ? parts.map((part) => ({ ...part, slot: this.#parts.add(part) })) : [];
    if (opened !== undefined && crossing.length + storeResults.length > 0)
      order(opened, { kind: 'go on', parts: slottedParts.pack(crossing), storeResults });
  }

  #retryLater(parts: readonly OutgoingPart[]): void {
    const time = timeIn(this.#options.clock, this.#isStopping ? 0 : restartMs);
    const reason = this.#status.reason ?? 'the carrier is not there';
    for (const part of parts) this.#events?.outcome(part, { kind: 'retryAt', time, reason });
  }

  #receive(
    opened: OpenedCarrier,
    { outcomes: { slots, outcomes: packed }, toStore, status, hasStopped }: CarrierReport,
  ): void {
    this.#receivedAt = performance.now();
    const settled = outcomes.unpack(packed);
    for (const [index, slot] of slots.entries()) {
      const part = this.#parts.remove(slot);
      if (part !== undefined) this.#events?.outcome(part, settled[index] as Outcome);
    }
    for (const one of toStore) void this.#store(opened, one);
    if (status !== undefined && !this.#isStopping) this.#status = status;
    if (status?.state === 'up') this.#backoff.reset();
    if (hasStopped) this.#stopped?.();
  }

  /** The answer goes only to the thread that asked, because in the next thread the id has another meaning. */
  async #store(opened: OpenedCarrier, { id, what }: StoreRequest): Promise<void> {
    const isStored = await this.#isStored(what);
    if (this.#opened !== opened) return;
    this.#storeResults.push({ id, isStored });
    this.#outbox.add();
  }

  async #isStored(what: ItemToStore): Promise<boolean> {
    const events = this.#events;
    if (events === undefined) return false;
    try {
      switch (what.kind) {
        case 'receipts':
          await events.receipts(
            transferableReceipts.unpack(what.receipts).map((receipt) => this.#toReceipt(receipt)),
          );
          break;
        case 'unreadableReceipt':
          await events.unreadableReceipt(what.receipt);
          break;
        case 'incoming':
          await events.incoming(what.sms);
      }
      return true;
    } catch {
      // The SMSC gets a temporary error, and sends the delivery again (DLV-5).
      return false;
    }
  }

  #toReceipt(receipt: TransferableReceipt): Receipt {
    const { messageId } = this.#options.settings;
    return { ...receipt, otherIds: () => receiptIds(receipt.writtenIds, messageId).otherIds() };
  }

  async #stopHosted(opened: OpenedCarrier, deadlineMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      // If this process itself was blocked, messages that arrived in the meantime are read first.
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

  /** Handles an unexpected end of the thread, if this thread is still in use. */
  #ended(opened: OpenedCarrier): void {
    if (this.#opened !== opened) return;
    this.#opened = undefined;
    const reason = 'the thread of SMPP carriers ended';
    this.#goDown(reason);
    this.#giveUpParts(reason);
    this.#stopped?.();
    if (this.#isStopping) return;
    this.#restartTimer = setTimeout(() => this.#begin(), this.#backoff.next());
    // The reason arrives after the event or has arrived before it.
    void opened.ended.then((failure) => {
      if (failure !== undefined && this.#opened === undefined && !this.#isStopping)
        this.#goDown(`${reason}: ${failure}`);
    });
  }

  /** Ends a thread that no longer returns to its event loop, which would otherwise go unnoticed. */
  #checkSilence(now: number): void {
    if (now - this.#receivedAt > this.#maxSilentMs)
      this.#opened?.end(`it reported nothing for ${this.#maxSilentMs} ms`);
  }

  /** The outcome of these parts will never be known. */
  #giveUpParts(reason: string): void {
    const lost = this.#parts;
    this.#parts = new Slots();
    for (const part of lost) this.#events?.outcome(part, { kind: 'inDoubt', reason });
  }

  #goDown(reason: string): void {
    this.#status = { ...this.#status, state: 'down', since: this.#options.clock.now(), reason };
  }
}

function order({ port }: OpenedCarrier, what: CarrierOrder): void {
  port.postMessage(what);
}
