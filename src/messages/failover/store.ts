/** Messages that wait for a carrier that is down, and their way to others. */
import { literally, rowSet, sql } from '../../storage/sql.ts';
import type { Row } from '../../storage/storable.ts';
import { inTurns, type Reading, readVerb, singleWriteVerb, theNode } from '../../storage/verb.ts';
import { charge, stage } from '../message.ts';
import { keepEvents } from '../timeline-store.ts';

/** In the order in which they are looked at. */
export interface WaitingPlace {
  readonly dueAt: number;
  readonly companyId: number;
  readonly id: number;
}

export const beforeAllWaiting: WaitingPlace = { dueAt: Number.MIN_SAFE_INTEGER, companyId: 0, id: 0 };

export interface WaitingQuery {
  readonly carrierId: number;
  readonly stage: number;
  readonly lane: number;
  /** Each set begins where the one before it ended. */
  readonly after: WaitingPlace;
  readonly limit: number;
}

export interface WaitingMessage extends WaitingPlace {
  readonly recipient: string;
  readonly sender: string;
  /** Empty: the user is no more. */
  readonly username: string;
  /** Nothing of it was ever handed over, for certain: it may go to another carrier. */
  readonly isWhole: boolean;
  /** Carriers that passed it on. */
  readonly refusedBy: readonly number[];
}

/** Whether they may go or not: a look for those that may would walk past any number of others. */
export const listWaiting = inTurns(
  readVerb(
    'messages.listWaiting',
    async (
      reading,
      { carrierId, stage: at, lane, after, limit }: WaitingQuery,
    ): Promise<WaitingMessage[]> => {
      const rows = await reading.all<Omit<WaitingMessage, 'refusedBy' | 'isWhole'> & { whole: number }>(
        sql`SELECT messages.due_at AS "dueAt", messages.company_id AS "companyId", messages.id,
            messages.recipient, messages.sender, COALESCE(users.username, '') AS username,
            CASE WHEN messages.charge = ${literally(charge.reserved)} AND messages.in_doubt = 0 THEN 1 ELSE 0 END AS whole
          FROM messages LEFT JOIN users ON users.id = messages.user_id
          WHERE messages.carrier_id = ${carrierId} AND messages.stage = ${literally(at)} AND messages.lane = ${lane}
            AND messages.due_at >= ${after.dueAt}
            AND (messages.due_at, messages.company_id, messages.id) > (${after.dueAt}, ${after.companyId}, ${after.id})
          ORDER BY messages.due_at, messages.company_id, messages.id LIMIT ${limit}`,
      );
      const refusals = await refusalsOf(
        reading,
        rows.map(({ companyId, id }) => [companyId, id]),
      );
      return rows.map(({ whole, ...row }) => ({
        ...row,
        isWhole: whole === 1,
        refusedBy: refusals.get(row.id) ?? [],
      }));
    },
  ),
  theNode,
);

/** By message, the carriers that passed it on. */
export async function refusalsOf(
  reading: Reading,
  keys: readonly Row[],
): Promise<ReadonlyMap<number, readonly number[]>> {
  const found = new Map<number, number[]>();
  if (keys.length === 0) return found;
  const rows = await reading.all<{ id: number; carrierId: number }>(
    sql`SELECT message_refusals.message_id AS id, message_refusals.carrier_id AS "carrierId"
        FROM ${rowSet('asked', { company_id: 'bigint', id: 'bigint' }, keys)}
        JOIN message_refusals
          ON message_refusals.company_id = asked.company_id AND message_refusals.message_id = asked.id`,
  );
  for (const { id, carrierId } of rows) found.set(id, [...(found.get(id) ?? []), carrierId]);
  return found;
}

export interface Departure {
  readonly fromCarrierId: number;
  /** Company, message, new carrier. */
  readonly moves: readonly Row[];
  readonly reason: string;
  readonly now: number;
}

/** Answers with how many went; one that has been claimed meanwhile stays. */
export const moveWaiting = singleWriteVerb(
  'messages.moveWaiting',
  async (transaction, { fromCarrierId, moves, reason, now }: Departure) => {
    // By the plus, no index of what waits is looked at, which is many times as long as the list of moves.
    const moved = await transaction.all<{ company_id: number; id: number; carrier_id: number }>(
      sql`UPDATE messages SET carrier_id = moves.carrier_id, stage = ${stage.waiting}, reason = ${reason}
          FROM ${rowSet('moves', { company_id: 'bigint', id: 'bigint', carrier_id: 'bigint' }, moves)}
          WHERE messages.company_id = moves.company_id AND messages.id = moves.id
            AND +messages.carrier_id = ${fromCarrierId}
            AND +messages.stage IN (${literally(stage.waiting)}, ${literally(stage.retrying)})
            AND messages.charge = ${charge.reserved} AND messages.in_doubt = 0
          RETURNING messages.company_id, messages.id, messages.carrier_id`,
    );
    await keepEvents(
      transaction,
      moved.map(({ company_id: companyId, id: messageId, carrier_id: toCarrierId }) => ({
        ...{ companyId, messageId, at: now, kind: 'moved' as const },
        ...{ carrierId: fromCarrierId, toCarrierId, reason },
      })),
    );
    return moved.length;
  },
  ({ moves }) => moves.length,
);
