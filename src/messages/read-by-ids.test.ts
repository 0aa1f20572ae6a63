import { expect, test } from 'vitest';
import { readByIds } from './read-by-ids.ts';

/** Gives those of the ids that are even, in the wrong order, and keeps what it was asked for. */
function evenIds() {
  const pages: number[] = [];
  const read = (ids: readonly number[]) => {
    pages.push(ids.length);
    return Promise.resolve(ids.filter((id) => id % 2 === 0).map((id) => ({ id })));
  };
  return { pages, read };
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => count - index);

test('[STAT-2] [CONV-12] many ids are read in pages, and come in the order asked for, each once', async () => {
  const { pages, read } = evenIds();
  const asked = numbers(1_200);
  const { rows, notfound } = await readByIds([...asked, ...asked].map(String), read);
  expect(rows.map(({ id }) => id)).toEqual(asked.filter((id) => id % 2 === 0));
  expect(notfound).toEqual(asked.filter((id) => id % 2 === 1).map(String));
  expect(pages).toEqual([500, 500, 200]);
});

test('[STAT-2] what is no id is not found, and nobody is asked for it; no ids are no question', async () => {
  const { pages, read } = evenIds();
  expect(await readByIds(['x', '', '02'], read)).toEqual({ rows: [], notfound: ['x', '', '02'] });
  expect(await readByIds([], read)).toEqual({ rows: [], notfound: [] });
  expect(pages).toEqual([]);
});

test('[CONV-12] nothing more is read once the client has gone', async () => {
  const { pages, read } = evenIds();
  const client = new AbortController();
  const readThenGone = (ids: readonly number[]) => {
    if (pages.length === 1) client.abort();
    return read(ids);
  };
  await readByIds(numbers(5_000).map(String), readThenGone, { closed: client.signal });
  expect(pages).toEqual([500, 500]);
});
