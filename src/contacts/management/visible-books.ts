/** Whose address books a caller may see: those that it was let, and administrators all of their company. */
import type { Caller } from '../../accounts/caller.ts';
import { requireRole } from '../../accounts/role.ts';
import type { ActingUser } from '../../audit/audit-log.ts';
import { ServiceError } from '../../foundation/errors.ts';
import type { Scope } from '../../resources/declaration.ts';
import type { Context } from '../../storage/context.ts';
import { sql } from '../../storage/sql.ts';
import type { Store } from '../../storage/store.ts';
import { readVerb } from '../../storage/verb.ts';
import { type AddressBook, storedBook } from '../address-book.ts';
import { lockBook, managedEntries } from '../book-records.ts';

interface BookQuery {
  readonly companyId: number;
  readonly userId: number;
  readonly isAdministrator: boolean;
}

/** A company has a handful; more are not asked for. */
const maxBooks = 200;

export const listVisibleBooks = readVerb(
  'contacts.listVisibleBooks',
  async (reading, { companyId, userId, isAdministrator }: BookQuery): Promise<readonly AddressBook[]> => {
    const whose = isAdministrator
      ? sql`LEFT JOIN address_book_readers ON book_id = id AND user_id = ${userId} WHERE`
      : sql`JOIN address_book_readers ON book_id = id AND user_id = ${userId} WHERE`;
    return storedBook.all(reading)`
      FROM address_books ${whose} company_id = ${companyId} ORDER BY name LIMIT ${maxBooks}`;
  },
);

export function visibleBooks(store: Store, caller: Caller): Promise<readonly AddressBook[]> {
  const { companyId, userId, roles } = caller;
  return store.read(listVisibleBooks, { companyId, userId, isAdministrator: roles.has('companyAdmin') });
}

/** Whether another book exists is not told. */
export async function visibleBook(store: Store, caller: Caller, book: string): Promise<AddressBook> {
  const found = (await visibleBooks(store, caller)).find(({ id }) => String(id) === book);
  if (found !== undefined) return found;
  throw new ServiceError('not_found', `There is no address book ${book} that the account may read.`);
}

/** Who acts on a book, as the verbs that write want it. */
export interface BookChange extends ActingUser {
  readonly bookId: number;
  readonly companyId: number;
  readonly now: number;
}

/** Administrators change what is in the books of their company. */
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

/** What is kept in an address book by its name: a provisioning file sets it by keys of the book. */
export const inBook: Scope = {
  column: 'book_id',
  place: 'in the address book',
  lock: lockBook,
  async managed(reading, bookId, section) {
    const entries = await managedEntries(reading, bookId, section as 'groups' | 'savedTagFilters');
    return new Map([...entries].map((name) => [name, []]));
  },
  details: async (_, { scopeId }) => `address book ${scopeId}`,
};
