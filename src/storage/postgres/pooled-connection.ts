/** Statements to PostgreSQL over one of the pool's connections, several of which may be on their way at the same time. */
import type { PoolClient, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import pg from 'pg';
import type { VerbCall } from '../group-commit.ts';
import { OutcomeUnknown } from '../store.ts';
import { isUnavailable } from './faults.ts';

/**
 * Longer than the server itself allows a statement, so that the server's message about a slow statement still arrives.
 */
const silenceMs = 10_000;

/**
 * For statements that find their rows by keys: each is planned once for a connection, with indexes, even if the table is empty at
 * that time. Planned each time, they took the server more time than their execution.
 */
export const plansByKeys = 'SET LOCAL plan_cache_mode = force_generic_plan; SET LOCAL enable_seqscan = off';

/** A pooled connection in use. If the server falls silent, the connection is closed rather than waited for. */
export class PooledConnection {
  readonly #client: PoolClient;
  /** One timer, pushed back by each statement, costs less than a timer per statement. */
  readonly #timer: NodeJS.Timeout;
  #statements = 0;
  /** Answers that nobody has waited for yet. */
  #unanswered: Promise<unknown>[] = [];
  #isOver = false;

  constructor(client: PoolClient) {
    this.#client = client;
    this.#timer = setTimeout(() => this.#giveUpUnlessAnswered(), silenceMs);
  }

  /** Begins a transaction for a verb. */
  begin({ isByKeys = false }: Pick<VerbCall['verb'], 'isByKeys'>): void {
    this.send(isByKeys ? `BEGIN; ${plansByKeys}` : 'BEGIN');
  }

  /** Sends a statement without waiting. If it fails, the next `query` or `commit` throws its error. */
  send(statement: string | QueryConfig): void {
    this.#unanswered.push(this.#ask(statement));
  }

  async query<Result extends QueryResultRow>(statement: string | QueryConfig): Promise<QueryResult<Result>> {
    const answer = this.#ask<Result>(statement);
    await this.#answersBefore();
    return answer;
  }

  /** Returns the command that the server names: ROLLBACK if a statement of the transaction has failed. */
  async commit(): Promise<string> {
    const answer = this.#ask('COMMIT');
    try {
      await this.#answersBefore();
    } catch (error) {
      // If the server itself refused a statement, it has kept nothing.
      throw error instanceof pg.DatabaseError ? error : inDoubt(error);
    }
    try {
      return (await answer).command;
    } catch (error) {
      throw inDoubt(error);
    }
  }

  async rollBack(): Promise<void> {
    this.#unanswered = [];
    await this.#ask('ROLLBACK');
  }

  #ask<Result extends QueryResultRow>(statement: string | QueryConfig): Promise<QueryResult<Result>> {
    this.#statements += 1;
    this.#timer.refresh();
    const answer = this.#client.query<Result>(statement);
    // An earlier statement may fail too, and its error is the one to report.
    answer.catch(() => undefined);
    return answer;
  }

  async #answersBefore(): Promise<void> {
    const before = this.#unanswered;
    this.#unanswered = [];
    for (const answer of before) await answer;
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
      // If a statement is under way, this closes the socket and the statement fails as on a broken connection.
      if (!this.#isOver && asked === this.#statements) void this.#client.end().catch(() => undefined);
    });
  }
}

/** A connection that breaks after COMMIT was sent, and only then, leaves it unknown whether the transaction was kept. */
function inDoubt(error: unknown): unknown {
  return isUnavailable(error) ? new OutcomeUnknown(error) : error;
}
