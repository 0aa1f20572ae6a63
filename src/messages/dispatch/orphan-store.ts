/** Gives back what a node claimed without hearing of it, so that nothing was handed over. */
import { literally, oneOf, sql } from '../../storage/sql.ts';
import { singleWriteVerb } from '../../storage/verb.ts';
import { lane, stage } from '../message.ts';
import { keepEvents } from '../timeline-store.ts';

export interface Orphanage {
  readonly carrierId: number;
  readonly nodeId: number;
  /** Messages that the node has in hand. It claims no others meanwhile. */
  readonly knownIds: readonly number[];
  readonly now: number;
}

/** Messages claimed by a node that never heard of it wait again. */
export const releaseOrphans = singleWriteVerb(
  'messages.releaseOrphans',
  async (transaction, { carrierId, nodeId, knownIds, now }: Orphanage) => {
    const rows = await transaction.all<{ companyId: number; id: number; attempt: number; claimedAt: number }>(
      sql`UPDATE messages SET stage = ${stage.waiting}, node_id = NULL
        WHERE carrier_id = ${carrierId} AND stage = ${literally(stage.inFlight)}
          AND lane IN (${literally(lane.interactive)}, ${literally(lane.bulk)})
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
