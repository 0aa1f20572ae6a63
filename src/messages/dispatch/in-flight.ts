/**
 * Tracks a message between its claim and the carrier's last response; the outcomes of its parts decide what happens to it.
 */
import type { Carrier, Outcome, OutgoingPart } from '../../carriers/carrier.ts';
import { readReason, storedReason } from '../../foundation/sentences.ts';
import { segment } from '../../wire/sms/segments.ts';
import type { Claimed } from '../handover.ts';
import { maxRetryMs, receiptGraceMs, stage, status } from '../message.ts';
import type { Advance, TakenPart } from '../outcome.ts';
import { unpackHeader } from '../part-header.ts';

export interface SettledMessage {
  readonly advance: Advance;
  /** Parts that the carrier took in this attempt. */
  readonly taken: readonly TakenPart[];
  /** True when the carrier passes the message on and, as far as this claim knows, has taken none of it. */
  readonly mayPassOn: boolean;
}

/** The carrier's policy for messages in doubt. */
export type DoubtRule = Pick<Carrier, 'inDoubtPolicy' | 'inDoubtTries'>;

/** The pause before a message in doubt is sent again; it grows each time. */
const firstDoubtPauseMs = 1_000;
const doubtPauseGrowth = 5;
/** At most this many reasons are recorded per attempt; parts usually share one. */
const maxReasons = 4;

export class InFlightMessage {
  /** SMS parts of the message. */
  readonly parts: number;
  /** The number of this claim of the message. */
  readonly attempts: number;
  readonly #row: Claimed;
  /** Whether a carrier took some of its parts in an earlier claim. */
  readonly #hadPartsTaken: boolean;
  #open: number;
  readonly #taken: TakenPart[] = [];
  #rejected: Extract<Outcome, { kind: 'rejected' }> | undefined;
  #passOn: Extract<Outcome, { kind: 'passOn' }> | undefined;
  #inDoubt: Extract<Outcome, { kind: 'inDoubt' }> | undefined;
  #retry: Extract<Outcome, { kind: 'retryAt' }> | undefined;
  /** Whether the carrier may have a part that is to be tried again there. */
  #mayHaveIt = false;
  #wasGivenBack = false;
  /** How many pieces are handed over: 1 if the message goes in one piece. */
  #pieces = 1;
  /** The parts that were not taken, by reason. */
  #notTaken: Map<string, number[]> | undefined;

  /** `openParts` is the number of parts handed over now; others may have been taken before. */
  constructor(row: Claimed, openParts: number, hadPartsTaken: boolean) {
    this.parts = row.parts;
    this.attempts = row.attempts;
    this.#row = row;
    this.#open = openParts;
    this.#hadPartsTaken = hadPartsTaken;
  }

  /** Records the outcome of one part; returns the outcome of the message once all its parts have one. */
  settle(part: OutgoingPart, outcome: Outcome, rule: DoubtRule, now: number): SettledMessage | undefined {
    if (outcome.kind !== 'accepted') this.#keepReason(part, outcome.reason);
    switch (outcome.kind) {
      case 'accepted': {
        const { companyId, messageId, parts } = part;
        const { carrierMessageId, submittedAt = null } = outcome;
        this.#taken.push({
          companyId,
          messageId,
          part: part.part,
          parts,
          carrierMessageId,
          submittedAt,
          answeredAt: now,
        });
        break;
      }
      case 'rejected':
        this.#rejected ??= outcome;
        break;
      case 'passOn':
        this.#passOn ??= outcome;
        break;
      case 'inDoubt':
        this.#inDoubt ??= outcome;
        break;
      case 'retryAt':
        this.#mayHaveIt ||= outcome.mayHaveIt === true;
        if (this.#retry === undefined || outcome.time > this.#retry.time) this.#retry = outcome;
        break;
      case 'givenBack':
        this.#wasGivenBack = true;
        break;
    }
    this.#open -= 1;
    if (this.#open > 0) return undefined;
    return { advance: this.#advance(rule, now), taken: this.#taken, mayPassOn: this.#mayPassOn() };
  }

  /** A message with a permanently rejected part is not passed on to another carrier. */
  #mayPassOn(): boolean {
    const isUntouched = this.#taken.length === 0 && this.#inDoubt === undefined && !this.#hadPartsTaken;
    return isUntouched && this.#passOn !== undefined && this.#rejected === undefined;
  }

