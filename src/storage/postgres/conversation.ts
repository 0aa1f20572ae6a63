/** A pooled connection in use. When the server falls silent, the connection is closed instead of waited for. */
import type { PoolClient, QueryConfig, QueryResult, QueryResultRow } from 'pg';

/** Longer than the server itself lets a statement take, so that what it says of a slow one arrives. */
const silenceMs = 10_000;

export class PooledConnection {
  readonly #client: PoolClient;
  /** One timer for all statements, put forward by each: that costs less than a timer for each. */
  readonly #timer: NodeJS.Timeout;
  #statements = 0;
  #isOver = false;

  constructor(client: PoolClient) {
    this.#client = client;
    this.#timer = setTimeout(() => this.#giveUpUnlessAnswered(), silenceMs);
  }

  query<Result extends QueryResultRow>(statement: string | QueryConfig): Promise<QueryResult<Result>> {
    this.#statements += 1;
    this.#timer.refresh();
    return this.#client.query<Result>(statement);
  }

  /** Gives the connection back to the pool, or, broken, away. */
  release(broken: boolean): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#client.release(broken);
  }

  /** It may be this process that stood still, and the answer lies there, still to be read in this turn. */
  #giveUpUnlessAnswered(): void {
    const asked = this.#statements;
    setImmediate(() => {
      // With a statement under way this closes the socket, and the statement fails as on a broken connection.
      if (!this.#isOver && asked === this.#statements) void this.#client.end().catch(() => undefined);
    });
  }
}
