/** Operators, who administer the service and send nothing: all SQL that reads and writes them whole. */
import { oneOf, sql } from '../storage/sql.ts';
import type { Reading, Transaction } from '../storage/verb.ts';

export interface OperatorRecord {
  readonly username: string;
  readonly passwordHash: string;
}

export async function readOperators(reading: Reading): Promise<readonly OperatorRecord[]> {
  const rows = await reading.all<{ username: string; password_hash: string }>(
    sql`SELECT username, password_hash FROM operators`,
  );
  return rows.map((row) => ({ username: row.username, passwordHash: row.password_hash }));
}

const columns = { username: 'text', password_hash: 'text' } as const;

/** Makes them, or changes those that are there. */
export async function putOperators(
  transaction: Transaction,
  operators: readonly OperatorRecord[],
): Promise<void> {
  await transaction.insert(
    'operators',
    columns,
    operators.map(({ username, passwordHash }) => [username, passwordHash]),
    'ON CONFLICT (username) DO UPDATE SET password_hash = excluded.password_hash',
  );
}

export async function removeOperators(
  transaction: Transaction,
  operators: readonly OperatorRecord[],
): Promise<void> {
  const usernames = operators.map(({ username }) => username);
  await transaction.run(sql`DELETE FROM operators WHERE username ${oneOf('text', usernames)}`);
}
