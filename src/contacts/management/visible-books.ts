/** Which address books a caller may see: those opened to it, and for administrators all books of their company. */
import type { Caller } from '../../accounts/caller.ts';
import { requireRole } from '../../accounts/role.ts';
import type { ActingUser } from '../../audit/audit-log.ts';
import { ServiceError } from '../../foundation/errors.ts';
import type { Scope } from '../../resources/declaration.ts';
import type { Context } from '../../storage/context.ts';
import { NameOrder, type NamePlace } from '../../storage/name-order.ts';
import { type Sql, sql } from '../../storage/sql.ts';
import type { Store } from '../../storage/store.ts';
import { readVerb, snapshotVerb } from '../../storage/verb.ts';
import { type AddressBook, storedBook } from '../address-book.ts';
import { lockBook, managedBooks, managedEntries } from '../book-records.ts';
import { countReadersOf } from '../reader-records.ts';

interface BookReader {
  readonly companyId: number;
  readonly userId: number;
  readonly isAdministrator: boolean;
}

interface BookPage {
  readonly from: NamePlace;
  readonly limit: number;
}

const byName = new NameOrder('name');

export const listVisibleBooks = readVerb(
  'contacts.listVisibleBooks',
  (reading, { from, limit, ...reader }: BookReader & BookPage): Promise<readonly AddressBook[]> =>
    storedBook.all(
      reading,
    )`${visibleTo(reader)} ${byName.behind(from)} ORDER BY ${byName.by(from)} LIMIT ${limit}`,
);

export const findVisibleBook = readVerb(
  'contacts.findVisibleBook',
  (reading, { id, ...reader }: BookReader & { readonly id: number }): Promise<AddressBook | undefined> =>
    storedBook.first(reading)`${visibleTo(reader)} AND id = ${id}`,
);

interface Described {
  readonly managed: boolean;
  readonly readerCount: number;
}

interface BooksOfCompany {
  readonly companyId: number;
  readonly books: readonly Pick<AddressBook, 'id' | 'name'>[];
}

/** What only administrators see of the books of a list, in their order. */
export const describeBooks = snapshotVerb(
  'contacts.describeBooks',
  async (reading, { companyId, books }: BooksOfCompany): Promise<readonly Described[]> => {
    const names = books.map(({ name }) => name);
    const managed = await managedBooks(reading, companyId, names);
    const counts = await countReadersOf(
      reading,
      books.map(({ id }) => id),
    );
    return books.map(({ id, name }) => ({
      managed: managed.has(name),
      readerCount: counts.get(id) ?? 0,
    }));
  },
);

function visibleTo({ companyId, userId, isAdministrator }: BookReader): Sql {
  const join = isAdministrator ? sql`LEFT JOIN` : sql`JOIN`;
  return sql`FROM address_books ${join} address_book_readers ON book_id = id AND user_id = ${userId}
    WHERE company_id = ${companyId}`;
}

function readerOf({ companyId, userId, roles }: Caller): BookReader {
  return { companyId, userId, isAdministrator: roles.has('companyAdmin') };
}

/** In name order. */
export function visibleBooks(
  store: Store,
  caller: Caller,
  { from, limit }: BookPage,
): Promise<readonly AddressBook[]> {
  return store.read(listVisibleBooks, { ...readerOf(caller), from, limit });
}

/** Does not reveal whether another book exists. */
export async function visibleBook(store: Store, caller: Caller, book: string): Promise<AddressBook> {
  const id = Number(book);
  const found = Number.isSafeInteger(id)
    ? await store.read(findVisibleBook, { ...readerOf(caller), id })
    : undefined;
  if (found !== undefined) return found;
  throw new ServiceError('not_found', { sentence: 'none_seen', noun: 'address book', id: book });
}

/** The acting user and the book, in the form that write verbs expect. */
export interface BookChange extends ActingUser {
  readonly bookId: number;
  readonly companyId: number;
  readonly now: number;
}

/** Only administrators may change the contents of their company's books. */
export async function changeOfBook(
  { store, clock }: Context,
  caller: Caller,
  book: string,
): Promise<BookChange> {
  const { id } = await visibleBook(store, caller, book);
  requireRole(caller, 'companyAdmin');
  const { companyId, username, session } = caller;
  return { bookId: id, companyId, username, session, now: clock.now() };
}

/** Things in an address book that are identified by name; a provisioning file sets them by keys of the book. */
export const inBook: Scope = {
  column: 'book_id',
  place: 'in the address book',
  lock: lockBook,
  async managed(reading, bookId, section) {
    const entries = await managedEntries(reading, bookId, section as 'groups' | 'savedTagFilters');
    return new Map([...entries].map((name) => [name, []]));
  },
  details: async (_, { scopeId }) => ({ sentence: 'in_book', book: scopeId }),
};
