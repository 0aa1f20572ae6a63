import { expect, test } from 'vitest';
import { putCompany } from '../../test/harness/account-verbs.ts';
import { until } from '../../test/harness/awake.ts';
import { asInForm1, countTerms, putBook, stockContacts } from '../../test/harness/contact-verbs.ts';
import { eachStore } from '../../test/harness/stores.ts';
import type { Language } from '../foundation/language.ts';
import { theNode } from '../storage/verb.ts';
import { changeContacts } from './contact-store.ts';
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

  test('[PORT-4] [PORT-5] People from before an upgrade have the order of each language after it, and are found without accents', async () => {
    const { store } = await engine.openFreshStore();
    await store.write(putCompany, { id: 1, name: 'Nordic Care' });
    await store.write(putBook, { id: 21, companyId: 1, name: 'Staff' });
    const named = (name: string) => ({ ...nobody, name, externalId: name });
    const names = ['Östen Ärlig', 'Zoe', 'Søren', 'Anna', 'Åsa Y', 'Orvar', 'Jürgen', 'Jxa'];
    await store.write(changeContacts, { bookId: 21, changes: names.map(named) });
    const page = { bookId: 21, owner: theNode(), filter: undefined, after: undefined, limit: 20 };
    const found = async (language: Language, sought = '') =>
      (await store.read(findContactPage, { ...page, language, sought })).contacts.map(({ name }) => name);
    const inSwedish = ['Anna', 'Jxa', 'Jürgen', 'Orvar', 'Søren', 'Zoe', 'Åsa Y', 'Östen Ärlig'];
    const inEnglish = ['Anna', 'Åsa Y', 'Jürgen', 'Jxa', 'Orvar', 'Östen Ärlig', 'Søren', 'Zoe'];
    expect(await found('sv')).toEqual(inSwedish);
    await store.write(asInForm1, null);
    expect(await found('sv')).toEqual(inEnglish);
    expect(await found('sv', 'soren')).toEqual([]);
    const missing = missingTerms(store, { warn: () => undefined });
    missing.start();
    await until(async () => (await store.read(findBookWithoutTerms, null)) === undefined);
    await missing.stop();
    expect(await found('sv')).toEqual(inSwedish);
    expect(await found('en')).toEqual(inEnglish);
    expect(await found('sv', 'soren')).toEqual(['Søren']);
    const rows = await store.read(countTerms, null);
    await store.write(changeContacts, {
      bookId: 21,
      changes: names.map((name) => ({ ...named(name), remove: true })),
    });
    expect([rows, await store.read(countTerms, null)]).toEqual([14, 0]);
  });

  test('[PORT-4] [PORT-5] A person who is renamed or removed before the upgrade has reached them leaves no former name in lists', async () => {
    const { store } = await engine.openFreshStore();
    await store.write(putCompany, { id: 1, name: 'Nordic Care' });
    await store.write(putBook, { id: 21, companyId: 1, name: 'Staff' });
    const put = (externalId: string, name: string, remove = false) =>
      store.write(changeContacts, { bookId: 21, changes: [{ ...nobody, externalId, name, remove }] });
    for (const externalId of ['1', '2', '3']) await put(externalId, 'Søren');
    await store.write(asInForm1, null);
    await put('1', 'Bo');
    await put('2', 'Søren', true);
    const page = { bookId: 21, owner: theNode(), filter: undefined, after: undefined, limit: 20 };
    const found = async (sought = '') =>
      (await store.read(findContactPage, { ...page, language: 'sv', sought })).contacts.map(
        ({ name }) => name,
      );
    expect(await found()).toEqual(['Bo', 'Søren']);
    const missing = missingTerms(store, { warn: () => undefined });
    missing.start();
    await until(async () => (await store.read(findBookWithoutTerms, null)) === undefined);
    await missing.stop();
    expect([await found(), await found('soren')]).toEqual([['Bo', 'Søren'], ['Søren']]);
    // The one row of Bo, and a term and a place of Søren.
    expect(await store.read(countTerms, null)).toBe(3);
  });
});

const nobody = { phone: undefined, email: undefined, app: undefined, tags: [], remove: false };
