/** All SQL of what an operator does with logins: users in a list, and passwords of users and operators. */
import { raiseNews } from '../storage/news.ts';
import { raw, sql } from '../storage/sql.ts';
import { readVerb, singleWriteVerb } from '../storage/verb.ts';
import { type Account, accountColumns, toAccount } from './account.ts';

interface UserPage {
  /** The user name that the page before ended with; the empty string is before all. */
  readonly after: string;
  readonly limit: number;
}

/** By name. */
export const listUsers = readVerb(
  'accounts.listUsers',
  async (reading, { after, limit }: UserPage): Promise<readonly Account[]> => {
    const rows = await reading.all<object>(sql`
      SELECT ${accountColumns} FROM users JOIN companies ON companies.id = users.company_id
      WHERE users.username > ${after} ORDER BY users.username LIMIT ${limit}`);
    return rows.map(toAccount);
  },
);

export const listOperators = readVerb(
  'accounts.listOperators',
  async (reading, { after, limit }: UserPage): Promise<readonly { readonly username: string }[]> =>
    reading.all<{ username: string }>(sql`
      SELECT username FROM operators WHERE username > ${after} ORDER BY username LIMIT ${limit}`),
);

export type LoginKind = 'user' | 'operator';

const tables = { user: raw('users'), operator: raw('operators') } as const;

interface Login {
  readonly kind: LoginKind;
  readonly username: string;
}

export const hasLogin = readVerb('accounts.hasLogin', async (reading, { kind, username }: Login) => {
  const found = await reading.first(sql`SELECT username FROM ${tables[kind]} WHERE username = ${username}`);
  return found !== undefined;
});

/** False: there is no such login. Where the old password is remembered, it is forgotten with the news. */
export const setPasswordHash = singleWriteVerb(
  'accounts.setPasswordHash',
  async (transaction, { kind, username, passwordHash }: Login & { readonly passwordHash: string }) => {
    const changed = await transaction.run(
      sql`UPDATE ${tables[kind]} SET password_hash = ${passwordHash} WHERE username = ${username}`,
    );
    if (changed === 1) await raiseNews(transaction, 'accounts');
    return changed === 1;
  },
);
