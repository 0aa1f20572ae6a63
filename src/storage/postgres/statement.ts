/**
 * Statements on their way through the driver. The driver's own queries copy their configuration, write four buffers each, and have
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

export class AskedStatement {
  readonly name: string;
  readonly text: string;
  readonly settle: Settle;
  readonly answer = new Answer<never>();
  readonly prepared: Prepared;
  /** The messages that run it. */
  readonly execution: Buffer;
  #read: ReadRow;

  /** Throws if a value cannot be written. */
  constructor({ name = '', text, values = [] }: QueryConfig, statements: PreparedStatements, settle: Settle) {
    this.name = name;
    this.text = text;
    this.settle = settle;
    this.prepared = statements.get(name) ?? {};
    this.#read = this.prepared.read ?? noRows;
    this.execution = executionOf(name, values, this.prepared.read !== undefined);
  }

  describe(read: ReadRow): void {
    this.#read = read;
    this.prepared.read = read;
  }

  add(fields: Fields): void {
    this.answer.rows.push(this.#read(fields) as never);
  }

  complete(text: string): void {
    this.answer.completed = text;
    this.prepared.read ??= noRows;
  }
}

/**
 * Statements that go to the server together. It answers them together too, and skips all that are behind one that fails. The
 * driver calls this with the messages that answer them.
 */
export class SubmittedStatements {
  /** The driver puts its own in front of it if `DATABASE_URL` sets a `query_timeout`. */
  callback: (error: Error | null) => void;
  readonly #asked: readonly AskedStatement[];
  readonly #client: Pick<pg.ClientBase, 'getTypeParser'>;
  readonly #statements: PreparedStatements;
  #completed = 0;

  constructor(
    asked: readonly AskedStatement[],
    client: Pick<pg.ClientBase, 'getTypeParser'>,
    statements: PreparedStatements,
  ) {
    this.#asked = asked;
    this.#client = client;
    this.#statements = statements;
    this.callback = (error) => this.#settle(error);
  }

  /** One system call, and one buffer unless a statement is new, since each buffer costs time. */
  submit(connection: Connection): void {
    const { stream } = connection;
    if (!stream.writable) return;
    stream.cork();
    let executions: Buffer[] = [];
    for (const { name, text, prepared, execution } of this.#asked) {
      if (!this.#statements.has(name)) {
        if (executions.length > 0) stream.write(Buffer.concat(executions));
        executions = [];
        // It exists already if an earlier use failed.
        if (name !== '') {
          this.#statements.set(name, prepared);
          connection.close({ type: 'S', name }, true);
        }
        connection.parse({ name, text, types: [] }, true);
      }
      executions.push(execution);
    }
    stream.write(Buffer.concat([...executions, sync]));
    stream.uncork();
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.#asked[this.#completed]?.describe(readerOf(fields, this.#client));
  }

  handleDataRow({ fields }: { readonly fields: Fields }): void {
    this.#asked[this.#completed]?.add(fields);
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#asked[this.#completed]?.complete(text);
    this.#completed += 1;
  }

  handleEmptyQuery(): void {
    this.#completed += 1;
  }

  handleError(error: Error): void {
    this.callback(error);
  }

  handleReadyForQuery(): void {
    this.callback(null);
  }

  /** An error that comes when all have been executed may still be one of the last, such as a COMMIT. */
  #settle(error: Error | null): void {
    const done = error === null ? this.#asked.length : Math.min(this.#completed, this.#asked.length - 1);
    this.#asked.forEach(({ name, answer, settle }, place) => {
      if (place < done) settle(null, answer);
      else {
        // The next use prepares it again: perhaps the server has not accepted it, or its columns have changed since.
        this.#statements.delete(name);
        settle(error);
      }
    });
  }
}

// The driver sends only its own queries without waiting for the answers before, since others may read their rows piece by piece.
Object.setPrototypeOf(SubmittedStatements.prototype, pg.Query.prototype);

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

/** The codes of the messages (PostgreSQL 15, 55.7). Execute, and Describe before it, are for the portal without a name. */
const bind = 0x42;
const execute = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0]);
const sync = Buffer.from([0x53, 0, 0, 0, 4]);
const describeAndExecute = Buffer.concat([Buffer.from([0x44, 0, 0, 0, 6, 0x50, 0]), execute]);

/** Runs a prepared statement, with all values and rows as text. */
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
