/** System users, who own jobs and cannot log in, as the operator has set them up. */
import { fillIds } from '../storage/ids.ts';
import { NameOrder, type NamePlace } from '../storage/name-order.ts';
import { type NamedField, namingOf, RecordTable } from '../storage/record-table.ts';
import { sql } from '../storage/sql.ts';
import { bigint, optional, text } from '../storage/stored-record.ts';
import { type Reading, readVerb, type Transaction } from '../storage/verb.ts';
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
): Promise<number | undefined> {
  const found = await reading.first<{ id: number }>(
    sql`SELECT id FROM system_users WHERE username = ${username} AND company_id = ${companyId}`,
  );
  return found?.id;
}

const byName = new NameOrder('username');

/** The names of the company's system users, in order. */
export const listSystemUsers = readVerb(
  'accounts.listSystemUsers',
  async (
    reading,
    {
      companyId,
      from,
      limit,
    }: { readonly companyId: number; readonly from: NamePlace; readonly limit: number },
  ): Promise<readonly { readonly name: string }[]> =>
    reading.all<{ name: string }>(
      sql`SELECT username AS name FROM system_users
          WHERE company_id = ${companyId} ${byName.behind(from)} ORDER BY ${byName.by(from)} LIMIT ${limit}`,
    ),
);

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
