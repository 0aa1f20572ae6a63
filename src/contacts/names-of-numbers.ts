/** The names that a user's address books have for the phone numbers of a list, and the numbers of whoever is called so. */
import { oneOf, sql } from '../storage/sql.ts';
import type { Store } from '../storage/store.ts';
import { readVerb } from '../storage/verb.ts';
import { readableBooks } from './address-book.ts';
import { contactsByTerm, termSought } from './contact-terms.ts';

export async function namesOfNumbers(
  store: Store,
  userId: number,
  numbers: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  return new Map(Object.entries(await store.read(readNames, { userId, numbers })));
}

export function numbersOfName(store: Store, userId: number, name: string): Promise<readonly string[]> {
  return store.read(readNumbersOfName, { userId, sought: termSought(name) });
}

export interface NamesQuery {
  readonly userId: number;
  /** Of a page. */
  readonly numbers: readonly string[];
}

/** A user reads few; in more than these nobody is looked for. */
const mostBooks = 10;

/** By number; the default book's name before that of others, and of people who share a phone the first contact's. */
export const readNames = readVerb(
  'contacts.readNames',
  async (reading, { userId, numbers }: NamesQuery): Promise<Readonly<Record<string, string>>> => {
    if (numbers.length === 0) return {};
    const books = [...(await readableBooks(reading, userId))]
      .sort((a, b) => Number(b.isDefault) - Number(a.isDefault))
      .slice(0, mostBooks);
    const names: Record<string, string> = {};
    for (const { id } of books) {
      const rows = await reading.all<{ phone: string; name: string }>(
        sql`SELECT phone, name FROM contacts
            WHERE book_id = ${id} AND phone ${oneOf('text', [...new Set(numbers)])} AND name <> '' ORDER BY id`,
      );
      for (const { phone, name } of rows) names[phone] ??= name;
    }
    return names;
  },
);

export interface NumbersQuery {
  readonly userId: number;
  /** The beginning of a name or of a word of it, as `termSought` makes it. */
  readonly sought: string;
}

/** Of more people than these of a name, nobody looks for one by it. */
const mostFound = 200;

/** The numbers of people of the default book, the first by name. */
export const readNumbersOfName = readVerb(
  'contacts.readNumbersOfName',
  async (reading, { userId, sought }: NumbersQuery): Promise<readonly string[]> => {
    const book = (await readableBooks(reading, userId)).find(({ isDefault }) => isDefault);
    if (book === undefined || sought === '') return [];
    const found = await contactsByTerm(reading, {
      bookId: book.id,
      sought,
      after: undefined,
      limit: mostFound,
    });
    if (found.length === 0) return [];
    const ids = [...new Set(found.map(({ id }) => id))];
    const rows = await reading.all<{ phone: string }>(
      sql`SELECT phone FROM contacts
          WHERE book_id = ${book.id} AND id ${oneOf('bigint', ids)} AND phone IS NOT NULL`,
    );
    return [...new Set(rows.map(({ phone }) => phone))];
  },
);
