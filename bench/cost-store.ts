/** A store whose verbs run in this process, so that each statement can be timed and what it writes be counted. */
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { enterNode } from '../src/messages/nodes/store.ts';
import { PooledConnection } from '../src/storage/postgres/pooled-connection.ts';
import { planSettings } from '../src/storage/postgres/store.ts';
import { PostgresTransaction } from '../src/storage/postgres/transaction.ts';
import { sql } from '../src/storage/sql.ts';
import { type Database, databasePath, openDatabase, type Statement } from '../src/storage/sqlite/database.ts';
import { SqliteTransaction } from '../src/storage/sqlite/transaction.ts';
import { runVerb, type Transaction } from '../src/storage/verb.ts';
import type { Engine } from './options.ts';
import { type Server, startServer } from './server.ts';
import type { Parties, Step } from './traffic.ts';

/** What the commits since `startCounting` have spent. */
export interface Spent {
  /** Bytes of the write-ahead log, by table or index. */
  readonly bytesByTree: ReadonlyMap<string, number>;
  /** SQLite only: pages of the write-ahead log. */
  readonly pages?: number;
  readonly microseconds: number;
  /** Of each statement, of what surrounds the statements of each verb, and of the commits. */
  readonly microsecondsByStep: ReadonlyMap<string, number>;
}

export interface CostStore {
  readonly engine: Engine;
  readonly parties: Parties;
  /** Where the store is, for a second connection. */
  readonly place: Pick<Server, 'databaseUrl' | 'dataFolder'>;
  /** Runs the steps in one durable transaction. */
  commit(steps: readonly Step[]): Promise<void>;
  startCounting(): Promise<void>;
  spent(): Promise<Spent>;
  close(): Promise<void>;
}

