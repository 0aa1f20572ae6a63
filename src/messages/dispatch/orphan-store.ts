/** Releases messages that a node claimed without learning of it, so that they were never handed over. */
import { literal, oneOf, sql } from '../../storage/sql.ts';
import { singleWriteVerb } from '../../storage/verb.ts';
import { lane, stage } from '../message.ts';
import { keepEvents } from '../timeline-store.ts';

export interface OrphanQuery {
  readonly carrierId: number;
  readonly nodeId: number;
  /** Messages that the node is handling. It claims no others meanwhile. */
  readonly knownIds: readonly number[];
  readonly now: number;
}

/** Puts messages back to waiting that a node claimed without learning of it. */
export const releaseOrphans = singleWriteVerb(
  'messages.releaseOrphans',
  async (transaction, { carrierId, nodeId, knownIds, now }: OrphanQuery) => {
    const rows = await transaction.all<{ companyId: number; id: number; attempt: number; claimedAt: number }>(
      sql`UPDATE messages SET stage = ${stage.waiting}, node_id = NULL
        WHERE carrier_id = ${carrierId} AND stage = ${literal(stage.inFlight)}
          AND lane IN (${literal(lane.interactive)}, ${literal(lane.bulk)})
          AND node_id = ${nodeId} AND NOT (id ${oneOf('bigint', knownIds)})
        RETURNING company_id AS "companyId", id, attempts AS attempt, due_at AS "claimedAt"`,
    );
    const reason = 'nothing of it had been handed over';
    const told = { at: now, kind: 'given back', carrierId, nodeId, reason } as const;
    await keepEvents(
      transaction,
      rows.map(({ id: messageId, ...claim }) => ({ ...told, ...claim, messageId })),
    );
    return rows.length;
  },
);
