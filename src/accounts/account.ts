/** An account (a user with the company that pays for it), as other rooms read it within their own transactions. */
import { NameOrder, type NamePlace } from '../storage/name-order.ts';
import { byDialect, oneOf, placeIn, raw, sql } from '../storage/sql.ts';
import { type Reading, readVerb, type Transaction } from '../storage/verb.ts';
import { type CompanyRecord, storedCompany } from './company-records.ts';
import { storedUser, toUser, type UserRecord } from './user-records.ts';

export interface Account {
  readonly user: UserRecord & { readonly id: number };
  readonly company: CompanyRecord & { readonly id: number };
}

export function isActive({ user, company }: Account): boolean {
  return user.active && company.active;
}

/** Whether the user must sign in to the portal with a second factor. */
export function mustHaveFactor({ user, company: { secondFactor } }: Account): boolean {
  return (
    secondFactor === 'everyone' || (secondFactor === 'administrators' && user.roles.includes('companyAdmin'))
  );
}

export const accountColumns = raw(
  `${storedUser.names('users', 'user_')}, ${storedCompany.names('companies', 'company_')}`,
);

export function toAccount(row: object): Account {
  const company = storedCompany.read(row, 'company_') as Account['company'];
  return { user: toUser(row, company.name, 'user_') as Account['user'], company };
}

export type NamedUser = { readonly id: number } | { readonly username: string };

/**
 * `isKept`: on PostgreSQL the user can't be removed until the rows that refer to it are committed. `isSteady`: the user can't
 * be changed either. `isLocked`: other transactions that change the user wait for this one, or have already committed.
 */
export async function findAccount(
  reading: Reading,
  named: NamedUser,
  { isKept = false, isSteady = false, isLocked = false } = {},
): Promise<Account | undefined> {
  const isNamed = 'id' in named ? sql`users.id = ${named.id}` : sql`users.username = ${named.username}`;
  const row = await reading.first<object>(
    sql`SELECT ${accountColumns} FROM users JOIN companies ON companies.id = users.company_id
        WHERE ${isNamed} ${isLocked ? lockUser : isSteady ? holdUser : isKept ? keepUser : sql``}`,
  );
  return row && toAccount(row);
}

export async function findAccounts(reading: Reading, ids: readonly number[]): Promise<readonly Account[]> {
  const rows = await reading.all<object>(
    sql`SELECT ${accountColumns} FROM users JOIN companies ON companies.id = users.company_id
        WHERE users.id ${oneOf('bigint', [...new Set(ids)])}`,
  );
  return rows.map(toAccount);
}

export interface AccountsPage {
  readonly companyId: number;
  /** A part of the user name, in any case; empty for all users. */
  readonly q: string;
  readonly from: NamePlace;
  readonly limit: number;
}

const byName = new NameOrder('users.username');

/** The accounts of a company in the order of their user names. */
export async function accountsOf(
  reading: Reading,
  { companyId, q, from, limit }: AccountsPage,
): Promise<readonly Account[]> {
  const sought = q === '' ? sql`` : sql`AND ${placeIn}(LOWER(username), LOWER(${q})) > 0`;
  const rows = await reading.all<object>(
    sql`SELECT ${accountColumns} FROM users JOIN companies ON companies.id = users.company_id
        WHERE users.company_id = ${companyId} ${byName.behind(from)} ${sought}
        ORDER BY ${byName.by(from)} LIMIT ${limit}`,
  );
  return rows.map(toAccount);
}

const lockUser = sql`${byDialect({ sqlite: '', postgres: 'FOR NO KEY UPDATE OF users' })}`;
const holdUser = sql`${byDialect({ sqlite: '', postgres: 'FOR SHARE OF users' })}`;
const keepUser = sql`${byDialect({ sqlite: '', postgres: 'FOR KEY SHARE OF users' })}`;

/**
 * Keeps users and companies from being removed until the rows that refer to them are committed. Users are always locked
 * before companies, and both in id order, so that no two transactions deadlock. SQLite has a single writer and needs no
 * locks.
 */
export async function keepAccounts(
  transaction: Transaction,
  users: readonly NamedUser[],
  companyIds: readonly number[],
): Promise<void> {
  if (transaction.dialect === 'sqlite') return;
  const ids = users.flatMap((user) => ('id' in user ? user.id : []));
  const usernames = users.flatMap((user) => ('username' in user ? user.username : []));
  await transaction.all(
    sql`SELECT id FROM users WHERE id ${oneOf('bigint', ids)} OR username ${oneOf('text', usernames)}
        ORDER BY id FOR KEY SHARE`,
  );
  await transaction.all(
    sql`SELECT id FROM companies WHERE id ${oneOf('bigint', companyIds)} ORDER BY id FOR KEY SHARE`,
  );
}

export const findAccountByUsername = readVerb('accounts.findAccountByUsername', (reading, username: string) =>
  findAccount(reading, { username }),
);

export const findAccountById = readVerb('accounts.findAccountById', (reading, id: number) =>
  findAccount(reading, { id }),
);

export const findCompanyId = readVerb('accounts.findCompanyId', async (reading, name: string) => {
  const company = await reading.first<{ id: number }>(sql`SELECT id FROM companies WHERE name = ${name}`);
  return company?.id ?? null;
});
