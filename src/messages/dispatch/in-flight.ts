/** A message between its claim and the carrier's last answer: what its parts come to decides where it goes. */
import type { Carrier, Outcome, OutgoingPart } from '../../carriers/carrier.ts';
import { segment } from '../../wire/sms/segments.ts';
import type { Claimed } from '../claimed.ts';
import { longestRetryMs, receiptGraceMs, stage, status } from '../message.ts';
import type { Advance, TakenPart } from '../outcome.ts';

export interface End {
  readonly advance: Advance;
  /** Parts that the carrier took this time. */
  readonly taken: readonly TakenPart[];
  /** The carrier would rather have it go to another, and took nothing of it, as far as this claim knows. */
  readonly mayPassOn: boolean;
}

/** What a carrier's operator wants done about what is in doubt. */
export type DoubtRule = Pick<Carrier, 'inDoubtPolicy' | 'inDoubtTries'>;

/** What is in doubt is sent again after this pause, and after longer ones when it is in doubt again. */
const firstDoubtPauseMs = 1_000;
const doubtPauseGrowth = 5;
/** Told of one attempt; parts mostly share one. */
const mostReasons = 4;

export class InFlightMessage {
  /** SMS parts of the message. */
  readonly parts: number;
  /** Which claim of the message this is. */
  readonly attempts: number;
  readonly #row: Claimed;
  /** A carrier took some of its parts at an earlier claim. */
  readonly #cameWithParts: boolean;
  #open: number;
  readonly #taken: TakenPart[] = [];
  #rejected: Extract<Outcome, { kind: 'rejected' }> | undefined;
  #passOn: Extract<Outcome, { kind: 'passOn' }> | undefined;
  #inDoubt: Extract<Outcome, { kind: 'inDoubt' }> | undefined;
  #retry: Extract<Outcome, { kind: 'retryAt' }> | undefined;
  #wasGivenBack = false;
  /** The parts as they are handed over: one where it goes in one piece. */
  #cutInto = 1;
  /** Those that were not taken, by the reason. */
  #notTaken: Map<string, number[]> | undefined;

  /** `openParts` is the number of parts now handed over; others may have been taken before. */
  constructor(row: Claimed, openParts: number, cameWithParts: boolean) {
    this.parts = row.parts;
    this.attempts = row.attempts;
    this.#row = row;
    this.#open = openParts;
    this.#cameWithParts = cameWithParts;
  }

  /** Takes one part's outcome; answers with the message's, once all its parts have theirs. */
  settle(part: OutgoingPart, outcome: Outcome, rule: DoubtRule, now: number): End | undefined {
    if (outcome.kind !== 'accepted') this.#keepReason(part, outcome.reason);
    switch (outcome.kind) {
      case 'accepted': {
        const { companyId, messageId, parts } = part;
        const { carrierMessageId, submittedAt = null } = outcome;
        const answer = { carrierMessageId, submittedAt, answeredAt: now };
        this.#taken.push({ companyId, messageId, part: part.part, parts, ...answer });
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

  /** For good is for good: a part that is refused everywhere keeps the message from trying elsewhere. */
  #mayPassOn(): boolean {
    const isUntouched = this.#taken.length === 0 && this.#inDoubt === undefined && !this.#cameWithParts;
    return isUntouched && this.#passOn !== undefined && this.#rejected === undefined;
  }

  /** The worst outcome of a part is the message's: refused, in doubt, to be retried, given back, taken. */
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
      return { ...base, ...this.#retryAt(this.#retry.time, now), handedOver, reason: this.#reason() };
    }
    if (this.#wasGivenBack) {
      return { ...base, status: status.QUEUED, stage: stage.waiting, handedOver, reason: this.#reason() };
    }
    return sentInFlight(this.#row);
  }

  /** The carrier may have it or not: sent again at the risk of two, but not for ever. */
  doubt({ inDoubtPolicy, inDoubtTries }: DoubtRule, now: number, reason: string): Advance {
    const doubtful = { ...baseOf(this.#row), handedOver: true, inDoubt: true };
    const tries = this.#row.in_doubt + 1;
    if (inDoubtPolicy === 'retry' && tries < inDoubtTries) {
      const pauseMs = Math.min(longestRetryMs, firstDoubtPauseMs * doubtPauseGrowth ** (tries - 1));
      return { ...doubtful, ...this.#retryAt(now + pauseMs, now), reason };
    }
    const told = tries === 1 ? reason : `${reason}; it was in doubt ${tries} times`;
    return { ...doubtful, status: status.UNKNOWN, reason: told };
  }

  #keepReason({ part, parts }: OutgoingPart, reason: string): void {
    this.#notTaken ??= new Map();
    this.#cutInto = parts;
    const alike = this.#notTaken.get(reason);
    if (alike === undefined) this.#notTaken.set(reason, [part]);
    else alike.push(part);
  }

  /** One for all parts, or which parts it is about: `part 2: throttled; parts 3, 4: no answer`. */
  #reason(): string {
    const reasons = [...(this.#notTaken ?? [])].sort(([, a], [, b]) => Math.min(...a) - Math.min(...b));
    const [first] = reasons;
    if (first !== undefined && first[1].length === this.#cutInto) return first[0];
    const told = reasons.map(([reason, parts]) => `${partList(parts)}: ${reason}`);
    return told.length > mostReasons ? [...told.slice(0, mostReasons), '…'].join('; ') : told.join('; ');
  }

  /** Not later than its expiry, which is then noticed at once. */
  #retryAt(time: number, now: number) {
    const dueAt = Math.min(time, now + longestRetryMs, this.#row.expires_at);
    return { status: status.QUEUED, stage: stage.retrying, dueAt };
  }
}

/** `part 2`, or `parts 1, 3-5`. */
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

/** A message that the carrier has, all of it. */
export function sentInFlight(row: Claimed): Advance {
  // Field by field, since nearly all messages end here.
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

/** A message that was claimed too late: it ends without having been handed over. */
export function expiredInFlight(row: Claimed): Advance {
  const reason = 'no carrier took it within its validity';
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

/** The parts of a message as its carrier gets them, or as one where it goes in one piece. */
export function toParts(row: Claimed, inOnePiece = false): readonly OutgoingPart[] {
  const { encoding, parts: cut } = segment(row.text);
  const parts = inOnePiece ? [row.text] : cut;
  return parts.map((text, index) => ({
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
}
