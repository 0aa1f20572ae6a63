/** Lists messages that wait for a carrier that is down or was removed, and moves them to others. */
import { literal, rowSet, sql } from '../../storage/sql.ts';
import type { Row } from '../../storage/storable.ts';
import { inTurns, type Reading, readVerb, singleWriteVerb, theNode } from '../../storage/verb.ts';
import { charge, lane, stage } from '../message.ts';
import { keepEvents } from '../timeline-store.ts';

/** Removed carriers, which messages may still be assigned to. */
export const listRemovedCarriers = readVerb('messages.listRemovedCarriers', async (reading, _: null) =>
  (await reading.all<{ id: number }>(sql`SELECT id FROM carriers WHERE removed = 1 ORDER BY id`)).map(
    ({ id }) => id,
  ),
);

/** A place in the list, which has the order of the index of due messages. */
export interface WaitingPlace {
  readonly stage: number;
  readonly lane: number;
  readonly dueAt: number;
  readonly companyId: number;
  readonly id: number;
}

export interface WaitingQuery {
  readonly carrierId: number;
  readonly stages: readonly number[];
  /** The last place of the previous set. */
  readonly after: WaitingPlace | undefined;
  readonly limit: number;
}

export interface WaitingMessage extends WaitingPlace {
  readonly recipient: string;
  readonly sender: string;
  /** Empty when the user was removed. */
  readonly username: string;
  /** Whether nothing of it was ever handed over, so that it may go to another carrier. */
  readonly isWhole: boolean;
  /** Carriers that passed it on. */
  readonly refusedBy: readonly number[];
}

/** Lists those that may not move too: searching for the movable ones could skip any number of others. */
export const listWaiting = inTurns(
  readVerb(
    'messages.listWaiting',
    async (reading, { carrierId, stages, after, limit }: WaitingQuery): Promise<WaitingMessage[]> => {
      const lines = stages.flatMap((at) => lanes.map((of) => ({ carrierId, stage: at, lane: of })));
      const begun = lines.findIndex((line) => line.stage === after?.stage && line.lane === after.lane);
      const rows: WaitingRow[] = [];
      for (const [index, line] of lines.entries()) {
        if (index < begun || rows.length === limit) continue;
        rows.push(
          ...(await readLine(reading, line, index === begun ? after : undefined, limit - rows.length)),
        );
      }
      const keys = rows.map(({ companyId, id }) => [companyId, id]);
      const refusals = await refusalsOf(reading, keys);
      return rows.map(({ whole, ...row }) => ({
        ...row,
        isWhole: whole === 1,
        refusedBy: refusals.get(row.id) ?? [],
      }));
    },
  ),
  theNode,
);

const lanes = [lane.interactive, lane.bulk];

interface WaitingLine extends Pick<WaitingPlace, 'stage' | 'lane'> {
  readonly carrierId: number;
}

type WaitingRow = Omit<WaitingMessage, 'isWhole' | 'refusedBy'> & { readonly whole: number };

async function readLine(
  reading: Reading,
  { carrierId, ...line }: WaitingLine,
  after: WaitingPlace | undefined,
  limit: number,
): Promise<readonly WaitingRow[]> {
  const { dueAt, companyId, id } = after ?? { dueAt: Number.MIN_SAFE_INTEGER, companyId: 0, id: 0 };
  const rows = await reading.all<Omit<WaitingRow, keyof typeof line>>(
    sql`SELECT messages.due_at AS "dueAt", messages.company_id AS "companyId", messages.id,
          messages.recipient, messages.sender, COALESCE(users.username, '') AS username,
          CASE WHEN messages.charge = ${literal(charge.reserved)} AND messages.in_doubt = 0 THEN 1 ELSE 0 END AS whole
        FROM messages LEFT JOIN users ON users.id = messages.user_id
        WHERE messages.carrier_id = ${carrierId} AND messages.stage = ${literal(line.stage)}
          AND messages.lane = ${literal(line.lane)} AND messages.due_at >= ${dueAt}
          AND (messages.due_at, messages.company_id, messages.id) > (${dueAt}, ${companyId}, ${id})
        ORDER BY messages.due_at, messages.company_id, messages.id LIMIT ${limit}`,
  );
  return rows.map((row) => ({ ...row, ...line }));
}

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

export interface MoveInput {
  readonly fromCarrierId: number;
  /** Company, message, new carrier. */
  readonly moves: readonly Row[];
  readonly reason: string;
  readonly now: number;
}

const scheduled = literal(stage.scheduled);

/** Scheduled messages stay scheduled, all others wait. Returns how many moved; those claimed meanwhile stay. */
export const moveWaiting = singleWriteVerb(
  'messages.moveWaiting',
  async (transaction, { fromCarrierId, moves, reason, now }: MoveInput) => {
    // The plus keeps the engines from using an index of waiting messages, far longer than the list of moves.
    const moved = await transaction.all<{ company_id: number; id: number; carrier_id: number }>(
      sql`UPDATE messages SET carrier_id = moves.carrier_id, reason = ${reason},
            stage = CASE WHEN messages.stage = ${scheduled} THEN ${scheduled} ELSE ${literal(stage.waiting)} END
          FROM ${rowSet('moves', { company_id: 'bigint', id: 'bigint', carrier_id: 'bigint' }, moves)}
          WHERE messages.company_id = moves.company_id AND messages.id = moves.id
            AND +messages.carrier_id = ${fromCarrierId}
            AND +messages.stage IN (${literal(stage.waiting)}, ${literal(stage.retrying)}, ${scheduled})
            AND messages.charge = ${charge.reserved} AND messages.in_doubt = 0
          RETURNING messages.company_id, messages.id, messages.carrier_id`,
    );
    await keepEvents(
      transaction,
      moved.map(({ company_id: companyId, id: messageId, carrier_id: toCarrierId }) => ({
        companyId,
        messageId,
        at: now,
        kind: 'moved' as const,
        carrierId: fromCarrierId,
        toCarrierId,
        reason,
      })),
    );
    return moved.length;
  },
  ({ moves }) => moves.length,
);
