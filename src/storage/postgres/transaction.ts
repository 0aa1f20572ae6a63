/** The query interface over one PostgreSQL connection. */
import type { QueryConfig, QueryResultRow } from 'pg';
import { type Change, Sql, sql } from '../sql.ts';
import type { Columns, Row } from '../storable.ts';
import type { Transaction } from '../verb.ts';
import { forChanges, forSet, named } from './texts.ts';

/** Larger pieces would block the event loop for 20 ms or more while the driver writes them out. */
const maxPiece = { rows: 1_000, characters: 512 * 1024 };

/** Splits rows, in order, into pieces that are each inserted by one statement. */
function piecesOf(rows: readonly Row[]): readonly (readonly Row[])[] {
  const pieces: (readonly Row[])[] = [];
  let from = 0;
  let characters = 0;
  rows.forEach((row, at) => {
    let own = 0;
    for (const value of row) if (typeof value === 'string') own += value.length;
    if (at > from && (at - from === maxPiece.rows || characters + own > maxPiece.characters)) {
      pieces.push(rows.slice(from, at));
      from = at;
      characters = 0;
    }
    characters += own;
  });
  pieces.push(from === 0 ? rows : rows.slice(from));
  return pieces;
}

const withPlaces = new WeakMap<Sql, Sql>();

/** Made once, so that its text is written once. */
function returningPlaces(statement: Sql): Sql {
  const returning = withPlaces.get(statement) ?? sql`${statement} RETURNING each.place`;
  withPlaces.set(statement, returning);
  return returning;
}

/** Sends statements to the server: a connection, or a conversation over one. */
interface StatementRunner {
  query<Result extends QueryResultRow>(
    statement: QueryConfig,
  ): Promise<{ readonly rows: Result[]; readonly rowCount: number | null }>;
  /** Sends a statement without waiting. If it fails, the next one that is waited for throws its error. */
  send?(statement: QueryConfig): void;
}

export class PostgresTransaction implements Transaction {
  readonly dialect = 'postgres';
  readonly #connection: StatementRunner;

  constructor(connection: StatementRunner) {
    this.#connection = connection;
  }

  async all<Result>(statement: Sql): Promise<Result[]> {
    return (await this.#query(named(statement.compile('postgres')))).rows as Result[];
  }

  async first<Result>(statement: Sql): Promise<Result | undefined> {
    return (await this.#query(named(statement.compile('postgres')))).rows[0] as Result | undefined;
  }

  async run(statement: Sql): Promise<number> {
    return (await this.#query(named(statement.compile('postgres')))).rowCount ?? 0;
  }

  async each(columns: Columns, rows: readonly Row[], statement: Sql): Promise<number> {
    if (rows.length === 0) return 0;
    return (await this.#query(forSet(columns, rows, statement))).rowCount ?? 0;
  }

  async whichOfEach(columns: Columns, rows: readonly Row[], statement: Sql): Promise<readonly number[]> {
    const placed = rows.map((row, place) => [...row, place]);
    const found = await this.allOfEach<{ place: number }>(
      { ...columns, place: 'integer' },
      placed,
      returningPlaces(statement),
    );
    return found.map(({ place }) => place);
  }

  async allOfEach<Result>(columns: Columns, rows: readonly Row[], statement: Sql): Promise<Result[]> {
    if (rows.length === 0) return [];
    return (await this.#query(forSet(columns, rows, statement))).rows as Result[];
  }

  async together(changes: readonly Change[]): Promise<void> {
    const last: Change[] = [];
    for (const change of changes) {
      const pieces = change.change instanceof Sql ? [change.rows] : piecesOf(change.rows);
      for (const rows of pieces.slice(0, -1)) await this.#query(forChanges([{ ...change, rows }]));
      const rows = pieces.at(-1) ?? [];
      if (rows.length > 0) last.push({ ...change, rows });
    }
    if (last.length > 0) await this.#send(forChanges(last));
  }

  async insert(table: string, columns: Columns, rows: readonly Row[], onConflict = ''): Promise<void> {
    await this.together([{ columns, rows, change: { into: table, onConflict } }]);
  }

  #query(statement: QueryConfig) {
    return this.#connection.query<Record<string, unknown>>(statement);
  }

  /** For a statement that returns nothing: it goes to the server together with the statement after it. */
  async #send(statement: QueryConfig): Promise<void> {
    if (this.#connection.send === undefined) await this.#query(statement);
    else this.#connection.send(statement);
  }
}
