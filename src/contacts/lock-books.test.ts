import { expect, test } from 'vitest';
import { countPersonalRows } from '../../test/harness/contact-verbs.ts';
import { contact } from '../../test/harness/contacts.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { beginImport, listImports } from './import/import-store.ts';
import { writeContact } from './management/change-contact-store.ts';
import { filters } from './management/filters.ts';
import { groups } from './management/groups.ts';

eachStore('a book that was removed', (engine) => {
  test('[PORT-4] A removed address book accepts nothing that was still on its way to it', async () => {
    const { store } = await engine.openFreshStore();
    const by = { companyId: 1, bookId: 21, now: 5_000, username: 'alice', session: undefined };
    const anna = { id: undefined, change: contact({ phone: '46701000001' }), ifMatch: undefined };
    expect(await store.write(writeContact, { ...by, ...anna })).toEqual({ kind: 'notFound' });
    const gone = { refused: { code: 'not_found' } };
    const inBook = { ...by, scopeId: 21 };
    const night = { name: 'night', values: {}, more: { add: ['46701000001'] } };
    expect(await store.write(groups.create, { ...inBook, ...night })).toMatchObject(gone);
    const nurses = { name: 'nurses', values: { filter: 'role:nurse' }, more: undefined };
    expect(await store.write(filters.create, { ...inBook, ...nurses })).toMatchObject(gone);
    expect(await store.write(beginImport, { ...by, fileName: 'staff.csv' })).toBeUndefined();
    expect(await store.read(countPersonalRows, 21)).toEqual({ contacts: 0, tags: 0, members: 0 });
    const page = { scopeId: 21, after: undefined, limit: 10 };
    expect(await store.read(groups.list, page)).toEqual([]);
    expect(await store.read(filters.list, page)).toEqual([]);
    expect(await store.read(listImports, { bookId: 21, since: 0, before: null, limit: 10 })).toEqual([]);
  });
});
