/** Users as the operator has set them up: all SQL that reads and writes their rows whole. */
import { fillIds } from '../storage/ids.ts';
import { oneOf, rowSet, sql } from '../storage/sql.ts';
import type { Row } from '../storage/storable.ts';
import type { Reading, Transaction } from '../storage/verb.ts';
import { companyIds } from './company-records.ts';
import { type LimitsRow, limitColumns, limitsColumns, limitsOf, limitsRow, setLimits } from './limits-row.ts';
import { retireIds } from './retired-ids.ts';
import { isRole, type Role } from './role.ts';
import type { SendingLimits } from './sending-limits.ts';

export interface UserRecord {
  /** Undefined: still to be drawn. */
  readonly id: number | undefined;
  readonly username: string;
  /** The company's name. */
  readonly company: string;
  readonly passwordHash: string | undefined;
  readonly roles: readonly Role[];
  readonly active: boolean;
  readonly quotaParts: number | undefined;
  readonly limits: SendingLimits | undefined;
  readonly defaultSender: string | undefined;
  readonly senders: readonly string[] | undefined;
  readonly replaceCharacters: boolean;
  readonly maxBatch: number | undefined;
  readonly smtpSplit: boolean;
}

interface UserRow extends LimitsRow {
  readonly id: number;
  readonly username: string;
  readonly company: string;
  readonly password_hash: string | null;
  readonly roles: string;
  readonly active: number;
  readonly quota_parts: number | null;
  readonly default_sender: string | null;
  readonly senders: string | null;
  readonly replace_characters: number;
  readonly max_batch: number | null;
  readonly smtp_split: number;
}

interface Named {
  readonly usernames: readonly string[];
  readonly ids: readonly number[];
  /** Names of those whose users are all asked for. */
  readonly companies: readonly string[];
}

export async function readUsers(
  reading: Reading,
  { usernames, ids, companies }: Named,
): Promise<readonly UserRecord[]> {
  const rows = await reading.all<UserRow>(
    sql`SELECT users.id, username, companies.name AS company, password_hash, roles, users.active, users.quota_parts,
          ${limitColumns('users')}, users.default_sender, senders, replace_characters, max_batch, smtp_split
        FROM users JOIN companies ON companies.id = users.company_id
        WHERE username ${oneOf('text', usernames)} OR users.id ${oneOf('bigint', ids)}
          OR companies.name ${oneOf('text', companies)}
        ORDER BY username`,
  );
  return rows.map((row) => ({
    id: row.id,
    username: row.username,
    company: row.company,
    passwordHash: row.password_hash ?? undefined,
    roles: (JSON.parse(row.roles) as unknown[]).filter(isRole),
    active: row.active === 1,
    quotaParts: row.quota_parts ?? undefined,
    limits: limitsOf(row),
    defaultSender: row.default_sender ?? undefined,
    senders: row.senders === null ? undefined : (JSON.parse(row.senders) as string[]),
    replaceCharacters: row.replace_characters === 1,
    maxBatch: row.max_batch ?? undefined,
    smtpSplit: row.smtp_split === 1,
  }));
}

/** By their names. */
export async function userIds(
  reading: Reading,
  usernames: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await reading.all<{ id: number; username: string }>(
    sql`SELECT id, username FROM users WHERE username ${oneOf('text', usernames)}`,
  );
  return new Map(rows.map(({ id, username }) => [username, id]));
}

const columns = {
  id: 'bigint',
  company_id: 'bigint',
  username: 'text',
  password_hash: 'text',
  roles: 'text',
  active: 'smallint',
  quota_parts: 'bigint',
  default_sender: 'text',
  senders: 'text',
  replace_characters: 'smallint',
  max_batch: 'integer',
  smtp_split: 'smallint',
  ...limitsColumns,
} as const;

function toRow(user: UserRecord, companyId: number | null): Row {
  return [
    user.id ?? null,
    companyId,
    user.username,
    user.passwordHash ?? null,
    JSON.stringify(user.roles),
    user.active ? 1 : 0,
    user.quotaParts ?? null,
    user.defaultSender ?? null,
    user.senders === undefined ? null : JSON.stringify(user.senders),
    user.replaceCharacters ? 1 : 0,
    user.maxBatch ?? null,
    user.smtpSplit ? 1 : 0,
    ...limitsRow(user.limits),
  ];
}

export async function createUsers(transaction: Transaction, users: readonly UserRecord[]): Promise<void> {
  if (users.length === 0) return;
  const ids = await companyIds(
    transaction,
    users.map(({ company }) => company),
  );
  const filled = await fillIds(transaction, 'user', users);
  const rows = filled.map((user) => toRow(user, ids.get(user.company) ?? null));
  await transaction.insert('users', columns, rows);
}

/** As with companies, what is used of the quota stays. */
export async function updateUsers(transaction: Transaction, users: readonly UserRecord[]): Promise<void> {
  if (users.length === 0) return;
  const rows = users.map((user) => toRow(user, null));
  await transaction.run(
    sql`UPDATE users SET password_hash = edited.password_hash, roles = edited.roles, active = edited.active,
          quota_parts = edited.quota_parts, default_sender = edited.default_sender, senders = edited.senders,
          replace_characters = edited.replace_characters, max_batch = edited.max_batch,
          smtp_split = edited.smtp_split, ${setLimits}
        FROM ${rowSet('edited', columns, rows)} WHERE users.id = edited.id`,
  );
}

export async function removeUsers(transaction: Transaction, users: readonly UserRecord[]): Promise<void> {
  if (users.length === 0) return;
  const usernames = users.map(({ username }) => username);
  await transaction.run(sql`DELETE FROM users WHERE username ${oneOf('text', usernames)}`);
  await retireIds(
    transaction,
    'user',
    users.map(({ id, username }) => ({ id, name: username })),
  );
}
