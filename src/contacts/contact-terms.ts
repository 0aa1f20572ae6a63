/**
 * The terms by whose beginnings a contact is found: its name, each word of its name, its number in both forms, its address.
 * They are rows, written with the contact.
 */
import { WokenLoop } from '../foundation/woken-loop.ts';
import { literal, oneOf, rowSet, sql } from '../storage/sql.ts';
import type { Row } from '../storage/storable.ts';
import type { Store } from '../storage/store.ts';
import { type Reading, readVerb, singleWriteVerb, type Transaction } from '../storage/verb.ts';
import { nationalForm, withoutSeparators } from '../wire/phone-number.ts';
import { lockBooks } from './book-records.ts';
import type { Contact } from './contact.ts';

/** Of a name; whoever has more words is found by the first of them. */
const maxWords = 6;
/** Of a term, in characters: longer ones differ in the beginning. */
const maxTermLength = 60;

/** The first is the one that lists are sorted by. */
export function termsOf({
  name,
  phone,
  email,
}: Pick<Contact, 'name' | 'phone' | 'email'>): readonly string[] {
  const words = wordsOf(name);
  const fromWords = words.slice(0, maxWords).map((_, from) => termFrom(words.slice(from).join(' ')));
  const numbers = phone === undefined ? [] : [phone, nationalForm(phone)];
  const terms = new Set([
    ...fromWords,
    ...numbers,
    ...(email === undefined ? [] : [termFrom(email.toLowerCase())]),
  ]);
  return terms.size > 0 ? [...terms] : [''];
}

/** The beginning that is looked for when somebody writes this. */
export function termSought(written: string): string {
  const digits = withoutSeparators(written);
  if (/^[0-9]+$/.test(digits)) return termFrom(digits.startsWith('00') ? digits.slice(2) : digits);
  return written.includes('@')
    ? termFrom(written.trim().toLowerCase())
    : termFrom(wordsOf(written).join(' '));
}

/** In small letters without accents: on a telephone nobody writes them. */
function wordsOf(text: string): readonly string[] {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}

/** Not cut between the halves of a surrogate pair. */
function termFrom(text: string): string {
  return text.slice(0, maxTermLength).replace(/[\uD800-\uDBFF]$/, '');
}

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

/** A node of the version before terms, which has not been stopped yet, may go on to write contacts without them. */
const lookEveryMs = 60_000;
/** Contacts in a transaction. */
const setSize = 300;

/** Gives terms to contacts that were written before there were any: after an upgrade, while the server serves. */
export function missingTerms(store: Store, log: { warn(details: object, message: string): void }): WokenLoop {
  const failed = (error: unknown) =>
    log.warn({ error }, 'contacts from before an upgrade are not all found by name yet; it is tried again');
  return new WokenLoop({ pauseMs: lookEveryMs, firstMs: 0, failed }, async (signal) => {
    while (!signal.aborted) {
      const bookId = await store.read(findBookWithoutTerms, null);
      if (bookId === undefined) return;
      await store.write(addMissingTerms, { bookId, limit: setSize });
    }
  });
}
