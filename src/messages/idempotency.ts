/** Recognises repeated requests by their key for a day, so that nothing is sent twice (API: `Idempotency-Key`). */
import { createHash } from 'node:crypto';
import { ServiceError } from '../foundation/errors.ts';
import { sql } from '../storage/sql.ts';
import { type Reading, readVerb, type Transaction } from '../storage/verb.ts';

/** A request that its caller may repeat without sending twice. */
export interface Repeatable {
  readonly key: string;
  readonly requestHash: string;
  readonly now: number;
}

export interface Idempotency extends Repeatable {
  /** The answer to repeat, exactly as it was first sent. */
  readonly answer: string;
  readonly expiresAt: number;
}

/** `understood` identifies the request: two with the same value are the same request. */
export function repeatableOf(key: string, understood: unknown, now: number): Repeatable {
  const requestHash = createHash('sha256').update(JSON.stringify(understood)).digest('base64url');
  return { key, requestHash, now };
}

/** The key of an act of the server's own. No header can carry its first character, so callers can't take the key for a request. */
export function ownKey(name: string): string {
  return `\u0001${name}`;
}

/** The result of an earlier request with the same key. */
export type Earlier =
  | { readonly kind: 'repeated'; readonly answer: string }
  | { readonly kind: 'idempotencyMismatch' };

/** How long an answer is kept to be repeated. */
export const keptForMs = 24 * 60 * 60 * 1_000;

/** The first answer, parsed from JSON. */
export function answerAgain(earlier: Earlier): unknown {
  if (earlier.kind === 'repeated') return JSON.parse(earlier.answer);
  throw new ServiceError(
    'idempotency_mismatch',
    'This `Idempotency-Key` was used for another request. Nothing was sent; use a new key.',
  );
}

interface KeyOwner {
  readonly companyId: number;
  readonly userId: number;
}

/** Null when the request is new; its answer is then kept until it expires. */
export async function claimKey(
  transaction: Transaction,
  { companyId, userId }: KeyOwner,
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

async function selectEarlier(
  reading: Reading,
  { companyId, userId, key, requestHash, now }: KeyOwner & Repeatable,
): Promise<Earlier | null> {
  const earlier = await reading.first<{ request_hash: string; answer: string }>(
    sql`SELECT request_hash, answer FROM idempotency_keys
        WHERE company_id = ${companyId} AND user_id = ${userId} AND idempotency_key = ${key} AND expires_at > ${now}`,
  );
  if (earlier === undefined) return null;
  if (earlier.request_hash !== requestHash) return { kind: 'idempotencyMismatch' };
  return { kind: 'repeated', answer: earlier.answer };
}

/** Null when no request in the last 24 hours had this key. */
export const findEarlier = readVerb('messages.findEarlier', selectEarlier);

export async function forgetKey(
  transaction: Transaction,
  { companyId, userId, idempotency }: KeyOwner & { readonly idempotency: Idempotency | null },
): Promise<void> {
  if (idempotency === null) return;
  await transaction.run(
    sql`DELETE FROM idempotency_keys
        WHERE company_id = ${companyId} AND user_id = ${userId} AND idempotency_key = ${idempotency.key}`,
  );
}
