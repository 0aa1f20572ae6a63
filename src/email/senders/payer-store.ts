/** The SQL about the users who pay for SMS by e-mail. */
import { isRole } from '../../accounts/role.ts';
import { differ, oneOf, sql } from '../../storage/sql.ts';
import type { Reading, Transaction } from '../../storage/verb.ts';
import { namedUser, type Payer } from './paying-user.ts';

export interface PayerRow {
  readonly id: number;
  readonly username: string;
  readonly company_id: number;
  readonly active: number;
  readonly roles: string;
  readonly smtp_split: number;
}

export const payerColumns = sql`users.id, users.username, users.company_id, users.active * companies.active AS active,
  users.roles, users.smtp_split`;

export function toPayer(row: PayerRow): Payer {
  return {
    id: row.id,
    username: row.username,
    companyId: row.company_id,
    active: row.active === 1,
    roles: (JSON.parse(row.roles) as unknown[]).filter(isRole),
    smtpSplit: row.smtp_split === 1,
  };
}

/** On PostgreSQL, keeps users from being removed until what refers to them is committed. */
export const lockUser = sql`${differ({ sqlite: '', postgres: 'FOR KEY SHARE OF users' })}`;
export const noLock = sql``;

interface Payment {
  readonly companyId: number;
  /** As given; null for none; undefined for the company's default. */
  readonly payingUser: string | null | undefined;
}

/**
 * Locks what a set of inputs refers to until they are committed. Users are always locked before companies and what belongs
 * to them, and all of these in the order of their ids, so that no two transactions deadlock.
 */
export async function lockAccounts(transaction: Transaction, payments: readonly Payment[]): Promise<void> {
  if (transaction.dialect === 'sqlite') return;
  const named = payments.flatMap(({ payingUser }) => (payingUser ? namedUser(payingUser) : []));
  const ids = named.flatMap((user) => ('id' in user ? user.id : []));
  const usernames = named.flatMap((user) => ('username' in user ? user.username : []));
  const companyIds = [...new Set(payments.map(({ companyId }) => companyId))];
  const defaults = await transaction.all<{ id: number }>(
    sql`SELECT paying_user_id AS id FROM email_defaults
        WHERE company_id ${oneOf('bigint', companyIds)} AND paying_user_id IS NOT NULL`,
  );
  for (const { id } of defaults) ids.push(id);
  await transaction.all(
    sql`SELECT id FROM users WHERE id ${oneOf('bigint', ids)} OR username ${oneOf('text', usernames)}
        ORDER BY id FOR KEY SHARE`,
  );
  await transaction.all(
    sql`SELECT id FROM companies WHERE id ${oneOf('bigint', companyIds)} ORDER BY id FOR KEY SHARE`,
  );
}

/** Finds a user by its id in digits, else by its user name. */
export async function payerNamed(
  reading: Reading,
  name: string,
  lock: typeof lockUser,
): Promise<Payer | undefined> {
  const named = namedUser(name);
  const isNamed = 'id' in named ? sql`users.id = ${named.id}` : sql`users.username = ${named.username}`;
  const row = await reading.first<PayerRow>(
    sql`SELECT ${payerColumns} FROM users JOIN companies ON companies.id = users.company_id
        WHERE ${isNamed} ${lock}`,
  );
  return row && toPayer(row);
}
