/** System users, who own jobs and log in nowhere, as the operator has set them up: all SQL that reads and writes them whole. */
import { fillIds } from '../storage/ids.ts';
import { oneOf, sql } from '../storage/sql.ts';
import type { Reading, Transaction } from '../storage/verb.ts';
import { companyIds } from './company-records.ts';
import { retireIds } from './retired-ids.ts';

export interface SystemUserRecord {
  /** Undefined: still to be drawn. Callbacks tell it as `userid`. */
  readonly id: number | undefined;
  /** Unique in the whole service. */
  readonly username: string;
  /** The company's name. */
  readonly company: string;
}

interface Named {
  readonly usernames: readonly string[];
  readonly ids: readonly number[];
  /** Names of those whose system users are all asked for. */
  readonly companies: readonly string[];
}

export async function readSystemUsers(
  reading: Reading,
  { usernames, ids, companies }: Named,
): Promise<readonly (SystemUserRecord & { readonly id: number })[]> {
  const rows = await reading.all<{ id: number; username: string; company: string }>(
    sql`SELECT system_users.id, username, companies.name AS company
        FROM system_users JOIN companies ON companies.id = system_users.company_id
        WHERE username ${oneOf('text', usernames)} OR system_users.id ${oneOf('bigint', ids)}
          OR companies.name ${oneOf('text', companies)}
        ORDER BY username`,
  );
  // Objects like those that they are compared with: rows of SQLite have no prototype.
  return rows.map((row) => ({ ...row }));
}

/** By their names. */
export async function systemUserIds(
  reading: Reading,
  usernames: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await reading.all<{ id: number; username: string }>(
    sql`SELECT id, username FROM system_users WHERE username ${oneOf('text', usernames)}`,
  );
  return new Map(rows.map(({ id, username }) => [username, id]));
}

const columns = { id: 'bigint', company_id: 'bigint', username: 'text' } as const;

export async function createSystemUsers(
  transaction: Transaction,
  created: readonly SystemUserRecord[],
): Promise<void> {
  const companies = await companyIds(
    transaction,
    created.map(({ company }) => company),
  );
  const filled = await fillIds(transaction, 'systemUser', created);
  await transaction.insert(
    'system_users',
    columns,
    filled.map(({ id, username, company }) => [id, companies.get(company) ?? null, username]),
  );
}

export async function removeSystemUsers(
  transaction: Transaction,
  removed: readonly SystemUserRecord[],
): Promise<void> {
  const usernames = removed.map(({ username }) => username);
  await transaction.run(sql`DELETE FROM system_users WHERE username ${oneOf('text', usernames)}`);
  await retireIds(
    transaction,
    'systemUser',
    removed.map(({ id, username }) => ({ id, name: username })),
  );
}
