import { beforeEach, expect, test } from 'vitest';
import { putCompany } from '../../test/harness/account-verbs.ts';
import { forgetStatistics, putBook, stockContacts } from '../../test/harness/contact-verbs.ts';
import { analyse } from '../../test/harness/delivery-verbs.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { type Sql, sql } from '../storage/sql.ts';
import type { Store } from '../storage/store.ts';
import { snapshotVerb } from '../storage/verb.ts';
import { parseTagFilter, type TagFilter } from '../wire/tag-filter.ts';
import { removeSomeContacts } from './contact-store.ts';
import { meeting, planFilter, readMetPage } from './filter-pages.ts';

const count = 6_000;
const book = { bookId: 21, owner: { companyId: 1, userId: 11 } };

function filterOf(text: string): TagFilter {
  const filter = parseTagFilter(text);
  if (!filter.ok) throw new Error(filter.error);
  return filter.value;
}

const anyOf = (type: string, values: number) =>
  `${type}:${Array.from({ length: values }, (_, value) => `${type[0]}${value}`).join('|')}`;

interface PlanNode {
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

const rowsInVainOf = (node: PlanNode): number =>
  node['Actual Loops'] * (node['Rows Removed by Filter'] ?? 0) +
  (node.Plans ?? []).reduce((sum, below) => sum + rowsInVainOf(below), 0);

/** Rows that PostgreSQL visits for a page and discards. */
const countRowsInVain = snapshotVerb(
  'test.countRowsInVain',
  async (reading, query: Parameters<typeof readMetPage.run>[1]) => {
    let rowsInVain = 0;
    // Counting takes many times as long as the page itself, and a slow machine must not end it early.
    await reading.all(sql`SET LOCAL statement_timeout = 0`);
    const all = async <Result>(statement: Sql): Promise<Result[]> => {
      const [explained] = await reading.all<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
        sql`EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${statement}`,
      );
      for (const { Plan } of explained?.['QUERY PLAN'] ?? []) rowsInVain += rowsInVainOf(Plan);
      return reading.all<Result>(statement);
    };
    const first = async <Result>(statement: Sql) => (await all<Result>(statement))[0];
    await readMetPage.run({ dialect: reading.dialect, all, first }, query);
    return rowsInVain;
  },
);

eachStore('a filter over a book of thousands', (engine) => {
  let store: Store;
  beforeEach(async () => {
    store = (await engine.openFreshStore()).store;
    await store.write(putCompany, { id: 1, name: 'Nordic Care' });
    await store.write(putBook, { id: 21, companyId: 1, name: 'Staff' });
    await store.write(stockContacts, { bookId: 21, count });
  });

  /** The ids that match a filter, the size of the largest set, and the number of pages read. */
  async function met(text: string, after?: number) {
    let pages = 0;
    const counting: Pick<Store, 'read'> = {
      read: (verb, input, options) => {
        if (verb.name === readMetPage.name) pages += 1;
        return store.read(verb, input, options);
      },
    };
    const sets: number[][] = [];
    for await (const set of meeting(counting, { ...book, filter: filterOf(text), after }))
      sets.push(set.map(({ id }) => id));
    return { ids: sets.flat(), largest: Math.max(...sets.map((set) => set.length)), pages };
  }

  const numbersFrom = (first: number) =>
    Array.from({ length: count - first + 1 }, (_, index) => first + index);

  test.each([
    ['one tag that all have', 'status:active'],
    ['a part of few values', anyOf('shift', 4)],
    ['a part of many values', anyOf('ward', 10)],
    ['parts of few and of many values', [anyOf('ward', 10), anyOf('role', 11), anyOf('shift', 4)].join(';')],
  ])(
    '[CONV-12] [ABOOK-2] A filter over thousands of contacts is evaluated in pages, in the order of the contacts: %s',
    async (_, filter) => {
      const all = await met(filter);
      expect(all.ids).toEqual(numbersFrom(1));
      expect(all.largest).toBeLessThanOrEqual(1_000);
      expect(all.pages).toBeGreaterThanOrEqual(count / 1_000);
      expect((await met(filter, 4_500)).ids).toEqual(numbersFrom(4_501));
    },
  );

  test('[CONV-12] [ABOOK-2] A filter works even while database statistics say that the book is empty, as during an import', async () => {
    const filter = [anyOf('ward', 10), anyOf('role', 11), anyOf('shift', 4)].join(';');
    // An earlier book may have left statistics of its values.
    for (const isAnalysed of store.dialect === 'postgres' ? [false, true] : []) {
      if (isAnalysed) await store.write(analyse, null);
      await store.write(forgetStatistics, ['contacts', 'contact_tags']);
      const plan = await store.read(planFilter, { ...book, filter: filterOf(filter) });
      if (plan === null) throw new Error('the filter meets nobody');
      const rowsInVain = await store.read(countRowsInVain, { ...book, plan, after: 0 });
      expect(rowsInVain).toBeLessThan(5 * count);
    }
    expect((await met(filter)).ids).toEqual(numbersFrom(1));
  });

  test('[CONV-12] [ABOOK-2] A filter starts from the part that the fewest contacts match', async () => {
    const { ids, pages } = await met('status:active;ward:w3;shift:s1');
    expect(ids).toEqual(numbersFrom(1).filter((id) => id % 10 === 3 && Math.floor(id / 10) % 4 === 1));
    expect(pages).toBe(1);
  });

  test('[CONV-12] A filter leaves out parts that follow from others, such as repeated ones', async () => {
    const plan = async (text: string) => store.read(planFilter, { ...book, filter: filterOf(text) });
    const twenty = Array.from({ length: 20 }, () => anyOf('ward', 10)).join(';');
    expect((await plan(twenty))?.parts).toHaveLength(1);
    const narrower = await plan('ward:w1|w2|w3;ward:w2|w1;shift:s1|s2;ward:w1|w2|w9');
    expect(narrower?.parts.map((part) => part.length)).toEqual([2, 2]);
    expect(await plan('status:active;ward:none')).toBeNull();
  });

  test('[CONV-12] [ABOOK-2] No more contacts of a filter are read once nobody waits for them', async () => {
    const client = new AbortController();
    const sets: number[] = [];
    const reading = async () => {
      const all = { ...book, filter: filterOf(anyOf('ward', 10)) };
      for await (const set of meeting(store, all, { signal: client.signal })) {
        sets.push(set.length);
        client.abort(new Error('gone'));
      }
    };
    await expect(reading()).rejects.toThrow('gone');
    expect(sets).toEqual([1_000]);
  });

  test('[CONV-12] Contacts removed between two pages of a filter are not selected, and none is selected twice', async () => {
    const met: number[] = [];
    for await (const set of meeting(store, { ...book, filter: filterOf(anyOf('ward', 10)) })) {
      if (met.length === 0) await store.write(removeSomeContacts, { bookId: 21, limit: 3_500 });
      met.push(...set.map(({ id }) => id));
    }
    expect(met).toEqual([...numbersFrom(1).slice(0, 1_000), ...numbersFrom(3_501)]);
  });
});
