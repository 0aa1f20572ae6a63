/** What is done for carriers that were removed, and for nodes that are gone. */
import { amongFirst, literally, raw, rowSet, sql } from '../../storage/sql.ts';
import { inTurns, type Reading, readVerb, singleWriteVerb, theNode } from '../../storage/verb.ts';
import { charge, lane, stage, status } from '../message.ts';
import { forgetCarriers } from '../nodes/store.ts';
import { keepEvents } from '../timeline-store.ts';

const bothLanes = raw(`IN (${lane.interactive}, ${lane.bulk})`);

interface Moved {
  readonly company_id: number;
  readonly id: number;
}

/** Carriers that messages wait for: what a sweep wakes dispatch for. */
export const carriersWithWaiting = readVerb('messages.carriersWithWaiting', async (reading, _: null) =>
  reading.all<{ id: number }>(
    sql`SELECT id FROM carriers WHERE EXISTS (
          SELECT 1 FROM messages WHERE messages.carrier_id = carriers.id AND stage = ${literally(stage.waiting)}
            AND lane ${bothLanes})`,
  ),
);

/** Carriers that are no more, but that messages may still be bound to. */
export const listRemovedCarriers = readVerb('messages.listRemovedCarriers', async (reading, _: null) =>
  (await reading.all<{ id: number }>(sql`SELECT id FROM carriers WHERE removed = 1 ORDER BY id`)).map(
    ({ id }) => id,
  ),
);

/** In the order in which they are listed, which is that of the index of what is due. */
export interface StrandedPlace {
  readonly carrierId: number;
  readonly stage: number;
  readonly lane: number;
  readonly dueAt: number;
  readonly companyId: number;
  readonly id: number;
}

export interface Stranded extends StrandedPlace {
  readonly recipient: string;
  readonly sender: string;
  /** Empty: the user is no more. */
  readonly username: string;
}

export interface StrandedQuery {
  readonly limit: number;
  /** Each set begins where the one before it ended: those that no route serves stay where they are. */
  readonly after: StrandedPlace | undefined;
}

const strandedLines = [stage.waiting, stage.scheduled, stage.retrying].flatMap((at) =>
  [lane.interactive, lane.bulk].map((from) => ({ stage: at, lane: from })),
);

/** Messages that wait for a carrier that was removed. */
export const listStranded = inTurns(
  readVerb(
    'messages.listStranded',
    async (reading, { limit, after }: StrandedQuery): Promise<readonly Stranded[]> => {
      const removed = await reading.all<{ id: number }>(
        sql`SELECT id FROM carriers WHERE removed = 1 AND id >= ${after?.carrierId ?? 0} ORDER BY id`,
      );
      const found: Stranded[] = [];
      for (const { id: carrierId } of removed) {
        const isBegun = carrierId === after?.carrierId;
        const begun = strandedLines.findIndex(
          (line) => line.stage === after?.stage && line.lane === after.lane,
        );
        for (const line of isBegun ? strandedLines.slice(begun) : strandedLines) {
          const isAfter = isBegun && line === strandedLines[begun] ? after : undefined;
          found.push(
            ...(await strandedInLine(reading, { ...line, carrierId }, isAfter, limit - found.length)),
          );
          if (found.length === limit) return found;
        }
      }
      return found;
    },
  ),
  theNode,
);

async function strandedInLine(
  reading: Reading,
  line: Pick<StrandedPlace, 'carrierId' | 'stage' | 'lane'>,
  after: StrandedPlace | undefined,
  limit: number,
): Promise<readonly Stranded[]> {
  const { dueAt, companyId, id } = after ?? { dueAt: 0, companyId: 0, id: 0 };
  const rows = await reading.all<Omit<Stranded, keyof typeof line>>(
    sql`SELECT due_at AS "dueAt", messages.company_id AS "companyId", messages.id, recipient, sender,
          COALESCE(users.username, '') AS username
        FROM messages LEFT JOIN users ON users.id = messages.user_id
      WHERE carrier_id = ${line.carrierId} AND stage = ${literally(line.stage)} AND lane = ${literally(line.lane)}
        AND due_at >= ${dueAt}
        AND (due_at, messages.company_id, messages.id) > (${dueAt}, ${companyId}, ${id})
      ORDER BY due_at, messages.company_id, messages.id LIMIT ${limit}`,
  );
  return rows.map((row) => ({ ...row, ...line }));
}

