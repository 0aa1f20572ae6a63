/** The query interface over one PostgreSQL connection. */
import type { QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { type Change, type Compiled, compileTogether, type Sql } from '../sql.ts';
import type { Columns, Row } from '../storable.ts';
import type { Transaction } from '../verb.ts';

/** Statements are prepared once per connection, under a name that stands for their text. */
const names = new Map<string, string>();

function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = `carillon_${names.size + 1}`;
    names.set(text, name);
  }
  return name;
}

/** Whoever carries statements to the server: a connection, or a conversation over one. */
interface StatementRunner {
  query<Result extends QueryResultRow>(statement: QueryConfig): Promise<QueryResult<Result>>;
}

export class PostgresTransaction implements Transaction {
  readonly dialect = 'postgres';
  readonly #connection: StatementRunner;

  constructor(connection: StatementRunner) {
    this.#connection = connection;
  }

  async all<Result>(statement: Sql): Promise<Result[]> {
    return (await this.#query(statement.compile('postgres'))).rows as Result[];
  }

  async first<Result>(statement: Sql): Promise<Result | undefined> {
    return (await this.#query(statement.compile('postgres'))).rows[0] as Result | undefined;
  }

  async run(statement: Sql): Promise<number> {
    return (await this.#query(statement.compile('postgres'))).rowCount ?? 0;
  }

  async each(columns: Columns, rows: readonly Row[], statement: Sql): Promise<number> {
    if (rows.length === 0) return 0;
    return (await this.#query(statement.compileEach('postgres', columns, rows))).rowCount ?? 0;
  }

  async allOfEach<Result>(columns: Columns, rows: readonly Row[], statement: Sql): Promise<Result[]> {
    if (rows.length === 0) return [];
    return (await this.#query(statement.compileEach('postgres', columns, rows))).rows as Result[];
  }

  async together(changes: readonly Change[]): Promise<void> {
    const some = changes.filter(({ rows }) => rows.length > 0);
    if (some.length > 0) await this.#query(compileTogether(some));
  }

  async insert(table: string, columns: Columns, rows: readonly Row[], onConflict = ''): Promise<void> {
    if (rows.length === 0) return;
    await this.#query(compileTogether([{ columns, rows, change: { into: table, onConflict } }]));
  }

  #query({ text, parameters }: Compiled) {
    return this.#connection.query<Record<string, unknown>>({
      name: nameOf(text),
      text,
      values: [...parameters],
    });
  }
}
