/**
 * The names that a user's address books have for the phone numbers in a list, and the numbers of people with a given name.
 */
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
  /** The numbers of one page. */
  readonly numbers: readonly string[];
}

/** A user can usually read only a few books; beyond this many, no names are looked up. */
const maxBooks = 10;

/**
 * Names by number. The default book's name takes precedence over that of other books; if people share a phone, the name
 * of the first contact counts.
 */
export const readNames = readVerb(
  'contacts.readNames',
  async (reading, { userId, numbers }: NamesQuery): Promise<Readonly<Record<string, string>>> => {
    if (numbers.length === 0) return {};
    const books = [...(await readableBooks(reading, userId))]
      .sort((a, b) => Number(b.isDefault) - Number(a.isDefault))
      .slice(0, maxBooks);
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
  /** The beginning of a name or of a word in it, in the form of `termSought`. */
  readonly sought: string;
}

/** If more people than this share a name, no one searches for one of them by that name. */
const maxFound = 200;

/** The numbers of people in the default book, sorted by name. */
export const readNumbersOfName = readVerb(
  'contacts.readNumbersOfName',
  async (reading, { userId, sought }: NumbersQuery): Promise<readonly string[]> => {
    const book = (await readableBooks(reading, userId)).find(({ isDefault }) => isDefault);
    if (book === undefined || sought === '') return [];
    const found = await contactsByTerm(reading, {
      bookId: book.id,
      sought,
      after: undefined,
      limit: maxFound,
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
