import { expect, test } from 'vitest';
import { putCompany } from '../../test/harness/account-verbs.ts';
import { until } from '../../test/harness/awake.ts';
import { putBook, stockContacts } from '../../test/harness/contact-verbs.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { theNode } from '../storage/verb.ts';
import { findBookWithoutTerms, missingTerms } from './contact-terms.ts';
import { findContactPage } from './management/contact-pages.ts';

eachStore('contacts from before there were terms', (engine) => {
  test('[PORT-4] Contacts from before search terms existed are found again after an upgrade, in the background', async () => {
    const { store } = await engine.openFreshStore();
    await store.write(putCompany, { id: 1, name: 'Nordic Care' });
    for (const bookId of [21, 22]) {
      await store.write(putBook, { id: bookId, companyId: 1, name: `Book ${bookId}` });
      await store.write(stockContacts, { bookId, count: bookId === 21 ? 350 : 1 });
    }
    const warned: string[] = [];
    const missing = missingTerms(store, { warn: (_, message) => warned.push(message) });
    missing.start();
    await until(async () => (await store.read(findBookWithoutTerms, null)) === undefined);
    await missing.stop();
    expect(warned).toEqual([]);
    const query = {
      bookId: 21,
      owner: theNode(),
      sought: '46700000350',
      language: 'sv' as const,
      filter: undefined,
      after: undefined,
    };
    const { contacts } = await store.read(findContactPage, { ...query, limit: 10 });
    expect(contacts).toMatchObject([{ phone: '46700000350' }]);
  });
});
