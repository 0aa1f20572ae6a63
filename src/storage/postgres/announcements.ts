/** Notifies nodes without polling. One connection listens, and notifications are sent outside transactions. */
import pg from 'pg';

const channel = 'carillon';
/** NOTIFY takes a database-wide lock at commit, so announcements of a topic are collected for this long. */
const gatherMs = 20;
const connectTimeoutMs = 5_000;
const reconnectMs = 1_000;
const answerTimeoutMs = 5_000;
const keepAliveAfterMs = 10_000;

export interface PostgresOptions {
  readonly url: string;
  readonly log: { warn(details: object, message: string): void };
  /** Called the first time that a call meets damage. */
  readonly onDamage?: (error: Error) => void;
}

export class Announcements {
  readonly #options: PostgresOptions;
  readonly #listeners: ((topic: string) => void)[] = [];
  readonly #gathered = new Set<string>();
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isSending = false;
  #closed = false;

  constructor(options: PostgresOptions) {
    this.#options = options;
    void this.#connect();
  }

  announce(topic: string): void {
    this.#gathered.add(topic);
    this.#timer ??= setTimeout(() => void this.#send(), gatherMs);
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

  /** Only one announcement is sent at a time. While PostgreSQL does not respond, the others accumulate. */
  async #send(): Promise<void> {
    this.#timer = undefined;
    const client = this.#client;
    if (client === undefined) this.#gathered.clear();
    if (client === undefined || this.#isSending) return;
    const topics = [...this.#gathered];
    this.#gathered.clear();
    this.#isSending = true;
    try {
      await client.query('SELECT pg_notify($1, topic) FROM unnest($2::text[]) AS topic', [channel, topics]);
    } catch (error) {
      // The connection may have been silent for too long. Only a new connection is certain to be listening.
      this.#lost(client, error as Error);
    }
    this.#isSending = false;
    if (this.#gathered.size > 0) this.#timer ??= setTimeout(() => void this.#send(), gatherMs);
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#options.url,
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveAfterMs,
      query_timeout: answerTimeoutMs,
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

  /** Announcements only save time, because the regular sweeps find the same changes. */
  #lost(client: pg.Client, error: Error): void {
    if (this.#closed || this.#gone.has(client)) return;
    this.#gone.add(client);
    if (this.#client === client) this.#client = undefined;
    void client.end().catch(() => undefined);
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
