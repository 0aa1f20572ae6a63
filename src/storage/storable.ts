/**
 * What the columns of the store can hold, said before an engine is asked: a fraction in a column of whole numbers, a
 * number beyond its range and the character U+0000 are kept by SQLite and refused by PostgreSQL. No engine meets them.
 */
import type { Columns, ColumnType, Row, Value } from './sql.ts';

const greatest: Readonly<Record<Exclude<ColumnType, 'text'>, number>> = {
  bigint: Number.MAX_SAFE_INTEGER,
  integer: 2 ** 31 - 1,
  smallint: 2 ** 15 - 1,
};

/** Of a statement's own parameters, whose columns are not named: there are whole numbers and texts only. */
export function checkParameter(value: Value): void {
  if (value !== null && !isStorable(value, typeof value === 'number' ? 'bigint' : 'text'))
    throw unstorable('a parameter', value);
}

export function checkList(type: ColumnType, values: readonly Value[]): void {
  for (const value of values)
    if (value !== null && !isStorable(value, type)) throw unstorable(`a list of ${type}`, value);
}

export function checkRows(columns: Columns, rows: readonly Row[]): void {
  const types = Object.values(columns);
  for (const row of rows) {
    for (let index = 0; index < types.length; index++) {
      const value = row[index];
      const type = types[index] as ColumnType;
      if (value === null || isStorable(value, type)) continue;
      throw unstorable(`the column ${Object.keys(columns)[index]} (${type})`, value);
    }
  }
}

function isStorable(value: Value | undefined, type: ColumnType): boolean {
  if (type === 'text') return typeof value === 'string' && !value.includes('\0');
  return Number.isSafeInteger(value) && Math.abs(value as number) <= greatest[type];
}

/** Numbers are times, counts and ids; a text may be anybody's, and is told to nobody. */
function unstorable(place: string, value: Value | undefined): TypeError {
  const what =
    typeof value !== 'string' ? String(value) : value.includes('\0') ? 'a text with U+0000' : 'a text';
  return new TypeError(`${place} can't hold ${what}`);
}
