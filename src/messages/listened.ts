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

export interface UnderWayPage {
  readonly companyId: number;
  /** Messages with smaller ids, the greatest first. */
  readonly below: number;
  /** Those that have changed since then are listened to although they are not on their way any more. */
  readonly since: number;
  readonly limit: number;
}

/**
 * Of a page of a company's messages, those that are on their way are listened to from now on. Returns where the next page
 * begins, or null when there is none. A page of which somebody has just changed something is to be asked for again.
 */
export const listenToUnderWay = singleWriteVerb(
  'messages.listenToUnderWay',
  async (transaction, { companyId, below, since, limit }: UnderWayPage): Promise<number | null> => {
    const page = await transaction.first<{ first: number | null }>(
      sql`SELECT MIN(id) AS first FROM (SELECT id FROM messages WHERE company_id = ${companyId} AND id < ${below}
            ORDER BY id DESC LIMIT ${limit}) AS page`,
    );
    const first = page?.first ?? null;
    if (first === null) return null;
    const unheard = sql`company_id = ${companyId} AND id >= ${first} AND id < ${below}
      AND (+stage IS NOT NULL OR changed_at >= ${since}) AND listened = 0`;
    await transaction.run(
      sql`UPDATE messages SET listened = 1 WHERE ${amongUnlocked('company_id, id', sql`messages WHERE ${unheard}`)}`,
    );
    const passedOver = await transaction.first(sql`SELECT id FROM messages WHERE ${unheard} LIMIT 1`);
    return passedOver === undefined ? first : below;
  },
  ({ limit }) => limit,
);
