import { expect, test } from 'vitest';
import { putCompany, putUser } from '../../test/harness/account-verbs.ts';
import { putBook, stockContacts } from '../../test/harness/contact-verbs.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { listTags } from './list-tags.ts';
import { selectRecipients } from './select-recipients.ts';

const userId = 11;
const count = 100_000;

/** A server with too much else to do refuses for a moment: that try has no time, and another follows. */
function unlessUnavailable(error: unknown): undefined {
  if ((error as { code?: unknown }).code !== 'store_unavailable') throw error;
}

eachStore('an address book of 100,000 contacts', (engine) => {
  // How fast it is on a quiet machine is measured by bench/contacts.ts; the bound here holds on a busy one.
  test('[ABOOK-3] a filter is resolved in well under a second, and tags are counted', async () => {
    const { store } = await engine.openFreshStore();
    await store.write(putCompany, { id: 1, name: 'Nordic Care' });
    await store.write(putUser, { id: userId, companyId: 1, username: 'alice' });
    await store.write(putBook, { id: 21, companyId: 1, name: 'Staff', defaultOf: [userId] });
    await store.write(stockContacts, { bookId: 21, count });
    const filter = [
      { tagType: 'status', tagValues: ['active'] },
      { tagType: 'ward', tagValues: ['w0', 'w1'] },
      { tagType: 'shift', tagValues: ['s0', 's1'] },
    ];
    const times: number[] = [];
    // The best of five, or of more where the machine has much else to do.
    while (times.length < 5 || (times.length < 25 && Math.min(...times) >= 700)) {
      const startedAt = performance.now();
      const selected = await selectRecipients(
        store,
        userId,
        { filterField: 'toaddressbooktagfilterjson', filter, savedFilters: [], groups: [] },
        30_001,
      ).catch(unlessUnavailable);
      times.push(selected === undefined ? Number.POSITIVE_INFINITY : performance.now() - startedAt);
      if (selected !== undefined) expect(selected.sources[0]?.numbers).toHaveLength(count / 10);
    }
    expect(Math.min(...times)).toBeLessThan(700);
    const { tags } = await listTags(store, userId, 21);
    expect(tags.map(({ type, typecount, values }) => [type, typecount, values.length])).toEqual([
      ['language', count, 7],
      ['role', count, 11],
      ['shift', count, 4],
      ['status', count, 1],
      ['ward', count, 10],
    ]);
  }, 120_000);
});
