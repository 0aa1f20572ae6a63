/**
 * The names that a user's address books have for the phone numbers in a list, and the numbers of people with a given name.
 */
import { oneOf, sql } from '../storage/sql.ts';
import type { Store } from '../storage/store.ts';
import { inTurns, type Reading, type ReadOwner, readVerb, theCaller } from '../storage/verb.ts';
import { type AddressBook, readableBooks } from './address-book.ts';
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

export function peopleNamed(
  store: Store,
  { companyId, userId }: ReadOwner,
  name: string,
): Promise<PeopleNamed> {
  return store.read(readPeopleNamed, { companyId, userId, sought: termSought(name) });
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
    const names: Record<string, string> = {};
    for (const { id } of await booksForNames(reading, userId)) {
      const rows = await reading.all<{ phone: string; name: string }>(
        sql`SELECT phone, name FROM contacts
            WHERE book_id = ${id} AND phone ${oneOf('text', [...new Set(numbers)])} AND name <> '' ORDER BY id`,
      );
      for (const { phone, name } of rows) names[phone] ??= name;
    }
    return names;
  },
);

/** The default book first. */
async function booksForNames(reading: Reading, userId: number): Promise<readonly AddressBook[]> {
  const books = await readableBooks(reading, userId);
  return books.toSorted((a, b) => Number(b.isDefault) - Number(a.isDefault)).slice(0, maxBooks);
}

export interface NumbersQuery {
  readonly userId: number;
  /** The beginning of a name or of a word in it, in the form of `termSought`. */
  readonly sought: string;
}

/** At most this many names of a book are looked at; no one searches for a person by a beginning that more people share. */
const maxFound = 200;

/** The numbers of people in the default book, sorted by name. */
export const readNumbersOfName = readVerb(
  'contacts.readNumbersOfName',
  async (reading, { userId, sought }: NumbersQuery): Promise<readonly string[]> => {
    const book = (await readableBooks(reading, userId)).find(({ isDefault }) => isDefault);
    if (book === undefined || sought === '') return [];
    return (await numbersInBook(reading, book.id, sought)).numbers;
  },
);

export interface PeopleNamed {
  readonly numbers: readonly string[];
  /** Whether more people than these have such a name. */
  readonly more: boolean;
}

/** The people by whose numbers something is searched at a time. */
const maxPeople = 50;

/** The numbers of the first people with such a name, in all books that the user may read. */
export const readPeopleNamed = inTurns(
  readVerb(
    'contacts.readPeopleNamed',
    async (reading, { userId, sought }: NumbersQuery & ReadOwner): Promise<PeopleNamed> => {
      const numbers = new Set<string>();
      let more = false;
      for (const { id } of sought === '' ? [] : await booksForNames(reading, userId)) {
        const found = await numbersInBook(reading, id, sought);
        for (const number of found.numbers) numbers.add(number);
        more ||= found.more;
        if (numbers.size > maxPeople) break;
      }
      return { numbers: [...numbers].slice(0, maxPeople), more: more || numbers.size > maxPeople };
    },
  ),
  theCaller,
);

async function numbersInBook(reading: Reading, bookId: number, sought: string): Promise<PeopleNamed> {
  const found = await contactsByTerm(reading, {
    bookId,
    sought,
    language: 'en',
    after: undefined,
    limit: maxFound,
  });
  const ids = [...new Set(found.map(({ id }) => id))];
  if (ids.length === 0) return { numbers: [], more: false };
  const rows = await reading.all<{ id: number; phone: string }>(
    sql`SELECT id, phone FROM contacts
        WHERE book_id = ${bookId} AND id ${oneOf('bigint', ids)} AND phone IS NOT NULL`,
  );
  const phones = new Map(rows.map(({ id, phone }) => [id, phone]));
  return {
    numbers: [...new Set(ids.flatMap((id) => phones.get(id) ?? []))],
    more: found.length === maxFound,
  };
}
