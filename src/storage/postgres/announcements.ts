/** News between nodes without polling: one connection that listens, and notifications sent outside of transactions. */
import pg from 'pg';
import type { PostgresOptions } from './store.ts';

const channel = 'carillon';
/** NOTIFY takes a lock of the whole database at commit: announcements of a topic are gathered over this time. */
const gatherMs = 20;
const connectTimeoutMs = 5_000;
const reconnectMs = 1_000;

export class Announcements {
  readonly #options: PostgresOptions;
  readonly #listeners: ((topic: string) => void)[] = [];
  readonly #gathered = new Set<string>();
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: PostgresOptions) {
    this.#options = options;
    void this.#connect();
  }

  announce(topic: string): void {
    this.#gathered.add(topic);
    this.#timer ??= setTimeout(() => this.#send(), gatherMs);
  }

  onAnnouncement(listener: (topic: string) => void): void {
    this.#listeners.push(listener);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch((error: Error) => this.#warn(error));
  }

  #send(): void {
    this.#timer = undefined;
    for (const topic of this.#gathered) {
      this.#client
        ?.query('SELECT pg_notify($1, $2)', [channel, topic])
        .catch((error: Error) => this.#warn(error));
    }
    this.#gathered.clear();
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#options.url,
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      application_name: 'carillon news',
    });
    client.on('error', (error) => this.#lost(client, error));
    client.on('end', () => this.#lost(client, new Error('the connection has ended')));
    client.on('notification', ({ payload }) => {
      for (const listener of this.#listeners) listener(payload ?? '');
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${channel}`);
      if (this.#closed) await client.end();
      else this.#client = client;
    } catch (error) {
      this.#lost(client, error as Error);
    }
  }

  readonly #gone = new WeakSet<pg.Client>();

  /** Announcements only save time: what they tell of is found by the regular sweeps too. */
  #lost(client: pg.Client, error: Error): void {
    if (this.#closed || this.#gone.has(client)) return;
    this.#gone.add(client);
    if (this.#client === client) this.#client = undefined;
    this.#warn(error);
    setTimeout(() => {
      if (!this.#closed) void this.#connect();
    }, reconnectMs).unref();
  }

  #warn(error: Error): void {
    if (!this.#closed)
      this.#options.log.warn({ error: error.message }, 'announcements between nodes are interrupted');
  }
}