/** The server makes the store with its company and its carrier, and stops before anything is measured. */
export async function costStore(engine: Engine): Promise<CostStore> {
  const server = await startServer({
    engine,
    carrier: '{ name: sink, type: smpp, host: 127.0.0.1, port: 9, systemId: bench, password: bench }',
  });
  try {
    await server.stop();
    const log = engine === 'sqlite' ? sqliteLog(server) : await postgresLog(server);
    const store = new TimedStore(engine, log, server);
    await store.begin();
    return store;
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** How the two engines run a transaction, and how they tell what it wrote. */
interface WriteLog {
  readonly transaction: Transaction;
  begin(isByKeys: boolean): Promise<void>;
  commit(): Promise<void>;
  mark(): Promise<void>;
  /** Since the mark. */
  written(): Promise<Pick<Spent, 'bytesByTree' | 'pages'>>;
  close(): Promise<void>;
}

/** The times of the running measurement. Statements are known by their verb and what they do to which table. */
class Stopwatch {
  readonly times = new Map<string, number>();
  verb = '';
  /** Of all statements of the running verb. */
  inStatements = 0;

  add(step: string, ms: number): void {
    this.times.set(step, (this.times.get(step) ?? 0) + ms * 1_000);
  }

  statement(name: string, startedAt: number): void {
    const ms = performance.now() - startedAt;
    this.inStatements += ms;
    this.add(`${this.verb}: ${name}`, ms);
  }
}

const stopwatch = new Stopwatch();

function nameOf(text: string): string {
  const [, act = ''] = /^\s*(?:WITH \w+ AS \()?\s*(\w+)/.exec(text) ?? [];
  const [, table = ''] = /\b(?:INTO|UPDATE(?: OR FAIL)?|FROM)\s+(\w+)/.exec(text) ?? [];
  return `${act} ${table}`;
}

class TimedStore implements CostStore {
  readonly engine: Engine;
  parties: Parties = { companyId: 0, userId: 0, carrierId: 0, nodeId: 1_000 };
  readonly #log: WriteLog;
  readonly #server: Server;
  #microseconds = 0;

  constructor(engine: Engine, log: WriteLog, server: Server) {
    this.engine = engine;
    this.#log = log;
    this.#server = server;
  }

  get place(): CostStore['place'] {
    return this.#server;
  }

  async begin(): Promise<void> {
    const { transaction } = this.#log;
    const row = await transaction.first<{ companyId: number; userId: number; carrierId: number }>(
      sql`SELECT users.company_id AS "companyId", users.id AS "userId", carriers.id AS "carrierId"
          FROM users CROSS JOIN carriers WHERE users.username = 'ada'`,
    );
    if (row === undefined) throw new Error('the server has made no user ada and no carrier');
    this.parties = { ...this.parties, ...row };
    await this.commit([{ verb: enterNode, inputs: [{ nodeId: this.parties.nodeId, now: Date.now() }] }]);
  }

  async commit(steps: readonly Step[]): Promise<void> {
    const startedAt = performance.now();
    await this.#log.begin(steps.every(({ verb }) => verb.isByKeys === true));
    for (const { verb, inputs } of steps) {
      stopwatch.verb = verb.name;
      stopwatch.inStatements = 0;
      const begunAt = performance.now();
      await runVerb(verb, this.#log.transaction, inputs);
      const around = performance.now() - begunAt - stopwatch.inStatements;
      stopwatch.add(`${verb.name}: around the statements`, around);
    }
    const endedAt = performance.now();
    await this.#log.commit();
    stopwatch.add('commit', performance.now() - endedAt);
    this.#microseconds += (performance.now() - startedAt) * 1_000;
  }

  async startCounting(): Promise<void> {
    await this.#log.mark();
    stopwatch.times.clear();
    this.#microseconds = 0;
  }

  async spent(): Promise<Spent> {
    const microsecondsByStep = new Map(stopwatch.times);
    return { ...(await this.#log.written()), microseconds: this.#microseconds, microsecondsByStep };
  }

  async close(): Promise<void> {
    await this.#log.close();
    await this.#server.close();
  }
}

function sqliteLog({ dataFolder }: Server): WriteLog {
  const path = databasePath(dataFolder);
  const database = openDatabase(path);
  // Nothing is taken out of the log while it is counted.
  database.exec('PRAGMA wal_autocheckpoint = 0');
  return {
    transaction: new SqliteTransaction(timed(database)),
    begin: async () => database.exec('BEGIN IMMEDIATE'),
    commit: async () => database.exec('COMMIT'),
    mark: async () => void database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get(),
    async written() {
      const pages = pagesIn(readFileSync(`${path}-wal`));
      const trees = new Map(
        database
          .prepare('SELECT pageno, name FROM dbstat')
          .all()
          .map((row) => row as { pageno: number; name: string })
          .map(({ pageno, name }) => [pageno, name]),
      );
      const bytesByTree = new Map<string, number>();
      for (const page of pages) {
        const name = trees.get(page) ?? 'free pages';
        bytesByTree.set(name, (bytesByTree.get(name) ?? 0) + frameBytes);
      }
      return { bytesByTree, pages: pages.length };
    },
    close: async () => database.close(),
  };
}

/** https://sqlite.org/fileformat2.html#walformat: a header of 32 bytes, then frames: 24 bytes that begin with the page number, and the page. */
const logHeaderBytes = 32;
const frameBytes = 24 + 4_096;

function pagesIn(log: Buffer): readonly number[] {
  const pages: number[] = [];
  for (let at = logHeaderBytes; at + frameBytes <= log.length; at += frameBytes)
    pages.push(log.readUInt32BE(at));
  return pages;
}

/** The same database, with each use of a statement timed. */
function timed(database: Database): Database {
  return {
    exec: (text) => database.exec(text),
    close: () => database.close(),
    prepare(text) {
      const statement = database.prepare(text);
      const name = nameOf(text);
      const timing =
        <Result>(use: (...parameters: unknown[]) => Result) =>
        (...parameters: unknown[]): Result => {
          const startedAt = performance.now();
          const result = use.apply(statement, parameters);
          stopwatch.statement(name, startedAt);
          return result;
        };
      return {
        all: timing(statement.all),
        get: timing(statement.get),
        run: timing(statement.run),
      } satisfies Statement;
    },
  };
}

/** The connection is idle while stores are filled: the longest that a timer waits. */
const longestSilenceMs = 2 ** 31 - 1;

async function postgresLog({ databaseUrl }: Server): Promise<WriteLog> {
  const client = new pg.Client({ connectionString: databaseUrl, pipeline: true });
  // Counts and ids stay below 2^53.
  for (const oid of [20, 1700]) client.setTypeParser(oid, Number);
  await client.connect();
  await client.query(planSettings);
  await client.query('CREATE EXTENSION IF NOT EXISTS pg_walinspect');
  let from = '';
  const place = async () => {
    const { rows } = await client.query<{ lsn: string }>('SELECT pg_current_wal_flush_lsn() AS lsn');
    return rows[0]?.lsn ?? '';
  };
  const connection = new PooledConnection(
    Object.assign(client, { release: () => undefined }),
    longestSilenceMs,
  );
  const runner = {
    async query<Row extends pg.QueryResultRow>(statement: pg.QueryConfig) {
      const startedAt = performance.now();
      const result = await connection.query<Row>(statement);
      stopwatch.statement(nameOf(statement.text), startedAt);
      return result;
    },
    // Its time counts for the next statement that is waited for, or for the commit.
    send: (statement: pg.QueryConfig) => connection.send(statement),
  };
  return {
    transaction: new PostgresTransaction(runner),
    begin: async (isByKeys) => connection.begin({ isByKeys }),
    commit: async () => void (await connection.commit()),
    async mark() {
      from = await place();
    },
    async written() {
      const { rows } = await client.query<{ tree: string; bytes: number }>(
        `SELECT COALESCE(relname, 'the transactions themselves') AS tree, SUM(bytes) AS bytes
         FROM (SELECT record_length - fpi_length AS bytes, CAST(substring(block_ref FROM 'rel \\d+/\\d+/(\\d+)') AS oid) AS node
               FROM pg_get_wal_records_info($1, $2)) AS records
         LEFT JOIN pg_class ON pg_relation_filenode(pg_class.oid) = node GROUP BY 1`,
        [from, await place()],
      );
      return { bytesByTree: new Map(rows.map(({ tree, bytes }) => [tree, bytes])) };
    },
    async close() {
      connection.release(false);
      await client.end();
    },
  };
}
