import { connect, createServer, type Server, type Socket } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../../test/harness/awake.ts';
import { describePostgres, type FreshDatabase, freshDatabase } from '../../../test/harness/engines.ts';
import { freePort } from '../../../test/harness/free-port.ts';
import { OutcomeUnknown } from '../store.ts';
import { PooledConnection } from './pooled-connection.ts';

const silenceMs = 10_000;

/** Fewer bytes than any message of the protocol, so the line is cut within each and between any two. */
const step = 4;

describePostgres('a line to PostgreSQL that is cut', () => {
  let database: FreshDatabase;
  let other: pg.Client;
  let proxy: Server;
  let url: URL;
  /** How many more bytes pass from the client and from the server. */
  let left: { asked: number; answered: number };
  /** Whether the next answer begins with a byte that begins no message. */
  let garbles = false;

  beforeAll(async () => {
    database = await freshDatabase();
    other = new pg.Client({ connectionString: database.url });
    await other.connect();
    await other.query('CREATE TABLE drawers (name TEXT NOT NULL PRIMARY KEY)');
    url = new URL(database.url);
    const [host, port] = [url.hostname, Number(url.port)];
    proxy = createServer((client) => {
      const server = connect(port, host);
      pass(client, server, 'asked');
      pass(server, client, 'answered');
    });
    url.hostname = '127.0.0.1';
    url.port = String(await freePort());
    url.searchParams.set('application_name', 'cut');
    await new Promise<void>((listening) => proxy.listen(Number(url.port), '127.0.0.1', listening));
  });
  afterAll(async () => {
    proxy.close();
    await other.end();
    await database.drop();
  });

  function pass(from: Socket, to: Socket, what: keyof typeof left): void {
    from.on('data', (bytes) => {
      if (garbles && what === 'answered') bytes[0] = 1;
      const passing = bytes.subarray(0, left[what]);
      left[what] -= passing.length;
      if (passing.length === bytes.length) to.write(bytes);
      else {
        to.end(passing);
        from.destroy();
      }
    });
    for (const end of [from, to]) end.on('error', () => undefined);
    from.on('close', () => to.end());
  }

  /** A connection through the proxy, which passes everything for now. */
  async function connected() {
    left = { asked: Number.POSITIVE_INFINITY, answered: Number.POSITIVE_INFINITY };
    const pool = new pg.Pool({ connectionString: url.href, pipeline: true, max: 1 });
    pool.on('connect', (client) => client.on('error', () => undefined)).on('error', () => undefined);
    const connection = new PooledConnection(await pool.connect(), silenceMs);
    return { pool, connection };
  }

  async function putAway(connection: PooledConnection, name: string): Promise<void> {
    connection.begin({ isByKeys: true });
    await connection.query({ name: 'look', text: 'SELECT name FROM drawers LIMIT 1', values: [] });
    connection.send({ name: 'put', text: 'INSERT INTO drawers VALUES ($1)', values: [name] });
    await connection.commit();
  }

  /** What the caller is told when the line is cut, and whether the row was kept. */
  async function cutAfter(what: keyof typeof left, bytes: number): Promise<readonly [string, boolean]> {
    const { pool, connection } = await connected();
    const name = `${what} ${bytes}`;
    await putAway(connection, `before ${name}`);
    left[what] = bytes;
    const told = await putAway(connection, name).then(
      () => 'kept',
      (error: unknown) => (error instanceof OutcomeUnknown ? 'unknown' : 'refused'),
    );
    connection.release(true);
    await pool.end();
    await until(async () => {
      const { rows } = await other.query("SELECT 1 FROM pg_stat_activity WHERE application_name = 'cut'");
      return rows.length === 0;
    });
    const { rows } = await other.query('SELECT 1 FROM drawers WHERE name = $1', [name]);
    return [told, rows.length > 0];
  }

  test.each(['asked', 'answered'] as const)(
    '[DLV-7] Wherever it is cut in what is %s, what is acknowledged is kept, and what is refused is not',
    async (what) => {
      const seen = new Set<string>();
      for (let bytes = 0; !seen.has('kept, is kept'); bytes += step) {
        const [told, isKept] = await cutAfter(what, bytes);
        seen.add(`${told}, ${isKept ? 'is kept' : 'is not'}`);
      }
      const always = ['kept, is kept', 'refused, is not', 'unknown, is kept'];
      expect([...seen].sort()).toEqual(what === 'asked' ? [...always, 'unknown, is not'] : always);
    },
  );

  test('[DLV-7] If what answers a commit is no answer, it is unknown whether the transaction was kept', async () => {
    const { pool, connection } = await connected();
    connection.begin({});
    await connection.query({ name: 'look', text: 'SELECT name FROM drawers LIMIT 1', values: [] });
    garbles = true;
    connection.send({ name: 'put', text: 'INSERT INTO drawers VALUES ($1)', values: ['garbled'] });
    await expect(connection.commit()).rejects.toBeInstanceOf(OutcomeUnknown);
    garbles = false;
    connection.release(true);
    await pool.end();
    const { rows } = await other.query("SELECT 1 FROM drawers WHERE name = 'garbled'");
    expect(rows).toHaveLength(1);
  });
});
