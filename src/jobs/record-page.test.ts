import { expect, test } from 'vitest';
import { writeCsvRows } from '../wire/csv.ts';
import { recordColumns, recordRow } from './record-page.ts';

test('[JOB-14] No name begins a formula in the CSV record of a run, even with full-width signs or after another name', () => {
  const people = ['＝1+1', 'Bo', '=2+2', "'=3+3"].map((name) => ({ name, phone: null }));
  const entry = { kind: 'ask', at: 0, by: 'system' } as const;
  const named = [
    [0, 1],
    [1, 2, 3],
  ];
  const csv = writeCsvRows([
    recordColumns,
    ...named.map((one) => recordRow({ ...entry, people: one }, people)),
  ]);
  expect(csv.split('\n')).toEqual([
    'at,what,by,people,detail',
    "1970-01-01T00:00:00.000Z,ask,system,'＝1+1; Bo,",
    "1970-01-01T00:00:00.000Z,ask,system,Bo; '=2+2; ''=3+3,",
    '',
  ]);
});
