/** Shows tests what a store holds about logins. */
import { raw, sql } from '../../src/storage/sql.ts';
import type { Store } from '../../src/storage/store.ts';
import { readVerb } from '../../src/storage/verb.ts';

interface Question {
  readonly table: 'login_failures' | 'login_networks';
  /** A LIKE pattern for the text by which the row is found. */
  readonly like: string;
}

const keyOf = { login_failures: 'subject', login_networks: 'digest' } as const;

export const countLoginRows = readVerb('test.countLoginRows', async (reading, { table, like }: Question) => {
  const row = await reading.first<{ n: number }>(
    sql`SELECT COUNT(*) AS n FROM ${raw(table)} WHERE ${raw(keyOf[table])} LIKE ${like}`,
  );
  return row?.n ?? 0;
});

export function countRows(store: Store, table: Question['table'], like = '%'): Promise<number> {
  return store.read(countLoginRows, { table, like });
}
