/** Which users may read which address books, as set by the operator: all SQL for these settings. */
import { userIds, usernames } from '../accounts/user-records.ts';
import { oneOf, sql } from '../storage/sql.ts';
import type { Row } from '../storage/storable.ts';
import type { Reading, Transaction } from '../storage/verb.ts';
import { bookIds, bookKeyOf } from './book-records.ts';

/** The books that a user may read. */
export interface ReadableBooks {
  /** Sorted names. */
  readonly addressBooks: readonly string[];
  readonly defaultAddressBook: string | undefined;
}

/** Keyed by user id. */
export async function readReadableBooks(
  reading: Reading,
  ids: readonly number[],
): Promise<ReadonlyMap<number, ReadableBooks>> {
  const rows = await reading.all<{ user_id: number; name: string; is_default: number }>(
    sql`SELECT user_id, name, is_default FROM address_book_readers JOIN address_books ON id = book_id
        WHERE user_id ${oneOf('bigint', ids)}`,
  );
  const found = new Map<number, ReadableBooks>();
  for (const { user_id, name, is_default } of rows) {
    const { addressBooks = [], defaultAddressBook } = found.get(user_id) ?? {};
    found.set(user_id, {
      addressBooks: [...addressBooks, name].sort(),
      defaultAddressBook: is_default === 1 ? name : defaultAddressBook,
    });
  }
  return found;
}

/** Replaces the books that a user may read by those of these names in the company. */
export async function giveBooks(
  transaction: Transaction,
  { userId, companyId }: { readonly userId: number; readonly companyId: number },
  { addressBooks, defaultAddressBook }: ReadableBooks,
): Promise<void> {
  await transaction.run(sql`DELETE FROM address_book_readers WHERE user_id = ${userId}`);
  await transaction.run(
    sql`INSERT INTO address_book_readers (user_id, book_id, is_default)
        SELECT CAST(${userId} AS BIGINT), id, CASE WHEN name = ${defaultAddressBook ?? null} THEN 1 ELSE 0 END
        FROM address_books WHERE company_id = ${companyId} AND name ${oneOf('text', addressBooks)}`,
  );
}

const columns = { user_id: 'bigint', book_id: 'bigint', is_default: 'smallint' } as const;

interface Reader extends ReadableBooks {
  readonly username: string;
  /** The name of the company that the user and the books belong to. */
  readonly company: string;
}

/** The users and books must exist. */
export async function writeReaders(transaction: Transaction, readers: readonly Reader[]): Promise<void> {
  if (readers.length === 0) return;
  const users = await userIds(
    transaction,
    readers.map(({ username }) => username),
  );
  const books = await bookIds(
    transaction,
    readers.map(({ company }) => company),
  );
  const rows = readers.flatMap(({ username, company, addressBooks, defaultAddressBook }) =>
    addressBooks.map((name): Row => {
      const bookId = books.get(bookKeyOf({ company, name })) ?? null;
      return [users.get(username) ?? null, bookId, defaultAddressBook === name ? 1 : 0];
    }),
  );
  await transaction.run(
    sql`DELETE FROM address_book_readers WHERE user_id ${oneOf('bigint', [...users.values()])}`,
  );
  await transaction.insert('address_book_readers', columns, rows);
}

/** Who may read a book, by user name in order, and whether it is the default book of each. */
export type BookReaders = ReadonlyMap<string, boolean>;

export async function readersOf(reading: Reading, bookId: number): Promise<BookReaders> {
  const rows = await reading.all<{ user_id: number; is_default: number }>(
    sql`SELECT user_id, is_default FROM address_book_readers WHERE book_id = ${bookId}`,
  );
  const names = await usernames(
    reading,
    rows.map(({ user_id }) => user_id),
  );
  const readers = rows.map(
    ({ user_id, is_default }) => [names.get(user_id) ?? '', is_default === 1] as const,
  );
  return new Map(readers.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** By book; a book that only administrators may read has no entry. */
export async function countReadersOf(
  reading: Reading,
  bookIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await reading.all<{ book_id: number; count: number }>(
    sql`SELECT book_id, COUNT(*) AS count FROM address_book_readers
        WHERE book_id ${oneOf('bigint', bookIds)} GROUP BY book_id`,
  );
  return new Map(rows.map(({ book_id, count }) => [book_id, count]));
}

interface ReadersToChange {
  readonly bookId: number;
  readonly before: BookReaders;
  readonly after: BookReaders;
}

/** The users must exist, and belong to the company of the book. A user's former default book is one no longer. */
export async function changeReadersOf(
  transaction: Transaction,
  { bookId, before, after }: ReadersToChange,
): Promise<void> {
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => before.get(name) !== after.get(name),
  );
  if (changed.length === 0) return;
  const ids = await userIds(transaction, changed);
  const idsOf = (is: (name: string) => boolean) => changed.filter(is).flatMap((name) => ids.get(name) ?? []);
  await transaction.run(
    sql`DELETE FROM address_book_readers
        WHERE book_id = ${bookId} AND user_id ${oneOf(
          'bigint',
          idsOf((name) => !after.has(name)),
        )}`,
  );
  await transaction.run(
    sql`UPDATE address_book_readers SET is_default = 0
        WHERE is_default = 1 AND user_id ${oneOf(
          'bigint',
          idsOf((name) => after.get(name) === true),
        )}`,
  );
  await transaction.insert(
    'address_book_readers',
    columns,
    changed.flatMap((name): Row[] => {
      const isDefault = after.get(name);
      return isDefault === undefined ? [] : [[ids.get(name) ?? null, bookId, isDefault ? 1 : 0]];
    }),
    'ON CONFLICT (user_id, book_id) DO UPDATE SET is_default = excluded.is_default',
  );
}
