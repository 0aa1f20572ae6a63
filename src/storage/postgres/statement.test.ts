import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { describePostgres, type FreshDatabase, freshDatabase } from '../../../test/harness/engines.ts';
import { PooledConnection } from './pooled-connection.ts';

const silenceMs = 10_000;

describePostgres('statements on their way through the driver', () => {
  let database: FreshDatabase;
  let pool: pg.Pool;
  let connection: PooledConnection;
  /** The messages of the server on the present connection. */
  let messages: string[];

  beforeAll(async () => {
    database = await freshDatabase();
    pool = new pg.Pool({ connectionString: database.url, pipeline: true, max: 1 });
    await pool.query('CREATE TABLE drawers (name TEXT NOT NULL PRIMARY KEY, depth INTEGER)');
  });
  beforeEach(async () => {
    const client = await pool.connect();
    await client.query('DELETE FROM drawers');
    messages = [];
    const { connection: driver } = client as unknown as { connection: pg.Connection };
    driver.on('message', ({ name }: { name: string }) => messages.push(name));
    connection = new PooledConnection(client, silenceMs);
  });
  afterEach(() => connection.release(true));
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const timesOf = (name: string) => messages.filter((message) => message === name).length;
  const insert = (name: string, depth: number | null = null) => ({
    name: 'insert',
    text: 'INSERT INTO drawers VALUES ($1, $2)',
    values: [name, depth],
  });
  const find = (name: string) => ({
    name: 'find',
    text: 'SELECT name, depth, depth > 5 AS deep FROM drawers WHERE name = $1',
    values: [name],
  });

  test('[DLV-7] A prepared statement is parsed and described once, and its rows are the same each time', async () => {
    for (const [name, depth] of [
      ['upper', 4],
      ['lower', 8],
      ['false bottom', null],
    ] as const)
      expect((await connection.query(insert(name, depth))).rowCount).toBe(1);
    expect((await connection.query(find('upper'))).rows).toEqual([{ name: 'upper', depth: 4, deep: false }]);
    expect((await connection.query(find('lower'))).rows).toEqual([{ name: 'lower', depth: 8, deep: true }]);
    const { rows, rowCount } = await connection.query(find('false bottom'));
    expect({ rows, rowCount }).toEqual({
      rows: [{ name: 'false bottom', depth: null, deep: null }],
      rowCount: 1,
    });
    expect((await connection.query(find('none'))).rows).toEqual([]);
    expect({ parsed: timesOf('parseComplete'), described: timesOf('rowDescription') }).toEqual({
      parsed: 2,
      described: 1,
    });
  });

  test('[DLV-7] It may be sent again before its first answer', async () => {
    await connection.query(insert('upper', 4));
    const found = await Promise.all(['upper', 'none', 'upper'].map((name) => connection.query(find(name))));
    expect(found.map(({ rows }) => rows.length)).toEqual([1, 0, 1]);
    expect(timesOf('parseComplete')).toBe(2);
  });

  test('[DLV-7] All statements of one turn are answered at once', async () => {
    connection.begin({ isByKeys: true });
    connection.send(insert('upper', 4));
    const found = await Promise.all(['upper', 'lower'].map((name) => connection.query(find(name))));
    expect(found.map(({ rows }) => rows.length)).toEqual([1, 0]);
    expect(timesOf('readyForQuery')).toBe(1);
    connection.send(insert('lower', 8));
    expect(await connection.commit()).toBe('COMMIT');
    expect(timesOf('readyForQuery')).toBe(2);
  });

  test('[DLV-7] Values of any length and any characters reach the server as they are', async () => {
    const values = ['', 'Ädelträ “№ 1” 🗄️', `"quoted", {braced} and \\`, 'å'.repeat(200_000), null, 'again'];
    for (const value of values) {
      const echo = {
        name: 'echo',
        text: 'SELECT $1::text AS value, $2::integer AS number',
        values: [value, -7],
      };
      expect((await connection.query(echo)).rows).toEqual([{ value, number: -7 }]);
    }
  });

  test('[DLV-7] It works after its first use was refused when executed', async () => {
    await connection.query("INSERT INTO drawers VALUES ('upper')");
    connection.begin({});
    await expect(connection.query(insert('upper'))).rejects.toMatchObject({ code: '23505' });
    await connection.rollBack();
    await connection.query(insert('lower', 8));
    expect((await connection.query(find('lower'))).rows).toHaveLength(1);
  });

  test('[DLV-7] It works after its first use was refused before the server had accepted it', async () => {
    connection.begin({});
    connection.send('SELECT 1 / 0');
    connection.send(insert('upper', 4));
    await expect(connection.query(find('upper'))).rejects.toMatchObject({ code: '22012' });
    expect(timesOf('parseComplete'), 'BEGIN and what was refused').toBe(2);
    await connection.rollBack();
    await connection.query(insert('upper', 4));
    expect((await connection.query(find('upper'))).rows).toHaveLength(1);
  });

  test('[DLV-7] A value that does not fit is refused, and the statement serves on', async () => {
    await connection.query(insert('upper', 4));
    const unfit = { ...insert('lower'), values: ['lower', 'eight'] };
    await expect(connection.query(unfit)).rejects.toMatchObject({ code: '22P02' });
    expect((await connection.query(insert('lower', 8))).rowCount).toBe(1);
  });

  test('[DLV-7] A value that cannot be written is refused with its own error, and the statement serves on', async () => {
    const unwritable = { ...insert('upper'), values: [{ name: 'upper' }] };
    await expect(connection.query(unwritable)).rejects.toThrow('Received an instance of Object');
    expect((await connection.query(insert('upper', 4))).rowCount).toBe(1);
  });

  test('[DLV-7] As many values are written as PostgreSQL takes', async () => {
    const values = Array.from({ length: 65_535 }, (_, index) => index);
    const text = `SELECT cardinality(ARRAY[${values.map((index) => `$${index + 1}::integer`).join()}]) AS count`;
    expect((await connection.query({ name: 'many', text, values })).rows).toEqual([{ count: 65_535 }]);
  });

  test.each([
    ['its columns have changed', 'ALTER TABLE boxes ALTER depth TYPE TEXT', '0A000', '4'],
    ['the server has forgotten it', 'DEALLOCATE ALL', '26000', 4],
  ])('[DLV-7] If %s, it fails once and serves on', async (_, change, code, depth) => {
    const look = { name: 'look', text: 'SELECT depth FROM boxes', values: [] };
    await connection.query('DROP TABLE IF EXISTS boxes');
    await connection.query('CREATE TABLE boxes AS SELECT 4 AS depth');
    expect((await connection.query(look)).rows).toEqual([{ depth: 4 }]);
    await connection.query(change);
    await expect(connection.query(look)).rejects.toMatchObject({ code });
    expect((await connection.query(look)).rows).toEqual([{ depth }]);
  });

  test('[DLV-7] The trace of an error leads to those who asked, not to the socket', async () => {
    const refused = await connection.query('SELECT 1 / 0').catch((error: Error) => error);
    expect(refused).toMatchObject({ stack: expect.stringContaining('statement.test.ts') });
  });

  test('[RUN-2] A time limit in DATABASE_URL holds for a statement that is late, and for no other', async () => {
    const limited = new pg.Pool({ connectionString: `${database.url}?query_timeout=1500`, pipeline: true });
    limited.on('connect', (client) => client.on('error', () => undefined));
    const patient = new PooledConnection(await limited.connect(), silenceMs);
    for (const name of ['upper', 'lower']) expect((await patient.query(find(name))).rows).toEqual([]);
    await expect(patient.query('SELECT pg_sleep(600)')).rejects.toThrow('Query read timeout');
    patient.release(true);
    await limited.end();
  });
});
