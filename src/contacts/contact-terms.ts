/**
 * The terms by whose prefixes a contact is found: its name, each word of its name, its number in both forms, and its
 * address. The terms are rows, written together with the contact.
 */
import { WokenLoop } from '../foundation/woken-loop.ts';
import { literal, oneOf, rowSet, sql } from '../storage/sql.ts';
import type { Row } from '../storage/storable.ts';
import type { Store } from '../storage/store.ts';
import { type Reading, readVerb, singleWriteVerb, type Transaction } from '../storage/verb.ts';
import { nationalForm, withoutSeparators } from '../wire/phone-number.ts';
import { lockBooks } from './book-records.ts';
import type { Contact } from './contact.ts';

/** The maximum number of words per name; a contact with more words is found by the first of them. */
const maxWords = 6;
/** Maximum characters of a term; longer terms usually differ in their beginnings. */
const maxTermLength = 60;

/** The first term is the one by which lists are sorted. */
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

/** The prefix to search for when someone types this. */
export function termSought(written: string): string {
  const digits = withoutSeparators(written);
  if (/^[0-9]+$/.test(digits)) return termFrom(digits.startsWith('00') ? digits.slice(2) : digits);
  return written.includes('@')
    ? termFrom(written.trim().toLowerCase())
    : termFrom(wordsOf(written).join(' '));
}

/** In lower case without accents, because no one types accents on a phone. */
export function plainForm(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

function wordsOf(text: string): readonly string[] {
  return plainForm(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** Never cuts within a surrogate pair. */
function termFrom(text: string): string {
  return text.slice(0, maxTermLength).replace(/[\uD800-\uDBFF]$/, '');
}

const keyColumns = { book_id: 'bigint', term: 'text', contact_id: 'bigint' } as const;
const termColumns = { ...keyColumns, is_first: 'smallint' } as const;

export interface TermMove {
  readonly contactId: number;
  /** Undefined for a new contact. */
  readonly before: Contact | undefined;
  /** Undefined when the contact is removed. */
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

/** Adds terms to contacts written before terms existed; returns to how many. */
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

/** A book with contacts that lack their terms. */
export const findBookWithoutTerms = readVerb('contacts.findBookWithoutTerms', async (reading, _: null) => {
  const row = await reading.first<{ book_id: number }>(
    sql`SELECT book_id FROM contacts WHERE has_terms = ${literal(0)} LIMIT 1`,
  );
  return row?.book_id;
});

export interface TermPage {
  readonly bookId: number;
  /** The prefix to search for; empty for all contacts, in name order. */
  readonly sought: string;
  readonly after: { readonly term: string; readonly id: number } | undefined;
  readonly limit: number;
}

export interface TermRow {
  readonly term: string;
  readonly id: number;
}

/** In the order of the terms. A contact with several matching terms appears once for each. */
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

/** A node that still runs the version before terms may go on writing contacts without them. */
const lookEveryMs = 60_000;
/** Contacts per transaction. */
const setSize = 300;

/** Adds terms to contacts written before terms existed: after an upgrade, while the server is in service. */
export function missingTerms(store: Store, log: { warn(details: object, message: string): void }): WokenLoop {
  const failed = (error: unknown) =>
    log.warn({ error }, 'some contacts from before an upgrade cannot be found by name yet; trying again');
  return new WokenLoop({ pauseMs: lookEveryMs, firstMs: 0, failed }, async (signal) => {
    while (!signal.aborted) {
      const bookId = await store.read(findBookWithoutTerms, null);
      if (bookId === undefined) return;
      await store.write(addMissingTerms, { bookId, limit: setSize });
    }
  });
}
