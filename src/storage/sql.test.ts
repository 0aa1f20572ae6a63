import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eachEngine, freshDatabase } from '../../test/harness/engines.ts';
import { PostgresTransaction } from './postgres/transaction.ts';
import { amongUnlocked, andEach, byDialect, fromEach, oneOf, raw, rowSet, sql } from './sql.ts';
import { openDatabase } from './sqlite/database.ts';
import { SqliteTransaction } from './sqlite/transaction.ts';
import type { Columns, Row } from './storable.ts';
import type { Transaction } from './verb.ts';

describe('a statement', () => {
  test('[RUN-2] A statement is one text for both engines, except for their parameter marks', () => {
    const statement = sql`SELECT a FROM t WHERE b = ${1} AND c = ${'x'} AND d IS NOT ${null}`;
    expect(statement.compile('sqlite')).toMatchObject({
      text: 'SELECT a FROM t WHERE b = ? AND c = ? AND d IS NOT ?',
      parameters: [1, 'x', null],
    });
    expect(statement.compile('postgres')).toMatchObject({
      text: 'SELECT a FROM t WHERE b = $1 AND c = $2 AND d IS NOT $3',
      parameters: [1, 'x', null],
    });
  });

  test('[RUN-2] A statement takes statements, raw text and engine-specific text as parts, and numbers all their parameters', () => {
    const due = sql`due_at <= ${5}`;
    const first = amongUnlocked('a, b', sql`m WHERE ${due} LIMIT ${3}`);
    const statement = sql`UPDATE m SET ${raw('x')} = ${1} WHERE y = ${2} AND ${first}`;
    expect(statement.compile('postgres')).toMatchObject({
      text: 'UPDATE m SET x = $1 WHERE y = $2 AND ctid = ANY(ARRAY(SELECT ctid FROM m WHERE due_at <= $3 LIMIT $4 FOR UPDATE SKIP LOCKED))',
      parameters: [1, 2, 5, 3],
    });
    expect(statement.compile('sqlite')).toMatchObject({
      text: 'UPDATE m SET x = ? WHERE y = ? AND (a, b) IN (SELECT a, b FROM m WHERE due_at <= ? LIMIT ?)',
      parameters: [1, 2, 5, 3],
    });
    expect(sql`${byDialect({ sqlite: 'a', postgres: 'b' })}`.compile('postgres').text).toBe('b');
  });

  test.each(['sqlite', 'postgres'] as const)(
    '[RUN-2] A statement takes no value that a column could not hold, wherever it stands: %s',
    (dialect) => {
      const wrong: readonly (readonly [Columns[string], unknown])[] = [
        ...[0.25, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY].map((value) => ['bigint', value] as const),
        ...(['integer', 'smallint'] as const).map((type) => [type, 2 ** 31] as const),
        ...[32_768, -32_769].map((value) => ['smallint', value] as const),
        ...['a\0', 7, undefined, true].map((value) => ['text', value] as const),
        ...['7', undefined, true, 7n].map((value) => ['bigint', value] as const),
      ];
      for (const [type, value] of wrong) {
        const row = [value as Row[number]];
        const set = rowSet('given', { a: type }, [row]);
        expect(() => sql`SELECT a FROM ${set}`.compile(dialect)).toThrow("can't hold");
        expect(() => sql`SELECT 1 WHERE a ${oneOf(type, row)}`.compile(dialect)).toThrow("can't hold");
      }
      for (const value of [0.25, Number.NaN, 'a\0', undefined, true]) {
        const statement = sql`SELECT ${value as Row[number]}`;
        expect(() => statement.compile(dialect)).toThrow("a parameter can't hold");
      }
      const right = rowSet('given', { a: 'smallint', b: 'text', c: 'bigint' }, [
        [-32_767, '', Number.MAX_SAFE_INTEGER],
        [32_767, '€', Number.MIN_SAFE_INTEGER],
        [null, null, null],
      ]);
      expect(() => sql`SELECT a FROM ${right}`.compile(dialect)).not.toThrow();
    },
  );

  test('[RUN-2] A statement carries a set of rows as one parameter in all, or as one per column', () => {
    const set = rowSet('given', { id: 'bigint', note: 'text' }, [
      [1, 'a'],
      [2, null],
    ]);
    expect(sql`SELECT ${0}, id FROM ${set}`.compile('postgres')).toMatchObject({
      text: 'SELECT $1, id FROM (SELECT unnest($2::bigint[]) AS id, unnest($3::text[]) AS note) AS given',
      parameters: [0, '{1,2}', '{"a",NULL}'],
    });
    expect(sql`SELECT id FROM ${set}`.compile('sqlite').parameters).toEqual(['[[1,"a"],[2,null]]']);
  });

  test('[RUN-2] A statement for each row of a set is a join with the set on PostgreSQL, and uses its columns on SQLite', () => {
    const set = { id: 'bigint', note: 'text' } as const;
    const statement = sql`UPDATE t SET note = each.note, was = each.note ${fromEach} WHERE t.id = each.id`;
    expect(statement.compileEach('postgres', set, [[1, 'a']])).toMatchObject({
      text: 'UPDATE t SET note = each.note, was = each.note FROM (SELECT unnest($1::bigint[]) AS id, unnest($2::text[]) AS note) AS each WHERE t.id = each.id',
      parameters: ['{1}', '{"a"}'],
    });
    expect(statement.compileEach('sqlite', set, [[1, 'a']])).toMatchObject({
      text: 'UPDATE t SET note = ?2, was = ?2  WHERE t.id = ?1',
      parameters: [],
    });
    expect(() => sql`DELETE FROM t WHERE a = ${1} AND id = each.id`.compileEach('sqlite', set, [])).toThrow(
      'only the set has parameters',
    );
    expect(() => sql`DELETE FROM t ${fromEach} WHERE id = each.key`.compileEach('sqlite', set, [])).toThrow(
      'each.key',
    );
  });
});

