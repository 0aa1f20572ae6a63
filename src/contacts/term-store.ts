/** All SQL of the terms by which contacts are found: written with the contact, and for those who have none yet. */
import { literal, oneOf, rowSet, sql } from '../storage/sql.ts';
import type { Row } from '../storage/storable.ts';
import { type Reading, readVerb, singleWriteVerb, type Transaction } from '../storage/verb.ts';
import type { Contact } from './contact.ts';
import { termsOf } from './contact-terms.ts';
import { lockBooks } from './lock-books.ts';

const keyColumns = { book_id: 'bigint', term: 'text', contact_id: 'bigint' } as const;
const termColumns = { ...keyColumns, is_first: 'smallint' } as const;

export interface TermMove {
  readonly contactId: number;
  /** Undefined: the contact is new. */
  readonly before: Contact | undefined;
  /** Undefined: the contact goes. */
  readonly after: Contact | undefined;
}

export async function moveTerms(
  transaction: Transaction,
  bookId: number,
  moves: readonly TermMove[],
): Promise<void> {
  const gone: Row[] = [];
  const here: Row[] = [];
  for (const { contactId, before, after } of moves) {
    const terms = after === undefined ? [] : termsOf(after);
    for (const term of before === undefined ? [] : termsOf(before))
      if (!terms.includes(term)) gone.push([bookId, term, contactId]);
    for (const [place, term] of terms.entries()) here.push([bookId, term, contactId, place === 0 ? 1 : 0]);
  }
  if (gone.length > 0) {
    await transaction.run(
      sql`DELETE FROM contact_terms WHERE (book_id, term, contact_id) IN
            (SELECT book_id, term, contact_id FROM ${rowSet('gone', keyColumns, gone)})`,
    );
  }
  await transaction.insert(
    'contact_terms',
    termColumns,
    here,
    'ON CONFLICT (book_id, term, contact_id) DO UPDATE SET is_first = excluded.is_first',
  );
}

/** Of contacts that were written before there were terms; tells how many. */
export const addMissingTerms = singleWriteVerb(
  'contacts.addMissingTerms',
  async (transaction, { bookId, limit }: { readonly bookId: number; readonly limit: number }) => {
    await lockBooks(transaction, [bookId]);
    const rows = await transaction.all<{
      id: number;
      name: string;
      phone: string | null;
      email: string | null;
    }>(
      sql`SELECT id, name, phone, email FROM contacts
          WHERE book_id = ${bookId} AND has_terms = ${literal(0)} ORDER BY id LIMIT ${limit}`,
    );
    const moves = rows.map(({ id, name, phone, email }) => ({
      contactId: id,
      before: undefined,
      after: { ...noMore, name, phone: phone ?? undefined, email: email ?? undefined },
    }));
    await moveTerms(transaction, bookId, moves);
    const ids = rows.map(({ id }) => id);
    await transaction.run(
      sql`UPDATE contacts SET has_terms = 1 WHERE book_id = ${bookId} AND id ${oneOf('bigint', ids)}`,
    );
    return rows.length;
  },
  ({ limit }) => limit,
);

const noMore = { externalId: undefined, app: undefined, tags: [] } as const;

/** A book in which contacts lack their terms. */
export const findBookWithoutTerms = readVerb('contacts.findBookWithoutTerms', async (reading, _: null) => {
  const row = await reading.first<{ book_id: number }>(
    sql`SELECT book_id FROM contacts WHERE has_terms = ${literal(0)} LIMIT 1`,
  );
  return row?.book_id;
});

export interface TermPage {
  readonly bookId: number;
  /** The beginning that is looked for; empty: everybody, in the order of the names. */
  readonly sought: string;
  readonly after: { readonly term: string; readonly id: number } | undefined;
  readonly limit: number;
}

export interface TermRow {
  readonly term: string;
  readonly id: number;
}

/** In the order of the terms. Who has several such comes once for each. */
export async function contactsByTerm(
  reading: Reading,
  { bookId, sought, after, limit }: TermPage,
): Promise<readonly TermRow[]> {
  const { term, id } = after ?? { term: sought, id: 0 };
  const which = sought === '' ? sql`is_first = ${literal(1)}` : sql`term < ${`${sought}\u{10ffff}`}`;
  return reading.all<TermRow>(
    sql`SELECT term, contact_id AS id FROM contact_terms
        WHERE book_id = ${bookId} AND (term, contact_id) > (${term}, ${id}) AND ${which}
        ORDER BY term, contact_id LIMIT ${limit}`,
  );
}
