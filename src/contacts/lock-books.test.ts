import { expect, test } from 'vitest';
import { countPersonalRows } from '../../test/harness/contact-verbs.ts';
import { contact } from '../../test/harness/contacts.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { beginImport, listImports } from './import/import-store.ts';
import { writeContact } from './management/change-contact-store.ts';
import { changeFilter, listFilters } from './management/filter-store.ts';
import { changeGroup, listGroups } from './management/group-store.ts';

eachStore('a book that was removed', (engine) => {
  test('[PORT-4] takes nothing that was still on its way to it', async () => {
    const { store } = await engine.openFreshStore();
    const by = { companyId: 1, bookId: 21, now: 5_000, username: 'alice', session: undefined };
    const anna = { id: undefined, change: contact({ phone: '46701000001' }), version: undefined };
    expect(await store.write(writeContact, { ...by, ...anna })).toEqual({ kind: 'notFound' });
    const group = { name: 'night', isNew: true, rename: undefined, add: ['46701000001'], remove: [] };
    expect(await store.write(changeGroup, { ...by, ...group })).toBe('notFound');
    const filter = { name: 'nurses', isNew: true, filter: 'role:nurse', was: undefined };
    expect(await store.write(changeFilter, { ...by, ...filter })).toBe('notFound');
    expect(await store.write(beginImport, { ...by, fileName: 'staff.csv' })).toBeUndefined();
    expect(await store.read(countPersonalRows, 21)).toEqual({ contacts: 0, tags: 0, members: 0 });
    const page = { bookId: 21, after: undefined, limit: 10 };
    expect(await store.read(listGroups, page)).toEqual([]);
    expect(await store.read(listFilters, page)).toEqual([]);
    expect(await store.read(listImports, { bookId: 21, since: 0, before: null, limit: 10 })).toEqual([]);
  });
});
