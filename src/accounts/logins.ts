/** All SQL for operators and their work on logins: listing users, and setting passwords of users and operators. */
import { noCompany, operator, recordAct } from '../audit/audit-log.ts';
import { raiseNews } from '../storage/news.ts';
import { RecordTable } from '../storage/record-table.ts';
import { byDialect, raw, sql } from '../storage/sql.ts';
import { StoredRecord, text } from '../storage/stored-record.ts';
import { type Reading, readVerb, singleWriteVerb, type Transaction } from '../storage/verb.ts';
import { type Account, accountColumns, findAccount, toAccount } from './account.ts';

export type LoginKind = 'user' | 'operator';

export const loginTables = { user: raw('users'), operator: raw('operators') } as const;

/** An operator, who administers the service and sends no messages. */
export interface OperatorRecord {
  readonly username: string;
  readonly passwordHash: string;
}

export const operatorRecords = new RecordTable<OperatorRecord>({
  table: 'operators',
  key: ['username'],
  fields: { username: text, passwordHash: text },
});

const storedOperator = new StoredRecord({ username: text, passwordHash: text });

/** `isKept`: on PostgreSQL the operator can't be removed, and gets no other password, until the transaction ends. */
export function readOperator(
  reading: Reading,
  username: string,
  { isKept = false } = {},
): Promise<OperatorRecord | undefined> {
  const kept = isKept ? sql`${byDialect({ sqlite: '', postgres: 'FOR NO KEY UPDATE' })}` : sql``;
  return storedOperator.first(reading)`FROM operators WHERE username = ${username} ${kept}`;
}

export const findOperator = readVerb('accounts.findOperator', (reading, username: string) =>
  readOperator(reading, username),
);

export interface Login {
  readonly kind: LoginKind;
  readonly username: string;
}

/** Returns false when there is no such login. Also raises a change notice, which makes nodes forget the old password. */
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
  /** The last user name of the previous page; the empty string comes before all names. */
  readonly after: string;
  readonly limit: number;
}

/** Sorted by name. */
export const listUsers = readVerb(
  'accounts.listUsers',
  async (reading, { after, limit }: UserPage): Promise<readonly Account[]> => {
    const rows = await reading.all<object>(sql`
      SELECT ${accountColumns} FROM users JOIN companies ON companies.id = users.company_id
      WHERE users.username > ${after} ORDER BY users.username LIMIT ${limit}`);
    return rows.map(toAccount);
  },
);

interface ViewerQuery extends UserPage {
  readonly companyId: number;
  readonly userId: number;
}

interface ViewerPage {
  readonly usernames: readonly string[];
  /** The last user name that was examined; null when there are no more users. */
  readonly next: string | null;
}

/** The maximum number of users examined per page, so a page may be short. */
const maxLookedAt = 2_000;

/** Users who can see the user's data: that user, and the administrators of the company. Sorted by name. */
export const listViewers = readVerb(
  'accounts.listViewers',
  async (reading, { companyId, userId, after, limit }: ViewerQuery): Promise<ViewerPage> => {
    const looked = sql`(SELECT id, username, roles, active FROM users
      WHERE company_id = ${companyId} AND username > ${after} ORDER BY username LIMIT ${maxLookedAt}) AS looked`;
    const found = await reading.all<{ username: string }>(sql`
      SELECT username FROM ${looked} WHERE active = 1 AND (id = ${userId} OR roles LIKE '%"companyAdmin"%')
      ORDER BY username LIMIT ${limit + 1}`);
    const usernames = found.slice(0, limit).map(({ username }) => username);
    if (found.length > limit) return { usernames, next: usernames.at(-1) ?? null };
    const end = await reading.first<{ count: number; username: string | null }>(sql`
      SELECT COUNT(*) AS count, MAX(username) AS username FROM ${looked}`);
    return { usernames, next: end?.count === maxLookedAt ? end.username : null };
  },
);

/** Enough for somebody to know whom to ask. */
const maxNamed = 5;

/** The first administrators of a company by name, so that a user knows whom to ask for a role. */
export const listAdministrators = readVerb(
  'accounts.listAdministrators',
  async (reading, companyId: number): Promise<readonly string[]> => {
    const found = await reading.all<{ username: string }>(sql`
      SELECT username FROM (SELECT username, roles, active FROM users
        WHERE company_id = ${companyId} ORDER BY username LIMIT ${maxLookedAt}) AS looked
      WHERE active = 1 AND roles LIKE '%"companyAdmin"%' ORDER BY username LIMIT ${maxNamed}`);
    return found.map(({ username }) => username);
  },
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

interface NewPassword extends Login {
  readonly passwordHash: string;
  readonly now: number;
}

/** An operator's command. Returns false when there is no such login. */
export const setPasswordHash = singleWriteVerb(
  'accounts.setPasswordHash',
  async (transaction, { kind, username, passwordHash, now: at }: NewPassword): Promise<boolean> => {
    if (!(await writePasswordHash(transaction, { kind, username }, passwordHash))) return false;
    const account = kind === 'user' ? await findAccount(transaction, { username }) : undefined;
    await recordAct(transaction, {
      companyId: account?.company.id ?? noCompany,
      at,
      by: operator,
      act: 'password.set',
      object: kind === 'user' ? username : `operator ${username}`,
    });
    return true;
  },
);
