import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { putCompany, putUser } from '../../test/harness/account-verbs.ts';
import { countPersonalRows, listKnownTags, putBook } from '../../test/harness/contact-verbs.ts';
import { contact, tagsOf } from '../../test/harness/contacts.ts';
import { eachStore } from '../../test/harness/stores.ts';
import type { Store } from '../storage/store.ts';
import type { TagFilter } from '../wire/tag-filter.ts';
import { listAddressBooks } from './address-book.ts';
import { changeManyContacts, removeAllContacts } from './change-contacts.ts';
import { type ContactChange, tidyTags } from './contact.ts';
import { changeContacts, listContacts, previewContacts } from './contact-store.ts';
import { type SelectionQuery, selectNumbers } from './select-recipients.ts';
import { listTags } from './tags.ts';

const alice = 11;
const bob = 12;
const staff = 21;
const patients = 22;

const people = [
  contact({ externalId: 'a', name: 'Anna', phone: '46701000001' }, 'role:nurse ward:7 ward:8'),
  contact({ externalId: 'b', name: 'Bo', phone: '46701000002' }, 'role:doctor ward:7'),
  contact({ externalId: 'c', name: 'Cleo', email: 'cleo@care.example' }, 'role:nurse ward:7'),
  contact({ name: 'Dan', phone: '46701000004' }, 'role:Nurse'),
];

