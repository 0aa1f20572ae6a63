/**
 * The submissions of a session between being written and being answered: each ends in one event.
 *
 *   unwritten ──▶ written ──too long──▶ late ──too long──▶ in doubt
 *       │            └──────answer───────┴──▶ answered
 *       └──▶ taken back, as if it had never been submitted
 *
 * A late submission no longer counts in the window.
 */
import type { PduOf } from '../../../wire/smpp/commands.ts';
import { maxAnswerMs, type OutgoingPart } from '../../carrier.ts';
import type { LinkCounters } from './counters.ts';

/** The SMSC's response to a submission. */
export type SubmitAnswer = PduOf<'submitSmResp'> | PduOf<'genericNack'>;

export interface SubmissionEvents {
  /** The SMSC responded to a part that was written at `writtenAt`. */
  answered(part: OutgoingPart, answer: SubmitAnswer, writtenAt: number): void;
  /** The SMSC may or may not have the part. */
  inDoubt(part: OutgoingPart, reason: string): void;
  /** The SMSC cannot have these parts. */
  unwritten(parts: readonly OutgoingPart[]): void;
}

/** The wait for a late response doubles with each doubt, at most this many times. */
const maxDoublings = 3;

interface Late {
  readonly part: OutgoingPart;
  readonly writtenAt: number;
}

export class Submissions {
  readonly #window: number;
  readonly #counters: LinkCounters;
  readonly #events: SubmissionEvents;
  readonly #outstanding: Outstanding<OutgoingPart>;
  /** Few, unless the SMSC has fallen silent. */
  readonly #late = new Map<number, Late>();
  /** Sequence numbers of submissions that are not written yet. */
  #unwritten: number[] = [];

