/** Statements to PostgreSQL over one of the pool's connections, several of which may be on their way at the same time. */
import type { Socket } from 'node:net';
import type { PoolClient, QueryConfig, QueryResultRow } from 'pg';
import pg from 'pg';
import type { VerbCall } from '../group-commit.ts';
import { OutcomeUnknown } from '../store.ts';
import { isUnavailable } from './faults.ts';
import {
  type Answer,
  AskedStatement,
  type PreparedStatements,
  type Settle,
  SubmittedStatements,
} from './statement.ts';

/** For statements that find their rows by keys. Planned each time, they took the server more time than their execution. */
export const plansByKeys = [
  { name: 'carillon_plans', text: 'SET LOCAL plan_cache_mode = force_generic_plan' },
  { name: 'carillon_scans', text: 'SET LOCAL enable_seqscan = off' },
];

const begin = { name: 'carillon_begin', text: 'BEGIN READ WRITE' };
const commit = { name: 'carillon_commit', text: 'COMMIT' };

/**
 * A plan that was made while a table was nearly empty reads a whole index, so plans are made again when as many transactions
 * have used them as there were before them, and after this time.
 */
const planAgeMs = 60_000;

/** How long a connection has used its plans. */
interface PlanUse {
  transactions: number;
  plannedAt: number;
}

const planUses = new WeakMap<PoolClient, PlanUse>();

/** Counts one more transaction, and returns whether its statements are planned again: those of the 1st, 2nd, 4th, 8th … are. */
function areStale(client: PoolClient): boolean {
  const now = performance.now();
  const use = planUses.get(client) ?? { transactions: 0, plannedAt: now };
  planUses.set(client, use);
  use.transactions += 1;
  const isDoubled = Number.isInteger(Math.log2(use.transactions));
  if (!isDoubled && now - use.plannedAt < planAgeMs) return false;
  use.plannedAt = now;
  return true;
}

const preparedStatements = new WeakMap<PoolClient, PreparedStatements>();

function preparedBy(client: PoolClient): PreparedStatements {
  const known = preparedStatements.get(client) ?? new Map();
  preparedStatements.set(client, known);
  return known;
}

/** A pooled connection in use. If the server falls silent, the connection is closed rather than waited for. */
export class PooledConnection {
  readonly #client: PoolClient;
  readonly #prepared: PreparedStatements;
  /** One timer, pushed back by each statement, costs less than a timer per statement. */
  readonly #timer: NodeJS.Timeout;
  #statements = 0;
  /** The first error of the transaction; those of later statements follow from it. */
  #failure: Error | undefined;
  /** Whether a statement that nobody waited for has failed since an error was thrown. */
  #isUntold = false;
  #gathered: AskedStatement[] = [];
  #isOver = false;

  /** The statements of a request share the silence that is allowed, since the server answers them together. */
  constructor(client: PoolClient, allowedSilenceMs: number) {
    this.#client = client;
    this.#prepared = preparedBy(client);
    this.#timer = setTimeout(() => this.#giveUpUnlessAnswered(), allowedSilenceMs);
  }

  /**
   * Begins a transaction for a verb. Outside of one, a connection of the store writes nothing, so that statements sent behind a
   * BEGIN that failed have no effect.
   */
  begin({ isByKeys = false }: Pick<VerbCall['verb'], 'isByKeys'>): void {
    this.send(begin);
    if (!isByKeys) return;
    for (const setting of plansByKeys) this.send(setting);
    if (areStale(this.#client)) this.send('DISCARD PLANS');
  }

  /** Sends a statement without waiting. If it fails, the next `query` or `commit` throws its error. */
  send(statement: string | QueryConfig): void {
    this.#submit(statement, (error) => {
      if (error !== null) this.#isUntold = true;
    });
  }

  async query<Row extends QueryResultRow>(statement: string | QueryConfig): Promise<Answer<Row>> {
    try {
      const answer = await this.#ask<Row>(statement);
      if (!this.#isUntold) return answer;
    } catch (error) {
      // This error follows from the first one, if it is not that itself.
      this.#failure ??= error as Error;
    }
    throw this.#tellFailure();
  }

  /** Returns the command that the server names: ROLLBACK if a statement of the transaction has failed. */
  async commit(): Promise<string> {
    try {
      const { command } = await this.#ask(commit);
      if (!this.#isUntold) return command;
    } catch (error) {
      if (!this.#isUntold) throw inDoubt(error);
    }
    const first = this.#tellFailure();
    // If the server itself refused a statement, it has kept nothing. Class 08 is what a proxy reports of a broken connection.
    const isRefusal = isAnswer(first) && first.code?.startsWith('08') !== true;
    throw isRefusal ? first : inDoubt(first);
  }

  /** The first error. Its trace led to the socket. */
  #tellFailure(): Error {
    const failure = this.#failure as Error;
    this.#isUntold = false;
    Error.captureStackTrace(failure);
    return failure;
  }

  async rollBack(): Promise<void> {
    // Behind a statement that fails it would be skipped.
    this.#flush();
    await this.#ask('ROLLBACK');
    this.#failure = undefined;
    this.#isUntold = false;
  }

  /** Answers come in the order of the statements, so those before have been answered too. */
  #ask<Row>(statement: string | QueryConfig): Promise<Answer<Row>> {
    return new Promise((resolve, reject) => {
      this.#submit(statement, (error, answer) => {
        if (error === null) resolve(answer as Answer<Row>);
        else reject(error);
      });
    });
  }

  #submit(statement: string | QueryConfig, settle: Settle): void {
    const asked = typeof statement === 'string' ? { text: statement } : statement;
    const gathered = new AskedStatement(asked, this.#prepared, (error, answer) => {
      if (error !== null) this.#failure ??= error;
      else if (!this.#isOver) this.#timer.refresh();
      settle(error, answer);
    });
    if (this.#gathered.length === 0) process.nextTick(() => this.#flush());
    this.#gathered.push(gathered);
  }

  /** All statements of one turn go to the server together. */
  #flush(): void {
    const gathered = this.#gathered;
    if (gathered.length === 0) return;
    this.#gathered = [];
    this.#statements += 1;
    this.#timer.refresh();
    this.#client.query(new SubmittedStatements(gathered, this.#client, this.#prepared));
  }

  /** Returns the connection to the pool, or discards it if broken. */
  release(broken: boolean): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#client.release(broken);
  }

  /** This process itself may have been paused, and the answer may be waiting to be read in this turn. */
  #giveUpUnlessAnswered(): void {
    const asked = this.#statements;
    setImmediate(() => {
      // The statements under way then fail as on a broken connection. `end` would wait for their answers.
      if (!this.#isOver && asked === this.#statements) socketOf(this.#client).destroy();
    });
  }
}

/** The driver's types do not show it. */
function socketOf(client: PoolClient): Socket {
  return (client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream;
}

/** COMMIT was sent. Unless a server that goes on serving refused it, it is unknown whether the transaction was kept. */
function inDoubt(error: unknown): unknown {
  return isAnswer(error) && !isUnavailable(error) ? error : new OutcomeUnknown(error);
}

/**
 * Whether the server itself reported the error. When the driver cannot read what it receives, it makes an error of the same class,
 * but without an SQLSTATE.
 */
function isAnswer(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && error.code !== undefined;
}
