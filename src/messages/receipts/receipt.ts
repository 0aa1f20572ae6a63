/**
 * A receipt as the store takes it, and how the part of a message that it reports on is found. Each step handles the receipts
 * for which the previous step found no part:
 *
 *   exact id ─▶ other forms ──▶ parked ──15 min──▶ unmatched, for the operator
 *                    ▲            │
 *                    └────────────┴── an answer with its id is stored, or its turn comes
 *
 * - The exact id is the id at submission if the carrier's rule yields it, otherwise the id as written. If the rule yields
 *   it, leading zeros and letter case may differ.
 * - The other forms are made only for receipts that get this far: these are passed in once more, with the forms.
 *
 * The parts that have the id decide the outcome of a receipt (see `choice.ts`):
 *
 *   counts ────────▶ its part, and with it the message, gets the reported status, as far as `message.ts` allows
 *   noNews ────────▶ the part is on its way, as already known: only the timeline changes
 *   repeated ──────▶ reported before, or overtaken by later news: the timeline shows it as ignored
 *   overtaking ────▶ an earlier receipt is parked: both are handled in order, or this one is parked too
 *   late ──────────▶ the part was taken long ago, and a newer one may have its id ──▶ counts, unless held
 *   held ──────────▶ parked while the response that it belongs to may be on its way
 *   outdated ──────▶ parked: a part has its id but cannot get that status, or no longer can ──15 min──▶ forgotten
 *   unknown ───────▶ parked: no part has its id ──15 min──▶ unmatched
 */
import { type Packed, Packing } from '../../foundation/packing.ts';
import { formsOf } from '../../wire/phone-number.ts';

export type ReceiptOutcome =
  | 'counts'
  | 'noNews'
  | 'repeated'
  | 'overtaking'
  | 'late'
  | 'held'
  | 'outdated'
  | 'unknown';

/** A receipt that changes nothing now. */
export interface Leftover {
  readonly receipt: StoredReceipt;
  readonly outcome: Extract<ReceiptOutcome, 'overtaking' | 'held' | 'outdated' | 'unknown'>;
}

export interface StoredReceipt {
  readonly carrierId: number;
  /** As written by the carrier. */
  readonly carrierMessageId: string;
  /** The form that the id had at submission, if it is known to differ. */
  readonly submittedId?: string | undefined;
  /** Other forms that the id may have had at submission. */
  readonly otherIds?: readonly string[];
  /** Whether other forms exist that are not listed yet. */
  readonly mayHaveOtherIds?: boolean;
  /** The digits of the number that the receipt is about. */
  readonly recipient?: string | undefined;
  /** A status code. */
  readonly status: number;
  readonly errorCode: string | null;
  /** As received, if the carrier has a text for it. */
  readonly text?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  /** Absent when the receipt has just arrived. */
  readonly parkedForMs?: number;
  /** Of two receipts from the same millisecond, the one with the lower id came first. */
  readonly parkedId?: number;
}

/** The keys of receipts that have just arrived. */
const receipts = new Packing<StoredReceipt>(
  'carrierId',
  'carrierMessageId',
  'submittedId',
  'mayHaveOtherIds',
  'recipient',
  'status',
  'errorCode',
  'text',
  'receivedAt',
);

export const setsOfReceipts = {
  pack: (sets: readonly (readonly StoredReceipt[])[]) => sets.map((set) => receipts.pack(set)),
  unpack: (packed: readonly Packed<StoredReceipt>[]) => packed.map((set) => receipts.unpack(set)),
};

/**
 * A receipt may arrive before the response to its submission is stored, mostly by seconds. After a wait longer than this, it
 * belongs to no response yet to come, since its carrier reuses ids.
 */
export const parkedWorthMs = 15 * 60 * 1_000;

/**
 * No carrier reuses an id within this time, unless it only counts to a few thousand or starts over twice within that
 * time. Nearly all receipts arrive sooner and therefore need no check of what is in flight.
 */
export const longAgoMs = 30_000;

/** The clocks of nodes differ by less than this if they are synchronised. */
export const clocksDifferMs = 250;

/** The id to look for before any other form. */
export function idOf({ submittedId, carrierMessageId }: StoredReceipt): string {
  return submittedId ?? carrierMessageId;
}

/** Whether the receipt is passed in once more, with other forms of its id. */
export function comesAgain({ mayHaveOtherIds, otherIds }: StoredReceipt): boolean {
  return mayHaveOtherIds === true && otherIds === undefined;
}

/** The earliest counts first, whatever was parked meanwhile. */
export function inOrderOfArrival<Received extends StoredReceipt>(
  receipts: readonly Received[],
): readonly Received[] {
  const { MAX_SAFE_INTEGER: last } = Number;
  return [...receipts].sort(
    (a, b) => a.receivedAt - b.receivedAt || (a.parkedId ?? last) - (b.parkedId ?? last),
  );
}

/** Carriers write 000 when there is no fault. */
export function isFault(errorCode: string): boolean {
  return /[^0]/.test(errorCode);
}

/** A number that a receipt names has at least this many digits in common with its message's number. */
export const minNumberLength = 7;

/**
 * Whether the receipt is about the number that the message went to. Some carriers write it without its country code, some
 * leave sender and recipient as in the submission, and some networks rewrite it (`formsOf`).
 */
export function agrees(
  { recipient }: { readonly recipient?: string | undefined },
  message: { readonly recipient: string; readonly sender: string },
): boolean {
  if (recipient === undefined || recipient === message.recipient || recipient === message.sender) return true;
  const national = recipient.replace(/^0+/, '');
  return (
    national.length >= minNumberLength && formsOf(message.recipient).some((form) => form.endsWith(national))
  );
}
