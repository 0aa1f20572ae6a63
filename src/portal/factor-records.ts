/** The rows of second factors, as sign-ins and changes of factors read and use them up in their own transactions. */
import type { Account } from '../accounts/account.ts';
import { type Act, type Actor, recordAct } from '../audit/audit-log.ts';
import { factorMail } from '../email/outgoing/factor-mail.ts';
import { queueMails } from '../email/outgoing/outgoing-mail.ts';
import type { FactorEvent } from '../email/outgoing/words.ts';
import { raiseNews } from '../storage/news.ts';
import { sql } from '../storage/sql.ts';
import { bigint, json, type Kept, optional, StoredRecord, text } from '../storage/stored-record.ts';
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

export type Passkey = Kept<typeof storedPasskey>;

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

/** Replaces all recovery codes of the user. */
export async function writeCodes(transaction: Transaction, userId: number, digests: readonly string[]) {
  await transaction.run(sql`DELETE FROM recovery_codes WHERE user_id = ${userId}`);
  await transaction.insert(
    'recovery_codes',
    { user_id: 'bigint', digest: 'text' },
    digests.map((digest) => [userId, digest]),
  );
}

interface FactorChange {
  readonly by: Actor;
  readonly now: number;
  /** The domain that mail is sent from; undefined when no mail is sent. */
  readonly mailDomain: string | undefined;
}

export interface FactorsChanged {
  readonly account: Account;
  readonly isNotified: boolean;
}

/** Records the change, and tells the user. */
export async function changed(
  transaction: Transaction,
  account: Account,
  { by, now, mailDomain }: FactorChange,
  act: Act,
  event: FactorEvent,
): Promise<FactorsChanged> {
  const { user, company } = account;
  await recordAct(transaction, {
    companyId: company.id,
    at: now,
    by,
    act,
    object: user.username,
    details: { sentence: 'factor_event', event },
  });
  if (mailDomain === undefined || user.email === undefined) return { account, isNotified: false };
  const { username, email } = user;
  const { id: companyId, name, language = 'en', timeZone } = company;
  const told = { event, at: now, userId: user.id, username, email, by: by.username };
  await queueMails(
    transaction,
    [factorMail({ ...told, companyId, company: name, language, timeZone }, mailDomain)],
    now,
  );
  return { account, isNotified: true };
}

/** Removes all factors of a user. The user's sessions end, since one may be on a phone that was lost. */
export async function resetFactors(
  transaction: Transaction,
  account: Account,
  change: FactorChange,
): Promise<FactorsChanged | undefined> {
  const { id } = account.user;
  if (!(await hasFactors(transaction, id))) return undefined;
  await transaction.run(sql`DELETE FROM totp_secrets WHERE user_id = ${id}`);
  await transaction.run(sql`DELETE FROM passkeys WHERE user_id = ${id}`);
  await writeCodes(transaction, id, []);
  await transaction.run(sql`DELETE FROM sessions WHERE user_id = ${id}`);
  await raiseNews(transaction, 'sessions');
  return changed(transaction, account, change, 'factor.reset', 'reset');
}
