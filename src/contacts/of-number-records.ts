/**
 * The contacts of a company with a given phone number, in any of its forms (`formsOf`): read for a page about the
 * number, and removed when the number's owner asks for that.
 */
import { oneOf, raw, sql } from '../storage/sql.ts';
import { type Reading, readVerb, type Transaction } from '../storage/verb.ts';
import { formsOf } from '../wire/phone-number.ts';
import { lockBooks } from './book-records.ts';
import { readContacts, writeEdits } from './contact-store.ts';
import type { StoredContact } from './known-contacts.ts';

export interface ContactOfNumber extends StoredContact {
  readonly bookId: number;
}

/** Only a few people share a phone. */
const maxOfBook = 100;

/** The contacts whose ids are greater than `after`. */
async function contactsIn(
  reading: Reading,
  bookId: number,
  number: string,
  after = 0,
): Promise<ContactOfNumber[]> {
  const rows = await reading.all<{ id: number }>(
    sql`SELECT id FROM contacts WHERE book_id = ${bookId} AND phone ${oneOf('text', formsOf(number))}
          AND id > ${after} ORDER BY id LIMIT ${raw(String(maxOfBook))}`,
  );
  const ids = rows.map(({ id }) => id);
  return (await readContacts(reading, bookId, ids)).map((contact) => ({ ...contact, bookId }));
}

export interface PlaceInBook {
  readonly bookId: number;
  /** The id of the contact after which the list continues; 0 starts from the beginning. */
  readonly after: number;
}

interface ContactsOfNumber {
  readonly contacts: readonly ContactOfNumber[];
  /** The books that have more such contacts. */
  readonly next: readonly PlaceInBook[];
}

export const readContactsOfNumber = readVerb(
  'contacts.ofNumber',
  async (
    reading,
    { places, number }: { readonly places: readonly PlaceInBook[]; readonly number: string },
  ): Promise<ContactsOfNumber> => {
    const contacts: ContactOfNumber[] = [];
    const next: PlaceInBook[] = [];
    for (const { bookId, after } of places) {
      const found = await contactsIn(reading, bookId, number, after);
      contacts.push(...found);
      const last = found.at(-1);
      if (found.length === maxOfBook && last !== undefined) next.push({ bookId, after: last.id });
    }
    return { contacts, next };
  },
);

export interface NumberInBooks {
  readonly companyId: number;
  readonly number: string;
}

/** The paths of the provisioning files that name someone with this number, and would therefore restore the contact. */
export async function filesNaming(
  reading: Reading,
  { companyId, number }: NumberInBooks,
): Promise<readonly string[]> {
  const books = await reading.all<{ id: number }>(
    sql`SELECT id FROM address_books WHERE company_id = ${companyId} ORDER BY id`,
  );
  const files = new Set<string>();
  for (const { id } of books)
    for (const { managedBy } of await contactsIn(reading, id, number))
      if (managedBy !== undefined) files.add(managedBy);
  return [...files];
}

interface RemovedContacts {
  readonly erased: number;
  readonly kept: number;
  /** The book after which to continue; null when there are no more. */
  readonly next: number | null;
}

/** The number of books searched at a time, or fewer once people are found, because others wait for the transaction. */
const booksInStep = 20;

/**
 * Removes the contacts, and the data from which undoing an import could restore them. Contacts managed by a file are kept.
 */
export async function removeContactsOfNumber(
  transaction: Transaction,
  { companyId, number }: NumberInBooks,
  afterBook: number,
): Promise<RemovedContacts> {
  const found = await transaction.all<{ id: number }>(
    sql`SELECT id FROM address_books WHERE company_id = ${companyId} AND id > ${afterBook}
        ORDER BY id LIMIT ${raw(String(booksInStep))}`,
  );
  const ids = found.map(({ id }) => id);
  let [erased, kept] = [0, 0];
  for (const bookId of await lockBooks(transaction, ids)) {
    const all = await contactsIn(transaction, bookId, number);
    const own = all.filter(({ managedBy }) => managedBy === undefined);
    kept += all.length - own.length;
    erased += own.length;
    await writeEdits(
      transaction,
      bookId,
      own.map((before) => ({ outcome: 'removed', before, after: undefined })),
    );
    for (const { id } of own)
      await transaction.run(
        sql`DELETE FROM contact_import_rows WHERE book_id = ${bookId} AND contact_id = ${id}
              AND import_id IN (SELECT id FROM contact_imports WHERE book_id = ${bookId})`,
      );
    erased += await transaction.run(
      sql`DELETE FROM group_members WHERE book_id = ${bookId} AND number ${oneOf('text', formsOf(number))}`,
    );
    if (erased >= maxOfBook) return { erased, kept, next: bookId };
  }
  return { erased, kept, next: ids.length < booksInStep ? null : (ids.at(-1) ?? null) };
}
