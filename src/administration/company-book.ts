/**
 * The address books of a company as its administrators see, make, change and remove them, with who may read each and whose
 * default it is. What is in a book is kept elsewhere (`src/contacts`).
 */

import { companyNames, waitForTurn } from '../accounts/company-records.ts';
import { managedFault, managedKeys } from '../accounts/set-keys.ts';
import { namesWithin } from '../accounts/user-records.ts';
import type { Remark } from '../audit/audit-details.ts';
import { type Act, type ActingUser, byUser, recordAct } from '../audit/audit-log.ts';
import {
  countContacts,
  createBooks,
  findBook,
  hasBooks,
  lockBook,
  managedBooks,
  removeBooks,
  renameBook,
} from '../contacts/book-records.ts';
import { type BookReaders, changeReadersOf, readersOf } from '../contacts/reader-records.ts';
import { type IfMatch, isMatch } from '../foundation/if-match.ts';
import { quoted } from '../foundation/result.ts';
import type { Sentence } from '../foundation/sentences.ts';
import {
  firstOf,
  inCompany,
  isRefused,
  type Refused,
  refusal,
  refusedField,
} from '../resources/declaration.ts';
import { digestOf } from '../resources/resource.ts';
import { type Reading, refusable, singleWriteVerb, snapshotVerb, type Transaction } from '../storage/verb.ts';

/** Calls can make no more; a provisioning file can. Pages show so many to choose from. */
export const maxBooksOfCompany = 200;

/** Contacts of a book are counted no further than to one more. */
export const maxCounted = 10_000;

/** What is undefined is unchanged. */
export interface BookChange {
  readonly name?: string | undefined;
  /** All who may read the book besides administrators, by user name. */
  readonly readers?: readonly string[] | undefined;
  /** Those of them whose default book it is. */
  readonly defaultOf?: readonly string[] | undefined;
}

export interface CompanyBook {
  readonly id: number;
  readonly name: string;
  readonly readers: BookReaders;
  readonly contacts: number;
  /** Whether a provisioning file has the book. */
  readonly isManaged: boolean;
  readonly version: string;
}

interface Acting extends ActingUser {
  readonly companyId: number;
  readonly now: number;
}

interface BookKey {
  readonly companyId: number;
  readonly id: number;
}

export const findCompanyBook = snapshotVerb('administration.findBook', (reading, key: BookKey) =>
  bookOf(reading, key),
);

async function bookOf(reading: Reading, { companyId, id }: BookKey): Promise<CompanyBook | null> {
  const found = await findBook(reading, companyId, { id });
  if (found === undefined) return null;
  const { name } = found;
  const readers = await readersOf(reading, id);
  return {
    id,
    name,
    readers,
    contacts: await countContacts(reading, id, maxCounted + 1),
    isManaged: (await managedBooks(reading, companyId, [name])).has(name),
    version: digestOf([name, [...readers]]),
  };
}

export interface BookToMake {
  readonly by: Acting;
  readonly change: BookChange & { readonly name: string };
}

const weightOf = ({ change: { readers = [] } }: { readonly change: BookChange }) => 10 + readers.length;

export const makeCompanyBook = refusable(
  singleWriteVerb(
    'administration.makeBook',
    async (transaction, { by, change }: BookToMake): Promise<CompanyBook | Refused> => {
      const { companyId } = by;
      const { name } = change;
      await waitForTurn(transaction, companyId);
      if (await hasBooks(transaction, companyId, maxBooksOfCompany))
        return refusal('too_many_books', { sentence: 'too_many_books', most: maxBooksOfCompany });
      const taken = await nameRefused(transaction, companyId, name);
      if (taken !== undefined) return taken;
      const readers = await readersAfter(transaction, companyId, { before: new Map(), change });
      if (isRefused(readers)) return readers;
      const company = (await companyNames(transaction, [companyId])).get(companyId) as string;
      await createBooks(transaction, [{ id: undefined, name, company, savedTagFilters: {}, groups: {} }]);
      const { id } = (await findBook(transaction, companyId, { name })) as { readonly id: number };
      await changeReadersOf(transaction, { bookId: id, before: new Map(), after: readers });
      await record(transaction, by, { act: 'addressbook.make', id, name, details: said(new Map(), readers) });
      return (await bookOf(transaction, { companyId, id })) as CompanyBook;
    },
    weightOf,
  ),
);

export interface BookToChange {
  readonly by: Acting;
  readonly id: number;
  readonly change: BookChange;
  readonly ifMatch: IfMatch;
}

