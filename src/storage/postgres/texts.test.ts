import { describe, expect, test } from 'vitest';
import { type Change, fromEach, sql } from '../sql.ts';
import { forChanges, forSet } from './texts.ts';

const columns = { id: 'bigint', name: 'text' } as const;
const renaming = sql`UPDATE drawers SET name = each.name ${fromEach} WHERE drawers.id = each.id`;

function insertion(into: string, onConflict?: string): Change {
  return { columns, rows: [[1, 'a']], change: onConflict === undefined ? { into } : { into, onConflict } };
}

describe('texts that are written once', () => {
  test('[CONV-12] A constant statement has one name, and each set its own values', () => {
    const first = forSet(columns, [[1, 'a']], renaming);
    const second = forSet(
      columns,
      [
        [2, 'b "c"'],
        [3, null],
      ],
      renaming,
    );
    expect(first).toEqual({
      name: first.name,
      text: 'UPDATE drawers SET name = each.name FROM (SELECT unnest($1::bigint[]) AS id, unnest($2::text[]) AS name) AS each WHERE drawers.id = each.id',
      values: ['{1}', '{"a"}'],
    });
    expect(second).toEqual({ ...first, values: ['{2,3}', '{"b \\"c\\"",NULL}'] });
  });

  test('[CONV-12] A value that fits no column is refused, also once the text is known', () => {
    for (const time of ['first', 'second'])
      expect(() => forSet(columns, [[0.5, time]], renaming)).toThrow('the column id (bigint)');
    expect(() => forChanges([{ columns, rows: [['x', 'a']], change: renaming }])).toThrow('the column id');
  });

  test('[CONV-12] Lists of changes are told apart by each change, its table and its clause', () => {
    const rename: Change = { columns, rows: [[1, 'b']], change: renaming };
    const lists: readonly (readonly Change[])[] = [
      [insertion('drawers')],
      [insertion('shelves')],
      [insertion('drawers', 'ON CONFLICT DO NOTHING')],
      [rename],
      [insertion('drawers'), rename],
      [rename, insertion('drawers')],
      [rename, insertion('shelves')],
      [{ ...insertion('drawers'), columns: { id: 'bigint', label: 'text' } }],
    ];
    const texts = () => lists.map((list) => forChanges(list).text);
    const written = texts();
    expect(new Set(written).size).toBe(lists.length);
    expect(texts()).toEqual(written);
    expect(written[6]).toMatch(
      /^WITH change0 AS \(UPDATE drawers .*\$2.*\), change1 AS \(INSERT INTO shelves .*\$4/,
    );
    expect(new Set(lists.map((list) => forChanges(list).name)).size).toBe(lists.length);
    expect(forChanges([rename, insertion('shelves')]).values).toEqual(['{1}', '{"b"}', '{1}', '{"a"}']);
  });
});
