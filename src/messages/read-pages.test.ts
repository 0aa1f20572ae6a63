import { expect, test } from 'vitest';
import { readByIds, readUnread } from './read-pages.ts';

/** Returns the even ids in the wrong order, and records what was requested. */
function evenIds() {
  const pages: number[] = [];
  const read = (ids: readonly number[]) => {
    pages.push(ids.length);
    return Promise.resolve(ids.filter((id) => id % 2 === 0).map((id) => ({ id })));
  };
  return { pages, read };
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => count - index);

test('[STAT-2] [CONV-12] Statuses for many ids are read in pages, and come in the order of the ids, each once', async () => {
  const { pages, read } = evenIds();
  const asked = numbers(1_200);
  const { rows, notfound } = await readByIds([...asked, ...asked].map(String), read);
  expect(rows.map(({ id }) => id)).toEqual(asked.filter((id) => id % 2 === 0));
  expect(notfound).toEqual(asked.filter((id) => id % 2 === 1).map(String));
  expect(pages).toEqual([500, 500, 200]);
});

test('[STAT-2] Text that is not an id is reported as not found without a look-up, and an empty list reads nothing', async () => {
  const { pages, read } = evenIds();
  expect(await readByIds(['x', '', '02'], read)).toEqual({ rows: [], notfound: ['x', '', '02'] });
  expect(await readByIds([], read)).toEqual({ rows: [], notfound: [] });
  expect(pages).toEqual([]);
});

test('[CONV-12] No more ids are read once the client has gone', async () => {
  const { pages, read } = evenIds();
  const client = new AbortController();
  const readThenGone = (ids: readonly number[]) => {
    if (pages.length === 1) client.abort();
    return read(ids);
  };
  await readByIds(numbers(5_000).map(String), readThenGone, { closed: client.signal });
  expect(pages).toEqual([500, 500]);
});

interface Unread {
  readonly id: number;
  readonly status: string;
}

const rows = Array.from({ length: 3_000 }, (_, index): Unread => ({ id: index + 1, status: 'SENT' }));

function pagesOf(all: readonly Unread[], limits: number[]) {
  return async (after: Unread | undefined, limit: number) => {
    limits.push(limit);
    const from = after === undefined ? 0 : all.indexOf(after) + 1;
    return all.slice(from, from + limit);
  };
}

const idsTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

test.each([
  { marking: true, most: 1_201, pages: [500, 500, 201], expected: 1_201 },
  { marking: true, most: 10_000, pages: [500, 500, 500, 500, 500, 500, 500], expected: 3_000 },
  { marking: false, most: 2_000, pages: [1_000, 1_000], expected: 2_000 },
  { marking: false, most: 10_000, pages: [1_000, 1_000, 1_000, 1_000], expected: 3_000 },
])(
  '[CONV-12] [STAT-1] Up to $most unread items are read in pages, marking: $marking',
  async ({ most, marking, pages, expected }) => {
    const limits: number[] = [];
    const found = await readUnread({ max: most, marking, call: undefined }, pagesOf(rows, limits));
    expect(limits).toEqual(pages);
    expect(found.map(({ id }) => id)).toEqual(idsTo(expected));
  },
);

test('[STAT-4] What was marked as read before a page failed is still returned, since it would not come again', async () => {
  const pages = pagesOf(rows, []);
  const failing = async (after: Unread | undefined, limit: number) => {
    if (after?.id === 1_000) throw new Error('the store is away');
    return pages(after, limit);
  };
  const wanted = { max: 10_000, call: undefined };
  expect(await readUnread({ ...wanted, marking: true }, failing)).toEqual(rows.slice(0, 1_000));
  await expect(readUnread({ ...wanted, marking: false }, failing)).rejects.toThrow('the store is away');
  const failingFirst = () => Promise.reject(new Error('the store is away'));
  await expect(readUnread({ ...wanted, marking: true }, failingFirst)).rejects.toThrow('the store is away');
});

test('[STAT-3] An item that changes between two pages is returned once, as changed', async () => {
  const all = [...rows.slice(0, 1_500), { id: 7, status: 'DELIVERED' }];
  const found = await readUnread({ max: 10_000, marking: true, call: undefined }, pagesOf(all, []));
  expect(found).toHaveLength(1_500);
  expect(found.at(-1)).toEqual({ id: 7, status: 'DELIVERED' });
});

test('[CONV-12] No more unread items are read or marked once the client has gone', async () => {
  const client = new AbortController();
  const limits: number[] = [];
  const pages = pagesOf(rows, limits);
  const leaving = async (after: Unread | undefined, limit: number) => {
    if (limits.length === 2) client.abort();
    return pages(after, limit);
  };
  const wanted = { max: 10_000, marking: true, call: { closed: client.signal } };
  await expect(readUnread(wanted, leaving)).rejects.toThrow('aborted');
  expect(limits).toHaveLength(3);
});
