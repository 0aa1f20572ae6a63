/** Adopts messages waiting for receipts that an ended process or carrier would have delivered. */
import { raw, rowSet, sql } from '../../storage/sql.ts';
import { singleWriteVerb } from '../../storage/verb.ts';
import { stage } from '../message.ts';

/** A place in the order in which messages are adopted. */
export interface AdoptionPlace {
  readonly dueAt: number;
  readonly companyId: number;
  readonly id: number;
}

export const beforeAllOthers: AdoptionPlace = { dueAt: 0, companyId: 0, id: 0 };

export interface Adoption {
  readonly carrierId: number;
  readonly lane: number;
  readonly fromNodeId: number;
  readonly nodeId: number;
  /** Each set begins where the previous one ended, and has at most `limit` messages, whichever node they belong to. */
  readonly after: AdoptionPlace;
  readonly limit: number;
}

export interface Adopted {
  readonly parts: readonly { readonly carrierMessageId: string; readonly recipient: string }[];
  /** Null when there are no more. */
  readonly next: AdoptionPlace | null;
}

export const adoptAwaiting = singleWriteVerb(
  'messages.adoptAwaiting',
  async (transaction, input: Adoption): Promise<Adopted> => {
    const { carrierId, lane, fromNodeId, nodeId, after, limit } = input;
    const line = await transaction.all<AdoptionPlace & { recipient: string; nodeId: number | null }>(
      sql`SELECT due_at AS "dueAt", company_id AS "companyId", id, recipient, node_id AS "nodeId" FROM messages
          WHERE carrier_id = ${carrierId} AND stage = ${raw(String(stage.awaitingReceipt))} AND lane = ${lane}
            AND due_at >= ${after.dueAt} AND (due_at, company_id, id) > (${after.dueAt}, ${after.companyId}, ${after.id})
          ORDER BY due_at, company_id, id LIMIT ${limit}`,
    );
    const next = line.length < limit ? null : (line.at(-1) as AdoptionPlace);
    const rows = line.filter((row) => row.nodeId === fromNodeId);
    if (rows.length === 0) return { parts: [], next };
    const adopted = rowSet(
      'adopted',
      { company_id: 'bigint', id: 'bigint', recipient: 'text' },
      rows.map(({ companyId, id, recipient }) => [companyId, id, recipient]),
    );
    await transaction.run(
      sql`UPDATE messages SET node_id = ${nodeId} FROM ${adopted}
          WHERE messages.company_id = adopted.company_id AND messages.id = adopted.id
            AND +messages.stage = ${stage.awaitingReceipt} AND messages.node_id = ${fromNodeId}`,
    );
    // The carrier is compared here, because a condition on it makes SQLite read all parts that the carrier ever took.
    const parts = await transaction.all<Adopted['parts'][number] & { carrierId: number }>(
      sql`SELECT message_parts.carrier_message_id AS "carrierMessageId", adopted.recipient,
                 message_parts.carrier_id AS "carrierId"
          FROM ${adopted}
          JOIN message_parts ON message_parts.company_id = adopted.company_id AND message_parts.message_id = adopted.id`,
    );
    return { parts: parts.filter((part) => part.carrierId === carrierId), next };
  },
  ({ limit }) => limit,
);
