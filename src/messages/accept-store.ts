/** Taking messages in: their rows, the quota they cost and the answer to repeat, in one transaction for many requests. */
import { type Columns, type Row, sql } from '../storage/sql.ts';
import { type Transaction, writeVerb } from '../storage/verb.ts';
import { countUsage, reserveQuota } from './quota-store.ts';

/** The columns of a message as it is accepted, in the order of `Acceptance.rows`. */
export const acceptedColumns = {
  company_id: 'bigint',
  id: 'bigint',
  user_id: 'bigint',
  recipient: 'text',
  sender: 'text',
  text: 'text',
  flash: 'smallint',
  parts: 'smallint',
  conversation: 'text',
  cost_center: 'text',
  created_at: 'bigint',
  expires_at: 'bigint',
  status: 'smallint',
  changed_at: 'bigint',
  version: 'integer',
  unread: 'smallint',
  expired_by_timer: 'smallint',
  carrier_id: 'bigint',
  lane: 'smallint',
  stage: 'smallint',
  due_at: 'bigint',
  attempts: 'integer',
  charge: 'smallint',
  in_doubt: 'smallint',
} as const satisfies Columns;

export interface Idempotency {
  readonly key: string;
  readonly requestHash: string;
  /** The answer to give again, as it was sent. */
  readonly answer: string;
  readonly expiresAt: number;
}

/** One request's messages, wholly prepared. */
export interface Acceptance {
  readonly companyId: number;
  readonly userId: number;
  readonly rows: readonly Row[];
  /** SMS parts of all rows. */
  readonly parts: number;
  readonly costCenter: string;
  /** `YYYY-MM` in UTC. */
  readonly month: string;
  readonly idempotency: Idempotency | null;
}

export type Accepted =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'repeated'; readonly answer: string }
  | { readonly kind: 'quotaExceeded' }
  | { readonly kind: 'idempotencyMismatch' };

const accepted: Accepted = { kind: 'accepted' };

export const acceptMessages = writeVerb<Acceptance, Accepted>(
  'messages.accept',
  async (transaction, inputs) => {
    const answers: (Accepted | undefined)[] = new Array(inputs.length).fill(undefined);
    for (let index = 0; index < inputs.length; index++) {
      const input = inputs[index] as Acceptance;
      if (input.idempotency !== null)
        answers[index] = await repeatOrRefuse(transaction, input, input.idempotency);
    }
    const fresh = inputs.filter((_, index) => answers[index] === undefined);
    const affordable = await reserveQuota(transaction, fresh);
    await insertMessages(transaction, [...affordable]);
    // An answer that was refused is not kept: the caller may try again with the same key.
    for (const input of fresh) if (!affordable.has(input)) await forgetIdempotency(transaction, input);
    return inputs.map(
      (input, index) => answers[index] ?? (affordable.has(input) ? accepted : { kind: 'quotaExceeded' }),
    );
  },
  (input) => input.rows.length,
);

async function insertMessages(transaction: Transaction, inputs: readonly Acceptance[]): Promise<void> {
  if (inputs.length === 0) return;
  const rows = inputs.length === 1 ? (inputs[0] as Acceptance).rows : inputs.flatMap((input) => input.rows);
  await transaction.insert('messages', acceptedColumns, rows);
  await countUsage(
    transaction,
    inputs.map((input) => ({ ...input, messages: input.rows.length })),
  );
}

/** Undefined when the request is new; its answer is then kept for 24 hours. */
async function repeatOrRefuse(
  transaction: Transaction,
  { companyId, userId }: Acceptance,
  { key, requestHash, answer, expiresAt }: Idempotency,
): Promise<Accepted | undefined> {
  const added = await transaction.run(
    sql`INSERT INTO idempotency_keys (company_id, user_id, idempotency_key, request_hash, answer, expires_at)
        VALUES (${companyId}, ${userId}, ${key}, ${requestHash}, ${answer}, ${expiresAt})
        ON CONFLICT (company_id, user_id, idempotency_key) DO NOTHING`,
  );
  if (added === 1) return undefined;
  const earlier = await transaction.first<{ request_hash: string; answer: string }>(
    sql`SELECT request_hash, answer FROM idempotency_keys
        WHERE company_id = ${companyId} AND user_id = ${userId} AND idempotency_key = ${key}`,
  );
  if (earlier?.request_hash !== requestHash) return { kind: 'idempotencyMismatch' };
  return { kind: 'repeated', answer: earlier.answer };
}

async function forgetIdempotency(
  transaction: Transaction,
  { companyId, userId, idempotency }: Acceptance,
): Promise<void> {
  if (idempotency === null) return;
  await transaction.run(
    sql`DELETE FROM idempotency_keys
        WHERE company_id = ${companyId} AND user_id = ${userId} AND idempotency_key = ${idempotency.key}`,
  );
}
