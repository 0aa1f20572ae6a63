/**
 * Messages that somebody listens to: what becomes of them is written to the journal of changes, beginning with what they are.
 * Which these are is decided when they are accepted; only those that people are likely to look at are taken in later.
 */
import { amongUnlocked, fromEach, sql } from '../storage/sql.ts';
import { singleWriteVerb, type Transaction } from '../storage/verb.ts';

/** By company and id. A statement of its own, so that messages nobody listens to are inserted without a trigger. */
export async function listenTo(
  transaction: Transaction,
  keys: readonly (readonly [number, number])[],
): Promise<void> {
  await transaction.each(
    { company_id: 'bigint', id: 'bigint' },
    keys,
    sql`UPDATE messages SET listened = 1 ${fromEach}
        WHERE messages.company_id = each.company_id AND messages.id = each.id`,
  );
}

/** A few pages of a list. */
const latest = 200;

/** Of the latest messages of a company, those that are still on their way are listened to from now on. */
export const listenToLatest = singleWriteVerb(
  'messages.listenToLatest',
  async (transaction, companyId: number) => {
    const firstOfLatest = sql`(SELECT MIN(id) FROM (
        SELECT id FROM messages WHERE company_id = ${companyId} ORDER BY id DESC LIMIT ${latest}) AS latest)`;
    // By the plus, the index of what waits is left alone, which has the messages of all companies.
    return transaction.run(
      sql`UPDATE messages SET listened = 1 WHERE ${amongUnlocked(
        'company_id, id',
        sql`messages WHERE company_id = ${companyId} AND id >= ${firstOfLatest} AND +stage IS NOT NULL AND listened = 0`,
      )}`,
    );
  },
  () => latest,
);