export const changeCompanyBook = refusable(
  singleWriteVerb(
    'administration.changeBook',
    async (transaction, { by, id, change, ifMatch }: BookToChange): Promise<CompanyBook | Refused> => {
      const { companyId } = by;
      await waitForTurn(transaction, companyId);
      const before = await changeable(transaction, { companyId, id, ifMatch });
      if (isRefused(before)) return before;
      const { name = before.name } = change;
      const isRenamed = name !== before.name;
      if (isRenamed) {
        const refused =
          (await renamingRefused(transaction, before)) ?? (await nameRefused(transaction, companyId, name));
        if (refused !== undefined) return refused;
      }
      const readers = await readersAfter(transaction, companyId, { before: before.readers, change });
      if (isRefused(readers)) return readers;
      if (isRenamed) await renameBook(transaction, { id, name });
      await changeReadersOf(transaction, { bookId: id, before: before.readers, after: readers });
      const after = (await bookOf(transaction, { companyId, id })) as CompanyBook;
      if (after.version === before.version) return before;
      const renamed = isRenamed ? [{ sentence: 'renamed_to', name: quoted(name) } as const] : [];
      const details = [...renamed, ...said(before.readers, readers)];
      await record(transaction, by, { act: 'addressbook.change', id, name: before.name, details });
      return after;
    },
    weightOf,
  ),
);

export interface BookToRemove {
  readonly by: Acting;
  readonly id: number;
  readonly withContacts: boolean;
  readonly ifMatch: IfMatch;
}

/**
 * Begins to remove a book: a book without contacts is removed at once. Otherwise nobody may read it any more, so that nobody
 * sends to what is left of it while its contacts are removed in steps; `endBookRemoval` follows. Returns the book as it was.
 */
export const beginBookRemoval = refusable(
  singleWriteVerb(
    'administration.beginBookRemoval',
    async (transaction, order: BookToRemove): Promise<CompanyBook | Refused> => {
      const { by, id, withContacts, ifMatch } = order;
      const { companyId } = by;
      await waitForTurn(transaction, companyId);
      const book = await changeable(transaction, { companyId, id, ifMatch });
      if (isRefused(book)) return book;
      const { name, contacts, readers } = book;
      if (book.isManaged) return managedBook(book);
      const needed = await removalRefused(transaction, book);
      if (needed !== undefined) return needed;
      if (contacts > maxCounted && !withContacts)
        return refusal('in_use', { sentence: 'book_has_many_contacts', most: maxCounted });
      if (contacts > 0 && !withContacts)
        return refusal('in_use', { sentence: 'book_has_contacts', contacts });
      if (contacts === 0) {
        await remove(transaction, by, book);
        return book;
      }
      await changeReadersOf(transaction, { bookId: id, before: readers, after: new Map() });
      const removed: Remark =
        contacts > maxCounted
          ? { sentence: 'contacts_removed_many', most: maxCounted }
          : { sentence: 'contacts_removed', contacts };
      await record(transaction, by, { act: 'addressbook.empty', id, name, details: [removed] });
      return book;
    },
    () => 20,
  ),
);

/** Once its contacts have been removed. Someone may meanwhile have made it a user's default, or removed it too. */
export const endBookRemoval = singleWriteVerb(
  'administration.endBookRemoval',
  async (transaction, { by, id }: { readonly by: Acting; readonly id: number }): Promise<Refused | null> => {
    const { companyId } = by;
    await waitForTurn(transaction, companyId);
    if (!(await lockBook(transaction, id))) return null;
    const book = await bookOf(transaction, { companyId, id });
    if (book === null) return null;
    const needed = book.isManaged ? managedBook(book) : await removalRefused(transaction, book);
    if (needed !== undefined) return needed;
    await remove(transaction, by, book);
    return null;
  },
  () => 20,
);

async function remove(transaction: Transaction, by: Acting, { id, name }: CompanyBook): Promise<void> {
  const company = (await companyNames(transaction, [by.companyId])).get(by.companyId) as string;
  await removeBooks(transaction, [{ id, name, company, savedTagFilters: {}, groups: {} }]);
  await record(transaction, by, { act: 'addressbook.remove', id, name, details: [] });
}

async function changeable(
  transaction: Transaction,
  { ifMatch, ...key }: BookKey & { readonly ifMatch: IfMatch },
): Promise<CompanyBook | Refused> {
  await lockBook(transaction, key.id);
  const book = await bookOf(transaction, key);
  if (book === null) return refusal('not_found', missingBook(key.id));
  if (isMatch(ifMatch, book.version)) return book;
  return refusal('changed_meanwhile', {
    sentence: 'changed_by_other',
    noun: 'address book',
    id: quoted(book.name),
  });
}

export const missingBook = (id: number | string): Sentence => ({
  sentence: 'none_such',
  noun: 'address book',
  id,
});

const managedBook = ({ name }: CompanyBook): Refused => ({
  refused: managedFault({ sentence: 'managed_object', noun: 'address book', id: quoted(name) }),
});

/** Why no book may get this name. */
async function nameRefused(reading: Reading, companyId: number, name: string): Promise<Refused | undefined> {
  if ((await findBook(reading, companyId, { name })) === undefined) return undefined;
  const { place } = inCompany;
  const said = { sentence: 'name_exists', noun: 'an address book', name: quoted(name), place } as const;
  return refusedField('name', 'taken', said);
}

