/** The ways into the portal that a user has, for rooms that give or end them in transactions of theirs. */
import type { Account } from '../accounts/account.ts';
import { callerOf } from '../accounts/caller.ts';
import { raiseNews } from '../storage/news.ts';
import { sql } from '../storage/sql.ts';
import type { Transaction } from '../storage/verb.ts';
import { standingOf } from './session.ts';

export interface LoginLink {
  readonly digest: string;
  readonly expiresAt: number;
}

/** In place of the one before. The user is kept until the transaction ends. */
export async function writeLink(
  transaction: Transaction,
  account: Account,
  { digest, expiresAt }: LoginLink,
): Promise<void> {
  await transaction.run(
    sql`INSERT INTO login_links (user_id, digest, standing, expires_at)
        VALUES (${account.user.id}, ${digest}, ${standingOf(callerOf(account))}, ${expiresAt})
        ON CONFLICT (user_id) DO UPDATE SET
          digest = excluded.digest, standing = excluded.standing, expires_at = excluded.expires_at`,
  );
}

/** A session of an account that was closed is not to come back to life with it. */
export async function endAllLogins(transaction: Transaction, userId: number): Promise<void> {
  await transaction.run(sql`DELETE FROM login_links WHERE user_id = ${userId}`);
  await transaction.run(sql`DELETE FROM sessions WHERE user_id = ${userId}`);
  await raiseNews(transaction, 'sessions');
}
