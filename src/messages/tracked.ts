/**
 * Tracks messages that somebody listens to: their changes are written to the journal of changes, beginning with their current
 * state. This is decided when a message is accepted; only messages that people are likely to look at are included later.
 */
import { amongUnlocked, rowSet, sql } from '../storage/sql.ts';
import { readVerb, singleWriteVerb } from '../storage/verb.ts';

/** A few pages of a list. */
const latest = 200;

/** Starts listening to those of a company's latest messages that are still under way. */
export const trackLatest = singleWriteVerb(
  'messages.trackLatest',
  async (transaction, companyId: number) => {
    const firstOfLatest = sql`(SELECT MIN(id) FROM (
        SELECT id FROM messages WHERE company_id = ${companyId} ORDER BY id DESC LIMIT ${latest}) AS latest)`;
    // The plus keeps the index of waiting messages from being used, since it contains the messages of all companies.
    return transaction.run(
      sql`UPDATE messages SET listened = 1 WHERE ${amongUnlocked(
        'company_id, id',
        sql`messages WHERE company_id = ${companyId} AND id >= ${firstOfLatest} AND +stage IS NOT NULL AND listened = 0`,
      )}`,
    );
  },
  () => latest,
);

/** A place in the queue of all messages under way, of all companies. */
export type PlaceUnderWay = readonly [
  carrierId: number,
  stage: number,
  lane: number,
  dueAt: number,
  companyId: number,
  id: number,
];

export const beforeAllUnderWay: PlaceUnderWay = [-1, -1, -1, -1, -1, -1];

export interface UnderWayPage {
  readonly companyIds: readonly number[];
  readonly after: PlaceUnderWay;
  readonly limit: number;
}

export type MessageKey = readonly [companyId: number, id: number];

export interface Untracked {
  readonly keys: readonly MessageKey[];
  /** Undefined at the end of the queue. */
  readonly next: PlaceUnderWay | undefined;
}

/** Finds, in a page of messages under way, those messages of the given companies that nobody listens to yet. */
export const findUntracked = readVerb(
  'messages.findUntracked',
  async (reading, { companyIds, after, limit }: UnderWayPage): Promise<Untracked> => {
    const [carrierId, stage, lane, dueAt, companyId, id] = after;
    const page = await reading.all<Place>(
      sql`SELECT carrier_id, stage, lane, due_at, company_id, id FROM messages WHERE stage IS NOT NULL
            AND (carrier_id, stage, lane, due_at, company_id, id) > (${carrierId}, ${stage}, ${lane}, ${dueAt}, ${companyId}, ${id})
          ORDER BY carrier_id, stage, lane, due_at, company_id, id LIMIT ${limit}`,
    );
    const last = page.length === limit ? page.at(-1) : undefined;
    const own = page.filter(({ company_id }) => companyIds.includes(company_id));
    const unheard = await reading.all<{ company_id: number; id: number }>(
      sql`SELECT messages.company_id, messages.id FROM ${keySet(own.map((one) => [one.company_id, one.id]))}
          JOIN messages ON messages.company_id = named.company_id AND messages.id = named.id WHERE listened = 0`,
    );
    return {
      keys: unheard.map((one) => [one.company_id, one.id]),
      next: last && [last.carrier_id, last.stage, last.lane, last.due_at, last.company_id, last.id],
    };
  },
);

interface Place {
  readonly carrier_id: number;
  readonly stage: number;
  readonly lane: number;
  readonly due_at: number;
  readonly company_id: number;
  readonly id: number;
}

const keySet = (keys: readonly MessageKey[]) => rowSet('named', { company_id: 'bigint', id: 'bigint' }, keys);

/** Starts listening to those that are still under way, except messages locked by another transaction. */
export const trackFound = singleWriteVerb(
  'messages.trackFound',
  async (transaction, keys: readonly MessageKey[]) =>
    transaction.run(
      sql`UPDATE messages SET listened = 1 WHERE ${amongUnlocked(
        'company_id, id',
        sql`messages WHERE (company_id, id) IN (SELECT company_id, id FROM ${keySet(keys)})
            AND listened = 0 AND +stage IS NOT NULL`,
      )}`,
    ),
  (keys) => keys.length,
);

export interface RecentPage {
  readonly companyId: number;
  /** Only messages with smaller ids, in descending order. */
  readonly below: number;
  /** Only messages that have changed since then. */
  readonly since: number;
  readonly limit: number;
}

/**
 * Starts listening to messages that have just changed, in a page of a company's latest, even if they have ended since.
 * Returns where the next page begins, or null when nothing in this page has changed. A page in which another transaction is
 * changing something has to be requested again.
 */
export const trackRecent = singleWriteVerb(
  'messages.trackRecent',
  async (transaction, { companyId, below, since, limit }: RecentPage): Promise<number | null> => {
    const page = await transaction.first<{ first: number | null; changed_at: number | null }>(
      sql`SELECT MIN(id) AS first, MAX(changed_at) AS changed_at FROM
            (SELECT id, changed_at FROM messages WHERE company_id = ${companyId} AND id < ${below}
             ORDER BY id DESC LIMIT ${limit}) AS page`,
    );
    const first = page?.first ?? null;
    if (first === null || (page?.changed_at ?? 0) < since) return null;
    const unheard = sql`company_id = ${companyId} AND id >= ${first} AND id < ${below}
      AND changed_at >= ${since} AND listened = 0`;
    await transaction.run(
      sql`UPDATE messages SET listened = 1 WHERE ${amongUnlocked('company_id, id', sql`messages WHERE ${unheard}`)}`,
    );
    const passedOver = await transaction.first(sql`SELECT id FROM messages WHERE ${unheard} LIMIT 1`);
    return passedOver === undefined ? first : below;
  },
  ({ limit }) => limit,
);
