/** Retries receipts that wait for their submission, and keeps, for the operator, those that have waited in vain. */
import { singleWriteVerb, type Transaction } from '../../storage/verb.ts';
import { parkUntilNextTurn, unparkDue } from './parked-store.ts';
import { type Leftover, parkedWorthMs, type StoredReceipt } from './receipt.ts';
import { applyOld, applyReceipts } from './store.ts';
import { takeReceiptsOfTests } from './tested-carriers.ts';
import { keepUnmatched } from './unmatched.ts';

export interface ParkedSwept {
  /** How many receipts were retried. */
  readonly tried: number;
  /** How many of a carrier's receipts belong to no message and are not retried any more. */
  readonly unmatched: readonly { readonly carrierId: number; readonly count: number }[];
}

/** Retries parked receipts whose submission was stored by another transaction at the same moment. */
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
    const leftovers = await applyReceipts(
      transaction,
      due.filter((receipt) => !isOld(receipt)),
    );
    const young = await takeReceiptsOfTests(transaction, leftovers);
    await parkUntilNextTurn(transaction, [...overtaking, ...young.map(({ receipt }) => receipt)], now);
    return { tried: due.length, unmatched: countByCarrier(unmatched) };
  },
  ({ limit }) => limit,
);

/**
 * Receipts with old news about a known message are not kept. The others are never applied to a message that was not there
 * when they arrived, even if such a message has the id now, since the id may have been reused. A receipt that overtakes
 * another has to wait for that one.
 */
async function giveUp(transaction: Transaction, old: readonly StoredReceipt[]) {
  const leftovers = await applyOld(transaction, old);
  const of = (wanted: Leftover['outcome']) =>
    leftovers.filter(({ outcome }) => outcome === wanted).map(({ receipt }) => receipt);
  const [overtaking, unmatched] = [of('overtaking'), of('unknown')];
  await keepUnmatched(transaction, unmatched);
  return { unmatched, overtaking };
}

function countByCarrier(receipts: readonly { readonly carrierId: number }[]) {
  const counts = new Map<number, number>();
  for (const { carrierId } of receipts) counts.set(carrierId, (counts.get(carrierId) ?? 0) + 1);
  return [...counts].map(([carrierId, count]) => ({ carrierId, count }));
}
