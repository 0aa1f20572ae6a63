/**
 * Finds and holds waiting messages when the send hours of their company end, and moves held messages when the hours change.
 */
import { findCompany, sendHoursOfAll } from '../../accounts/company-records.ts';
import { carrierIdsFrom } from '../../carriers/provisioned/carrier-rows.ts';
import { refundEnded } from '../../messages/charging.ts';
import { type HoldInput, type HoldReason, hold } from '../../messages/dispatch/hold.ts';
import { lane, stage } from '../../messages/message.ts';
import { literal, type Sql, sql, unmatchedLiteral } from '../../storage/sql.ts';
import { inTurns, type Reading, readVerb, singleWriteVerb, theNode } from '../../storage/verb.ts';

/** The send hours of all companies that have them. */
export const listSendHours = readVerb('batches.listSendHours', (reading, _: null) => sendHoursOfAll(reading));

/** In the order of the index of due messages. */
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
  /** Each pass starts where the previous one ended. */
  readonly after: BulkPlace;
  /**
   * The number of messages that a pass examines, whichever company they belong to, because the queue may be long and other
   * reads wait.
   */
  readonly limit: number;
}

export interface BulkPage {
  readonly found: readonly Pick<BulkPlace, 'companyId' | 'id'>[];
  /** Null when the end has been reached. */
  readonly next: BulkPlace | null;
}

/** The messages of these companies among the batch messages that wait for a carrier. */
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

/**
 * Reads one range after another, because SQLite would otherwise scan everything that is due at the same time to find a
 * position within it.
 */
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
            WHERE carrier_id = ${carrierId} AND stage = ${unmatchedLiteral(stage.waiting)} AND lane = ${literal(lane.bulk)}
              AND ${range}
            ORDER BY due_at, company_id, id LIMIT ${limit - found.length}`,
      )),
    );
  }
  return found;
}

/** Returns the number of messages held. */
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

/** Messages of a company that are held for one carrier until the same time. */
export type HeldMessages = Pick<BulkPlace, 'carrierId' | 'dueAt' | 'companyId'>;

/**
 * The times until which messages are held, by carrier, time and company. Each is found by one index step, however many
 * messages there are. Each list starts where the previous one ended; null starts at the beginning.
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
  /** The new hold, with another opening time, which may be now. */
  readonly closed: HoldReason;
  readonly now: number;
  readonly limit: number;
}

/**
 * Used after the hours or the clock have changed. Delayed messages are no longer dropped, and messages of a removed company
 * are sent when its hours would have opened. Returns the number of messages moved.
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
