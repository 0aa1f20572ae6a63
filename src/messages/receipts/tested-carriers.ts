/**
 * Receipts of the SMS by which operators try a carrier. They are looked for among the receipts that no message takes, so tests
 * cost the receipts of messages nothing.
 */
import { andEach, sql } from '../../storage/sql.ts';
import type { Transaction } from '../../storage/verb.ts';
import { type CarrierTest, reportTests } from '../carrier-test.ts';
import { isFinal } from '../message.ts';
import { plainIdsOf } from './match-store.ts';
import {
  agrees,
  comesAgain,
  inOrderOfArrival,
  isFault,
  type Leftover,
  longAgoMs,
  parkedWorthMs,
  type StoredReceipt,
} from './receipt.ts';

/** The network has given up the test by then, so a later receipt with its id is about something else. */
const awaitedForMs = 24 * 3_600_000;

type FoundTest = Pick<CarrierTest, 'id' | 'recipient' | 'sender' | 'status'> & {
  readonly n: number;
  readonly answeredAt: number;
  readonly reportedAt: number | null;
};

/** Returns the receipts that belong to no test either. */
export async function takeReceiptsOfTests(
  transaction: Transaction,
  leftovers: readonly Leftover[],
): Promise<readonly Leftover[]> {
  // Under another form of its id, a receipt may be about a message.
  const concerned = leftovers.filter(
    ({ receipt, outcome }) => (outcome === 'unknown' || outcome === 'outdated') && !comesAgain(receipt),
  );
  if (concerned.length === 0) return leftovers;
  const receipts = inOrderOfArrival(concerned.map(({ receipt }) => receipt));
  const rows = await transaction.allOfEach<FoundTest>(
    { n: 'integer', carrier_id: 'bigint', carrier_message_id: 'text' },
    receipts.flatMap((receipt, n) => plainIdsOf(receipt).map((id) => [n, receipt.carrierId, id])),
    sql`SELECT each.n AS n, carrier_tests.id, carrier_tests.recipient, carrier_tests.sender, carrier_tests.status,
               carrier_tests.answered_at AS "answeredAt", carrier_tests.reported_at AS "reportedAt"
        FROM carrier_tests ${andEach}
        WHERE carrier_tests.carrier_id = each.carrier_id AND carrier_tests.carrier_message_id IS NOT NULL
          AND ltrim(lower(carrier_tests.carrier_message_id), '0') = each.carrier_message_id`,
  );
  if (rows.length === 0) return leftovers;
  const taken = new Set<StoredReceipt>();
  /** Several receipts of one set may be about the same test. */
  const news = new Map<number, StoredReceipt>();
  for (const [n, receipt] of receipts.entries()) {
    const test = rows.find((row) => row.n === n && mayBeAbout(row, receipt));
    if (test === undefined) continue;
    taken.add(receipt);
    const known = news.get(test.id)?.status ?? test.status;
    if (known === null || !isFinal(known)) news.set(test.id, receipt);
  }
  if (news.size > 0)
    await reportTests(
      transaction,
      [...news].map(([id, { status, errorCode, receivedAt }]) => {
        const code = errorCode !== null && isFault(errorCode) ? errorCode : null;
        return { id, status, errorCode: code, reportedAt: receivedAt };
      }),
    );
  return leftovers.filter(({ receipt }) => !taken.has(receipt));
}

/**
 * A test that has its final receipt gets no other, except for the same one a little later. By the time that the carrier may have
 * given its id to a message, whose answer may not be stored yet, receipts wait for that answer first.
 */
function mayBeAbout(test: FoundTest, receipt: StoredReceipt): boolean {
  const { receivedAt, status, parkedForMs = 0 } = receipt;
  if (!agrees(receipt, test) || receivedAt > test.answeredAt + awaitedForMs) return false;
  if (receivedAt > test.answeredAt + longAgoMs && parkedForMs < longAgoMs) return false;
  if (test.status === null || test.reportedAt === null || !isFinal(test.status)) return true;
  return status === test.status && receivedAt < test.reportedAt + parkedWorthMs;
}
