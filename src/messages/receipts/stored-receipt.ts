/** A receipt as the store takes it, and the times by which it is believed. */

export interface StoredReceipt {
  readonly carrierId: number;
  /** As the carrier wrote it. */
  readonly carrierMessageId: string;
  /** The form that it had at the submission, where that is known to differ. */
  readonly submittedId?: string | undefined;
  /** Other forms that it may have had there. */
  readonly otherIds?: readonly string[];
  /** There are other forms, which are not given yet. */
  readonly mayHaveOtherIds?: boolean;
  /** The digits of the number that it is about. */
  readonly recipient?: string | undefined;
  /** A status code. */
  readonly status: number;
  readonly errorCode: string | null;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  /** Absent: it has just come. */
  readonly parkedForMs?: number;
  /** Of those that came in one millisecond, the lower came before. */
  readonly parkedId?: number;
}

/**
 * A receipt may come before the answer to its submission is stored, by seconds mostly. One that has waited longer than
 * this belongs to none that is still to come: its carrier uses ids again.
 */
export const parkedWorthMs = 15 * 60 * 1_000;

/**
 * No carrier gives an id again within this time, but one that counts to a few thousand, or begins anew twice in it. Nearly
 * all receipts come sooner, and so without a look at what is in flight.
 */
export const longAgoMs = 30_000;

/** Nodes whose clocks are kept together differ by less. */
export const clocksDifferMs = 250;

/** The id to look for before all other forms. */
export function idOf({ submittedId, carrierMessageId }: StoredReceipt): string {
  return submittedId ?? carrierMessageId;
}

/** Whatever was parked meanwhile: what came first counts first. */
export function inOrderOfArrival<Received extends StoredReceipt>(
  receipts: readonly Received[],
): readonly Received[] {
  const { MAX_SAFE_INTEGER: last } = Number;
  return [...receipts].sort(
    (a, b) => a.receivedAt - b.receivedAt || (a.parkedId ?? last) - (b.parkedId ?? last),
  );
}

/** Carriers write 000 where there is no fault. */
export function isFault(errorCode: string): boolean {
  return /[^0]/.test(errorCode);
}
