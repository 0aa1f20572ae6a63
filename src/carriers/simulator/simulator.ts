/**
 * A carrier that ends inside the house: for the first steps, for users' tests and for measuring everything before it.
 * The recipient's last two digits choose the end: 01 to 13 end in that status code, all others in DELIVERED.
 */
import type {
  AwaitingPart,
  Carrier,
  CarrierEvents,
  IncomingSms,
  OutgoingPart,
  Receipt,
  StoredSms,
} from '../carrier.ts';
import { DelayLine } from './delay-line.ts';
import { PartRate } from './part-rate.ts';
import type { SimulatorSettings } from './settings.ts';

const sent = 1;
const delivered = 2;
const lastChosen = 13;

/** The status code that an SMS to this number ends in. */
export function endOf(recipient: string): number {
  const chosen = Number(recipient.slice(-2));
  return chosen >= sent && chosen <= lastChosen ? chosen : delivered;
}

/** When receipts could not be stored, they are told again after this time. */
const retryReceiptsMs = 1_000;

export class Simulator implements Carrier {
  readonly id: number;
  readonly name: string;
  readonly inDoubtPolicy = 'retry';
  readonly window: number;
  readonly #receiptDelayMs: number;
  readonly #rate: PartRate;
  readonly #answers: DelayLine<OutgoingPart>;
  readonly #receipts: DelayLine<Receipt>;
  /** Parts that wait for the rate to let them out. */
  readonly #waiting: OutgoingPart[] = [];
  readonly #prefix: string;
  #events: CarrierEvents | undefined;
  #underWay = 0;
  #wasFull = false;
  #nextId = 1;
  #idle: (() => void) | undefined;

  constructor(id: number, name: string, settings: SimulatorSettings, instance: number) {
    this.id = id;
    this.name = name;
    this.window = settings.window;
    this.#receiptDelayMs = settings.receiptDelayMs;
    // Unique over all lives of all nodes, as a real carrier's ids are.
    this.#prefix = `sim-${instance.toString(36)}-`;
    this.#rate = new PartRate(settings.throughput, () => this.#release());
    this.#answers = new DelayLine(settings.submitDelayMs, (parts) => this.#answer(parts));
    this.#receipts = new DelayLine(settings.receiptDelayMs, (receipts) => this.#tell(receipts));
  }

  room(): number {
    const room = this.window - this.#underWay;
    if (room <= 0) this.#wasFull = true;
    return Math.max(0, room);
  }

  async start(events: CarrierEvents): Promise<void> {
    this.#events = events;
  }

  submit(parts: readonly OutgoingPart[]): void {
    this.#underWay += parts.length;
    for (const part of parts) this.#waiting.push(part);
    this.#release();
  }

  async stop(deadlineMs: number): Promise<void> {
    if (this.#underWay > 0) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
        setTimeout(resolve, deadlineMs).unref();
      });
    }
    this.#rate.stop();
    this.#answers.stop();
    this.#receipts.stop();
    const events = this.#events;
    this.#events = undefined;
    for (const part of this.#waiting.splice(0)) {
      events?.outcome(part, { kind: 'retryAt', time: Date.now(), reason: 'the carrier was stopped' });
    }
  }

  /** Tells the ends of parts that a process now gone had taken: each number's end is known from the number. */
  resume(parts: readonly AwaitingPart[]): void {
    for (const { carrierMessageId, recipient } of parts) this.#promise(carrierMessageId, endOf(recipient));
  }

  /** Makes a phone send an SMS to one of our numbers. */
  async originate(sms: IncomingSms): Promise<StoredSms> {
    if (this.#events === undefined) throw new Error(`the simulator ${this.name} is not running`);
    return this.#events.incoming(sms);
  }

  #release(): void {
    const count = Math.min(this.#waiting.length, this.#rate.take(this.#waiting.length));
    if (count > 0) this.#answers.push(...this.#waiting.splice(0, count));
  }

  #answer(parts: readonly OutgoingPart[]): void {
    const events = this.#events;
    if (events === undefined) return;
    this.#underWay -= parts.length;
    for (const part of parts) {
      const carrierMessageId = this.#prefix + (this.#nextId++).toString(36);
      events.outcome(part, { kind: 'accepted', carrierMessageId });
      this.#promise(carrierMessageId, endOf(part.recipient));
    }
    if (this.#wasFull) {
      this.#wasFull = false;
      events.room();
    }
    if (this.#underWay === 0) this.#idle?.();
  }

  /** A number that ends in 01 stays SENT: its receipt never comes. */
  #promise(carrierMessageId: string, status: number): void {
    if (status === sent) return;
    const errorCode = status === delivered ? null : String(status).padStart(3, '0');
    this.#receipts.push({ carrierMessageId, status, errorCode });
  }

  #tell(receipts: readonly Receipt[]): void {
    this.#events?.receipts(receipts).catch(() => {
      setTimeout(() => this.#tell(receipts), Math.max(retryReceiptsMs, this.#receiptDelayMs)).unref();
    });
  }
}
