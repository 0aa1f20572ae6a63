/** How an engine would work through the statements of a read verb, which are taken from the verb itself. */
import { raw, type Sql, sql } from '../src/storage/sql.ts';
import type { Reading, ReadVerb } from '../src/storage/verb.ts';
import type { Database } from './database.ts';

/** A line a step. */
export async function planOf<Input, Output>(
  database: Database,
  verb: ReadVerb<Input, Output>,
  input: Input,
): Promise<readonly string[]> {
  const statements: Sql[] = [];
  const recording: Reading = {
    dialect: database.engine,
    all: (statement) => {
      statements.push(statement);
      return [];
    },
    first: (statement) => {
      statements.push(statement);
      return undefined;
    },
  };
  await verb.run(recording, input);
  const lines: string[] = [];
  for (const statement of statements) {
    const explain = raw(database.engine === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN');
    const rows = await database.all<{ detail?: string; 'QUERY PLAN'?: string }>(sql`${explain} ${statement}`);
    lines.push(...rows.map((row) => (row.detail ?? row['QUERY PLAN'] ?? '').trim()));
  }
  return lines;
}
