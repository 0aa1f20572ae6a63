/** Accepts messages of clients, together with what the clients want to hear of them. */
import { type Acceptance, type Accepted, acceptWithin, messageIdsIn } from '../messages/sending/accept.ts';
import type { AgedRows } from '../storage/retention.ts';
import { forUpdate, oneOf, sql } from '../storage/sql.ts';
import { refusable, type Transaction, writeVerb } from '../storage/verb.ts';

/** An id under which the client knows the messages, and which of their ends it wants to hear of. */
export interface Reported {
  /** Null if each message is known by its own id. */
  readonly shownId: number | null;
  /** One of `wanted`. */
  readonly wanted: number;
  readonly reference: number | null;
}

export interface ClientAcceptance {
  readonly acceptance: Acceptance;
  readonly reported: readonly Reported[];
  /** Ids of the parts that become the message. */
  readonly parts?: readonly number[];
}

/** The answer to a call that finds its parts sent already. */
const sentBefore = { kind: 'repeated', answer: JSON.stringify({ accepted: [], rejected: [] }) } as const;

/** An end is journalled for its client even if nobody else listens to the company. */
export const acceptOfClients = refusable(
  writeVerb<ClientAcceptance, Accepted>(
    'esme.accept',
    async (transaction, inputs) => {
      const waiting = await waitingParts(transaction, inputs);
      const fresh = inputs.filter(({ parts = [] }) => parts.every((id) => waiting.has(id)));
      const accepted = await acceptWithin(
        transaction,
        fresh.map(({ acceptance }) => ({ ...acceptance, listened: true })),
        'asGiven',
      );
      const outcomes = new Map(fresh.map((input, index) => [input, accepted[index] as Accepted]));
      const stored = fresh.filter((input) => outcomes.get(input)?.kind === 'accepted');
      await keepReported(transaction, stored);
      await removeParts(
        transaction,
        stored.flatMap(({ parts = [] }) => parts),
      );
      return inputs.map((input) => outcomes.get(input) ?? sentBefore);
    },
    ({ acceptance }) => 2 * acceptance.rows.length,
  ),
);

/** The parts are locked first, so that no other node makes a message of them. */
async function waitingParts(
  transaction: Transaction,
  inputs: readonly ClientAcceptance[],
): Promise<ReadonlySet<number>> {
  const ids = inputs.flatMap(({ parts = [] }) => parts);
  if (ids.length === 0) return new Set();
  const rows = await transaction.all<{ id: number }>(
    sql`SELECT id FROM esme_parts WHERE id ${oneOf('bigint', ids)} ORDER BY id ${forUpdate}`,
  );
  return new Set(rows.map(({ id }) => id));
}

async function removeParts(transaction: Transaction, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await transaction.run(sql`DELETE FROM esme_parts WHERE id ${oneOf('bigint', ids)}`);
}

const columns = {
  company_id: 'bigint',
  message_id: 'bigint',
  shown_id: 'bigint',
  wanted: 'smallint',
  reference: 'integer',
  received_at: 'bigint',
} as const;

async function keepReported(transaction: Transaction, accepted: readonly ClientAcceptance[]): Promise<void> {
  const rows = accepted.flatMap(({ acceptance, reported }) =>
    messageIdsIn(acceptance).flatMap((id) =>
      reported.map(({ shownId, wanted, reference }) => [
        acceptance.companyId,
        id,
        shownId ?? id,
        wanted,
        reference,
        acceptance.now,
      ]),
    ),
  );
  if (rows.length > 0) await transaction.insert('esme_messages', columns, rows);
}

export const agedClientMessages: AgedRows = {
  table: 'esme_messages',
  key: 'company_id, message_id, shown_id',
  time: 'received_at',
};
