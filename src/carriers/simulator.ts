/**
 * A carrier that sends nothing anywhere: for first steps, for users' tests, and for measurements of everything but the
 * carrier. The recipient's last two digits choose the final status: 01 to 13 are status codes, all others mean DELIVERED.
 */

import { type Static, Type } from 'typebox';
import type { Clock } from '../foundation/clock.ts';
import { inEnglish, storedReason } from '../foundation/sentences.ts';
import { receiptText } from '../wire/smpp/receipt-text.ts';
import {
  type AwaitingPart,
  type Carrier,
  type CarrierEvents,
  type CarrierStatus,
  defaultInDoubtTries,
  type IncomingSms,
  type OutgoingPart,
  type Receipt,
  type StoredSms,
} from './carrier.ts';
import { PartRate } from './part-rate.ts';
import { UnderWay } from './under-way.ts';

/** The simulator's settings. */
export const simulatorSettings = Type.Object(
  {
    submitDelayMs: Type.Integer({
      minimum: 0,
      maximum: 60_000,
      default: 0,
      description: 'Milliseconds from a submission to its response.',
    }),
    receiptDelayMs: Type.Integer({
      minimum: 0,
      maximum: 3_600_000,
      default: 500,
      description: 'Milliseconds from the response to the delivery receipt.',
    }),
    window: Type.Integer({
      minimum: 1,
      maximum: 10_000,
      default: 1_000,
      description: 'How many SMS parts may await a response at a time.',
    }),
    throughput: Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      default: 0,
      description: 'SMS parts per second; 0 is no limit.',
    }),
    down: Type.Optional(
      Type.Boolean({
        description: 'Simulates an outage: the carrier takes nothing.',
      }),
    ),
    passOn: Type.Optional(
      Type.Array(Type.String({ pattern: '^[0-9]{1,15}$' }), {
        description: 'Last digits of recipients that it passes on to another carrier.',
      }),
    ),
  },
  { additionalProperties: false },
);

export type SimulatorSettings = Static<typeof simulatorSettings>;

const sent = 1;
const delivered = 2;
const rejected = 5;
const lastChosenStatus = 13;

/** The final status code of an SMS to this number. */
export function finalStatusOf(recipient: string): number {
  const chosen = Number(recipient.slice(-2));
  return chosen >= sent && chosen <= lastChosenStatus ? chosen : delivered;
}

/** A receipt's word for a status; all other statuses read as undeliverable. */
const stats: Readonly<Record<number, string>> = {
  2: 'DELIVRD',
  3: 'DELETED',
  4: 'EXPIRED',
  5: 'REJECTD',
  7: 'ACCEPTD',
  12: 'UNKNOWN',
};

/** Receipts that could not be stored are delivered again after this time. */
const retryReceiptsMs = 1_000;

/** A carrier with a part rate takes no more in advance than it sends in this time. */
const aheadMs = 500;

export class Simulator implements Carrier {
  readonly id: number;
  readonly name: string;
  readonly isSimulator = true;
  readonly inDoubtPolicy = 'retry';
  readonly inDoubtTries = defaultInDoubtTries;
  readonly window: number;
  readonly #rate: PartRate;
  readonly #answers: DelayLine<OutgoingPart>;
  readonly #receipts: DelayLine<Receipt>;
  /** Parts held back by the window and the rate. */
  readonly #waiting: OutgoingPart[] = [];
  readonly #prefix: string;
  readonly #clock: Clock;
  readonly #settings: SimulatorSettings;
  #events: CarrierEvents | undefined;
  /** Parts that are submitted and have no response yet. */
  readonly #underWay = new UnderWay();
  #status: CarrierStatus;
  #isStopping = false;
  #nextId = 1;

  constructor(id: number, name: string, settings: SimulatorSettings, instance: number, clock: Clock) {
    this.#clock = clock;
    this.id = id;
    this.name = name;
    this.#settings = settings;
    this.window = windowOf(settings);
    this.#status = { state: 'starting', since: clock.now(), reason: null, figures: {} };
    // Unique across nodes and restarts, as a real carrier's ids are.
    this.#prefix = `sim-${instance.toString(36)}-`;
    this.#rate = new PartRate(settings.throughput, () => this.#release());
    this.#answers = new DelayLine(settings.submitDelayMs, (parts) => this.#answer(parts));
    this.#receipts = new DelayLine(settings.receiptDelayMs, (receipts) => this.#deliverReceipts(receipts));
  }

  async start(events: CarrierEvents): Promise<void> {
    this.#events = events;
    const since = this.#clock.now();
    this.#status = this.#settings.down
      ? { state: 'down', since, reason: inEnglish({ sentence: 'carrier_set_down' }), figures: {} }
      : { state: 'up', since, reason: null, figures: {} };
  }

  status(): CarrierStatus {
    return this.#status;
  }

