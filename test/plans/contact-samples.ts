/** Sample inputs for the verbs of address books. */

import * as companyBooks from '../../src/administration/company-book.ts';
import { findBooksByName, findNames, listReadableBooks } from '../../src/contacts/address-book.ts';
import * as contactRows from '../../src/contacts/contact-store.ts';
import * as terms from '../../src/contacts/contact-terms.ts';
import { planFilter, readMetPage } from '../../src/contacts/filter-pages.ts';
import * as imports from '../../src/contacts/import/import-store.ts';
import * as managed from '../../src/contacts/managed-contacts.ts';
import { writeContact } from '../../src/contacts/management/change-contact-store.ts';
import * as contactPages from '../../src/contacts/management/contact-pages.ts';
import { filters } from '../../src/contacts/management/filters.ts';
import { groups, readGroup } from '../../src/contacts/management/groups.ts';
import * as visibleBooks from '../../src/contacts/management/visible-books.ts';
import { countTags, listTagPage } from '../../src/contacts/tags.ts';
import { type Sample, sample } from './sample.ts';
import { big, now } from './stock.ts';

const limit = 20;
const { companyId, userId, bookId } = big;

const change = (place: number) => ({
  externalId: `e${place}`,
  name: 'New',
  phone: undefined,
  email: undefined,
  app: undefined,
  tags: [{ type: 'skill', value: 'v5' }],
  remove: place % 2 === 0,
});
const [byPhone, byEmail, added] = [
  { ...change(1), externalId: undefined, phone: '46701000005' },
  { ...change(1), externalId: undefined, email: 'a7@example.com' },
  { ...change(1), externalId: 'new' },
];
const changes = [change(8), change(9), byPhone, byEmail, added];
const owner = { companyId, userId };
const selection = { ...owner, savedFilters: [], groups: [], limit };
const parts = (...values: readonly string[]) =>
  values.map((value) => ({ tagType: 'skill', tagValues: [value] }));

const by = { bookId, companyId, username: 'user10', session: undefined, now };
const books = Array.from({ length: limit }, (_, at) => ({ id: 1 + at, name: `book${1 + at}` }));
const oneBook = { bookId, importId: 1_001 };
const english = { language: 'en' } as const;
const swedish = (name: string) => ({ language: 'sv', name }) as const;
const page = { bookId, owner, language: 'sv', after: undefined, limit } as const;
const behind = (term: string) => ({ term, id: 50_000 });
const inBook = { ...by, scopeId: bookId };
const names = { scopeId: bookId, from: english, limit };
const group = {
  ...inBook,
  key: 'g7',
  ifMatch: undefined,
  values: {},
  rename: undefined,
  more: { add: [5, 7, '46701000001'], remove: [6, '46701000002'] },
};
const filter = { ...inBook, key: 'f7', ifMatch: undefined, rename: undefined, more: undefined };
const writtenOne = { ...by, id: 7, ifMatch: undefined };

