import { expect, test } from 'vitest';
import { inEnglish } from '../../foundation/sentences.ts';
import { faultsOfColumns, guessedColumns, joinedCells, readJoins, writtenJoins } from './file-form.ts';

test('[PORT-4] Column names of Swedish lists are known, and a name in two columns is joined', () => {
  expect(guessedColumns(['Förnamn', 'Efternamn', 'Mobilnr.', 'Avd', 'Yrke', 'Skostorlek'])).toEqual({
    columns: ['name', '-', 'phone', 'tag:Avd', 'tag:Yrke', '-'],
    joins: [[0, 1]],
  });
  expect(guessedColumns(['Efternamn', 'Telefon', 'Förnamn'])).toEqual({
    columns: ['-', 'phone', 'name'],
    joins: [[2, 0]],
  });
  expect(guessedColumns(['Efternamn', 'Mobil', 'Telefon'])).toEqual({
    columns: ['name', 'phone', '-'],
    joins: [],
  });
  expect(guessedColumns(['Namn', 'Förnamn', 'Efternamn', 'Mobil'])).toEqual({
    columns: ['name', '-', '-', 'phone'],
    joins: [],
  });
});

test('[PORT-4] Joined cells are separated by spaces, without those that are empty or that a short row lacks', () => {
  const joins = [[2, 0]];
  expect(joinedCells(['Ek', '070', 'Bo'], joins)).toEqual(['', '070', 'Bo Ek']);
  expect(joinedCells([' Ek', '070'], joins)).toEqual(['', '070', 'Ek']);
  expect(joinedCells(['', '070', 'Bo '], joins)).toEqual(['', '070', 'Bo']);
});

test('[PORT-4] Joins that are unreadable, or that the columns contradict, are refused', () => {
  const read = readJoins(['3-1', '4-5-6']);
  expect(read).toEqual({
    ok: true,
    value: [
      [2, 0],
      [3, 4, 5],
    ],
  });
  expect(read.ok && writtenJoins(read.value)).toEqual(['3-1', '4-5-6']);
  for (const wrong of ['1', '0-1', '1-', '-1', '1-2-', 'a-b', '1-20000'])
    expect(readJoins([wrong])).toMatchObject({ ok: false, code: 'invalid_value' });
  const head = ['Förnamn', 'Efternamn', 'Mobil'];
  const faultsOf = (columns: string[], joins: number[][]) =>
    faultsOfColumns({ columns, joins }, head).map(inEnglish);
  expect(faultsOf(['name', '-', 'phone'], [[0, 1]])).toEqual([]);
  expect(faultsOf(['name', '-', 'phone'], [[0, 3]])).toEqual(['The file has no column 4 to join.']);
  expect(faultsOf(['name', '-', 'phone'], [[0, 1, 1]])).toEqual(['A column can be joined only once.']);
  expect(faultsOf(['-', '-', 'phone'], [[0, 1]])).toEqual([expect.stringContaining('must be imported')]);
  expect(faultsOf(['name', 'id', 'phone'], [[0, 1]])).toEqual([
    expect.stringContaining('no meaning of its own'),
  ]);
});
