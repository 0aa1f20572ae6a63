/** The submissions of a session between being written and being answered: each ends in one event. */
import type { PduOf } from '../../wire/smpp/pdu.ts';
import type { OutgoingPart } from '../carrier.ts';
import { Outstanding, unwritten } from './outstanding.ts';
import type { Tally } from './tally.ts';

/** What the SMSC makes of a submission. */
export type Answer = PduOf<'submitSmResp'> | PduOf<'genericNack'>;

export interface SubmissionEvents {
  /** The SMSC's answer to what was written then. */
  answered(part: OutgoingPart, answer: Answer, writtenAt: number): void;
  /** The SMSC has it, or not. */
  inDoubt(part: OutgoingPart, reason: string): void;
  /** The SMSC can't have these. */
  unwritten(parts: readonly OutgoingPart[]): void;
}

export class Submissions {
  readonly #window: number;
  readonly #tally: Tally;
  readonly #events: SubmissionEvents;
  readonly #outstanding: Outstanding<OutgoingPart>;
  /** Numbers of those that wait to be written. */
  #unwritten: number[] = [];

  constructor(window: number, tally: Tally, events: SubmissionEvents) {
    this.#window = window;
    this.#tally = tally;
    this.#events = events;
    this.#outstanding = new Outstanding(window);
  }

  get size(): number {
    return this.#outstanding.size;
  }

  get room(): number {
    return Math.max(0, this.#window - this.#outstanding.size);
  }

  /** A number for a request of another kind. */
  draw(): number {
    return this.#outstanding.draw();
  }

  /** Puts it on its way to being written; what `write` throws, it throws, and knows nothing of the part. */
  add(part: OutgoingPart, write: (sequence: number) => void): void {
    const sequence = this.#outstanding.add(part);
    try {
      write(sequence);
      this.#unwritten.push(sequence);
    } catch (error) {
      this.#outstanding.take(sequence);
      throw error;
    }
  }

  /** All that was added so far is with the network. */
  flushed(): void {
    if (this.#unwritten.length === 0) return;
    const now = performance.now();
    for (const sequence of this.#unwritten) this.#outstanding.written(sequence, now);
    this.#unwritten = [];
  }

  answered(answer: Answer): void {
    const writtenAt = this.#outstanding.writtenAt(answer.sequence);
    const part = writtenAt === unwritten ? undefined : this.#outstanding.take(answer.sequence);
    // It came too late, twice, or for nothing that was asked.
    if (part === undefined) this.#tally.unexpectedAnswers += 1;
    else this.#events.answered(part, answer, writtenAt);
  }

  /** An answer that can't be read. */
  answeredUnreadably(sequence: number, fault: string): void {
    const part = this.#outstanding.take(sequence);
    if (part !== undefined) this.#events.inDoubt(part, `the SMSC’s answer can't be read: ${fault}`);
  }

  /** Gives up those written before then; answers with how many there were. */
  giveUpOlder(then: number, reason: string): number {
    const late = this.#outstanding.takeOlder(then);
    this.#tally.timeouts += late.length;
    for (const { item } of late) this.#events.inDoubt(item, reason);
    return late.length;
  }

  giveUpAll(reason: string): void {
    const kept = this.#outstanding.takeUnwritten();
    this.#unwritten = [];
    if (kept.length > 0) this.#events.unwritten(kept.map(({ item }) => item));
    for (const { item } of this.#outstanding.takeAll()) this.#events.inDoubt(item, reason);
  }
}
