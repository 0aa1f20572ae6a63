/** The rows of second factors, as sign-ins and changes of factors read and use them up in their own transactions. */
import { sql } from '../storage/sql.ts';
import { bigint, json, optional, StoredRecord, text } from '../storage/stored-record.ts';
import type { Reading, Transaction } from '../storage/verb.ts';
import type { FactorProof, UsedChallenge } from './factor.ts';

export const storedTotp = new StoredRecord({
  userId: bigint,
  /** Sealed. */
  secret: text,
  /** The time step of the last code that was taken. */
  usedStep: bigint,
  createdAt: bigint,
  usedAt: bigint,
});

export const storedPasskey = new StoredRecord({
  /** The credential's id, Base64url like the public key. */
  id: text,
  userId: bigint,
  name: text,
  publicKey: text,
  counter: bigint,
  transports: json<readonly string[]>(),
  createdAt: bigint,
  usedAt: optional(bigint),
});

/** Whether the user has a second factor; recovery codes alone are none. */
export async function hasFactors(reading: Reading, userId: number): Promise<boolean> {
  const found = await reading.first(
    sql`SELECT user_id FROM totp_secrets WHERE user_id = ${userId}
        UNION ALL SELECT user_id FROM passkeys WHERE user_id = ${userId} LIMIT 1`,
  );
  return found !== undefined;
}

/** False when it has been used before, perhaps at the same time on another node, or when the factor has been removed. */
export async function useProof(
  transaction: Transaction,
  userId: number,
  proof: FactorProof,
  now: number,
): Promise<boolean> {
  if (proof.kind === 'code') {
    const { step } = proof;
    const used = await transaction.run(
      sql`UPDATE totp_secrets SET used_step = ${step}, used_at = ${now} WHERE user_id = ${userId} AND used_step < ${step}`,
    );
    return used === 1;
  }
  if (proof.kind === 'recoveryCode') {
    const used = await transaction.run(
      sql`DELETE FROM recovery_codes WHERE user_id = ${userId} AND digest = ${proof.digest}`,
    );
    return used === 1;
  }
  const { id, counter, challenge } = proof;
  if (!(await useChallenge(transaction, challenge))) return false;
  // Some authenticators do not count and always say 0. A count that has not risen comes from a copy of a passkey.
  const used = await transaction.run(
    sql`UPDATE passkeys SET counter = ${counter}, used_at = ${now}
        WHERE id = ${id} AND user_id = ${userId} AND ${counter === 0 ? sql`counter = 0` : sql`counter < ${counter}`}`,
  );
  return used === 1;
}

export async function useChallenge(
  transaction: Transaction,
  { digest, expiresAt }: UsedChallenge,
): Promise<boolean> {
  const used = await transaction.run(
    sql`INSERT INTO used_challenges (digest, expires_at) VALUES (${digest}, ${expiresAt}) ON CONFLICT (digest) DO NOTHING`,
  );
  return used === 1;
}
