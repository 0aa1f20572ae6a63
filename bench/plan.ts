/** Shows how an engine would execute the statements of a verb, which are taken from the verb itself. */
import { raw, Sql, sql } from '../src/storage/sql.ts';
import type { Columns, Row } from '../src/storage/storable.ts';
import { runVerb, type Transaction, type WriteVerb } from '../src/storage/verb.ts';
import type { Database } from './database.ts';

/** Returns one text per statement. Selects are also run, because the next statement may need their rows; writes are not. */
export async function plansOf<Input, Output>(
  database: Database,
  verb: WriteVerb<Input, Output>,
  input: Input,
): Promise<readonly string[]> {
  const statements: Sql[] = [];
  const all = <Row>(statement: Sql) => {
    statements.push(statement);
    return database.all<Row>(statement);
  };
  const recording: Transaction = {
    dialect: database.engine,
    all,
    first: async <Row>(statement: Sql) => (await all<Row>(statement))[0],
    run(statement) {
      statements.push(statement);
      return 0;
    },
    each(columns, rows, statement) {
      statements.push(forEach(columns, rows, statement));
      return 0;
    },
    whichOfEach(columns, rows, statement) {
      statements.push(forEach(columns, rows, statement));
      return [];
    },
    allOfEach(columns, rows, statement) {
      statements.push(forEach(columns, rows, statement));
      return [];
    },
    together() {
      throw new Error('changes that are made together have no plan worth showing');
    },
    insert() {
      throw new Error('an insert has no plan worth showing');
    },
  };
  await runVerb(verb, recording, [input]);
  const plans: string[] = [];
  for (const statement of statements) plans.push(await planOf(database, statement));
  return plans;
}

/** The statement as the engine sees it: PostgreSQL gets it with all rows of the set, SQLite with one row at a time. */
function forEach(columns: Columns, rows: readonly Row[], statement: Sql): Sql {
  const compiled = {
    write(into: { dialect: 'sqlite' | 'postgres'; text: string; parameters: unknown[] }) {
      const { text, parameters } = statement.compileEach(into.dialect, columns, rows);
      into.text += text;
      into.parameters.push(...parameters);
    },
  };
  return new Sql(['', ''], [compiled]);
}

async function planOf(database: Database, statement: Sql): Promise<string> {
  const explain = raw(database.engine === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN');
  const rows = await database.all<{ detail?: string; 'QUERY PLAN'?: string }>(sql`${explain} ${statement}`);
  // Costs are estimates that vary with the size; only the steps of the plan matter.
  const steps = rows.map((row) =>
    (row.detail ?? row['QUERY PLAN'] ?? '')
      .replace(/ +\(cost=.*\)/, '')
      .replace(/\{[0-9,]+\}/, '{…}')
      .trim(),
  );
  return steps.join('; ');
}