const columns: Columns = { id: 'bigint', name: 'text', size: 'integer', flag: 'smallint' };

/** Texts that can be stored: without U+0000, which PostgreSQL's text type can't hold, and without lone surrogates. */
const storable = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => text.replaceAll('\0', '')),
  // What means something in the notation of an array.
  fc.constantFrom('NULL', '', '{', '}', ',', '"', '\\', '\\"', ' a ', '\n'),
);
const row = fc.tuple(
  fc.option(storable, { nil: null }),
  fc.option(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), { nil: null }),
  fc.option(fc.constantFrom(0, 1), { nil: null }),
);

eachEngine('statements run', (engine) => {
  let transaction: Transaction;
  let close: () => Promise<void>;

  beforeAll(async () => {
    if (engine === 'sqlite') {
      const folder = mkdtempSync(join(tmpdir(), 'carillon-sql-'));
      const database = openDatabase(join(folder, 'test.db'));
      transaction = new SqliteTransaction(database);
      close = async () => {
        database.close();
        rmSync(folder, { recursive: true });
      };
    } else {
      const fresh = await freshDatabase('empty');
      const pool = new pg.Pool({ connectionString: fresh.url });
      const client = await pool.connect();
      transaction = new PostgresTransaction(client);
      close = async () => {
        client.release();
        await pool.end();
        await fresh.drop();
      };
    }
    await transaction.run(
      sql`CREATE TABLE things (id BIGINT NOT NULL PRIMARY KEY, name TEXT, size INTEGER, flag SMALLINT)`,
    );
  });

  afterAll(() => close());

  async function stored(): Promise<Row[]> {
    // The cast turns PostgreSQL's bigints into numbers without the parsers that the store sets on its own connections.
    const things = await transaction.all<{
      id: number;
      name: string | null;
      size: number | null;
      flag: number | null;
    }>(sql`SELECT CAST(id AS INTEGER) AS id, name, size, flag FROM things ORDER BY things.id`);
    return things.map(({ id, name, size, flag }) => [id, name, size, flag]);
  }

  async function emptied(): Promise<void> {
    await transaction.run(sql`DELETE FROM things`);
  }

  test('[RUN-2] Rows that are inserted as a set or updated from a set come back the same, whatever they hold', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 20 }),
        fc.array(row, { maxLength: 20 }),
        async (first, second) => {
          await emptied();
          const inserted = first.map((values, id): Row => [id, ...values]);
          await transaction.insert('things', columns, inserted);
          expect(await stored()).toEqual(inserted);
          const updates = second.map((values, id): Row => [id, ...values]);
          const changed = await transaction.run(
            sql`UPDATE things SET name = given.name, size = given.size, flag = given.flag
              FROM ${rowSet('given', columns, updates)} WHERE things.id = given.id`,
          );
          expect(changed).toBe(Math.min(first.length, second.length));
          expect(await stored()).toEqual(inserted.map((old, id) => updates[id] ?? old));
        },
      ),
      { numRuns: 40 },
    );
  });

  test('[RUN-2] A statement run for each row of a set changes and finds the same rows as one statement for all', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 20 }),
        fc.array(row, { maxLength: 20 }),
        async (first, second) => {
          await emptied();
          const inserted = first.map((values, id): Row => [id, ...values]);
          await transaction.insert('things', columns, inserted);
          const updates = second.map((values, id): Row => [id, ...values]);
          const statement = sql`UPDATE things SET name = each.name, size = each.size,
            flag = CASE WHEN each.flag = 1 THEN each.flag ELSE things.flag END ${fromEach} WHERE things.id = each.id`;
          const changed = Math.min(first.length, second.length);
          const places = await transaction.whichOfEach(columns, updates, statement);
          expect([...places].sort((a, b) => a - b)).toEqual(
            Array.from({ length: changed }, (_, place) => place),
          );
          expect(await transaction.each(columns, updates, statement)).toBe(changed);
          const wanted = inserted.map((old, id) => {
            const [, name, size, flag] = updates[id] ?? old;
            return [id, name, size, flag === 1 ? flag : old[3]];
          });
          expect(await stored()).toEqual(wanted);
          const found = await transaction.allOfEach<{ asked: number; size: number | null }>(
            { id: 'bigint' },
            updates.map(([id]) => [id as number]),
            sql`SELECT CAST(each.id AS INTEGER) AS asked, things.size FROM things ${andEach} WHERE things.id = each.id`,
          );
          expect(found.sort((a, b) => a.asked - b.asked).map(({ size }) => size)).toEqual(
            wanted.slice(0, changed).map(([, , size]) => size),
          );
        },
      ),
      { numRuns: 40 },
    );
  });

  test('[RUN-2] A list is compared by its values, numbers and texts, and an empty list matches nothing', async () => {
    await emptied();
    const rows = ['a', "b'; --", '{c,"d"}', '7', null].map((name, id): Row => [id, name, id, 0]);
    await transaction.insert('things', columns, rows);
    const named = async (names: readonly string[]) => {
      const found = await transaction.all<{ size: number }>(
        sql`SELECT size FROM things WHERE name ${oneOf('text', names)} ORDER BY size`,
      );
      return found.map(({ size }) => size);
    };
    expect(await named(["b'; --", '{c,"d"}', '7', 'absent'])).toEqual([1, 2, 3]);
    expect(await named([])).toEqual([]);
    expect(await transaction.run(sql`DELETE FROM things WHERE id ${oneOf('bigint', [0, 4, 99])}`)).toBe(2);
    expect(await transaction.run(sql`DELETE FROM things WHERE id ${oneOf('bigint', [])}`)).toBe(0);
  });

  test('[RUN-2] Reading the first row returns a row or nothing, and a change returns how many rows it touched', async () => {
    await emptied();
    const find = (id: number) =>
      transaction.first<{ name: string }>(sql`SELECT name FROM things WHERE id = ${id}`);
    expect(await find(1)).toBeUndefined();
    expect(
      await transaction.run(sql`INSERT INTO things (id, name) VALUES (${1}, ${'one'}), (${2}, ${'two'})`),
    ).toBe(2);
    expect(await find(1)).toEqual({ name: 'one' });
    expect(await transaction.run(sql`UPDATE things SET size = ${5} WHERE id > ${0}`)).toBe(2);
  });

  test('[RUN-2] A set can be inserted although some of its rows are already there', async () => {
    await emptied();
    const rows: Row[] = [1, 2].map((id) => [id, 'old', null, null]);
    await transaction.insert('things', columns, rows);
    const again: Row[] = [2, 3].map((id) => [id, 'new', null, null]);
    await transaction.insert('things', columns, again, 'ON CONFLICT (id) DO NOTHING');
    expect((await stored()).map(([id, name]) => [id, name])).toEqual([
      [1, 'old'],
      [2, 'old'],
      [3, 'new'],
    ]);
    await expect((async () => transaction.insert('things', columns, again))()).rejects.toThrow(/unique/i);
  });

  test('[CONV-12] Sets of many rows, even of long texts, are inserted whole, and so is a row longer than any piece', async () => {
    await emptied();
    const rows: Row[] = [
      ...Array.from({ length: 2_300 }, (_, id): Row => [id, 'short', id, null]),
      ...Array.from({ length: 5 }, (_, index): Row => [3_000 + index, 'é'.repeat(200_000), index, null]),
      [4_000, 'x'.repeat(700_000), 0, null],
      [4_001, null, 1, null],
    ];
    await transaction.insert('things', columns, rows);
    const lengths = (all: readonly Row[]) =>
      all.map(([id, name]) => [id, name === null ? null : String(name).length]);
    expect(lengths(await stored())).toEqual(lengths(rows));
  });
});
