/**
 * The port to the world's networks: anything that takes SMS parts and reports what became of them is a carrier.
 *
 *   dispatch ──submit(parts)──▶ carrier ──outcome(part)──▶ dispatch
 *                                  ├─────receipts──────▶ receipt
 *                                  └─────incoming──────▶ incoming
 */
import { type Sentence, shownReason } from '../foundation/sentences.ts';
import type { Encoding } from '../wire/sms/segments.ts';

/**
 * One SMS part on its way out. Parts of one message have the same `messageId` and are told apart by `part`. A long text
 * that its carrier takes in one piece is part 1 of 1.
 */
export interface OutgoingPart {
  readonly companyId: number;
  readonly messageId: number;
  /** From 1 to `parts`. */
  readonly part: number;
  readonly parts: number;
  /**
   * How many SMS the network makes of the part; throughput counts these. More than 1 only for a long text in one piece.
   */
  readonly smsParts: number;
  /** 16 bits: the same in all parts of a message, different in other messages to the same recipient. */
  readonly reference: number;
  /**
   * Present if the whole message is a part of a text that its sender has split. A carrier that can write a header writes
   * this one.
   */
  readonly concatenation?: Concatenation;
  readonly recipient: string;
  readonly sender: string;
  readonly text: string;
  readonly encoding: Encoding;
  readonly flash: boolean;
  /** When the message is no longer worth sending; milliseconds since the epoch. */
  readonly expiresAt: number;
  /** How many times the message has been in doubt. */
  readonly doubts: number;
}

/** The result of a submission. Expected results are values: a carrier never throws because of a message. */
export type Outcome = Judged & {
  /** For an operator who tries the carrier: what was said, without secrets, and bounded. */
  readonly conversation?: string;
};

type Judged =
  /** `submittedAt`: when the part was written to the carrier, if known; milliseconds since the epoch. */
  | { readonly kind: 'accepted'; readonly carrierMessageId: string; readonly submittedAt?: number }
  /** Not now: the carrier is busy or unreachable. It took nothing, unless `mayHaveIt`. */
  | {
      readonly kind: 'retryAt';
      readonly time: number;
      readonly reason: string;
      /** It may have it after all, and takes it only once: no other carrier may get it. */
      readonly mayHaveIt?: true;
    }
  /** Never offered to the network, because the carrier became too slow. The part goes back to where it waited before. */
  | { readonly kind: 'givenBack'; readonly reason: string }
  /** The carrier refused it permanently. */
  | { readonly kind: 'rejected'; readonly status: FailureStatus; readonly reason: string }
  /** Another carrier may take it; `status` is the final status when no other carrier serves the number. */
  | { readonly kind: 'passOn'; readonly status: FailureStatus; readonly reason: string }
  /** There was no response, so the carrier may or may not have taken it. */
  | { readonly kind: 'inDoubt'; readonly reason: string };

/** Final statuses that a refused submission can end in, by the names that operators use (API: Message status). */
export const refusalStatuses = {
  REJECTED: 5,
  UNDELIVERABLE: 6,
  UNKNOWNSUBSCRIBER: 9,
  INVALIDDESTINATION: 10,
  SUBSCRIBERERROR: 11,
  ERROR: 13,
} as const;

export type FailureStatus = (typeof refusalStatuses)[keyof typeof refusalStatuses];

/** What a carrier reports later about a part that it took. */
export interface Receipt {
  /** The id as the carrier wrote it. */
  readonly carrierMessageId: string;
  /** The form in which the carrier gave the id at the submission, if that is known to differ. */
  readonly submittedId?: string | undefined;
  /**
   * Other forms in which the carrier may have given the id, likeliest first. Called only when no part has the id above.
   */
  readonly otherIds?: () => readonly string[];
  /** The number that the SMS went to, digits only, if the receipt contains it. */
  readonly recipient?: string | undefined;
  /** A status code from 1 to 13 (API: Message status). */
  readonly status: number;
  /** The carrier's own code for the reason, unchanged. */
  readonly errorCode: string | null;
  /** The text of the receipt itself, unchanged, for people to read; its length is bounded. */
  readonly text?: string | undefined;
}

/**
 * A PDU that is clearly a receipt but doesn't say which part it is for or what became of that part. It is shown to the
 * operator.
 */
export interface UnreadableReceipt {
  /** The text that the PDU contains, cut after 1,000 characters. */
  readonly text: string;
  readonly carrierMessageId?: string;
  readonly recipient?: string;
}

/** An SMS from a phone. */
export interface IncomingSms {
  readonly sender: string;
  readonly recipient: string;
  /** A part’s text, unchanged: it ends in U+001B when a GSM-7 escape was separated from its code. */
  readonly text: string;
  /** Absent when the SMS is whole; otherwise this is one part of it (3GPP TS 23.040, section 9.2.3.24.1). */
  readonly concatenation?: Concatenation;
}

