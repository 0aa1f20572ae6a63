/** Taking messages in: their rows, the quota they cost and the answer to repeat, in one transaction for many requests. */
import { type Columns, type Row, sql } from '../storage/sql.ts';
import { type Reading, readVerb, refusable, type Transaction, writeVerb } from '../storage/verb.ts';
import { stage } from './message.ts';
import { isAlive } from './node-store.ts';
import { changesOfUse, findAffordable } from './quota-store.ts';

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
  node_id: 'bigint',
} as const satisfies Columns;

/** A request that its caller may repeat without sending twice. */
export interface Repeatable {
  readonly key: string;
  readonly requestHash: string;
  readonly now: number;
}

interface Idempotency extends Repeatable {
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
  /** The rows are in flight at this node; where others have given it up, they are stored as waiting instead. */
  readonly nodeId: number | null;
}

/** What came of an earlier request with the same key. */
export type Earlier =
  | { readonly kind: 'repeated'; readonly answer: string }
  | { readonly kind: 'idempotencyMismatch' };

export type Accepted =
  | Earlier
  | { readonly kind: 'accepted'; readonly inFlight: boolean }
  | { readonly kind: 'quotaExceeded' };

export const acceptMessages = refusable(
  writeVerb<Acceptance, Accepted>('messages.accept', accept, (input) => input.rows.length),
);

async function accept(transaction: Transaction, inputs: readonly Acceptance[]): Promise<Accepted[]> {
  const earlier: (Earlier | null)[] = [];
  for (const input of inputs)
    earlier.push(input.idempotency && (await claimKey(transaction, input, input.idempotency)));
  const fresh = inputs.filter((_, index) => earlier[index] === null);
  const affordable = await findAffordable(transaction, fresh);
  const livingNodes = await insertMessages(transaction, [...affordable]);
  const answers = inputs.map((input, index): Accepted => {
    if (!affordable.has(input)) return earlier[index] ?? { kind: 'quotaExceeded' };
    return { kind: 'accepted', inFlight: input.nodeId !== null && livingNodes.has(input.nodeId) };
  });

  const refused = fresh.filter((input) => !affordable.has(input));
  if (refused.length === 0) return answers;
  // An answer that was refused is not kept: the caller may try again with the same key.
  for (const input of refused) await forgetKey(transaction, input);
  // Neither does it count for those of this set that met its key: their turn comes now.
  const freed = new Set(refused.map(ownKey));
  const again = [...inputs.entries()].filter(
    ([index, input]) => earlier[index] !== null && freed.has(ownKey(input)),
  );
  if (again.length === 0) return answers;
  const anew = await accept(
    transaction,
    again.map(([, input]) => input),
  );
  for (const [place, [index]] of again.entries()) answers[index] = anew[place] as Accepted;
  return answers;
}

function ownKey({ userId, idempotency }: Acceptance): string {
  return `${userId}/${idempotency?.key ?? ''}`;
}

/** Answers with those of the inputs' nodes that are alive. */
async function insertMessages(
  transaction: Transaction,
  inputs: readonly Acceptance[],
): Promise<ReadonlySet<number>> {
  const livingNodes = new Set<number>();
  if (inputs.length === 0) return livingNodes;
  for (const nodeId of new Set(inputs.map((input) => input.nodeId))) {
    if (nodeId !== null && (await isAlive(transaction, nodeId))) livingNodes.add(nodeId);
  }
  const rows = inputs.flatMap((input) =>
    input.nodeId === null || livingNodes.has(input.nodeId) ? input.rows : input.rows.map(asWaiting),
  );
  await transaction.together([
    ...changesOfUse(inputs.map((input) => ({ ...input, messages: input.rows.length }))),
    { columns: acceptedColumns, rows, change: { into: 'messages' } },
  ]);
  return livingNodes;
}

const columnNames = Object.keys(acceptedColumns);
const stageAt = columnNames.indexOf('stage');
const nodeAt = columnNames.indexOf('node_id');
const attemptsAt = columnNames.indexOf('attempts');

function asWaiting(row: Row): Row {
  const waiting = [...row];
  waiting[stageAt] = stage.waiting;
  waiting[nodeAt] = null;
  waiting[attemptsAt] = 0;
  return waiting;
}

/** Null when the request is new; its answer is then kept for 24 hours. */
async function claimKey(
  transaction: Transaction,
  { companyId, userId }: Acceptance,
  { key, requestHash, now, answer, expiresAt }: Idempotency,
): Promise<Earlier | null> {
  const claimed = await transaction.run(
    sql`INSERT INTO idempotency_keys (company_id, user_id, idempotency_key, request_hash, answer, expires_at)
        VALUES (${companyId}, ${userId}, ${key}, ${requestHash}, ${answer}, ${expiresAt})
        ON CONFLICT (company_id, user_id, idempotency_key) DO UPDATE
          SET request_hash = excluded.request_hash, answer = excluded.answer, expires_at = excluded.expires_at
          WHERE idempotency_keys.expires_at <= ${now}`,
  );
  return claimed === 1 ? null : selectEarlier(transaction, { companyId, userId, key, requestHash, now });
}

interface EarlierQuery extends Repeatable {
  readonly companyId: number;
  readonly userId: number;
}

async function selectEarlier(
  reading: Reading,
  { companyId, userId, key, requestHash, now }: EarlierQuery,
): Promise<Earlier | null> {
  const earlier = await reading.first<{ request_hash: string; answer: string }>(
    sql`SELECT request_hash, answer FROM idempotency_keys
        WHERE company_id = ${companyId} AND user_id = ${userId} AND idempotency_key = ${key} AND expires_at > ${now}`,
  );
  if (earlier === undefined) return null;
  if (earlier.request_hash !== requestHash) return { kind: 'idempotencyMismatch' };
  return { kind: 'repeated', answer: earlier.answer };
}

/** Null when no request of the last 24 hours had this key. */
export const findEarlier = readVerb('messages.findEarlier', selectEarlier);

async function forgetKey(
  transaction: Transaction,
  { companyId, userId, idempotency }: Acceptance,
): Promise<void> {
  if (idempotency === null) return;
  await transaction.run(
    sql`DELETE FROM idempotency_keys
        WHERE company_id = ${companyId} AND user_id = ${userId} AND idempotency_key = ${idempotency.key}`,
  );
}
