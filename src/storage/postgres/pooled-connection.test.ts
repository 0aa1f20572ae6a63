import type { Socket } from 'node:net';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { until } from '../../../test/harness/awake.ts';
import { describePostgres, type FreshDatabase, freshDatabase } from '../../../test/harness/engines.ts';
import { OutcomeUnknown } from '../store.ts';
import { PooledConnection } from './pooled-connection.ts';

const silenceMs = 10_000;

describePostgres('statements that are sent together', () => {
  let database: FreshDatabase;
  let pool: pg.Pool;
  let other: pg.Client;
  let otherPool: pg.Pool;
  let connection: PooledConnection;
  let pid: number;
  let socket: Socket;

  beforeAll(async () => {
    database = await freshDatabase();
    const open = () => {
      const opened = new pg.Pool({ connectionString: database.url, pipeline: true, max: 1 });
      opened.on('connect', (client) => client.on('error', () => undefined));
      return opened.on('error', () => undefined);
    };
    [pool, otherPool] = [open(), open()];
    other = new pg.Client({ connectionString: database.url });
    await other.connect();
    await other.query('CREATE TABLE drawers (name TEXT NOT NULL PRIMARY KEY)');
  });
  beforeEach(async () => {
    await other.query('DELETE FROM drawers');
    const client = await pool.connect();
    socket = (client as unknown as { connection: { stream: Socket } }).connection.stream;
    connection = new PooledConnection(client, silenceMs);
    const { rows } = await connection.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    pid = rows[0]?.pid ?? 0;
  });
  afterEach(() => connection.release(true));
  afterAll(async () => {
    await pool.end();
    await otherPool.end();
    await other.end();
    await database.drop();
  });

  const put = (name: string) => connection.send({ text: 'INSERT INTO drawers VALUES ($1)', values: [name] });
  const kept = async () =>
    (await other.query<{ name: string }>('SELECT name FROM drawers ORDER BY name')).rows;

  test('[DLV-7] They are executed in order, and the commit keeps them all', async () => {
    connection.begin({});
    put('first');
    put('second');
    expect((await connection.query('SELECT name FROM drawers ORDER BY name')).rows).toHaveLength(2);
    put('third');
    expect(await connection.commit()).toBe('COMMIT');
    expect((await kept()).map(({ name }) => name)).toEqual(['first', 'second', 'third']);
  });

  test.each(['query', 'commit'] as const)(
    '[DLV-7] If one is refused, the next %s throws its error, nothing is kept, and the connection serves on',
    async (next) => {
      connection.begin({});
      put('once');
      put('once');
      const answer = next === 'commit' ? connection.commit() : connection.query('SELECT name FROM drawers');
      await expect(answer).rejects.toMatchObject({ code: '23505' });
      await connection.rollBack();
      expect(await kept()).toEqual([]);
      connection.begin({});
      put('once');
      expect(await connection.commit()).toBe('COMMIT');
      expect(await kept()).toEqual([{ name: 'once' }]);
    },
  );

  test('[DLV-7] A rollback undoes what was sent and waits for nothing that failed', async () => {
    connection.begin({});
    put('once');
    put('once');
    await connection.rollBack();
    expect((await connection.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    expect(await kept()).toEqual([]);
  });

  test('[DLV-7] If the connection breaks with changes and their commit on their way, it is unknown whether they were kept', async () => {
    connection.begin({});
    connection.send('SELECT pg_sleep(60)');
    put('unknown');
    const commit = connection.commit();
    socket.destroy();
    await expect(commit).rejects.toBeInstanceOf(OutcomeUnknown);
  });

  test('[DLV-7] If a time limit in DATABASE_URL ends the wait for the commit, it is unknown whether they were kept', async () => {
    const limited = new pg.Pool({ connectionString: `${database.url}?query_timeout=500`, pipeline: true });
    limited.on('connect', (client) => client.on('error', () => undefined));
    const late = new PooledConnection(await limited.connect(), silenceMs);
    late.begin({});
    late.send('SELECT pg_sleep(60)');
    await expect(late.commit()).rejects.toBeInstanceOf(OutcomeUnknown);
    late.release(true);
    await limited.end();
  });

  test('[DLV-7] If the server ends the connection while they wait for a lock, nothing was kept', async () => {
    await other.query('BEGIN; LOCK TABLE drawers');
    connection.begin({});
    put('lost');
    const told = expect(connection.commit()).rejects.toMatchObject({ code: '57P01' });
    await other.query('SELECT pg_terminate_backend($1)', [pid]);
    await told;
    await other.query('ROLLBACK');
    expect(await kept()).toEqual([]);
  });

  test('[DLV-7] If the server ends the connection during the commit, it is unknown whether they were kept', async () => {
    await other.query(`CREATE TABLE shelves (name TEXT NOT NULL PRIMARY KEY);
      CREATE FUNCTION rest() RETURNS TRIGGER LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(60); RETURN NULL; END';
      CREATE CONSTRAINT TRIGGER late AFTER INSERT ON shelves DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION rest()`);
    connection.begin({});
    connection.send({ text: 'INSERT INTO shelves VALUES ($1)', values: ['unknown'] });
    const told = expect(connection.commit()).rejects.toBeInstanceOf(OutcomeUnknown);
    const resting =
      "SELECT 1 FROM pg_stat_activity WHERE pid = $1 AND query = 'COMMIT' AND wait_event = 'PgSleep'";
    await until(async () => (await other.query(resting, [pid])).rows.length === 1);
    await other.query('SELECT pg_terminate_backend($1)', [pid]);
    await told;
  });

  test('[DLV-7] If it breaks before the commit is sent, nothing was kept', async () => {
    connection.begin({});
    put('lost');
    await connection.query('SELECT 1');
    await other.query('SELECT pg_terminate_backend($1)', [pid]);
    const failed = await connection.query('SELECT 1').catch((error: unknown) => error);
    expect(failed).not.toBeInstanceOf(OutcomeUnknown);
    expect(await kept()).toEqual([]);
  });

  test('[CONV-12] A verb by keys keeps the plans of its statements until its transaction ends', async () => {
    const mode = async () =>
      (await connection.query<{ plan_cache_mode: string }>('SHOW plan_cache_mode')).rows[0]?.plan_cache_mode;
    connection.begin({ isByKeys: true });
    expect(await mode()).toBe('force_generic_plan');
    await connection.commit();
    expect(await mode()).toBe('auto');
  });

  test('[CONV-12] Plans that were made while a table was nearly empty are made again when it has grown', async () => {
    const look = {
      name: 'look',
      text: 'SELECT drawers.name FROM unnest($1::text[]) AS each(name) JOIN drawers ON drawers.name = each.name',
      values: ['{a,b}'],
    };
    const lookTimes = async (times: number) => {
      for (let time = 0; time < times; time++) {
        connection.begin({ isByKeys: true });
        await connection.query(look);
        await connection.commit();
      }
    };
    await other.query("ALTER TABLE drawers SET (autovacuum_enabled = off); INSERT INTO drawers VALUES ('0')");
    await other.query('ANALYZE drawers');
    await lookTimes(5);
    await other.query(
      'INSERT INTO drawers SELECT CAST(number AS TEXT) FROM generate_series(1, 50000) AS number',
    );
    await lookTimes(10);
    connection.begin({ isByKeys: true });
    const { rows } = await connection.query<{ 'QUERY PLAN': string }>("EXPLAIN EXECUTE look('{a,b}')");
    await connection.commit();
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/Nested Loop/);
    expect(plan).toMatch(/Index Cond: \(name = each.name\)/);
  });

  test('[DLV-7] Of statements that run at the same time, each throws the error of the one that failed first', async () => {
    connection.begin({});
    put('once');
    put('once');
    const answers = ['SELECT 1', 'SELECT 2'].map((text) => connection.query(text));
    for (const { status, reason } of (await Promise.allSettled(answers)) as PromiseRejectedResult[])
      expect({ status, code: reason.code }).toEqual({ status: 'rejected', code: '23505' });
    await connection.rollBack();
  });

  test('[DLV-7] What is sent behind a BEGIN that failed has no effect', async () => {
    await connection.query('SET default_transaction_read_only = on');
    connection.send('BEGIN READ NEVER');
    put('alone');
    await expect(connection.query('SELECT 1')).rejects.toMatchObject({ code: '42601' });
    await connection.rollBack();
    expect(await kept()).toEqual([]);
  });

  test('[DLV-7] A server that falls silent is not waited for', async () => {
    const silent = new PooledConnection(await otherPool.connect(), 100);
    await expect(silent.query('SELECT pg_sleep(600)')).rejects.toThrow(/terminated/);
    silent.release(true);
  });
});
