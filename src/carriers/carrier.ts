/**
 * The port to the world's networks: whatever takes SMS parts and tells what became of them is a carrier.
 *
 *   dispatch ──submit(parts)──▶ carrier ──outcome(part)──▶ dispatch
 *                                  ├─────receipts──────▶ receipt
 *                                  └─────incoming──────▶ incoming
 */
import type { Encoding } from '../wire/sms/segments.ts';

/**
 * One SMS part on its way out. Parts of one message carry the same message and are told apart by `part`. A long text
 * that its carrier takes in one piece is one part of one.
 */
export interface OutgoingPart {
  readonly companyId: number;
  readonly messageId: number;
  /** From 1 to `parts`. */
  readonly part: number;
  readonly parts: number;
  /** SMS that the network makes of it, in which throughput is counted: 1, but for a long text in one piece. */
  readonly smsParts: number;
  /** Of 16 bits: the same in all parts of a message, another in others to that recipient. */
  readonly reference: number;
  readonly recipient: string;
  readonly sender: string;
  readonly text: string;
  readonly encoding: Encoding;
  readonly flash: boolean;
  /** When the message loses its worth; milliseconds since the epoch. */
  readonly expiresAt: number;
  /** How often the message was in doubt before. */
  readonly doubts: number;
}

/** What a submission comes to. Expected ends are values: a carrier never throws over a message. */
export type Outcome =
  /** `submittedAt`, in milliseconds since the epoch: when it was written to the carrier, where that is known. */
  | { readonly kind: 'accepted'; readonly carrierMessageId: string; readonly submittedAt?: number }
  /** Not now: the carrier is busy or away. Nothing was taken. */
  | { readonly kind: 'retryAt'; readonly time: number; readonly reason: string }
  /** Not offered to the network: the carrier has become too slow for all that it was handed. It waits where it did before. */
  | { readonly kind: 'givenBack'; readonly reason: string }
  /** Never: the carrier refused it for good. */
  | { readonly kind: 'rejected'; readonly status: FailureStatus; readonly reason: string }
  /** Not this carrier, perhaps another: `status` is the end where no other carrier serves the number. */
  | { readonly kind: 'passOn'; readonly status: FailureStatus; readonly reason: string }
  /** No answer: the carrier may have taken it or not. */
  | { readonly kind: 'inDoubt'; readonly reason: string };

/** Final status codes that a refused submission can end in (API: Message status). */
export type FailureStatus = 5 | 6 | 9 | 10 | 11 | 13;

/** What a carrier tells later of a part that it took. */
export interface Receipt {
  /** As the carrier wrote it. */
  readonly carrierMessageId: string;
  /** The form in which the carrier gave it at the submission, where that is known to differ. */
  readonly submittedId?: string | undefined;
  /** Other forms in which it may have done so, the likeliest first: asked for only where no part has the id above. */
  readonly otherIds?: () => readonly string[];
  /** The number that the SMS went to, digits only, where the receipt tells it. */
  readonly recipient?: string | undefined;
  /** A status code from 1 to 13 (API: Message status). */
  readonly status: number;
  /** The carrier's own code for the reason, as it came. */
  readonly errorCode: string | null;
}

/** A receipt by all signs, which does not say of which part it is, or what became of that. The operator gets to see it. */
export interface UnreadableReceipt {
  /** What it does say; beyond 1,000 characters it is cut. */
  readonly text: string;
  readonly carrierMessageId?: string;
  readonly recipient?: string;
}

/** An SMS from a phone. */
export interface IncomingSms {
  readonly sender: string;
  readonly recipient: string;
  /** Of a part, as it came: where an escape of GSM-7 was parted from its code, it ends in U+001B. */
  readonly text: string;
  /** Absent: it is whole. Else this is one part of it (3GPP TS 23.040 9.2.3.24.1). */
  readonly concatenation?: Concatenation;
}

export interface Concatenation {
  /** The same in all parts of an SMS; unique per sender and recipient for a while only. */
  readonly reference: number;
  /** From 1 to `parts`. */
  readonly part: number;
  readonly parts: number;
}

/** An incoming SMS, or the part of one, that is durable now. */
export interface StoredSms {
  readonly id: string;
  /** Whether it belongs to somebody; else the operator finds it among the unrouted. */
  readonly routed: boolean;
  /** Nobody sees it yet: other parts of it are still to come. */
  readonly awaitsParts?: true;
}

/** A part that the carrier took before a restart and whose receipt has not come. */
export interface AwaitingPart {
  readonly carrierMessageId: string;
  readonly recipient: string;
}

export interface CarrierEvents {
  /** Exactly once for each part submitted. */
  outcome(part: OutgoingPart, outcome: Outcome): void;
  /** Resolves when the receipts are stored; the carrier tells its peer so only then, and tries again if it rejects. */
  receipts(receipts: readonly Receipt[]): Promise<void>;
  /** Resolves when it is stored, as above. */
  unreadableReceipt(receipt: UnreadableReceipt): Promise<void>;
  /** Resolves when the SMS is stored, as above. */
  incoming(message: IncomingSms): Promise<StoredSms>;
}

/** Where nobody has said how often a message may be in doubt. */
export const usualDoubtTries = 3;

/** What to do with a part in doubt: send it again and risk two, or give it up and risk none. */
export type InDoubtPolicy = 'retry' | 'fail';

/** What an operator wants to know of a carrier at one node. */
export interface CarrierStatus {
  /** Only what is up takes messages now; `starting` has not been up yet and has not failed either. */
  readonly state: 'up' | 'starting' | 'down';
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** A sentence: why it is down, or what slows it; null: nothing is wrong. */
  readonly reason: string | null;
  /** Figures by name, such as binds that are up and parts in the window. */
  readonly figures: Readonly<Record<string, number>>;
}

/**
 * For so long at the most a carrier waits for an answer that is late, counted from the submission: receipts wait no longer
 * for answers to come. Only what a carrier is set to count as in time may take longer.
 */
export const longestAnswerMs = 240_000;

export interface Carrier {
  readonly id: number;
  readonly name: string;
  readonly inDoubtPolicy: InDoubtPolicy;
  /** A message that was in doubt so often is given up by the policy `retry` too. */
  readonly inDoubtTries: number;
  /**
   * Parts that may be out and not yet answered, at the most. Dispatch counts by it what is still to be handed over, so
   * a carrier with a part rate has no more than it sends in about a second: whoever comes next waits behind that.
   */
  readonly window: number;
  /** It takes a long text in one piece, with one id, and the network cuts it: its window is one of messages. */
  readonly takesWhole?: boolean;
  /** Of one that takes long texts whole and has a part rate: how many SMS it sends in about a second. */
  readonly smsWindow?: number;
  /**
   * Hands parts over. More than the window wait inside and go out as answers come. What is beyond twice the window may
   * be given back when it can't go out soon.
   */
  submit(parts: readonly OutgoingPart[]): void;
  /** Cheap: asked for each message that is routed. */
  status(): CarrierStatus;
  start(events: CarrierEvents): Promise<void>;
  /** Waits until what was submitted has its outcome, at most until the deadline (then: in doubt), and lets go. */
  stop(deadlineMs: number): Promise<void>;
  /**
   * For a carrier that can be asked what became of parts that it took in an earlier life of this process: it will
   * tell by receipts. Most carriers keep receipts themselves and lack this.
   */
  resume?(parts: readonly AwaitingPart[]): void;
}