eachStore('address books', (engine) => {
  let store: Store;
  beforeEach(async () => {
    store = (await engine.openFreshStore()).store;
    await store.write(putCompany, { id: 1, name: 'Nordic Care' });
    await store.write(putUser, { id: alice, companyId: 1, username: 'alice' });
    await store.write(putUser, { id: bob, companyId: 1, username: 'bob' });
    await store.write(putBook, {
      id: staff,
      companyId: 1,
      name: 'Staff',
      defaultOf: [alice],
      filters: { nurses: 'role:nurse' },
      groups: {
        board: [{ number: '46709999999' }, { contact: 'b' }, { contact: 'c' }, { contact: 'nobody' }],
      },
    });
    await store.write(putBook, { id: patients, companyId: 1, name: 'Patients', readers: [alice] });
    expect(await store.write(changeContacts, { bookId: staff, changes: people })).toEqual(
      people.map(() => 'created'),
    );
  });

  const all = async () => store.read(listContacts, { bookId: staff, afterId: 0, limit: 100 });
  const change = (...changes: readonly ContactChange[]) =>
    store.write(changeContacts, { bookId: staff, changes });
  const nothing = { companyId: 1, filter: undefined, savedFilters: [], groups: [], limit: 1_000 };
  const select = (what: Partial<SelectionQuery>) =>
    selectNumbers(store, { userId: alice, ...nothing, ...what });

  test('[ABOOK-2] A tag filter selects contacts that match every part with some value, case-sensitively', async () => {
    const by = async (filter: TagFilter) => {
      const selected = await select({ filter });
      return selected.kind === 'selected' ? selected.byFilters : selected;
    };
    const role = (...tagValues: string[]) => ({ tagType: 'role', tagValues });
    const ward = (...tagValues: string[]) => ({ tagType: 'ward', tagValues });
    expect(await by([role('nurse')])).toEqual(['46701000001']);
    expect(await by([role('Nurse')])).toEqual(['46701000004']);
    expect(await by([role('nurse', 'doctor', 'Nurse')])).toEqual([
      '46701000001',
      '46701000002',
      '46701000004',
    ]);
    expect(await by([role('nurse', 'doctor'), ward('7')])).toEqual(['46701000001', '46701000002']);
    expect(await by([ward('7'), ward('8')])).toEqual(['46701000001']);
    expect(await by([role('nurse'), ward('9')])).toEqual([]);
    expect(await by([{ tagType: 'nurse', tagValues: ['role'] }])).toEqual([]);
  });

  test('[ABOOK-2] Filters select exactly the contacts that match when tested one by one, whatever their tags', async () => {
    const tag = fc.record({ type: fc.constantFrom('a', 'b'), value: fc.constantFrom('1', '2', '3') });
    const part = fc.record({
      tagType: fc.constantFrom('a', 'b', 'c'),
      tagValues: fc.uniqueArray(fc.constantFrom('1', '2', '3', '4'), { minLength: 1 }),
    });
    let book = 100;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(tag, { maxLength: 4 }), { maxLength: 12 }),
        fc.array(part, { minLength: 1, maxLength: 3 }),
        async (tagLists, filter) => {
          book += 1;
          const user = book;
          await store.write(putUser, { id: user, companyId: 1, username: `user ${user}` });
          await store.write(putBook, { id: book, companyId: 1, name: `book ${book}`, defaultOf: [user] });
          const changes = tagLists.map((tags, index) => {
            const tidy = tidyTags(tags);
            return { ...contact({ phone: `4670${1_000 + index}` }), tags: tidy.ok ? tidy.value : [] };
          });
          await store.write(changeContacts, { bookId: book, changes });
          const expected = changes.filter(({ tags }) =>
            filter.every(({ tagType, tagValues }) =>
              tags.some(({ type, value }) => type === tagType && tagValues.some((one) => one === value)),
            ),
          );
          const selected = await selectNumbers(store, { userId: user, ...nothing, filter });
          expect(selected).toMatchObject({ byFilters: expected.map(({ phone }) => phone) });
        },
      ),
      { numRuns: 25 },
    );
  });

  test('[SEND-8] Saved filters and groups are found by name, and an unknown name is reported with the known ones', async () => {
    expect(await select({ savedFilters: ['nurses'] })).toEqual({
      kind: 'selected',
      byFilters: ['46701000001'],
      byGroups: [],
      withoutPhone: 0,
    });
    // A contact without a phone and a deleted contact are skipped.
    expect(await select({ groups: ['board'] })).toEqual({
      kind: 'selected',
      byFilters: [],
      byGroups: ['46709999999', '46701000002'],
      withoutPhone: 0,
    });
    const unknown = { kind: 'unknownName', name: 'Nurses', known: ['nurses'], what: 'filter' };
    expect(await select({ savedFilters: ['Nurses'] })).toEqual(unknown);
    const unknownGroup = { kind: 'unknownName', name: 'x', known: ['board'], what: 'group' };
    expect(await select({ groups: ['board', 'x'] })).toEqual(unknownGroup);
    expect(await selectNumbers(store, { userId: bob, ...nothing, savedFilters: ['nurses'] })).toEqual({
      kind: 'noDefaultBook',
    });
  });

  test('[SEND-8] Contacts without a phone number are counted when nobody else is selected', async () => {
    await change(contact({ externalId: 'a', phone: '' }));
    const selected = await select({ savedFilters: ['nurses'] });
    expect(selected).toMatchObject({ byFilters: [], withoutPhone: 2 });
  });

  test('[SEND-8] A selection gives no more people than asked for', async () => {
    expect(await select({ filter: [{ tagType: 'ward', tagValues: ['7'] }], limit: 1 })).toMatchObject({
      byFilters: [expect.any(String)],
    });
  });

  test('[ABOOK-1] A user sees the address books that they may read, and tags with their counts', async () => {
    expect(await listAddressBooks(store, alice)).toEqual([
      { id: staff, name: 'Staff', isDefault: true },
      { id: patients, name: 'Patients', isDefault: false },
    ]);
    const tags = [
      {
        type: 'role',
        typecount: 4,
        values: [
          { value: 'Nurse', count: 1 },
          { value: 'doctor', count: 1 },
          { value: 'nurse', count: 2 },
        ],
      },
      {
        type: 'ward',
        typecount: 4,
        values: [
          { value: '7', count: 3 },
          { value: '8', count: 1 },
        ],
      },
    ];
    expect((await listTags(store, { companyId: 1, userId: alice }, undefined)).tags).toEqual(tags);
    expect((await listTags(store, { companyId: 1, userId: alice }, patients)).tags).toEqual([]);
    await change(contact({ externalId: 'a', remove: true }));
    expect((await listTags(store, { companyId: 1, userId: alice }, staff)).tags.at(-1)).toEqual({
      type: 'ward',
      typecount: 2,
      values: [{ value: '7', count: 2 }],
    });
  });

  test('[ABOOK-1] A user without an address book is refused, and an unknown or unreadable book is not found', async () => {
    await expect(listAddressBooks(store, bob)).rejects.toMatchObject({ status: 401 });
    await expect(listTags(store, { companyId: 1, userId: bob }, staff)).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(listTags(store, { companyId: 1, userId: bob }, undefined)).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(listTags(store, { companyId: 1, userId: alice }, 999)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('[RUN-3] Imported contacts are matched by id, else phone, else e-mail, and fields left out stay', async () => {
    const before = await all();
    expect(await change(...people)).toEqual(people.map(() => 'unchanged'));
    expect(await all()).toEqual(before);
    expect(
      await change(
        contact({ externalId: 'a', phone: '46701111111' }),
        contact({ phone: '46701000004', name: 'Daniel' }, 'role:nurse'),
        contact({ email: 'cleo@care.example', app: 'cleo-app' }),
        contact({ externalId: 'new', phone: '46701000002' }),
        contact({ externalId: 'gone', remove: true }),
      ),
    ).toEqual(['changed', 'changed', 'changed', 'created', 'absent']);
    expect(await all()).toMatchObject([
      { externalId: 'a', name: 'Anna', phone: '46701111111', tags: tagsOf('role:nurse ward:7 ward:8') },
      { externalId: 'b', phone: '46701000002' },
      { externalId: 'c', email: 'cleo@care.example', app: 'cleo-app' },
      { externalId: undefined, name: 'Daniel', tags: tagsOf('role:nurse') },
      { externalId: 'new', phone: '46701000002' },
    ]);
  });

  test('[RUN-3] A contact known by phone only gets an id on import, and is not made twice', async () => {
    expect(await change(contact({ externalId: 'd', phone: '46701000004' }))).toEqual(['changed']);
    expect((await all()).map(({ externalId }) => externalId)).toEqual(['a', 'b', 'c', 'd']);
    const twins = [contact({ externalId: 'e', phone: '1' }), contact({ externalId: 'f', phone: '1' })];
    expect(await change(...twins)).toEqual(['created', 'created']);
    expect(await change(...twins)).toEqual(['unchanged', 'unchanged']);
  });

  test('[RUN-3] Imported contacts are matched by id before phone, in whatever order a set has them', async () => {
    const set = [
      contact({ phone: '46701000001' }, 'ward:9'),
      contact({ externalId: 'a', phone: '46701000001' }),
    ];
    expect(await store.read(previewContacts, { bookId: staff, changes: set })).toEqual([
      'created',
      'unchanged',
    ]);
    expect(await change(...set)).toEqual(['created', 'unchanged']);
    expect(await change(...[...set].reverse())).toEqual(['unchanged', 'unchanged']);
  });

  test('[RUN-3] A preview of an import shows what would change, and changes nothing', async () => {
    const before = await all();
    const changes = [contact({ externalId: 'a', name: 'A.' }), contact({ externalId: 'b', remove: true })];
    expect(await store.read(previewContacts, { bookId: staff, changes })).toEqual(['changed', 'removed']);
    expect(await all()).toEqual(before);
  });

  test('[ABOOK-1] Nothing remains of a removed contact', async () => {
    await change(...['a', 'b', 'c'].map((externalId) => contact({ externalId, remove: true })));
    expect(await store.read(countPersonalRows, staff)).toEqual({ contacts: 1, tags: 1, members: 2 });
    await removeAllContacts(store, staff);
    expect(await store.read(countPersonalRows, staff)).toMatchObject({ contacts: 0, tags: 0 });
  });

  test('[ABOOK-1] Nothing remains of a tag that no contact has any more, and the tag can come back', async () => {
    const known = () => store.read(listKnownTags, staff);
    expect(await known()).toEqual(['role:Nurse', 'role:doctor', 'role:nurse', 'ward:7', 'ward:8']);
    await change(contact({ externalId: 'a' }, 'role:doctor'));
    expect(await known()).toEqual(['role:Nurse', 'role:doctor', 'role:nurse', 'ward:7']);
    await change(contact({ externalId: 'c', remove: true }), contact({ externalId: 'x' }, 'role:nurse'));
    expect(await known()).toEqual(['role:Nurse', 'role:doctor', 'role:nurse', 'ward:7']);
    await change(contact({ externalId: 'b', remove: true }), contact({ externalId: 'x', remove: true }));
    expect(await known()).toEqual(['role:Nurse', 'role:doctor']);
    await change(contact({ externalId: 'a' }, 'ward:8'));
    expect(await known()).toEqual(['role:Nurse', 'ward:8']);
    expect((await listTags(store, { companyId: 1, userId: alice }, staff)).tags).toMatchObject([
      { type: 'role', typecount: 1 },
      { type: 'ward', typecount: 1 },
    ]);
  });

  test('[RUN-3] Many contacts are written in sets, with counts of those made, changed and removed', async () => {
    const many = Array.from({ length: 700 }, (_, index) =>
      contact({ externalId: `${index}`, phone: `4670${10_000 + index}` }, `role:r${index % 7} ward:7`),
    );
    const progress: number[] = [];
    const counts = await changeManyContacts(store, staff, many, {
      onProgress: (done) => progress.push(done),
    });
    expect(counts.describe()).toBe('700 created');
    expect(progress).toEqual([300, 600, 700]);
    expect((await changeManyContacts(store, staff, many)).describe()).toBe('');
    const few = [contact({ externalId: '5', name: 'Five' }), contact({ externalId: '6', remove: true })];
    const expected = await changeManyContacts(store, staff, few, { dryRun: true });
    expect(expected.describe()).toBe('1 changed (5), 1 removed (6)');
    expect((await changeManyContacts(store, staff, few)).describe()).toBe(expected.describe());
    await expect(changeManyContacts(store, 999, few)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('[RUN-2] Two imports of the same people at the same time create each person once', async () => {
    const same = Array.from({ length: 50 }, (_, index) =>
      contact({ phone: `4671${1_000 + index}` }, 'x:y z:z'),
    );
    await Promise.all([change(...same), change(...same), change(...[...same].reverse())]);
    expect((await all()).filter(({ phone }) => phone?.startsWith('4671')).length).toBe(50);
  });
});
