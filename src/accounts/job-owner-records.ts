/** Which system users own the jobs that users may start, all SQL for these settings. */
import { fromEach, oneOf, sql } from '../storage/sql.ts';
import type { Reading, Transaction } from '../storage/verb.ts';
import { systemUserIds } from './system-user-records.ts';

/** Returns the name of each user’s job owner (a system user), by user id. */
export async function readJobOwners(
  reading: Reading,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const rows = await reading.all<{ id: number; owner: string }>(
    sql`SELECT users.id, system_users.username AS owner
        FROM users JOIN system_users ON system_users.id = users.job_owner_id
        WHERE users.id ${oneOf('bigint', userIds)}`,
  );
  return new Map(rows.map(({ id, owner }) => [id, owner]));
}

/** The names of some of the users who may start the jobs of the system user. */
export async function usersOfJobOwner(
  reading: Reading,
  ownerId: number,
  limit: number,
): Promise<readonly string[]> {
  const rows = await reading.all<{ username: string }>(
    sql`SELECT username FROM users WHERE job_owner_id = ${ownerId} ORDER BY id LIMIT ${limit}`,
  );
  return rows.map(({ username }) => username);
}

interface Starter {
  readonly username: string;
  /** Undefined for a user who starts no jobs. */
  readonly systemUser: string | undefined;
}

/** The users and system users must exist. */
export async function writeJobOwners(transaction: Transaction, starters: readonly Starter[]): Promise<void> {
  const owners = await systemUserIds(
    transaction,
    starters.flatMap(({ systemUser }) => systemUser ?? []),
  );
  await transaction.each(
    { username: 'text', job_owner_id: 'bigint' },
    starters.map(({ username, systemUser = '' }) => [username, owners.get(systemUser) ?? null]),
    sql`UPDATE users SET job_owner_id = each.job_owner_id ${fromEach} WHERE users.username = each.username`,
  );
}
