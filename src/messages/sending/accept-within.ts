/** Accepts messages as one step of a larger transaction, for rooms that store rows of their own with them. */
import type { Transaction } from '../../storage/verb.ts';
import { type Acceptance, type Accepted, acceptMessages, acceptTwoWay } from './accept-store.ts';
import { valueIn } from './accepted-row.ts';

export type { Acceptance, Accepted };

/** As `messages.accept` and `messages.acceptTwoWay` do it; answers in the order of the acceptances. */
export async function acceptWithin(
  transaction: Transaction,
  acceptances: readonly Acceptance[],
  senders: 'asGiven' | 'fromPool',
): Promise<readonly Accepted[]> {
  if (acceptances.length === 0) return [];
  return (senders === 'fromPool' ? acceptTwoWay : acceptMessages).run(transaction, acceptances);
}

/** Of its messages, in the order of their rows. */
export function messageIdsIn({ rows }: Acceptance): readonly number[] {
  return rows.map((row) => valueIn(row, 'id'));
}
