/** The shared store: PostgreSQL through a pool, client-side group commit per verb, and announcements by LISTEN and NOTIFY. */

import pg from 'pg';
import { StartError } from '../../foundation/errors.ts';
import { type CallResult, GroupCommit, type VerbCall } from '../group-commit.ts';
import { ReadTurns } from '../read-turns.ts';
import { requireSchema, type SchemaOptions } from '../schema-version.ts';
import { OutcomeUnknown, type ReadOptions, type Store, StoreDamage, storeUnavailable } from '../store.ts';
import { type ReadVerb, runVerb, type WriteVerb } from '../verb.ts';
import { Announcements, type PostgresOptions } from './announcements.ts';
import { asStoreError, isRepeatable, isUnavailable } from './faults.ts';
import { migratePostgres, storedPostgresVersion } from './migrate.ts';
import { PooledConnection } from './pooled-connection.ts';
import { PostgresTransaction } from './transaction.ts';

/** A node's connections for writes and reads. The connection that listens for announcements is separate. */
const poolSize = 12;
/** Reads may be slow and numerous, such as pages of statuses, so the rest of the pool is reserved for writes. */
const maxConcurrentReads = 8;
/** At most this many of the reads may be pages or other long reads. */
const maxConcurrentLongReads = 4;
const connectTimeoutMs = 5_000;
/** A statement still running after this time is waiting for a lock that nobody will release. `DATABASE_URL` may set another. */
const defaultStatementTimeoutMs = 8_000;
/** How much longer the client waits, so that the server's message about a slow statement still arrives. */
const morePatientMs = 2_000;
/**
 * A node that hangs in a transaction loses its locks before other nodes’ statements time out waiting for them. These include the
 * lock on its own row, without which no other node can declare it dead.
 */
const silentTransactionMs = 5_000;
/** A machine that has vanished sends nothing more, so its connections and their locks end after this time. */
const unansweredPacketsMs = 15_000;
const keepAliveAfterMs = 10_000;

// Ids and times are bigints below 2^53, so numbers hold them exactly. The same goes for their sums, which arrive as numeric.
const bigintOid = 20;
const numericOid = 1700;

/** Migrates an older store by default. */
export async function openPostgresStore(options: PostgresOptions & SchemaOptions): Promise<Store> {
  const statementTimeoutMs = statementTimeoutOf(options.url);
  const pool = new pg.Pool({
    connectionString: options.url,
    max: poolSize,
    // Statements whose answers nobody waits for are sent together with the next one.
    pipeline: true,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: silentTransactionMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
    application_name: 'carillon',
    onConnect: prepareConnection as (client: pg.ClientBase) => void,
    types: {
      getTypeParser: (oid, format) =>
        oid === bigintOid || oid === numericOid ? Number : pg.types.getTypeParser(oid, format),
    } as pg.CustomTypesConfig,
  });
  pool.on('error', (error) =>
    options.log.warn({ error: error.message }, 'an idle connection to PostgreSQL broke'),
  );
  // The pool only listens to idle connections. A connection that breaks in use reports this through its statement, but
  // also through an event that would end the process if nobody listened.
  pool.on('connect', (client) => client.on('error', () => undefined));
  try {
    const client = await pool.connect();
    try {
      if (options.schema === 'use') requireSchema(await storedPostgresVersion(client), 'use');
      else {
        await client.query('SET default_transaction_read_only = off');
        await migratePostgres(client, options);
        await client.query(readOnly);
      }
    } finally {
      client.release();
    }
  } catch (error) {
    await pool.end();
    throw error instanceof StartError ? error : unusable(error);
  }
  // The server checks its own pages, with checksums and pg_amcheck.
  const damage = new StoreDamage(async () => [], options.onDamage);
  return new PostgresStore(pool, statementTimeoutMs + morePatientMs, new Announcements(options), damage);
}

