/**
 * The submissions of a session between being written and being answered: each ends in one event.
 *
 *   unwritten ──▶ written ──too long──▶ late ──too long──▶ in doubt
 *       │            └──────answer───────┴──▶ answered
 *       └──▶ taken back, as if it had never been submitted
 *
 * What is late has no place in the window any more.
 */
import type { PduOf } from '../../../wire/smpp/commands.ts';
import { longestAnswerMs, type OutgoingPart } from '../../carrier.ts';
import type { Tally } from './counters.ts';
import { Outstanding, unwritten } from './outstanding.ts';

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

/** Doubts after which a late answer is waited for no longer than after as many. */
const mostDoublings = 3;

interface Late {
  readonly part: OutgoingPart;
  readonly writtenAt: number;
}

export class Submissions {
  readonly #window: number;
  readonly #tally: Tally;
  readonly #events: SubmissionEvents;
  readonly #outstanding: Outstanding<OutgoingPart>;
  /** Few, unless the SMSC has fallen silent: dispatch hands over no more than it has room for. */
  readonly #late = new Map<number, Late>();
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

  get late(): number {
    return this.#late.size;
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
    const late = this.#takeLate(answer.sequence);
    if (late !== undefined) {
      this.#tally.lateAnswers += 1;
      this.#events.answered(late.part, answer, late.writtenAt);
      return;
    }
    const writtenAt = this.#outstanding.writtenAt(answer.sequence);
    const part = writtenAt === unwritten ? undefined : this.#outstanding.take(answer.sequence);
    // It came too late, twice, or for nothing that was asked.
    if (part === undefined) this.#tally.unexpectedAnswers += 1;
    else this.#events.answered(part, answer, writtenAt);
  }

  /** An answer that can't be read. */
  answeredUnreadably(sequence: number, fault: string): void {
    const part = this.#takeLate(sequence)?.part ?? this.#outstanding.take(sequence);
    if (part !== undefined) this.#events.inDoubt(part, `the SMSC’s answer can't be read: ${fault}`);
  }

  /** Those written before then give up their places in the window; answers with how many there were. */
  passOver(then: number): number {
    const late = this.#outstanding.takeOlder(then);
    this.#tally.timeouts += late.length;
    for (const { sequence, item: part, writtenAt } of late) this.#late.set(sequence, { part, writtenAt });
    return late.length;
  }

  /**
   * Gives up those that were late by then and have had their time since: as much again, and twice as much for each time
   * that their message was in doubt before. An SMSC that is always late is not sent more and more. What was written before
   * `then` is `patienceMs` old.
   */
  giveUpLate(then: number, responseTimeoutMs: number, patienceMs = responseTimeoutMs): void {
    const mostLateMs = Math.max(0, longestAnswerMs - patienceMs);
    for (const [sequence, { part, writtenAt }] of this.#late) {
      const lateMs = Math.min(responseTimeoutMs * 2 ** Math.min(part.doubts, mostDoublings), mostLateMs);
      if (writtenAt > then - lateMs) continue;
      this.#late.delete(sequence);
      this.#events.inDoubt(part, noAnswer(responseTimeoutMs + lateMs));
    }
  }

  /** They wait again, as if they had never been submitted. */
  takeBack(): void {
    const kept = this.#outstanding.takeUnwritten();
    this.#unwritten = [];
    if (kept.length > 0) this.#events.unwritten(kept.map(({ item }) => item));
  }

  /** All that the SMSC may have. */
  giveUpWritten(reason: string): void {
    const late = [...this.#late.values()];
    this.#late.clear();
    const written = this.#outstanding.takeOlder(unwritten);
    for (const { part } of late) this.#events.inDoubt(part, reason);
    for (const { item } of written) this.#events.inDoubt(item, reason);
  }

  giveUpAll(reason: string): void {
    this.takeBack();
    this.giveUpWritten(reason);
  }

  #takeLate(sequence: number): Late | undefined {
    if (this.#late.size === 0) return undefined;
    const late = this.#late.get(sequence);
    this.#late.delete(sequence);
    return late;
  }
}

export function noAnswer(withinMs: number): string {
  return `the SMSC did not answer submit_sm within ${withinMs} ms`;
}