/** A file knows a book by its name: its own, or that of a book which it lets users read. */
async function renamingRefused(reading: Reading, book: CompanyBook): Promise<Refused | undefined> {
  if (book.isManaged) return managedBook(book);
  const named = await namedByFiles(reading, book.readers);
  return named.length === 0
    ? undefined
    : {
        refused: managedFault({
          sentence: 'managed_readers',
          users: firstOf(named),
          book: quoted(book.name),
        }),
      };
}

/** Saved jobs, filters and groups are found in default books only, so no other book is needed by them. */
async function removalRefused(reading: Reading, { readers }: CompanyBook): Promise<Refused | undefined> {
  const users = [...readers].filter(([, isDefault]) => isDefault).map(([username]) => username);
  if (users.length > 0) return refusal('in_use', { sentence: 'book_is_default', users: firstOf(users) });
  const named = await namedByFiles(reading, readers);
  return named.length === 0
    ? undefined
    : refusal('in_use', { sentence: 'book_in_file', users: firstOf(named) });
}

/** Readers whose books a file sets. */
async function namedByFiles(reading: Reading, readers: BookReaders): Promise<readonly string[]> {
  const managed = await managedKeys(reading, [...readers.keys()]);
  return [...readers]
    .filter(([name, isDefault]) => isManagedReader(managed.get(name), isDefault))
    .map(([name]) => name);
}

/** A file that sets a user's default book thereby lets the user read that book. */
function isManagedReader(keys: ReadonlySet<string> | undefined, isDefault: boolean): boolean {
  return keys?.has('addressBooks') === true || (isDefault && keys?.has('defaultAddressBook') === true);
}

interface ReadersChange {
  readonly before: BookReaders;
  readonly change: BookChange;
}

/** The readers after a change, or why it is not possible. */
async function readersAfter(
  reading: Reading,
  companyId: number,
  { before, change }: ReadersChange,
): Promise<BookReaders | Refused> {
  const names = [...new Set(change.readers ?? before.keys())].sort();
  const kept = [...before].filter(([, isDefault]) => isDefault).map(([name]) => name);
  const defaults = new Set(change.defaultOf ?? kept);
  const after = new Map(names.map((name) => [name, defaults.has(name)]));
  const stranger = [...defaults].find((name) => !after.has(name));
  if (stranger !== undefined)
    return refusedField(change.defaultOf === undefined ? 'readers' : 'defaultOf', 'invalid_value', {
      sentence: 'default_of_reader',
      user: quoted(stranger),
    });
  const touched = [...new Set([...before.keys(), ...names])].filter(
    (name) => before.get(name) !== after.get(name),
  );
  const known = await namesWithin(reading, companyId, touched);
  const unknown = touched.find((name) => !known.has(name));
  if (unknown !== undefined)
    return refusedField('readers', 'invalid_value', { sentence: 'unknown_user', user: quoted(unknown) });
  const managed = await managedKeys(reading, touched);
  for (const name of touched) {
    const keys = managed.get(name);
    const isReaderChanged = before.has(name) !== after.has(name);
    const isDefaultChanged = (before.get(name) ?? false) !== (after.get(name) ?? false);
    if (isReaderChanged && keys?.has('addressBooks'))
      return { refused: managedFault({ sentence: 'managed_books', user: quoted(name) }) };
    if (isDefaultChanged && keys?.has('defaultAddressBook'))
      return { refused: managedFault({ sentence: 'managed_default_book', user: quoted(name) }) };
  }
  return after;
}

type ReaderRemark = 'book_read_by' | 'book_left_by' | 'book_default_of' | 'book_no_default_of';

/** The changes of readers in words, for the audit log. */
function said(before: BookReaders, after: BookReaders): readonly Remark[] {
  const words = (sentence: ReaderRemark, names: readonly string[]): readonly Remark[] =>
    names.length === 0 ? [] : [{ sentence, users: firstOf(names) }];
  const isDefault = (readers: BookReaders) => (name: string) => readers.get(name) === true;
  return [
    ...words(
      'book_read_by',
      [...after.keys()].filter((name) => !before.has(name)),
    ),
    ...words(
      'book_left_by',
      [...before.keys()].filter((name) => !after.has(name)),
    ),
    ...words(
      'book_default_of',
      [...after.keys()].filter(isDefault(after)).filter((name) => !isDefault(before)(name)),
    ),
    ...words(
      'book_no_default_of',
      [...before.keys()].filter(isDefault(before)).filter((name) => !isDefault(after)(name)),
    ),
  ];
}

interface Recorded {
  readonly act: Act;
  readonly id: number;
  readonly name: string;
  readonly details: readonly Remark[];
}

async function record(transaction: Transaction, by: Acting, what: Recorded): Promise<void> {
  const { act, id, name: object } = what;
  const details = [{ sentence: 'in_book', book: id } as const, ...what.details];
  await recordAct(transaction, { companyId: by.companyId, at: by.now, by: byUser(by), act, object, details });
}
