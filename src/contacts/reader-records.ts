/** Which users may read which address books, as set by the operator: all SQL for these settings. */
import { userIds } from '../accounts/user-records.ts';
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
