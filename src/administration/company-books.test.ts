/** Tests what administrators may do with the address books of their company, and what files, users and contacts hold back. */
import { beforeEach, expect, test } from 'vitest';
import { provisioningOf } from '../../test/harness/provisioning.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { listAudit } from '../audit/audit-log.ts';
import { listReadableBooks } from '../contacts/address-book.ts';
import { removeAllContacts } from '../contacts/change-contacts.ts';
import { changeContacts } from '../contacts/contact-store.ts';
import { groups } from '../contacts/management/groups.ts';
import { describeBooks } from '../contacts/management/visible-books.ts';
import { isRefused } from '../resources/declaration.ts';
import type { Store } from '../storage/store.ts';
import {
  type BookChange,
  beginBookRemoval,
  type CompanyBook,
  changeCompanyBook,
  endBookRemoval,
  findCompanyBook,
  makeCompanyBook,
  maxBooksOfCompany,
} from './company-book.ts';

const file = `
companies:
  - name: Nordic Care
    id: 1
    users: [{ username: anna, id: 11 }, { username: bo, id: 12 }, { username: per, id: 13 }]
  - { name: Others, id: 2, users: [{ username: eve, id: 21 }] }
`;

eachStore('address books that administrators keep', (engine) => {
  let store: Store;
  beforeEach(async () => {
    store = (await engine.openFreshStore()).store;
    await linesOf(file);
  });
  const { linesOf, faultsOf } = provisioningOf(() => store);
  const by = { companyId: 1, username: 'per', session: undefined, now: 1_000 };
  const make = (name: string, change: BookChange = {}) =>
    store.write(makeCompanyBook, { by, change: { ...change, name } });
  const made = async (name: string, change: BookChange = {}) => (await make(name, change)) as CompanyBook;
  const change = (id: number, wanted: BookChange, version?: string) => {
    const ifMatch = version === undefined ? undefined : [version];
    return store.write(changeCompanyBook, { by, id, change: wanted, ifMatch });
  };
  const begin = (id: number, withContacts = false) =>
    store.write(beginBookRemoval, { by, id, withContacts, ifMatch: undefined });
  const find = (id: number) => store.read(findCompanyBook, { companyId: 1, id });
  const readers = async (id: number) => Object.fromEntries((await find(id))?.readers ?? []);
  const fill = (bookId: number, count: number) =>
    store.write(changeContacts, {
      bookId,
      changes: Array.from({ length: count }, (_, at) => ({
        externalId: `e${at}`,
        name: 'Anna Berg',
        phone: undefined,
        email: undefined,
        app: undefined,
        tags: [{ type: 'role', value: 'nurse' }],
        remove: false,
      })),
    });
  const acts = async () =>
    (await store.read(listAudit, { companyId: 1, before: null, limit: 20 }))
      .filter(({ act }) => act.startsWith('addressbook.'))
      .map(({ act, object, details }) => `${act} ${object}: ${details}`);

  test('[PORT-10] [PORT-7] A book is made, its readers and defaults are changed, and users see it at once', async () => {
    const ward = await made('Ward 7', { readers: ['bo', 'anna'], defaultOf: ['bo'] });
    expect(ward).toMatchObject({ name: 'Ward 7', contacts: 0, isManaged: false });
    expect(await readers(ward.id)).toEqual({ anna: false, bo: true });
    expect(await store.read(listReadableBooks, 12)).toEqual([
      { id: ward.id, name: 'Ward 7', isDefault: true },
    ]);
    const night = await made('Night', { readers: ['bo'], defaultOf: ['bo'] });
    expect(await readers(ward.id)).toEqual({ anna: false, bo: false });
    await change(ward.id, { name: 'Ward 8', readers: ['bo'] });
    expect(await store.read(listReadableBooks, 12)).toEqual([
      { id: ward.id, name: 'Ward 8', isDefault: false },
      { id: night.id, name: 'Night', isDefault: true },
    ]);
    expect(await store.read(listReadableBooks, 11)).toEqual([]);
    // What is the same already leaves no entry.
    await change(ward.id, { name: 'Ward 8', readers: ['bo'], defaultOf: [] });
    expect(await acts()).toEqual([
      `addressbook.change Ward 7: address book ${ward.id}, now “Ward 8”, no longer read by anna`,
      `addressbook.make Night: address book ${night.id}, read by bo, default of bo`,
      `addressbook.make Ward 7: address book ${ward.id}, read by anna, bo, default of bo`,
    ]);
    const books = [ward, night].map(({ id, name }) => ({ id, name }));
    expect(await store.read(describeBooks, { companyId: 1, books })).toEqual([
      { managed: false, readerCount: 1 },
      { managed: false, readerCount: 1 },
    ]);
  });

  test('[PORT-10] Names that are taken, readers who are not of the company, defaults of strangers and old versions are refused', async () => {
    const ward = await made('Ward 7', { readers: ['anna'], defaultOf: ['anna'] });
    const refused = async (outcome: Promise<object>) => (await outcome) as { readonly refused?: object };
    expect(await refused(make('Ward 7'))).toMatchObject({ refused: { code: 'taken', field: 'name' } });
    expect(await refused(make('New', { readers: ['eve'] }))).toMatchObject({
      refused: { code: 'invalid_value', field: 'readers' },
    });
    expect(await refused(change(ward.id, { defaultOf: ['bo'] }))).toMatchObject({
      refused: { code: 'invalid_value', field: 'defaultOf' },
    });
    expect(await refused(change(ward.id, { readers: ['bo'] }))).toMatchObject({
      refused: { code: 'invalid_value', field: 'readers' },
    });
    await change(ward.id, { readers: ['anna', 'bo'] }, ward.version);
    expect(await refused(change(ward.id, { name: 'Late' }, ward.version))).toMatchObject({
      refused: { code: 'changed_meanwhile' },
    });
    expect(await refused(change(999, { name: 'None' }))).toMatchObject({ refused: { code: 'not_found' } });
    const ofOthers = { by: { ...by, companyId: 2 }, id: ward.id, ifMatch: undefined };
    expect(await store.write(changeCompanyBook, { ...ofOthers, change: { name: 'Ours' } })).toMatchObject({
      refused: { code: 'not_found' },
    });
    expect(await store.write(beginBookRemoval, { ...ofOthers, withContacts: true })).toMatchObject({
      refused: { code: 'not_found' },
    });
    expect(await find(ward.id)).toMatchObject({ name: 'Ward 7' });
    expect(await readers(ward.id)).toEqual({ anna: true, bo: false });
  });

  test('[PORT-10] A company makes no more books than its bound', async () => {
    for (let place = 1; place <= maxBooksOfCompany; place += 1) await made(`Book ${place}`);
    expect(await make('One more')).toMatchObject({ refused: { code: 'too_many_books' } });
  });

  test('[PORT-10] A book goes only when it is nobody’s default, and its contacts only when told so, in steps and with all that is theirs', async () => {
    const ward = await made('Ward 7', { readers: ['anna', 'bo'], defaultOf: ['bo'] });
    await fill(ward.id, 700);
    const group = { ...by, scopeId: ward.id, name: 'board', values: {}, more: undefined };
    await store.write(groups.create, group);
    expect(await begin(ward.id, true)).toMatchObject({
      refused: { code: 'in_use', error: expect.stringContaining('the default address book of bo,') },
    });
    await change(ward.id, { defaultOf: [] });
    expect(await begin(ward.id)).toMatchObject({
      refused: { code: 'in_use', error: expect.stringContaining('has 700 contacts') },
    });
    expect(await readers(ward.id)).toEqual({ anna: false, bo: false });
    expect(await begin(ward.id, true)).toMatchObject({ name: 'Ward 7', contacts: 700 });
    // Meanwhile nobody but administrators sees what is left of it.
    expect(await readers(ward.id)).toEqual({});
    expect(await removeAllContacts(store, ward.id)).toBe(700);
    expect(await store.write(endBookRemoval, { by, id: ward.id })).toBeNull();
    expect(await find(ward.id)).toBeNull();
    expect(await store.read(groups.find, { scopeId: ward.id, key: 'board' })).toBeNull();
    expect(await store.write(endBookRemoval, { by, id: ward.id })).toBeNull();
    expect((await acts()).slice(0, 2)).toEqual([
      `addressbook.remove Ward 7: address book ${ward.id}`,
      `addressbook.empty Ward 7: address book ${ward.id}, 700 contacts`,
    ]);
    const empty = await made('Empty', { readers: ['anna'] });
    expect(isRefused(await begin(empty.id))).toBe(false);
    expect(await find(empty.id)).toBeNull();
  });

  test('[PORT-10] A book that became a user’s default while its contacts were removed stays, without them', async () => {
    const ward = await made('Ward 7');
    await fill(ward.id, 3);
    await begin(ward.id, true);
    await removeAllContacts(store, ward.id);
    await change(ward.id, { readers: ['anna'], defaultOf: ['anna'] });
    expect(await store.write(endBookRemoval, { by, id: ward.id })).toMatchObject({
      refused: { code: 'in_use' },
    });
    expect(await find(ward.id)).toMatchObject({ name: 'Ward 7', contacts: 0 });
  });

  test('[PORT-6] A book that a file has keeps its name, and its readers may be changed unless a file sets them', async () => {
    await linesOf(
      file
        .replace('id: 1\n', 'id: 1\n    addressBooks: [{ name: Staff, id: 5 }]\n')
        .replace('username: anna,', 'username: anna, addressBooks: [Staff],')
        .replace('username: bo,', 'username: bo, defaultAddressBook: Staff,'),
    );
    expect(await find(5)).toMatchObject({ isManaged: true });
    const expectManaged = async (outcome: Promise<object>) =>
      expect(await outcome).toMatchObject({ refused: { code: 'managed' } });
    await expectManaged(change(5, { name: 'People' }));
    await expectManaged(begin(5, true));
    await expectManaged(change(5, { readers: ['bo'] }));
    await expectManaged(change(5, { defaultOf: [] }));
    await change(5, { readers: ['anna', 'bo', 'per'], defaultOf: ['bo', 'per'] });
    expect(await readers(5)).toEqual({ anna: false, bo: true, per: true });
    const own = await made('Own', { readers: ['bo'] });
    await expectManaged(change(own.id, { readers: ['anna', 'bo'] }));
    await expectManaged(change(own.id, { defaultOf: ['bo'] }));
    expect(await readers(own.id)).toEqual({ bo: false });
  });

  test('[PORT-6] A book that a file lets users read by its name is neither renamed nor removed, so that the file still applies', async () => {
    const own = await made('Own');
    const named = file.replace('username: anna,', 'username: anna, addressBooks: [Own],');
    await linesOf(named);
    expect(await change(own.id, { name: 'Other' })).toMatchObject({ refused: { code: 'managed' } });
    expect(await begin(own.id, true)).toMatchObject({
      refused: { code: 'in_use', error: expect.stringContaining('lets anna read') },
    });
    expect(await linesOf(named)).toEqual([]);
    await linesOf(file.replace('username: anna,', 'username: anna, addressBooks: [],'));
    expect(isRefused(await begin(own.id, true))).toBe(false);
    expect((await faultsOf(named)).join()).toContain('no address book');
  });
});
