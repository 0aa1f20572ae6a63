/**
 * Holds receipts because carriers reuse ids: a receipt for a part taken long ago may be meant for a newer one with the same
 * id, whose response is not stored yet. The receipt is held while such a part may be under way.
 */
import { maxAnswerMs } from '../../carriers/carrier.ts';
import { groupedBy } from '../../foundation/grouped.ts';
import { literal, sql } from '../../storage/sql.ts';
import type { Transaction } from '../../storage/verb.ts';
import { lane, stage } from '../message.ts';
import { clocksDifferMs, minNumberLength, type StoredReceipt } from './receipt.ts';

/**
 * At most this many rows are examined, since examining more takes longer than holding the receipts for a second. A sweep
 * handles many receipts at once, so it may examine more rows.
 */
function maxRows(receipts: readonly StoredReceipt[]): number {
  const isSweep = receipts.some(({ parkedForMs }) => parkedForMs !== undefined);
  return isSweep ? 5_000 : 100 + 10 * receipts.length;
}

interface InFlightRow {
  readonly recipient: string;
  readonly sender: string;
  /** The time of the claim, which precedes the submission. */
  readonly due_at: number;
}

/** Returns those of the receipts that may be meant for a message in flight. */
export async function holdForAnswers(
  transaction: Transaction,
  receipts: readonly StoredReceipt[],
): Promise<ReadonlySet<StoredReceipt>> {
  const held = new Set<StoredReceipt>();
  const able = receipts.filter(mayBeHeld);
  for (const [carrierId, ofCarrier] of groupedBy(able, (receipt) => receipt.carrierId)) {
    const limit = maxRows(ofCarrier);
    const until = Math.max(...ofCarrier.map(latestClaim));
    // The lanes are named so that the condition on the time limits the walk along the index.
    const rows = await transaction.all<InFlightRow>(
      sql`SELECT recipient, sender, due_at FROM messages
          WHERE carrier_id = ${carrierId} AND stage = ${literal(stage.inFlight)}
            AND lane IN (${literal(lane.interactive)}, ${literal(lane.bulk)}) AND due_at <= ${until}
          LIMIT ${limit}`,
    );
    const isMeant = rows.length === limit ? () => true : among(rows);
    for (const receipt of ofCarrier) if (isMeant(receipt)) held.add(receipt);
  }
  return held;
}

function mayBeHeld({ parkedForMs }: StoredReceipt): boolean {
  // A negative time means that the clock was set back.
  return parkedForMs === undefined || (parkedForMs >= 0 && parkedForMs < maxAnswerMs);
}

/**
 * A part claimed after this time was not yet submitted when the receipt arrived. If the receipt arrives only now, anything
 * in flight may have been submitted.
 */
function latestClaim({ parkedForMs, receivedAt }: StoredReceipt): number {
  return parkedForMs === undefined ? Number.MAX_SAFE_INTEGER : receivedAt + clocksDifferMs;
}

/** Whether a receipt may be about one of these messages, judging by its number and its time. */
function among(rows: readonly InFlightRow[]): (receipt: StoredReceipt) => boolean {
  let earliest = Number.POSITIVE_INFINITY;
  const earliestByNumber = new Map<string, number>();
  for (const { recipient, sender, due_at } of rows) {
    earliest = Math.min(earliest, due_at);
    for (const number of [endOf(recipient), sender]) {
      earliestByNumber.set(number, Math.min(earliestByNumber.get(number) ?? due_at, due_at));
    }
  }
  return (receipt) => {
    const { recipient } = receipt;
    const claimedAt =
      recipient === undefined
        ? earliest
        : Math.min(
            earliestByNumber.get(endOf(recipient)) ?? Number.POSITIVE_INFINITY,
            earliestByNumber.get(recipient) ?? Number.POSITIVE_INFINITY,
          );
    return claimedAt <= latestClaim(receipt);
  };
}

/** Numbers that agree have the same ending. */
function endOf(number: string): string {
  return number.slice(-minNumberLength);
}