const keptContacts: readonly Sample[] = [
  sample(
    visibleBooks.listVisibleBooks,
    { companyId, userId, isAdministrator: true, from: english, limit },
    { companyId, userId, isAdministrator: true, from: swedish('a'), limit },
    { companyId, userId, isAdministrator: false, from: english, limit },
    { companyId, userId, isAdministrator: false, from: swedish('a'), limit },
  ),
  sample(
    visibleBooks.findVisibleBook,
    { companyId, userId, isAdministrator: true, id: bookId },
    { companyId, userId, isAdministrator: false, id: bookId },
  ),
  sample(visibleBooks.describeBooks, { companyId, books }),
  sample(companyBooks.findCompanyBook, { companyId, id: bookId }),
  sample(companyBooks.makeCompanyBook, {
    by,
    change: { name: 'new', readers: ['user10', 'user11'], defaultOf: ['user11'] },
  }),
  sample(
    companyBooks.changeCompanyBook,
    { by, id: bookId, change: { name: 'other' }, ifMatch: undefined },
    { by, id: bookId, change: { readers: ['user10', 'user11'], defaultOf: ['user11'] }, ifMatch: undefined },
  ),
  sample(
    companyBooks.beginBookRemoval,
    { by, id: bookId, withContacts: true, ifMatch: undefined },
    { by, id: 7, withContacts: false, ifMatch: undefined },
  ),
  sample(companyBooks.endBookRemoval, { by, id: 7 }),
  sample(
    contactPages.findContactPage,
    { ...page, sought: '', filter: undefined },
    { ...page, sought: '', filter: undefined, after: behind('anna') },
    { ...page, language: 'en', sought: '', filter: undefined, after: behind('anna') },
    { ...page, sought: 'an', filter: undefined },
    { ...page, sought: 'an', filter: undefined, after: behind('anna') },
    { ...page, sought: 'an', filter: parts('v1', 'v7') },
  ),
  sample(contactPages.readSomeContacts, { bookId, owner, ids: [7, 50_000] }),
  sample(planFilter, { bookId, owner, filter: parts('v1', 'v7') }),
  sample(
    readMetPage,
    { bookId, owner, plan: { parts: [[1]], most: 100_000 }, after: 0 },
    { bookId, owner, plan: { parts: [[1]], most: 100_000 }, after: 50_000 },
    { bookId, owner, plan: { parts: [[1, 2]], most: 100_100 }, after: 50_000 },
    { bookId, owner, plan: { parts: [[1, 2, 3, 4, 5]], most: 100_400 }, after: 50_000 },
    { bookId, owner, plan: { parts: [[2], [1, 3, 4, 5, 6], [1]], most: 100 }, after: 0 },
    { bookId, owner, plan: { parts: [[2], [1, 3]], most: 100 }, after: 0 },
  ),
  sample(contactPages.findContact, { bookId, id: 7 }),
  sample(
    writeContact,
    { ...writtenOne, change: { ...change(8), externalId: undefined, phone: '46701000999' } },
    { ...writtenOne, change: { ...change(8), remove: true } },
  ),
  sample(groups.list, names, { ...names, from: swedish('g3') }),
  sample(groups.find, { scopeId: bookId, key: 'g7' }),
  sample(readGroup, { bookId, name: 'g7', after: -1, limit }),
  sample(groups.create, { ...inBook, name: 'new', values: {}, more: { add: [5, '46701000001'] } }),
  sample(groups.change, group, { ...group, rename: 'other' }),
  sample(groups.remove, { ...inBook, key: 'g7', ifMatch: undefined }),
  sample(filters.list, names, { ...names, from: swedish('f3') }),
  sample(filters.find, { scopeId: bookId, key: 'f7' }),
  sample(filters.create, { ...inBook, name: 'new', values: { filter: 'skill:v1' }, more: undefined }),
  sample(filters.change, { ...filter, values: { filter: 'skill:v1' } }),
  sample(filters.remove, { ...inBook, key: 'f7', ifMatch: undefined }),
  sample(listTagPage, page, { ...page, after: { type: 'skill', value: 'v5' } }),
  sample(terms.findBookWithoutTerms, null),
  sample(terms.addMissingTerms, { bookId, limit }),
  sample(managed.listManagedBy, { bookId, source: 'file', afterId: 0, limit }),
  sample(managed.listBooksManagedBy, 'file'),
  sample(managed.releaseManaged, { bookId, source: 'file', ids: [7, 8] }),
  sample(imports.previewImport, { bookId, owner, changes, shown: 3 }),
  sample(imports.beginImport, { ...by, fileName: 'staff.csv' }),
  sample(imports.importSet, { ...oneBook, changes }),
  sample(imports.endImport, oneBook),
  sample(imports.beginUndo, { ...by, ...oneBook, since: 0 }),
  sample(imports.undoSet, { ...oneBook, limit }),
  sample(imports.listImports, { bookId, since: 0, before: null, limit }),
  sample(imports.purgeImports, { before: now, limit }),
];

export const contactSamples: readonly Sample[] = [
  sample(findBooksByName, { company: 'company1', name: 'book5' }, { company: null, name: 'book5' }),
  sample(listReadableBooks, userId),
  sample(
    findNames,
    { ...selection, savedFilters: ['f7'] },
    { ...selection, savedFilters: ['none'] },
    { ...selection, groups: ['g7', 'g8'] },
    { ...selection, groups: ['none'] },
  ),
  sample(contactRows.changeContacts, { bookId, changes }),
  sample(contactRows.previewContacts, { bookId, changes }),
  sample(contactRows.listContacts, { bookId, afterId: 0, limit }, { bookId, afterId: 50_000, limit }),
  sample(contactRows.removeSomeContacts, { bookId, limit }),
  sample(countTags, { bookId: 2, owner }),
  ...keptContacts,
];
