/** The shared store: PostgreSQL through a pool, group commit per verb on this side, announcements by LISTEN and NOTIFY. */
import pg from 'pg';
import { StartError } from '../../foundation/errors.ts';
import { type Call, GroupCommit, type Settled } from '../group-commit.ts';
import { migratePostgres } from '../migrate.ts';
import { type Store, storeUnavailable } from '../store.ts';
import { type ReadVerb, runVerb, type WriteVerb } from '../verb.ts';
import { Announcements } from './announcements.ts';
import { PostgresTransaction } from './transaction.ts';

export interface PostgresOptions {
  readonly url: string;
  readonly log: { warn(details: object, message: string): void };
}

/** Connections of a node: lanes of verbs, reads, and one to listen. */
const poolSize = 12;
const connectTimeoutMs = 5_000;
/** A statement that has not ended by then waits for a lock that nobody gives back. */
const statementTimeoutMs = 30_000;
/**
 * A node that is frozen in the midst of a transaction keeps its locks, among them the one on its own row, without which
 * nobody can declare it dead. PostgreSQL ends such a transaction before the others look for the node's last beat.
 */
const silenceInTransactionMs = 8_000;

// Ids and times are bigints below 2^53, so numbers hold them exactly; so do sums of them, which come as numeric.
const bigintOid = 20;
const numericOid = 1700;

export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: silenceInTransactionMs,
    keepAlive: true,
    application_name: 'carillon',
    types: {
      getTypeParser: (oid, format) =>
        oid === bigintOid || oid === numericOid ? Number : pg.types.getTypeParser(oid, format),
    } as pg.CustomTypesConfig,
  });
  pool.on('error', (error) =>
    options.log.warn({ error: error.message }, 'an idle connection to PostgreSQL broke'),
  );
  // The pool listens to idle connections only. One that breaks at work tells so by its statement, but also by an event
  // that would end the process if nobody listened.
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    // A plan kept from the time when a table was small reads all of it when it has grown, until its statistics are
    // renewed: a claim of 20 took seconds among 50,000 messages. To plan anew each time costs some 50 µs a statement.
    client.query("SET plan_cache_mode = 'force_custom_plan'").catch(() => undefined);
  });
  try {
    const client = await pool.connect();
    try {
      await migratePostgres(client);
    } finally {
      client.release();
    }
  } catch (error) {
    await pool.end();
    if (error instanceof StartError) throw error;
    throw new StartError(
      `PostgreSQL at DATABASE_URL cannot be used: ${(error as Error).message || 'no connection'}.`,
    );
  }
  return new PostgresStore(pool, new Announcements(options));
}

class PostgresStore implements Store {
  readonly dialect = 'postgres';
  readonly #pool: pg.Pool;
  readonly #announcements: Announcements;
  readonly #commits: GroupCommit;

  constructor(pool: pg.Pool, announcements: Announcements) {
    this.#pool = pool;
    this.#announcements = announcements;
    this.#commits = new GroupCommit({
      commit: (group) => this.#commit(group),
      // One transaction a verb at a time: the calls gather meanwhile, and no two of a node wait for the same rows.
      depth: 1,
      lane: (call) => call.verb.name,
      maxGroupWeight: 1_000,
      maxWaitingWeight: 50_000,
    });
  }

  write<Input, Output>(verb: WriteVerb<Input, Output>, input: Input): Promise<Output> {
    return this.#commits.write(verb, input);
  }

  async read<Input, Output>(verb: ReadVerb<Input, Output>, input: Input): Promise<Output> {
    const client = await this.#connect();
    let broken = false;
    try {
      return await verb.run(new PostgresTransaction(client), input);
    } catch (error) {
      broken = isUnavailable(error);
      throw broken ? storeUnavailable(error) : error;
    } finally {
      client.release(broken);
    }
  }

  announce(topic: string): void {
    this.#announcements.announce(topic);
  }

  onAnnouncement(listener: (topic: string) => void): void {
    this.#announcements.onAnnouncement(listener);
  }

  async close(): Promise<void> {
    await this.#commits.idle();
    await this.#announcements.close();
    await this.#pool.end();
  }

  async #commit(group: readonly Call[]): Promise<readonly Settled[]> {
    try {
      return await this.#transact(group);
    } catch (error) {
      if (isUnavailable(error)) throw storeUnavailable(error);
      if (isRepeatable(error)) return this.#commit(group);
      if (group.length === 1) throw error;
    }
    // One of them failed: each by itself, so that only the guilty one hears of it.
    const settled: Settled[] = [];
    for (const call of group) {
      try {
        settled.push(...(await this.#commit([call])));
      } catch (error) {
        settled.push({ error });
      }
    }
    return settled;
  }

  /** The calls of a lane have one verb: one step over the set of their inputs. */
  async #transact(group: readonly Call[]): Promise<readonly Settled[]> {
    const verb = (group[0] as Call).verb;
    const client = await this.#connect();
    let failed = true;
    try {
      await client.query('BEGIN');
      const inputs = group.map((call) => call.input);
      const outputs = await runVerb(verb, new PostgresTransaction(client), inputs);
      const { command } = await client.query('COMMIT');
      // A transaction in which a statement failed answers COMMIT with ROLLBACK, not with an error.
      if (command !== 'COMMIT')
        throw new Error(`${verb.name} hid the fault of a statement: nothing was kept`);
      failed = false;
      return outputs.map((output) => ({ output }));
    } catch (error) {
      failed = !(await rolledBack(client));
      throw error;
    } finally {
      client.release(failed);
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw storeUnavailable(error);
    }
  }
}

async function rolledBack(client: pg.PoolClient): Promise<boolean> {
  try {
    await client.query('ROLLBACK');
    return true;
  } catch {
    // The connection is gone, and the server rolls back by itself: the caller throws the connection away.
    return false;
  }
}

/** SQLSTATE classes (PostgreSQL, appendix A) of a server that can't serve: connection, resources, operator, system. */
const unavailableClasses = new Set(['08', '53', '57', '58']);
/** A lock not given in time, a database that takes no writes, or a transaction ended since this node was silent in it. */
const unavailableStates = new Set(['55P03', '25006', '25P03']);
/** A deadlock or a serialization failure ends by trying again. */
const repeatableStates = new Set(['40P01', '40001']);

function sqlState(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

function isRepeatable(error: unknown): boolean {
  return repeatableStates.has(sqlState(error));
}

function isUnavailable(error: unknown): boolean {
  const state = sqlState(error);
  if (state.length === 5) return unavailableClasses.has(state.slice(0, 2)) || unavailableStates.has(state);
  // Errors of the socket (ECONNREFUSED, …) and of the client have other codes or none.
  return (
    /^E[A-Z]+$/.test(state) ||
    /Connection terminated|timeout exceeded|Query read timeout|not queryable/.test((error as Error).message)
  );
}
