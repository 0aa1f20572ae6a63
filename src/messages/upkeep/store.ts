/** Finds carriers with waiting messages, and takes over what dead nodes left behind. */
import { storedReason } from '../../foundation/sentences.ts';
import { amongUnlocked, literal, raw, sql, unmatchedLiteral } from '../../storage/sql.ts';
import { readVerb, singleWriteVerb } from '../../storage/verb.ts';
import { charge, lane, stage, status } from '../message.ts';
import { forgetCarriers } from '../nodes/store.ts';
import { endsAs } from '../status-change.ts';
import { keepEvents } from '../timeline-store.ts';

const bothLanes = raw(`IN (${lane.interactive}, ${lane.bulk})`);

/** Carriers that messages are waiting for; a sweep wakes their dispatch. */
export const carriersWithWaiting = readVerb('messages.carriersWithWaiting', async (reading, _: null) =>
  reading.all<{ id: number }>(
    sql`SELECT id FROM carriers WHERE EXISTS (
          SELECT 1 FROM messages WHERE messages.carrier_id = carriers.id AND stage = ${unmatchedLiteral(stage.waiting)}
            AND lane ${bothLanes})`,
  ),
);

/** False when the node still has messages in flight, which can be found only through the node's row. */
export const forgetNode = singleWriteVerb('messages.forgetNode', async (transaction, nodeId: number) => {
  const changed = await transaction.run(
    sql`DELETE FROM nodes WHERE id = ${nodeId} AND NOT EXISTS (
          SELECT 1 FROM messages WHERE carrier_id IN (SELECT id FROM carriers)
            AND stage = ${literal(stage.inFlight)} AND lane ${bothLanes} AND node_id = ${nodeId})`,
  );
  if (changed === 1) await forgetCarriers(transaction, nodeId);
  return changed === 1;
});

export interface TakeOver {
  readonly deadNodeId: number;
  readonly carrierId: number;
  /** Whether messages that the carrier may or may not have are sent again or given up. */
  readonly policy: 'retry' | 'fail';
  readonly now: number;
  readonly limit: number;
}

const doubtful = storedReason({ sentence: 'node_ended_holding' });

/** The messages that a dead node had in flight are in doubt: they are marked as such and handled by the carrier's policy. */
export const takeOverInFlight = singleWriteVerb(
  'messages.takeOverInFlight',
  async (transaction, input: TakeOver) => {
    const { deadNodeId, carrierId, policy, now, limit } = input;
    const outcome =
      policy === 'retry'
        ? sql`stage = ${stage.waiting}, reason = ${doubtful}`
        : endsAs(status.UNKNOWN, now, doubtful);
    const rows = await transaction.all<{
      company_id: number;
      id: number;
      attempts: number;
      claimed_at: number;
    }>(
      sql`UPDATE messages SET in_doubt = CASE WHEN in_doubt = 0 THEN 1 ELSE in_doubt END, charge = ${charge.due}, node_id = NULL, claimed_at = due_at,
          ${outcome}
        WHERE ${amongUnlocked(
          'company_id, id',
          sql`messages WHERE carrier_id = ${carrierId} AND stage = ${literal(stage.inFlight)} AND lane ${bothLanes}
              AND node_id = ${deadNodeId} LIMIT ${limit}`,
        )} RETURNING company_id, id, attempts, claimed_at`,
    );
    const reason = storedReason({ sentence: 'node_ended', node: deadNodeId });
    await keepEvents(
      transaction,
      rows.map(({ company_id: companyId, id: messageId, attempts: attempt, claimed_at: claimedAt }) => ({
        companyId,
        messageId,
        at: now,
        kind: 'in doubt' as const,
        carrierId,
        reason,
        attempt,
        nodeId: deadNodeId,
        claimedAt,
        status: policy === 'retry' ? null : status.UNKNOWN,
      })),
    );
    return rows.length;
  },
  ({ limit }) => limit,
);
