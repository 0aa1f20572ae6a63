import { expect, test } from 'vitest';
import { acceptedColumns, acceptedRow, type MessageToAccept, valueIn, withValues } from './accepted-row.ts';

const names = Object.keys(acceptedColumns) as (keyof MessageToAccept)[];
/** Each value is its own name. */
const telling = Object.fromEntries(names.map((name) => [name, name])) as unknown as MessageToAccept;

test('[CONV-12] An accepted row has each value at the place of its column', () => {
  expect(acceptedRow(telling)).toEqual(names);
});

test('[CONV-12] The values of an accepted row are read and changed by name', () => {
  const row = acceptedRow(telling);
  for (const name of names) {
    expect(valueIn(row, name)).toBe(name);
    const changed = withValues(row, { [name]: 7 });
    expect(names.filter((one) => valueIn(changed, one) !== one)).toEqual([name]);
    expect(valueIn(changed, name)).toBe(7);
  }
  expect(row).toEqual(names);
});
