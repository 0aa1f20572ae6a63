/** Receipts that wait for their submission, tried again; those that have waited in vain are kept for the operator. */
import { singleWriteVerb, type Transaction } from '../../storage/verb.ts';
import { parkUntilNextTurn, unparkDue } from './parked-store.ts';
import { type Leftover, parkedWorthMs, type StoredReceipt } from './receipt.ts';
import { applyOld, applyReceipts } from './store.ts';
import { keepUnmatched } from './unmatched-store.ts';

export interface ParkedSwept {
  /** So many had their turn. */
  readonly tried: number;
  /** So many of a carrier belong to nothing, and are tried no more. */
  readonly unmatched: readonly { readonly carrierId: number; readonly count: number }[];
}

/** Tries parked receipts again, whose submission was stored by another transaction in the same moment. */
export const retryParkedReceipts = singleWriteVerb(
  'messages.retryParkedReceipts',
  async (
    transaction,
    { now, limit }: { readonly now: number; readonly limit: number },
  ): Promise<ParkedSwept> => {
    const due = await unparkDue(transaction, now, limit);
    if (due.length === 0) return { tried: 0, unmatched: [] };
    const isOld = ({ receivedAt }: StoredReceipt) => receivedAt <= now - parkedWorthMs;
    const { unmatched, overtaking } = await giveUp(transaction, due.filter(isOld));
    const young = await applyReceipts(
      transaction,
      due.filter((receipt) => !isOld(receipt)),
    );
    await parkUntilNextTurn(transaction, [...overtaking, ...young.map(({ receipt }) => receipt)], now);
    return { tried: due.length, unmatched: countByCarrier(unmatched) };
  },
  ({ limit }) => limit,
);

/**
 * Old news of a message that is known need not be kept. The rest is kept from any message that was not there when they
 * came, even if one has the id by now: it may have been given again. One that overtakes another has to wait for that.
 */
async function giveUp(transaction: Transaction, old: readonly StoredReceipt[]) {
  const leftovers = await applyOld(transaction, old);
  const of = (wanted: Leftover['fate']) =>
    leftovers.filter(({ fate }) => fate === wanted).map(({ receipt }) => receipt);
  const [overtaking, unmatched] = [of('overtaking'), of('unknown')];
  await keepUnmatched(transaction, unmatched);
  return { unmatched, overtaking };
}

function countByCarrier(receipts: readonly { readonly carrierId: number }[]) {
  const counts = new Map<number, number>();
  for (const { carrierId } of receipts) counts.set(carrierId, (counts.get(carrierId) ?? 0) + 1);
  return [...counts].map(([carrierId, count]) => ({ carrierId, count }));
}
