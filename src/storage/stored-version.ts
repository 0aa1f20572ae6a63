/** The version of the schema as a verb reads it: a newer Carillon may have brought it forward while this one runs. */
import { sql } from './sql.ts';
import type { Reading } from './verb.ts';

export async function storedVersion(reading: Reading): Promise<number> {
  const row = await reading.first<{ version: number }>(
    sql`SELECT COALESCE(MAX(version), 0) AS version FROM schema_versions`,
  );
  return row?.version ?? 0;
}