  submit(parts: readonly OutgoingPart[]): void {
    for (const part of parts) this.#waiting.push(part);
    if (this.#isStopping || this.#status.state === 'down') this.#giveBackWaiting();
    else this.#release();
  }

  async stop(deadlineMs: number): Promise<void> {
    this.#isStopping = true;
    this.#status = {
      state: 'down',
      since: this.#clock.now(),
      reason: inEnglish({ sentence: 'carrier_stopped' }),
      figures: {},
    };
    this.#rate.stop();
    this.#giveBackWaiting();
    await this.#underWay.ended(deadlineMs);
    for (const part of this.#answers.stop()) {
      this.#events?.outcome(part, {
        kind: 'inDoubt',
        reason: storedReason({ sentence: 'carrier_stopped_early' }),
      });
    }
    this.#receipts.stop();
    this.#events = undefined;
  }

  /** Delivers receipts for parts that an earlier process took, because the number itself determines the final status. */
  resume(parts: readonly AwaitingPart[]): void {
    for (const { carrierMessageId, recipient } of parts)
      this.#scheduleReceipt(carrierMessageId, finalStatusOf(recipient));
  }

  /** Makes a phone send an SMS to one of our numbers. */
  async originate(sms: IncomingSms): Promise<StoredSms> {
    if (this.#events === undefined) throw new Error(`the simulator ${this.name} is not running`);
    return this.#events.incoming(sms);
  }

  #release(): void {
    for (;;) {
      const wanted = Math.min(this.#waiting.length, this.window - this.#underWay.count);
      const parts = wanted <= 0 ? [] : this.#waiting.splice(0, this.#rate.take(wanted));
      if (parts.length === 0) return;
      const now = this.#clock.now();
      const late = parts.filter(({ expiresAt }) => expiresAt <= now);
      const inTime = late.length === 0 ? parts : parts.filter(({ expiresAt }) => expiresAt > now);
      this.#underWay.add(inTime.length);
      if (inTime.length > 0) this.#answers.push(inTime);
      for (const part of late) this.#giveBack(part, 'its validity ended while it waited for the carrier');
    }
  }

  #answer(parts: readonly OutgoingPart[]): void {
    this.#underWay.add(-parts.length);
    for (const part of parts) {
      if (this.#settings.passOn?.some((digits) => part.recipient.endsWith(digits))) {
        this.#events?.outcome(part, {
          kind: 'passOn',
          status: rejected,
          reason: storedReason({ sentence: 'carrier_passes_on' }),
        });
        continue;
      }
      const carrierMessageId = this.#prefix + (this.#nextId++).toString(36);
      this.#events?.outcome(part, { kind: 'accepted', carrierMessageId });
      this.#scheduleReceipt(carrierMessageId, finalStatusOf(part.recipient));
    }
    this.#release();
  }

  #giveBackWaiting(): void {
    const reason = this.#isStopping ? 'the carrier was stopped' : 'the carrier is down';
    for (const part of this.#waiting.splice(0)) this.#giveBack(part, reason);
  }

  #giveBack(part: OutgoingPart, reason: string): void {
    this.#events?.outcome(part, { kind: 'retryAt', time: this.#clock.now(), reason });
  }

  /** A number that ends in 01 stays SENT, because its receipt never comes. */
  #scheduleReceipt(carrierMessageId: string, status: number): void {
    if (status === sent) return;
    const errorCode = status === delivered ? null : String(status).padStart(3, '0');
    const submittedAt = this.#clock.now();
    const doneAt = submittedAt + this.#settings.receiptDelayMs;
    const text = receiptText({
      id: carrierMessageId,
      delivered: status === delivered ? '001' : '000',
      submittedAt,
      doneAt,
      stat: stats[status] ?? 'UNDELIV',
      err: errorCode ?? '000',
      text: '',
    });
    this.#receipts.push([{ carrierMessageId, status, errorCode, text }]);
  }

  #deliverReceipts(receipts: readonly Receipt[]): void {
    this.#events?.receipts(receipts).catch(() => {
      setTimeout(() => this.#deliverReceipts(receipts), retryReceiptsMs).unref();
    });
  }
}

/**
 * A part waits behind everything that was handed over before it, including bulk, so a carrier with a part rate takes only as
 * much in advance as it needs to send without a pause.
 */
function windowOf({ window, throughput, submitDelayMs }: SimulatorSettings): number {
  if (throughput === 0) return window;
  return Math.min(window, Math.ceil((throughput * (submitDelayMs + aheadMs)) / 1_000));
}

interface Delayed<Thing> {
  readonly at: number;
  readonly things: Thing[];
}

/** Items added within this time are released together. */
const granularityMs = 5;

/** A queue that releases items in order, each a fixed time after it was added, with one timer for all. */
export class DelayLine<Thing> {
  readonly #delayMs: number;
  readonly #out: (things: readonly Thing[]) => void;
  readonly #line: Delayed<Thing>[] = [];
  #timer: NodeJS.Timeout | NodeJS.Immediate | undefined;

  constructor(delayMs: number, out: (things: readonly Thing[]) => void) {
    this.#delayMs = delayMs;
    this.#out = out;
  }

  push(things: readonly Thing[]): void {
    const at = performance.now() + this.#delayMs;
    const last = this.#line.at(-1);
    if (last !== undefined && at - last.at < granularityMs)
      for (const thing of things) last.things.push(thing);
    else this.#line.push({ at, things: [...things] });
    if (this.#timer === undefined) this.#arm();
  }

  /** Releases nothing more, and returns the remaining items in order. */
  stop(): readonly Thing[] {
    if (this.#delayMs === 0) clearImmediate(this.#timer as NodeJS.Immediate);
    else clearTimeout(this.#timer as NodeJS.Timeout);
    this.#timer = undefined;
    return this.#line.splice(0).flatMap(({ things }) => things);
  }

  #arm(): void {
    const next = this.#line[0];
    if (next === undefined) return;
    // Even without a delay, items are released after the event loop's current turn, never within it.
    if (this.#delayMs === 0) this.#timer = setImmediate(() => this.#run());
    else this.#timer = setTimeout(() => this.#run(), Math.max(1, next.at - performance.now()));
  }

  #run(): void {
    this.#timer = undefined;
    const now = performance.now();
    let due = 0;
    while (due < this.#line.length && (this.#line[due] as Delayed<Thing>).at <= now + 1) due += 1;
    for (const { things } of this.#line.splice(0, due)) this.#out(things);
    this.#arm();
  }
}
