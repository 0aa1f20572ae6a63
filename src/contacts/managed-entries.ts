/** Which groups and saved filters of a book a provisioning file has set: it alone changes them (PORT-6). */

import { findCompanies } from '../accounts/company-records.ts';
import { readSetKeys } from '../accounts/set-keys.ts';
import { sql } from '../storage/sql.ts';
import type { Reading } from '../storage/verb.ts';
import { bookKeyOf } from './book-records.ts';

/** Their names. */
export async function managedEntries(
  reading: Reading,
  bookId: number,
  what: 'groups' | 'savedTagFilters',
): Promise<ReadonlySet<string>> {
  const book = await reading.first<{ company_id: number; name: string }>(
    sql`SELECT company_id, name FROM address_books WHERE id = ${bookId}`,
  );
  if (book === undefined) return new Set();
  const company = (await findCompanies(reading, [book.company_id])).get(book.company_id)?.name ?? '';
  const set = await readSetKeys(reading, 'addressBooks', [bookKeyOf({ company, name: book.name })]);
  const prefix = `${what}.`;
  return new Set(
    set.flatMap(({ keys }) =>
      keys.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length)),
    ),
  );
}