  /** The message gets the worst outcome among its parts: refused, in doubt, retry, given back, taken. */
  #advance(rule: DoubtRule, now: number): Advance {
    const base = baseOf(this.#row);
    const handedOver = this.#taken.length > 0;
    const inDoubt = this.#inDoubt !== undefined;
    const refusal = this.#rejected ?? this.#passOn;
    if (refusal !== undefined) {
      const { status } = refusal;
      return { ...base, status, handedOver: handedOver || inDoubt, inDoubt, reason: this.#reason() };
    }
    if (inDoubt) return this.doubt(rule, now, this.#reason());
    if (this.#retry !== undefined) {
      const again = this.#retryAt(this.#retry.time, now);
      return { ...base, ...again, handedOver: handedOver || this.#mayHaveIt, reason: this.#reason() };
    }
    if (this.#wasGivenBack) {
      return { ...base, status: status.QUEUED, stage: stage.waiting, handedOver, reason: this.#reason() };
    }
    return sentInFlight(this.#row);
  }

  /**
   * The carrier may or may not have the message, so it is sent again at the risk of a duplicate, but only a limited number of
   * times.
   */
  doubt({ inDoubtPolicy, inDoubtTries }: DoubtRule, now: number, reason: string): Advance {
    const doubtful = { ...baseOf(this.#row), handedOver: true, inDoubt: true };
    const tries = this.#row.in_doubt + 1;
    if (inDoubtPolicy === 'retry' && tries < inDoubtTries) {
      const pauseMs = Math.min(maxRetryMs, firstDoubtPauseMs * doubtPauseGrowth ** (tries - 1));
      return { ...doubtful, ...this.#retryAt(now + pauseMs, now), reason };
    }
    const described = tries === 1 ? reason : `${readReason(reason).text}; it was in doubt ${tries} times`;
    return { ...doubtful, status: status.UNKNOWN, reason: described };
  }

  #keepReason({ part, parts }: OutgoingPart, reason: string): void {
    this.#notTaken ??= new Map();
    this.#pieces = parts;
    const alike = this.#notTaken.get(reason);
    if (alike === undefined) this.#notTaken.set(reason, [part]);
    else alike.push(part);
  }

  /** One reason for all parts, or one per group: `part 2: throttled; parts 3, 4: no answer`. */
  #reason(): string {
    const reasons = [...(this.#notTaken ?? [])].sort(([, a], [, b]) => Math.min(...a) - Math.min(...b));
    const [first] = reasons;
    if (first !== undefined && first[1].length === this.#pieces) return first[0];
    const described = reasons.map(([reason, parts]) => `${partList(parts)}: ${readReason(reason).text}`);
    return described.length > maxReasons
      ? [...described.slice(0, maxReasons), '…'].join('; ')
      : described.join('; ');
  }

  /** The retry is due no later than the message's expiry, so that the expiry is noticed at once. */
  #retryAt(time: number, now: number) {
    const dueAt = Math.min(time, now + maxRetryMs, this.#row.expires_at);
    return { status: status.QUEUED, stage: stage.retrying, dueAt };
  }
}

/** Lists parts, such as `part 2` or `parts 1, 3-5`. */
function partList(parts: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const part of [...parts].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last?.[1] === part - 1) last[1] = part;
    else ranges.push([part, part]);
  }
  const written = ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`));
  return `${parts.length === 1 ? 'part' : 'parts'} ${written.join(', ')}`;
}

/** The advance of a message that the carrier has taken completely. */
export function sentInFlight(row: Claimed): Advance {
  // Written field by field for speed, since nearly all messages take this path.
  return {
    companyId: row.company_id,
    id: row.id,
    attempts: row.attempts,
    status: status.SENT,
    stage: stage.awaitingReceipt,
    dueAt: row.expires_at + receiptGraceMs,
    handedOver: true,
    inDoubt: false,
    expiredByTimer: false,
    reason: null,
  };
}

/** The advance of a message that was claimed too late and expires without being handed over. */
export function expiredInFlight(row: Claimed): Advance {
  const reason = storedReason({ sentence: 'validity_over' });
  return { ...baseOf(row), status: status.EXPIRED, expiredByTimer: true, reason };
}

function baseOf(row: Claimed) {
  return {
    companyId: row.company_id,
    id: row.id,
    attempts: row.attempts,
    stage: null,
    dueAt: null,
    handedOver: false,
    inDoubt: false,
    expiredByTimer: false,
    reason: null,
  };
}

/** The parts of a message as its carrier gets them: a single part if the message goes in one piece. */
export function toParts(row: Claimed, inOnePiece = false): readonly OutgoingPart[] {
  const { encoding, parts: cut } = segment(row.text);
  const parts = inOnePiece ? [row.text] : cut;
  const outgoing = parts.map((text, index) => ({
    companyId: row.company_id,
    messageId: row.id,
    part: index + 1,
    parts: parts.length,
    smsParts: inOnePiece ? row.parts : 1,
    reference: row.reference ?? 0,
    recipient: row.recipient,
    sender: row.sender,
    text,
    encoding,
    flash: row.flash === 1,
    expiresAt: row.expires_at,
    doubts: row.in_doubt,
  }));
  const { parts: count, reference } = row;
  if (count > 1 || reference === null) return outgoing;
  const concatenation = unpackHeader(reference);
  return outgoing.map((part) => ({ ...part, concatenation }));
}