export interface Concatenation {
  /** The same in all parts of an SMS; unique per sender and recipient for a while only. */
  readonly reference: number;
  /** From 1 to `parts`. */
  readonly part: number;
  readonly parts: number;
}

/** An incoming SMS, or a part of one, that is now stored durably. */
export interface StoredSms {
  readonly id: string;
  /** Whether the SMS belongs to a company; if not, the operator finds it among the unrouted messages. */
  readonly routed: boolean;
  /** Not visible yet, because other parts are still to come. */
  readonly awaitsParts?: true;
}

/** A part that the carrier took before a restart and that still waits for its receipt. */
export interface AwaitingPart {
  readonly carrierMessageId: string;
  readonly recipient: string;
}

export interface CarrierEvents {
  /** Called exactly once for each submitted part. */
  outcome(part: OutgoingPart, outcome: Outcome): void;
  /**
   * Resolves when the receipts are stored; only then does the carrier acknowledge them. If it rejects, the carrier tries
   * again.
   */
  receipts(receipts: readonly Receipt[]): Promise<void>;
  /** Resolves when it is stored, as above. */
  unreadableReceipt(receipt: UnreadableReceipt): Promise<void>;
  /** Resolves when the SMS is stored, as above. */
  incoming(message: IncomingSms): Promise<StoredSms>;
}

/** How often a message may be in doubt, unless the carrier’s settings say otherwise. */
export const defaultInDoubtTries = 3;

/** How to handle a part in doubt: send it again and risk a duplicate, or give it up and risk a loss. */
export type InDoubtPolicy = 'retry' | 'fail';

/** The state of a carrier at one node, for the operator. */
export interface CarrierStatus {
  /** Only a carrier that is `up` takes messages; a carrier that is `starting` has neither been up nor failed yet. */
  readonly state: 'up' | 'starting' | 'down';
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** A sentence that says why the carrier is down or what slows it down; null when nothing is wrong. */
  readonly reason: string | null;
  /** Figures by name, such as binds that are up and parts in the window. */
  readonly figures: Readonly<Record<string, number>>;
  /** The fault in the latest of the `damagedPdus` counted in the figures: a sentence for the log. */
  readonly damage?: string;
  /** It is up only to be tried again with one message, after it was down. */
  readonly isTrying?: true;
}

/**
 * The longest that a carrier waits for a late response, counted from the submission; receipts do not wait longer for pending
 * responses. Only a carrier's configured response time-out may be longer.
 */
export const maxAnswerMs = 240_000;

export interface Carrier {
  readonly id: number;
  readonly name: string;
  /** Absent for a real carrier. */
  readonly isSimulator?: boolean;
  readonly inDoubtPolicy: InDoubtPolicy;
  /** After a message has been in doubt this often, the policy `retry` gives it up too. */
  readonly inDoubtTries: number;
  /**
   * The maximum number of submitted parts without a response. Dispatch hands over no more than this, so a carrier with a part
   * rate sets it to what it sends in about a second, because all later parts wait behind these.
   */
  readonly window: number;
  /**
   * Whether the carrier takes a long text in one piece, under one id, and lets the network split it; the window then
   * counts messages.
   */
  readonly takesWhole?: boolean;
  /** For a carrier that takes long texts whole and has a part rate: how many SMS it sends in about a second. */
  readonly smsWindow?: number;
  /**
   * Hands parts over. Those beyond the window wait inside and go out as responses arrive. Those beyond twice the window may
   * be given back when they can't go out soon.
   */
  submit(parts: readonly OutgoingPart[]): void;
  /** Cheap, because it is called for each message that is routed. */
  status(): CarrierStatus;
  start(events: CarrierEvents): Promise<void>;
  /** Waits for the outcomes of submitted parts, then closes. Parts without an outcome at the deadline are in doubt. */
  stop(deadlineMs: number): Promise<void>;
  /**
   * For a carrier that can be asked about parts that it took before this process was restarted; it answers with
   * receipts. Most carriers keep receipts themselves and lack this function.
   */
  resume?(parts: readonly AwaitingPart[]): void;
}

const cantBeReached = "can't be reached";

/** Says at which address a carrier can't be reached, for its operator only; `why` often repeats the address. */
export function unreachable(address: string, why: string): string {
  return `${address} ${cantBeReached}: ${why}`;
}

/** The reason for a carrier's state, for people who must not learn where the carrier is. */
export function withoutAddress(reason: string): string {
  const at = reason.indexOf(` ${cantBeReached}: `);
  if (at === -1) return reason;
  return `${reason.slice(0, reason.lastIndexOf(' ', at - 1) + 1)}it ${cantBeReached}`;
}

/** The same with its values. What carriers say of themselves is in English, and known by its text. */
export function stateReason(reason: string | null): { reason?: string; reasonValues?: Sentence | undefined } {
  if (reason === null) return {};
  const text = withoutAddress(reason);
  return text === reason
    ? shownReason(reason)
    : { reason: text, reasonValues: { sentence: 'carrier_unreachable' } };
}
