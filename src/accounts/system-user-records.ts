/** System users, who own jobs and cannot log in, as the operator has set them up. */
import { fillIds } from '../storage/ids.ts';
import { type NamedField, namingOf, RecordTable } from '../storage/record-table.ts';
import { noLock, oneOf, sql } from '../storage/sql.ts';
import { bigint, optional, text } from '../storage/stored-record.ts';
import type { Reading, Transaction } from '../storage/verb.ts';
import { ofCompany } from './company-records.ts';
import { retireIds } from './retired-ids.ts';

export interface SystemUserRecord {
  /** Undefined until allocated. Callbacks report it as `userid`. */
  readonly id: number | undefined;
  /** Unique in the whole service. */
  readonly username: string;
  /** The company's name. */
  readonly company: string;
}

export const systemUserRecords = new RecordTable<SystemUserRecord>({
  table: 'system_users',
  key: ['username'],
  fields: { id: optional(bigint), username: text, company: ofCompany },
});

const { ids, names } = namingOf('system_users', 'username');
/** Looked up by name. */
export const systemUserIds = ids;
/** Looked up by id. */
export const systemUserNames = names;
export const ofSystemUser: NamedField = { column: 'system_user_id', ids, names };

/** The id of the company's system user with that name. */
export async function findSystemUserId(
  reading: Reading,
  companyId: number,
  username: string,
  lock = noLock,
): Promise<number | undefined> {
  const found = await reading.first<{ id: number }>(
    sql`SELECT id FROM system_users WHERE username = ${username} AND company_id = ${companyId} ${lock}`,
  );
  return found?.id;
}

/** Those of the names that other companies have. */
export async function systemUsersElsewhere(
  reading: Reading,
  companyId: number,
  usernames: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await reading.all<{ username: string }>(
    sql`SELECT username FROM system_users WHERE username ${oneOf('text', usernames)} AND company_id <> ${companyId}`,
  );
  return new Set(rows.map(({ username }) => username));
}

export async function isFullOfSystemUsers(
  reading: Reading,
  companyId: number,
  most: number,
): Promise<boolean> {
  const found = await reading.all<{ id: number }>(
    sql`SELECT id FROM system_users WHERE company_id = ${companyId} LIMIT ${most}`,
  );
  return found.length >= most;
}

export async function createSystemUsers(
  transaction: Transaction,
  created: readonly SystemUserRecord[],
): Promise<void> {
  await systemUserRecords.make(transaction, await fillIds(transaction, 'systemUser', created));
}

export async function removeSystemUsers(
  transaction: Transaction,
  removed: readonly SystemUserRecord[],
): Promise<void> {
  await systemUserRecords.remove(transaction, removed);
  await retireIds(
    transaction,
    'systemUser',
    removed.map(({ id, username }) => ({ id, name: username })),
  );
}