/** 0 is no limit to PostgreSQL; the client is as patient as usual then. */
function statementTimeoutOf(url: string): number {
  const set = Number(/[?&]statement_timeout=(\d{1,9})(?:&|$)/.exec(url)?.[1]);
  return set > 0 ? set : defaultStatementTimeoutMs;
}

/** Returns whether the database has a store of any version. */
export async function hasPostgresStore(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectTimeoutMs });
  try {
    await client.connect();
    return (await storedPostgresVersion(client)) > 0;
  } catch (error) {
    throw unusable(error);
  } finally {
    await client.end();
  }
}

function unusable(error: unknown): StartError {
  return new StartError(
    `PostgreSQL at DATABASE_URL cannot be used: ${(error as Error).message || 'no connection'}.`,
  );
}

/**
 * A plan cached when a table was small still reads all of it after it has grown, until its statistics are renewed: a claim of
 * 20 took seconds among 50,000 messages. So statements are planned each time, except for those that find their rows by keys
 * (`byKeys` in `verb.ts`), and none of our statements is worth compiling. Our queries need a few rows in index order. If a random
 * page cost as much as four sequential ones, as it did on spinning disks, all matching rows would be fetched and sorted instead
 * (docs/decisions/0032-plans-are-tested-over-a-million-messages.md).
 */
export const planSettings =
  "SET plan_cache_mode = 'force_custom_plan'; SET jit = off; SET random_page_cost = 1.1";

/** See `PooledConnection.begin`. */
const readOnly = 'SET default_transaction_read_only = on';

/** The pool waits for this before it hands out the connection, so this itself must not hang. */
async function prepareConnection(client: pg.ClientBase): Promise<void> {
  const set = (text: string) => client.query({ text, query_timeout: connectTimeoutMs } as pg.QueryConfig);
  await set(`${planSettings}; ${readOnly}`);
  // Systems without this time-out refuse it, and keep-alive remains.
  await set(`SET tcp_user_timeout = ${unansweredPacketsMs}`).catch(() => undefined);
}

