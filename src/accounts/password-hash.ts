/** Gives a user or an operator another password, within a transaction that may do more. */
import { raiseNews } from '../storage/news.ts';
import { raw, sql } from '../storage/sql.ts';
import type { Transaction } from '../storage/verb.ts';

export type LoginKind = 'user' | 'operator';

export const loginTables = { user: raw('users'), operator: raw('operators') } as const;

export interface Login {
  readonly kind: LoginKind;
  readonly username: string;
}

/** False: there is no such login. Where the old password is remembered, it is forgotten with the news. */
export async function writePasswordHash(
  transaction: Transaction,
  { kind, username }: Login,
  passwordHash: string,
): Promise<boolean> {
  const changed = await transaction.run(
    sql`UPDATE ${loginTables[kind]} SET password_hash = ${passwordHash} WHERE username = ${username}`,
  );
  if (changed === 1) await raiseNews(transaction, 'accounts');
  return changed === 1;
}
