/** The SQL about those who pay for SMS by e-mail. */
import { isRole } from '../accounts/role.ts';
import { differ, sql } from '../storage/sql.ts';
import type { Reading } from '../storage/verb.ts';
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

/**
 * PostgreSQL runs transactions side by side: a user stays until what refers to it is committed. Users are locked before
 * companies and before what belongs to those, in the order in which provisioning removes them.
 */
export const kept = sql`${differ({ sqlite: '', postgres: 'FOR KEY SHARE OF users' })}`;
export const asItIs = sql``;

/** By its id in digits, else by its user name. */
export async function payerNamed(
  reading: Reading,
  name: string,
  lock: typeof kept,
): Promise<Payer | undefined> {
  const named = namedUser(name);
  const isNamed = 'id' in named ? sql`users.id = ${named.id}` : sql`users.username = ${named.username}`;
  const row = await reading.first<PayerRow>(
    sql`SELECT ${payerColumns} FROM users JOIN companies ON companies.id = users.company_id
        WHERE ${isNamed} ${lock}`,
  );
  return row && toPayer(row);
}
