/** All SQL of operators, and of what they do with logins: users in a list, and passwords of users and operators. */
import { raiseNews } from '../storage/news.ts';
import { RecordTable } from '../storage/record-table.ts';
import { raw, sql } from '../storage/sql.ts';
import { text } from '../storage/stored-record.ts';
import { readVerb, singleWriteVerb, type Transaction } from '../storage/verb.ts';
import { type Account, accountColumns, toAccount } from './account.ts';

export type LoginKind = 'user' | 'operator';

export const loginTables = { user: raw('users'), operator: raw('operators') } as const;

/** Who administers the service and sends nothing. */
export interface OperatorRecord {
  readonly username: string;
  readonly passwordHash: string;
}

export const operatorRecords = new RecordTable<OperatorRecord>({
  table: 'operators',
  key: ['username'],
  fields: { username: text, passwordHash: text },
});

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

/** Of a company's users, in the order of their names. */
const mostLookedAt = 2_000;

/** The names of those who see what is any user's of the company: at most `limit`. */
export const listAdministrators = readVerb(
  'accounts.listAdministrators',
  async (reading, { companyId, limit }: { readonly companyId: number; readonly limit: number }) =>
    reading.all<{ username: string }>(sql`
      SELECT username FROM (SELECT username, roles, active FROM users WHERE company_id = ${companyId}
        ORDER BY username LIMIT ${mostLookedAt}) AS first
      WHERE active = 1 AND roles LIKE '%"companyAdmin"%' ORDER BY username LIMIT ${limit}`),
);

export const listOperators = readVerb(
  'accounts.listOperators',
  async (reading, { after, limit }: UserPage): Promise<readonly { readonly username: string }[]> =>
    reading.all<{ username: string }>(sql`
      SELECT username FROM operators WHERE username > ${after} ORDER BY username LIMIT ${limit}`),
);

export const hasLogin = readVerb('accounts.hasLogin', async (reading, { kind, username }: Login) => {
  const found = await reading.first(
    sql`SELECT username FROM ${loginTables[kind]} WHERE username = ${username}`,
  );
  return found !== undefined;
});

/** False: there is no such login. Where the old password is remembered, it is forgotten with the news. */
export const setPasswordHash = singleWriteVerb(
  'accounts.setPasswordHash',
  (transaction, { passwordHash, ...login }: Login & { readonly passwordHash: string }) =>
    writePasswordHash(transaction, login, passwordHash),
);
