/** Accepts messages of clients, together with what the clients want to hear of them. */
import { type Acceptance, type Accepted, acceptWithin, messageIdsIn } from '../messages/sending/accept.ts';
import type { AgedRows } from '../storage/retention.ts';
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
}

/** An end is journalled for its client even if nobody else listens to the company. */
export const acceptOfClients = refusable(
  writeVerb<ClientAcceptance, Accepted>(
    'esme.accept',
    async (transaction, inputs) => {
      const outcomes = await acceptWithin(
        transaction,
        inputs.map(({ acceptance }) => ({ ...acceptance, listened: true })),
        'asGiven',
      );
      const stored = inputs.filter((_, index) => outcomes[index]?.kind === 'accepted');
      await keepReported(transaction, stored);
      return [...outcomes];
    },
    ({ acceptance }) => 2 * acceptance.rows.length,
  ),
);

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