export interface Stray {
  readonly companyId: number;
  readonly id: number;
  readonly carrierId: number;
  readonly toCarrierId: number;
  readonly at: number;
}

/** Binds waiting messages to other carriers. */
export const moveStranded = singleWriteVerb(
  'messages.moveStranded',
  async (transaction, moves: readonly Stray[]) => {
    const rows = moves.map(({ companyId, id, toCarrierId }) => [companyId, id, toCarrierId]);
    const moved = await transaction.all<{ id: number }>(
      sql`UPDATE messages SET carrier_id = moves.carrier_id
        FROM ${rowSet('moves', { company_id: 'bigint', id: 'bigint', carrier_id: 'bigint' }, rows)}
        WHERE messages.company_id = moves.company_id AND messages.id = moves.id
          AND +messages.carrier_id IN (SELECT id FROM carriers WHERE removed = 1)
          AND +messages.stage IN (${literally(stage.waiting)}, ${literally(stage.scheduled)}, ${literally(stage.retrying)})
        RETURNING messages.id`,
    );
    const ids = new Set(moved.map(({ id }) => id));
    const reason = 'the carrier that it waited for was removed';
    await keepEvents(
      transaction,
      moves
        .filter(({ id }) => ids.has(id))
        .map(({ id, ...move }) => ({ ...move, messageId: id, kind: 'moved' as const, reason })),
    );
    return moved.length;
  },
  (moves) => moves.length,
);

/** False: it still has messages in flight, which only its row leads to. */
export const forgetNode = singleWriteVerb('messages.forgetNode', async (transaction, nodeId: number) => {
  const changed = await transaction.run(
    sql`DELETE FROM nodes WHERE id = ${nodeId} AND NOT EXISTS (
          SELECT 1 FROM messages WHERE carrier_id IN (SELECT id FROM carriers)
            AND stage = ${literally(stage.inFlight)} AND lane ${bothLanes} AND node_id = ${nodeId})`,
  );
  if (changed === 1) await forgetCarriers(transaction, nodeId);
  return changed === 1;
});

export interface TakeOver {
  readonly deadNodeId: number;
  readonly carrierId: number;
  /** Send again, or give up, what the carrier may have or not. */
  readonly policy: 'retry' | 'fail';
  readonly now: number;
  readonly limit: number;
}

/** What a dead node had in flight is in doubt: marked so, and dealt with as the carrier's policy says. */
export const takeOverInFlight = singleWriteVerb(
  'messages.takeOverInFlight',
  async (transaction, input: TakeOver) => {
    const { deadNodeId, carrierId, policy, now, limit } = input;
    const outcome =
      policy === 'retry'
        ? sql`stage = ${stage.waiting}`
        : sql`stage = NULL, due_at = NULL, status = ${status.UNKNOWN}, changed_at = ${now}, version = version + 1, unread = 1`;
    const rows = await transaction.all<Moved & { attempts: number; claimed_at: number }>(
      sql`UPDATE messages SET in_doubt = CASE WHEN in_doubt = 0 THEN 1 ELSE in_doubt END, charge = ${charge.due}, node_id = NULL, claimed_at = due_at,
          reason = 'a node ended while the carrier had it in hand', ${outcome}
        WHERE ${amongFirst(
          'company_id, id',
          sql`messages WHERE carrier_id = ${carrierId} AND stage = ${literally(stage.inFlight)} AND lane ${bothLanes}
              AND node_id = ${deadNodeId} LIMIT ${limit}`,
        )} RETURNING company_id, id, attempts, claimed_at`,
    );
    const reason = `node ${deadNodeId} ended before the carrier's answer was stored: it may have been sent`;
    await keepEvents(
      transaction,
      rows.map(({ company_id: companyId, id: messageId, attempts: attempt, claimed_at: claimedAt }) => ({
        ...{ companyId, messageId, at: now, kind: 'in doubt' as const, carrierId, reason },
        ...{ attempt, nodeId: deadNodeId, claimedAt, status: policy === 'retry' ? null : status.UNKNOWN },
      })),
    );
    return rows.length;
  },
  ({ limit }) => limit,
);
