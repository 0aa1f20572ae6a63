/** What the store holds of address books, all but their contacts, in the words of a provisioning file. */
import { oneOf, sql } from '../storage/sql.ts';
import { inTurns, type Reading, readVerb, theNode } from '../storage/verb.ts';
import type { AddressBookState, UserState } from './state.ts';

interface BookScope {
  readonly companies: readonly string[];
  readonly bookIds: readonly number[];
}

/** All books of the companies, and those that have one of the ids. */
export async function booksOf(
  reading: Reading,
  { companies, bookIds }: BookScope,
): Promise<readonly AddressBookState[]> {
  const books = await reading.all<{ id: number; name: string; company: string }>(
    sql`SELECT address_books.id, address_books.name, companies.name AS company FROM address_books
        JOIN companies ON companies.id = address_books.company_id
        WHERE companies.name ${oneOf('text', companies)} OR address_books.id ${oneOf('bigint', bookIds)}
        ORDER BY address_books.id`,
  );
  const ids = books.map(({ id }) => id);
  const filters = await filtersOf(reading, ids);
  const groups = await groupsOf(reading, ids);
  return books.map((book) => ({
    ...book,
    savedTagFilters: Object.fromEntries(filters.get(book.id) ?? []),
    groups: Object.fromEntries(groups.get(book.id) ?? []),
  }));
}

type ByBook<Value> = ReadonlyMap<number, ReadonlyMap<string, Value>>;

async function filtersOf(reading: Reading, ids: readonly number[]): Promise<ByBook<string>> {
  const rows = await reading.all<{ book_id: number; name: string; filter: string }>(
    sql`SELECT book_id, name, filter FROM saved_tag_filters WHERE book_id ${oneOf('bigint', ids)}`,
  );
  const filters = new Map<number, Map<string, string>>(ids.map((id) => [id, new Map()]));
  for (const { book_id, name, filter } of rows) filters.get(book_id)?.set(name, filter);
  return filters;
}

async function groupsOf(reading: Reading, ids: readonly number[]): Promise<ByBook<readonly string[]>> {
  const rows = await reading.all<{
    book_id: number;
    name: string;
    number: string | null;
    external_id: string | null;
  }>(
    sql`SELECT contact_groups.book_id, contact_groups.name, number, external_id FROM contact_groups
        LEFT JOIN group_members
          ON group_members.book_id = contact_groups.book_id AND group_members.group_name = contact_groups.name
        WHERE contact_groups.book_id ${oneOf('bigint', ids)} ORDER BY place`,
  );
  const groups = new Map<number, Map<string, string[]>>(ids.map((id) => [id, new Map()]));
  for (const { book_id, name, number, external_id } of rows) {
    const group = groups.get(book_id)?.get(name) ?? [];
    if (number !== null) group.push(number);
    else if (external_id !== null) group.push(`contact ${external_id}`);
    groups.get(book_id)?.set(name, group);
  }
  return groups;
}

export async function withBooks(
  reading: Reading,
  users: readonly UserState[],
): Promise<readonly UserState[]> {
  const ids = users.flatMap(({ id }) => id ?? []);
  const rows = await reading.all<{ user_id: number; name: string; is_default: number }>(
    sql`SELECT user_id, name, is_default FROM address_book_readers JOIN address_books ON id = book_id
        WHERE user_id ${oneOf('bigint', ids)}`,
  );
  const named = new Map<number | undefined, { books: string[]; byDefault: string | undefined }>();
  for (const { user_id, name, is_default } of rows) {
    const rights = named.get(user_id) ?? { books: [], byDefault: undefined };
    rights.books.push(name);
    if (is_default === 1) rights.byDefault = name;
    named.set(user_id, rights);
  }
  return users.map((user) => ({
    ...user,
    addressBooks: (named.get(user.id)?.books ?? []).sort(),
    defaultAddressBook: named.get(user.id)?.byDefault,
  }));
}

interface NamedContacts {
  readonly company: string;
  readonly book: string;
  readonly externalIds: readonly string[];
}

/** Which of the contacts a book has. */
export const findExternalIds = inTurns(
  readVerb(
    'provisioning.findExternalIds',
    async (reading, { company, book, externalIds }: NamedContacts): Promise<readonly string[]> => {
      const rows = await reading.all<{ external_id: string }>(
        sql`SELECT external_id FROM contacts WHERE external_id ${oneOf('text', externalIds)} AND book_id =
            (SELECT address_books.id FROM address_books JOIN companies ON companies.id = address_books.company_id
             WHERE companies.name = ${company} AND address_books.name = ${book})`,
      );
      return rows.map(({ external_id }) => external_id);
    },
  ),
  theNode,
);