  constructor(window: number, counters: LinkCounters, events: SubmissionEvents) {
    this.#window = window;
    this.#counters = counters;
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

  /** The next sequence number, for a request of another kind. */
  nextSequence(): number {
    return this.#outstanding.nextSequence();
  }

  /** Adds the part and writes it. When `write` throws, this throws too, and forgets the part. */
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

  /** Everything added so far has been handed to the network. */
  flushed(): void {
    if (this.#unwritten.length === 0) return;
    const now = performance.now();
    for (const sequence of this.#unwritten) this.#outstanding.written(sequence, now);
    this.#unwritten = [];
  }

  answered(answer: SubmitAnswer): void {
    const late = this.#takeLate(answer.sequence);
    if (late !== undefined) {
      this.#counters.lateAnswers += 1;
      this.#events.answered(late.part, answer, late.writtenAt);
      return;
    }
    const writtenAt = this.#outstanding.writtenAt(answer.sequence);
    const part = writtenAt === unwritten ? undefined : this.#outstanding.take(answer.sequence);
    // The response came too late, came twice, or belongs to no request of ours.
    if (part === undefined) this.#counters.unexpectedAnswers += 1;
    else this.#events.answered(part, answer, writtenAt);
  }

  /** Handles a response that can't be read. */
  answeredUnreadably(sequence: number, fault: string): void {
    const part = this.#takeLate(sequence)?.part ?? this.#outstanding.take(sequence);
    if (part !== undefined) this.#events.inDoubt(part, `the SMSC’s answer can't be read: ${fault}`);
  }

  /** Submissions written before `then` no longer count in the window; returns how many there were. */
  markLate(then: number): number {
    const late = this.#outstanding.takeOlder(then);
    this.#counters.timeouts += late.length;
    for (const { sequence, item: part, writtenAt } of late) this.#late.set(sequence, { part, writtenAt });
    return late.length;
  }

  /**
   * Gives up late submissions that have waited long enough: one more time-out, doubled each time that their message was in
   * doubt before, so that an SMSC that is always late does not receive more and more submissions. A submission written
   * before `then` is at least `patienceMs` old.
   */
  giveUpLate(then: number, responseTimeoutMs: number, patienceMs = responseTimeoutMs): void {
    const maxLateMs = Math.max(0, maxAnswerMs - patienceMs);
    for (const [sequence, { part, writtenAt }] of this.#late) {
      const lateMs = Math.min(responseTimeoutMs * 2 ** Math.min(part.doubts, maxDoublings), maxLateMs);
      if (writtenAt > then - lateMs) continue;
      this.#late.delete(sequence);
      this.#events.inDoubt(part, noAnswer(responseTimeoutMs + lateMs));
    }
  }

  /** Unwritten submissions wait again, as if they had never been submitted. */
  takeBack(): void {
    const kept = this.#outstanding.takeUnwritten();
    this.#unwritten = [];
    if (kept.length > 0) this.#events.unwritten(kept.map(({ item }) => item));
  }

  /** Gives up everything that the SMSC may have. */
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

/** Sequence numbers go from 1 to this (SMPP 3.4, section 3.2). */
export const lastSequence = 0x7fffffff;

/** The `writtenAt` of a request that is not written yet. */
const unwritten = Number.POSITIVE_INFINITY;

interface Unanswered<Item> {
  readonly sequence: number;
  readonly item: Item;
  /** A time of `performance.now()`, or `unwritten`. */
  readonly writtenAt: number;
}

/**
 * The requests of a connection that have no response yet, found by sequence number (SMPP 3.4, sections 2.7.1 and 3.2).
 * They are kept in a ring by the low bits of their number, because thousands come and go each second, and a Map that
 * changes that often keeps its former contents alive (see `foundation/slots.ts`). A number whose place is still taken
 * by an older unanswered request is skipped; numbers must rise but need not be consecutive.
 */
export class Outstanding<Item> {
  readonly #mask: number;
  readonly #items: (Item | undefined)[];
  readonly #sequences: Int32Array;
  /** By `performance.now()`. */
  readonly #writtenAt: Float64Array;
  #size = 0;
  #next: number;

  constructor(most: number, firstSequence = 1) {
    // Twice the room, so that few numbers are skipped.
    const places = 2 ** Math.ceil(Math.log2(most * 2 + 2));
    this.#mask = places - 1;
    this.#items = new Array(places).fill(undefined);
    this.#sequences = new Int32Array(places);
    this.#writtenAt = new Float64Array(places);
    this.#next = firstSequence;
  }

  get size(): number {
    return this.#size;
  }

  /** The next number, for a request that is kept elsewhere. */
  nextSequence(): number {
    const sequence = this.#next;
    this.#next = sequence === lastSequence ? 1 : sequence + 1;
    return sequence;
  }

  /** Returns the request's number. With more than `max` at once, the search for a place would not end. */
  add(item: Item): number {
    let sequence = this.nextSequence();
    while (this.#items[sequence & this.#mask] !== undefined) sequence = this.nextSequence();
    const place = sequence & this.#mask;
    this.#items[place] = item;
    this.#sequences[place] = sequence;
    this.#writtenAt[place] = unwritten;
    this.#size += 1;
    return sequence;
  }

  written(sequence: number, now: number): void {
    this.#writtenAt[sequence & this.#mask] = now;
  }

  writtenAt(sequence: number): number {
    return this.#writtenAt[sequence & this.#mask] as number;
  }

  /** The request with this number; undefined when there is none or it has been answered already. */
  take(sequence: number): Item | undefined {
    const place = sequence & this.#mask;
    const item = this.#items[place];
    if (item === undefined || this.#sequences[place] !== sequence) return undefined;
    this.#items[place] = undefined;
    this.#size -= 1;
    return item;
  }

  /** Takes the requests written before `then`. */
  takeOlder(then: number): readonly Unanswered<Item>[] {
    return this.#takeWhere((place) => (this.#writtenAt[place] as number) < then);
  }

  /** Takes the requests that were never written. */
  takeUnwritten(): readonly Unanswered<Item>[] {
    return this.#takeWhere((place) => this.#writtenAt[place] === unwritten);
  }

  takeAll(): readonly Unanswered<Item>[] {
    return this.#takeWhere(() => true);
  }

  /** In the order of their numbers, except where the numbers wrap around. */
  #takeWhere(isMeant: (place: number) => boolean): readonly Unanswered<Item>[] {
    if (this.#size === 0) return [];
    const taken: Unanswered<Item>[] = [];
    for (let place = 0; place <= this.#mask; place++) {
      if (this.#items[place] === undefined || !isMeant(place)) continue;
      const sequence = this.#sequences[place] as number;
      const writtenAt = this.#writtenAt[place] as number;
      taken.push({ sequence, item: this.take(sequence) as Item, writtenAt });
    }
    return taken.sort((a, b) => a.sequence - b.sequence);
  }
}
