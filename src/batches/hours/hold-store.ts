/** Finds and holds waiting messages when the send hours of their company end, and moves held ones when these change. */
import { findCompany, sendHoursOfAll } from '../../accounts/company-records.ts';
import { carrierIdsFrom } from '../../carriers/provisioned/carrier-rows.ts';
import { refundEnded } from '../../messages/charging.ts';
import { type HoldInput, type HoldReason, hold } from '../../messages/dispatch/hold.ts';
import { lane, stage } from '../../messages/message.ts';
import { literal, type Sql, sql } from '../../storage/sql.ts';
import { inTurns, type Reading, readVerb, singleWriteVerb, theNode } from '../../storage/verb.ts';

/** The hours of those companies that do not send at any hour. */
export const listSendHours = readVerb('batches.listSendHours', (reading, _: null) => sendHoursOfAll(reading));

/** In the order of the index of what is due. */
export interface BulkPlace {
  readonly carrierId: number;
  readonly dueAt: number;
  readonly companyId: number;
  readonly id: number;
}

export const beforeAllBulk: BulkPlace = {
  carrierId: 0,
  dueAt: Number.MIN_SAFE_INTEGER,
  companyId: 0,
  id: 0,
};

interface BulkQuery {
  readonly companyIds: readonly number[];
  /** Each look begins where the one before it ended. */
  readonly after: BulkPlace;
  /** How many messages are looked at, whosever they are: the line may be long, and others read meanwhile. */
  readonly limit: number;
}

export interface BulkPage {
  readonly found: readonly Pick<BulkPlace, 'companyId' | 'id'>[];
  /** Null: it was all. */
  readonly next: BulkPlace | null;
}

/** Messages of these companies among those of batches that wait for a carrier. */
export const findWaitingBulk = inTurns(
  readVerb(
    'batches.findWaitingBulk',
    async (reading, { companyIds, after, limit }: BulkQuery): Promise<BulkPage> => {
      const wanted = new Set(companyIds);
      const found: BulkPlace[] = [];
      let looked = 0;
      for (const carrierId of await carrierIdsFrom(reading, after.carrierId)) {
        const begin = carrierId === after.carrierId ? after : { ...beforeAllBulk, carrierId };
        const rows = await bulkAfter(reading, begin, limit - looked);
        found.push(...rows.filter(({ companyId }) => wanted.has(companyId)));
        looked += rows.length;
        if (looked === limit) return { found, next: rows.at(-1) ?? begin };
      }
      return { found, next: null };
    },
  ),
  theNode,
);

/** In ranges, one after the other: SQLite would look through all that is due at the same time for a place within it. */
async function bulkAfter(reading: Reading, after: BulkPlace, limit: number): Promise<readonly BulkPlace[]> {
  const { carrierId, dueAt, companyId, id } = after;
  const ranges = [
    sql`due_at = ${dueAt} AND company_id = ${companyId} AND id > ${id}`,
    sql`due_at = ${dueAt} AND company_id > ${companyId}`,
    sql`due_at > ${dueAt}`,
  ];
  const found: BulkPlace[] = [];
  for (const range of ranges) {
    if (found.length === limit) break;
    found.push(
      ...(await reading.all<BulkPlace>(
        sql`SELECT carrier_id AS "carrierId", due_at AS "dueAt", company_id AS "companyId", id FROM messages
            WHERE carrier_id = ${carrierId} AND stage = ${literal(stage.waiting)} AND lane = ${literal(lane.bulk)}
              AND ${range}
            ORDER BY due_at, company_id, id LIMIT ${limit - found.length}`,
      )),
    );
  }
  return found;
}

/** Returns how many there were. */
export const holdWaiting = singleWriteVerb(
  'batches.holdWaiting',
  async (transaction, holding: Omit<HoldInput, 'from'>): Promise<number> => {
    const held = await hold(transaction, holding);
    if (holding.closed.drops)
      await refundEnded(
        transaction,
        [...held].map((id) => [holding.companyId, id]),
      );
    return held.size;
  },
  ({ ids }) => ids.length,
);

/** Messages of a company that are held for one carrier until one moment. */
export type HeldMessages = Pick<BulkPlace, 'carrierId' | 'dueAt' | 'companyId'>;

/**
 * Until when messages are held, in that order: found by a step through the index for each of these, however many messages
 * there are. Each list begins where the one before it ended; null: at the beginning.
 */
export const listHeld = inTurns(
  readVerb(
    'batches.listHeld',
    async (reading, { after, limit }: { readonly after: HeldMessages | null; readonly limit: number }) => {
      const held: HeldMessages[] = [];
      for (const carrierId of await carrierIdsFrom(reading, after?.carrierId ?? 0)) {
        let last: HeldMessages =
          carrierId === after?.carrierId
            ? after
            : { carrierId, dueAt: Number.MIN_SAFE_INTEGER, companyId: 0 };
        while (held.length < limit) {
          const next = await heldAfter(reading, last);
          if (next === undefined) break;
          held.push(next);
          last = next;
        }
      }
      return held;
    },
  ),
  theNode,
);

async function heldAfter(
  reading: Reading,
  { carrierId, dueAt, companyId }: HeldMessages,
): Promise<HeldMessages | undefined> {
  const first = (range: Sql) =>
    reading.first<HeldMessages>(
      sql`SELECT carrier_id AS "carrierId", due_at AS "dueAt", company_id AS "companyId" FROM messages
          WHERE carrier_id = ${carrierId} AND stage = ${literal(stage.scheduled)} AND lane = ${literal(lane.bulk)}
            AND ${range}
          ORDER BY due_at, company_id LIMIT 1`,
    );
  return (
    (await first(sql`due_at = ${dueAt} AND company_id > ${companyId}`)) ??
    (await first(sql`due_at > ${dueAt}`))
  );
}

interface MoveHeldInput {
  readonly held: HeldMessages;
  /** With another opening, which may be this very moment. */
  readonly closed: HoldReason;
  readonly now: number;
  readonly limit: number;
}

/**
 * The hours have been changed, or the clock was set. What was put off is not dropped any more, and what a company has left
 * that was removed goes when its hours would have begun. Returns how many there were.
 */
export const moveHeld = singleWriteVerb(
  'batches.moveHeld',
  async (transaction, { held, closed, now, limit }: MoveHeldInput): Promise<number> => {
    const { carrierId, dueAt, companyId } = held;
    if ((await findCompany(transaction, companyId)) === undefined) return 0;
    const rows = await transaction.all<{ id: number }>(
      sql`SELECT id FROM messages
          WHERE carrier_id = ${carrierId} AND stage = ${literal(stage.scheduled)} AND lane = ${literal(lane.bulk)}
            AND due_at = ${dueAt} AND company_id = ${companyId} LIMIT ${limit}`,
    );
    if (rows.length === 0) return 0;
    const ids = rows.map(({ id }) => id);
    const later = { ...closed, drops: false };
    return (await hold(transaction, { companyId, closed: later, ids, now, from: stage.scheduled })).size;
  },
  ({ limit }) => limit,
);