class PostgresStore implements Store {
  readonly dialect = 'postgres';
  readonly damage: StoreDamage;
  readonly #pool: pg.Pool;
  readonly #allowedSilenceMs: number;
  readonly #announcements: Announcements;
  readonly #commits: GroupCommit;
  /** A read waits for its turn as long as it would for a connection. */
  readonly #readTurns = new ReadTurns({
    turns: maxConcurrentReads,
    ownedTurns: maxConcurrentLongReads,
    maxWaitMs: connectTimeoutMs,
  });

  constructor(pool: pg.Pool, allowedSilenceMs: number, announcements: Announcements, damage: StoreDamage) {
    this.damage = damage;
    this.#pool = pool;
    this.#allowedSilenceMs = allowedSilenceMs;
    this.#announcements = announcements;
    this.#commits = new GroupCommit({
      commit: (group) => this.#commit(group),
      // Each verb has one transaction at a time, so calls collect in the meantime and do not wait for each other's rows. Only
      // a call that fills a transaction alone runs beside it, since it may take a second. Others wait for it only if
      // they need what it has locked, such as its company's quota.
      depth: 1,
      // Measured with 50 callers: 12,400 calls a second in groups of 49, compared with 8,600 in groups of 25.
      gatherTurns: 2,
      lane: (verb, size) => `${verb.name} ${size}`,
      maxGroupWeight: 1_000,
      maxWaitingWeight: 50_000,
    });
  }

  worksFor(verb: { readonly name: string }): boolean {
    return this.#commits.worksFor(verb);
  }

  waitMs(verb: { readonly name: string }): number {
    return this.#commits.waitMs(verb);
  }

  get waitingReads(): number {
    return this.#readTurns.waiting;
  }

  write<Input, Output>(verb: WriteVerb<Input, Output>, input: Input): Promise<Output> {
    return this.#commits.write(verb, input);
  }

  async read<Input, Output>(
    verb: ReadVerb<Input, Output>,
    input: Input,
    { signal }: ReadOptions = {},
  ): Promise<Output> {
    const owner = verb.ownerOf?.(input);
    await this.#readTurns.take(owner, signal);
    try {
      return await this.#read(verb, input);
    } finally {
      this.#readTurns.give(owner);
    }
  }

  async #read<Input, Output>(verb: ReadVerb<Input, Output>, input: Input): Promise<Output> {
    const conversation = await this.#begin();
    let broken = false;
    try {
      if (verb.snapshot === true) conversation.send(beginSnapshot);
      const output = await verb.run(new PostgresTransaction(conversation), input);
      if (verb.snapshot === true) await conversation.query('COMMIT');
      return output;
    } catch (error) {
      broken = isUnavailable(error);
      if (verb.snapshot === true && !broken) broken = !(await rolledBack(conversation));
      throw this.damage.noted(asStoreError(error));
    } finally {
      conversation.release(broken);
    }
  }

  announce(topic: string): void {
    this.#announcements.announce(topic);
  }

  onAnnouncement(listener: (topic: string) => void): void {
    this.#announcements.onAnnouncement(listener);
  }

  /** The server decides when its files are rewritten, through autovacuum, checkpoints and log archiving. */
  forgetDeleted(): void {}

  async close(): Promise<void> {
    await this.#commits.idle();
    await this.#announcements.close();
    await this.#pool.end();
  }

  async #commit(group: readonly VerbCall[]): Promise<readonly CallResult[]> {
    try {
      return await this.#transact(group);
    } catch (error) {
      if (isRepeatable(error)) return this.#commit(group);
      if (group.length === 1 || isUnavailable(error)) throw error;
    }
    // One call failed. Each is run alone, so only the faulty one gets the error.
    const settled: CallResult[] = [];
    for (const call of group) {
      try {
        settled.push(...(await this.#commit([call])));
      } catch (error) {
        // If the server has become unreachable meanwhile, this avoids waiting for it once per call.
        if (isUnavailable(error)) return group.map((_, index) => settled[index] ?? { error });
        settled.push({ error });
      }
    }
    return settled;
  }

  /** All calls in a lane have the same verb and form one step over the set of their inputs. */
  async #transact(group: readonly VerbCall[]): Promise<readonly CallResult[]> {
    const verb = (group[0] as VerbCall).verb;
    const conversation = await this.#begin();
    let broken = true;
    try {
      const outputs = await this.#work(conversation, verb, group);
      await this.#keep(conversation, verb);
      broken = false;
      return outputs.map((output) => ({ output }));
    } catch (error) {
      broken = !(await rolledBack(conversation));
      throw error;
    } finally {
      conversation.release(broken);
    }
  }

  async #work(conversation: PooledConnection, verb: VerbCall['verb'], group: readonly VerbCall[]) {
    try {
      conversation.begin(verb);
      const inputs = group.map((call) => call.input);
      return await runVerb(verb, new PostgresTransaction(conversation), inputs);
    } catch (error) {
      throw this.damage.noted(asStoreError(error));
    }
  }

  async #keep(conversation: PooledConnection, { name }: VerbCall['verb']): Promise<void> {
    let command: string;
    try {
      command = await conversation.commit();
    } catch (error) {
      throw error instanceof OutcomeUnknown ? error : this.damage.noted(asStoreError(error));
    }
    // If a statement failed, COMMIT is answered with ROLLBACK, not with an error.
    if (command !== 'COMMIT') throw new Error(`${name} hid the error of a statement: nothing was stored`);
  }

  async #begin(): Promise<PooledConnection> {
    try {
      return new PooledConnection(await this.#pool.connect(), this.#allowedSilenceMs);
    } catch (error) {
      throw storeUnavailable(error);
    }
  }
}

/** Otherwise, each statement would see what has been committed by the time it runs. */
const beginSnapshot = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

async function rolledBack(conversation: PooledConnection): Promise<boolean> {
  try {
    await conversation.rollBack();
    return true;
  } catch {
    // The connection is gone and the server rolls back by itself. The caller discards the connection.
    return false;
  }
}
