/** Accepts messages of clients, together with what the clients want to hear of them. */
import type { Concatenation } from '../carriers/carrier.ts';
import { keepReferences, packHeader, type Referenced } from '../messages/part-header.ts';
import { type Acceptance, type Accepted, acceptWithin, messageIdsIn } from '../messages/sending/accept.ts';
import { valueIn } from '../messages/sending/accepted-row.ts';
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
  /** The header of a message that is a part of a longer text. */
  readonly header?: Concatenation | undefined;
}

/** The answer to a call that finds that some of its parts have gone out alone; the others will. */
const sentBefore = { kind: 'repeated', answer: JSON.stringify({ accepted: [], rejected: [] }) } as const;

/** An end is journalled for its client even if nobody else listens to the company. */
export const acceptOfClients = refusable(
  writeVerb<ClientAcceptance, Accepted>(
    'esme.accept',
    async (transaction, inputs) => {
      const waiting = await waitingParts(
        transaction,
        inputs.flatMap(({ parts = [] }) => parts),
      );
      const fresh = inputs.filter(({ parts = [] }) => claim(waiting, parts));
      const accepted = await acceptWithin(
        transaction,
        fresh.map(({ acceptance }) => ({ ...acceptance, listened: true })),
        'asGiven',
      );
      const outcomes = await withHeaders(transaction, fresh, accepted);
      const stored = fresh.filter((input) => outcomes.get(input)?.kind === 'accepted');
      await keepReported(transaction, stored);
      await removeParts(
        transaction,
        stored.flatMap(({ parts = [] }) => parts),
      );
      for (const input of inputs) if (!outcomes.has(input)) await checkKept(transaction, input);
      return inputs.map((input) => outcomes.get(input) ?? sentBefore);
    },
    ({ acceptance }) => 2 * acceptance.rows.length,
  ),
);

/** Dispatch learns of the header of a message in flight by the outcome, and reads that of others with their rows. */
async function withHeaders(
  transaction: Transaction,
  inputs: readonly ClientAcceptance[],
  accepted: readonly Accepted[],
): Promise<Map<ClientAcceptance, Accepted>> {
  const headers: Referenced[] = [];
  const outcomes = new Map<ClientAcceptance, Accepted>();
  for (const [index, input] of inputs.entries()) {
    const outcome = accepted[index] as Accepted;
    const { acceptance, header } = input;
    outcomes.set(input, outcome);
    if (header === undefined || outcome.kind !== 'accepted') continue;
    const reference = packHeader(header);
    const own = messageIdsIn(acceptance).map((id) => ({ companyId: acceptance.companyId, id, reference }));
    headers.push(...own);
    outcomes.set(input, { ...outcome, references: new Map(own.map(({ id }) => [id, reference])) });
  }
  await keepReferences(transaction, headers);
  return outcomes;
}

/** The parts are locked first, so that no other node makes a message of them. */
export async function waitingParts(transaction: Transaction, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const rows = await transaction.all<{ id: number }>(
    sql`SELECT id FROM esme_parts WHERE id ${oneOf('bigint', ids)} ORDER BY id ${forUpdate}`,
  );
  return new Set(rows.map(({ id }) => id));
}

/** A part becomes one message, even if two calls of one transaction want it. */
function claim(waiting: Set<number>, parts: readonly number[]): boolean {
  if (!parts.every((id) => waiting.has(id))) return false;
  for (const id of parts) waiting.delete(id);
  return true;
}

/** Throws if a part that was acknowledged neither became a message nor waits. */
async function checkKept(
  transaction: Transaction,
  { acceptance: { companyId }, parts = [] }: ClientAcceptance,
): Promise<void> {
  const rows = await transaction.all<{ id: number }>(
    sql`SELECT id FROM esme_parts WHERE id ${oneOf('bigint', parts)}
        UNION ALL SELECT shown_id FROM esme_messages
          WHERE company_id = ${companyId} AND shown_id ${oneOf('bigint', parts)} AND shown_id <> message_id
        UNION ALL SELECT message_id FROM esme_messages
          WHERE company_id = ${companyId} AND message_id ${oneOf('bigint', parts)}`,
  );
  const kept = new Set(rows.map(({ id }) => id));
  if (!parts.every((id) => kept.has(id)))
    throw new Error(`parts ${parts.join(', ')} are neither sent nor kept`);
}

export async function removeParts(transaction: Transaction, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await transaction.run(sql`DELETE FROM esme_parts WHERE id ${oneOf('bigint', ids)}`);
}

export const reportedColumns = {
  company_id: 'bigint',
  message_id: 'bigint',
  shown_id: 'bigint',
  wanted: 'smallint',
  reference: 'integer',
  ends_at: 'bigint',
} as const;

async function keepReported(transaction: Transaction, accepted: readonly ClientAcceptance[]): Promise<void> {
  const rows = accepted.flatMap(({ acceptance: { companyId, rows: messages }, reported }) =>
    messages.flatMap((message) => {
      const id = valueIn(message, 'id');
      const endsAt = valueIn(message, 'expires_at');
      return reported.map(({ shownId, wanted, reference }) => [
        companyId,
        id,
        shownId ?? id,
        wanted,
        reference,
        endsAt,
      ]);
    }),
  );
  if (rows.length > 0) await transaction.insert('esme_messages', reportedColumns, rows);
}

export const agedClientMessages: AgedRows = {
  table: 'esme_messages',
  key: 'company_id, message_id, shown_id',
  time: 'ends_at',
};
