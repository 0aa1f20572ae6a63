/** Receipts that wait for their submission, tried again; those that have waited in vain are kept for the operator. */
import { singleWriteVerb, type Transaction } from '../storage/verb.ts';
import { release, takeDue } from './parked-receipt-store.ts';
import { applyOld, applyReceipts } from './receipt-store.ts';
import { parkedWorthMs, type StoredReceipt } from './stored-receipt.ts';
import { keepUnmatched } from './unmatched-receipt-store.ts';

export interface ParkedSweep {
  readonly now: number;
  readonly limit: number;
}

export interface ParkedSwept {
  /** So many had their turn. */
  readonly tried: number;
  /** So many of a carrier belong to nothing, and are tried no more. */
  readonly unmatched: readonly { readonly carrierId: number; readonly count: number }[];
}

/** Tries parked receipts again, whose submission was stored by another transaction in the same moment. */
export const retryParkedReceipts = singleWriteVerb(
  'messages.retryParkedReceipts',
  async (transaction, { now, limit }: ParkedSweep): Promise<ParkedSwept> => {
    const due = await takeDue(transaction, now, limit);
    if (due.length === 0) return { tried: 0, unmatched: [] };
    const isOld = (receivedAt: number) => receivedAt <= now - parkedWorthMs;
    const old = due.filter(({ receivedAt }) => isOld(receivedAt));
    const young = due.filter(({ receivedAt }) => !isOld(receivedAt));
    const leftovers = new Set<StoredReceipt>(
      (await applyReceipts(transaction, young)).map(({ receipt }) => receipt),
    );
    await release(
      transaction,
      due.filter((receipt) => !leftovers.has(receipt)),
    );
    const unmatched = await giveUp(transaction, old);
    return { tried: due.length, unmatched: countByCarrier(unmatched) };
  },
  ({ limit }) => limit,
);

/**
 * Old news of a message that is known need not be kept. The rest is kept from any message that was not there when they
 * came, even if one has the id by now: it may have been given again.
 */
async function giveUp(transaction: Transaction, old: readonly StoredReceipt[]) {
  const unmatched = (await applyOld(transaction, old))
    .filter(({ outdated }) => !outdated)
    .map(({ receipt }) => receipt);
  await keepUnmatched(transaction, unmatched);
  return unmatched;
}

function countByCarrier(receipts: readonly { readonly carrierId: number }[]) {
  const counts = new Map<number, number>();
  for (const { carrierId } of receipts) counts.set(carrierId, (counts.get(carrierId) ?? 0) + 1);
  return [...counts].map(([carrierId, count]) => ({ carrierId, count }));
}
