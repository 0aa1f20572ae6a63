/**
 * A statement on its way through the driver. The driver's own queries copy their configuration, write four buffers each, and have
 * the server describe the rows of every answer; here a connection keeps what it knows of the statements that it has prepared.
 */
import type { Connection, QueryConfig } from 'pg';
import pg from 'pg';

export class Answer<Row> {
  readonly rows: Row[] = [];
  /** What the server writes about the command: COMMIT, UPDATE 20, INSERT 0 1. */
  completed = '';

  /** How many rows were found or changed. */
  get rowCount(): number {
    return Number(this.completed.slice(this.completed.lastIndexOf(' ') + 1)) || 0;
  }

  get command(): string {
    return this.completed.split(' ', 1)[0] as string;
  }
}

/** Without an error there is an answer. */
export type Settle = (error: Error | null, answer?: Answer<never>) => void;

type Fields = readonly (string | null)[];
type ReadRow = (fields: Fields) => object;

/** A statement that a connection has prepared. Once its columns are known, the server does not describe them any more. */
interface Prepared {
  read?: ReadRow;
}

export type PreparedStatements = Map<string, Prepared>;

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

/** The driver calls it with the messages that answer it. */
export class SubmittedStatement {
  /** The driver puts its own in front of it if `DATABASE_URL` sets a `query_timeout`. */
  callback: Settle;
  readonly #answer = new Answer<never>();
  readonly #statement: QueryConfig;
  readonly #client: Pick<pg.ClientBase, 'getTypeParser'>;
  readonly #statements: PreparedStatements;
  #prepared: Prepared | undefined;
  #read: ReadRow = noRows;

  constructor(
    statement: QueryConfig,
    client: Pick<pg.ClientBase, 'getTypeParser'>,
    statements: PreparedStatements,
    callback: Settle,
  ) {
    this.#statement = statement;
    this.#client = client;
    this.#statements = statements;
    this.callback = callback;
  }

  submit(connection: Connection): void {
    const { text, values, name = '' } = this.#statement;
    if (values === undefined) {
      connection.query(text);
      return;
    }
    const known = this.#statements.get(name);
    const execution = executionOf(name, values, known?.read !== undefined);
    this.#prepared = known ?? {};
    this.#read = known?.read ?? noRows;
    if (known === undefined) {
      // It exists already if an earlier use failed.
      if (name !== '') {
        this.#statements.set(name, this.#prepared);
        connection.close({ type: 'S', name }, true);
      }
      connection.parse({ name, text, types: [] }, true);
    }
    if (connection.stream.writable) connection.stream.write(execution);
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.#read = readerOf(fields, this.#client);
    this.#answer.rows.length = 0;
    if (this.#prepared !== undefined) this.#prepared.read = this.#read;
  }

  handleDataRow({ fields }: { readonly fields: Fields }): void {
    this.#answer.rows.push(this.#read(fields) as never);
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#answer.completed = text;
    if (this.#prepared !== undefined) this.#prepared.read ??= noRows;
  }

  handleEmptyQuery(): void {}

  /** The next use prepares it again: perhaps the server has not accepted it, or its columns have changed since. */
  handleError(error: Error): void {
    this.#statements.delete(this.#statement.name ?? '');
    this.callback(error);
  }

  handleReadyForQuery(): void {
    this.callback(null, this.#answer);
  }
}

// The driver sends only its own queries without waiting for the answers before, since others may read their rows piece by piece.
Object.setPrototypeOf(SubmittedStatement.prototype, pg.Query.prototype);

function noRows(): object {
  return {};
}

function readerOf(fields: readonly Field[], client: Pick<pg.ClientBase, 'getTypeParser'>): ReadRow {
  const names = fields.map(({ name }) => name);
  const parsers = fields.map(({ dataTypeID }) => client.getTypeParser(dataTypeID, 'text'));
  return (values) => {
    const row: Record<string, unknown> = {};
    for (let place = 0; place < names.length; place++) {
      const value = values[place] as string | null;
      row[names[place] as string] = value === null ? null : parsers[place]?.(value);
    }
    return row;
  };
}

/** The codes of the messages (PostgreSQL 15, 55.7). Execute and Sync, and Describe before them, are for the portal without a name. */
const bind = 0x42;
const execute = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0x53, 0, 0, 0, 4]);
const describeAndExecute = Buffer.concat([Buffer.from([0x44, 0, 0, 0, 6, 0x50, 0]), execute]);

/** The messages that run a prepared statement, with all values and rows as text. */
function executionOf(name: string, values: readonly (string | number | null)[], isKnown: boolean): Buffer {
  const texts = values.map((value) => (typeof value === 'number' ? String(value) : value));
  const sizes = texts.map((text) => (text === null ? 0 : Buffer.byteLength(text)));
  const ending = isKnown ? execute : describeAndExecute;
  let size = 4 + 1 + name.length + 1 + 2 + 2 + 2;
  for (const own of sizes) size += 4 + own;
  const buffer = Buffer.allocUnsafe(1 + size + ending.length);
  buffer[0] = bind;
  let at = buffer.writeInt32BE(size, 1);
  buffer[at++] = 0;
  at += buffer.write(name, at, 'latin1');
  buffer[at++] = 0;
  at = buffer.writeInt16BE(0, at);
  at = buffer.writeUInt16BE(texts.length, at);
  for (let place = 0; place < texts.length; place++) {
    const text = texts[place] as string | null;
    at = buffer.writeInt32BE(text === null ? -1 : (sizes[place] as number), at);
    if (text !== null) at += buffer.write(text, at);
  }
  at = buffer.writeInt16BE(0, at);
  buffer.set(ending, at);
  return buffer;
}
