import { expect, test } from 'vitest';
import { putCompany, putUser } from '../../test/harness/account-verbs.ts';
import { putBook, stockContacts } from '../../test/harness/contact-verbs.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { selectRecipients } from './select-recipients.ts';
import { listTags } from './tags.ts';

const userId = 11;
const count = 20_000;

eachStore('an address book of 20,000 contacts', (engine) => {
  // The speed is measured by bench/contacts.ts.
  test('[ABOOK-3] In an address book of 20,000 contacts, a filter is resolved and tags are counted', async () => {
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
    const selected = await selectRecipients(
      store,
      { companyId: 1, userId },
      { filterField: 'toaddressbooktagfilterjson', filter, savedFilters: [], groups: [] },
      { limit: 30_001 },
    );
    expect(selected.sources[0]?.numbers).toHaveLength(count / 10);
    const { tags } = await listTags(store, { companyId: 1, userId }, 21);
    expect(tags.map(({ type, typecount, values }) => [type, typecount, values.length])).toEqual([
      ['language', count, 7],
      ['role', count, 11],
      ['shift', count, 4],
      ['status', count, 1],
      ['ward', count, 10],
    ]);
  }, 300_000);
});
