/**
 * The terms by whose prefixes a contact is found: its name, each word of its name, its number in both forms, and its
 * address. The terms are rows, written together with the contact. The first term is also the place of the contact in lists;
 * a name that stands elsewhere in Swedish has one more row for that.
 */
import type { Language } from '../foundation/language.ts';
import { WokenLoop } from '../foundation/woken-loop.ts';
import { literal, oneOf, rowSet, type Sql, sql } from '../storage/sql.ts';
import type { Row } from '../storage/storable.ts';
import type { Store } from '../storage/store.ts';
import { type Reading, readVerb, singleWriteVerb, type Transaction } from '../storage/verb.ts';
import { nationalForm, withoutSeparators } from '../wire/phone-number.ts';
import { plainForm, sortKey, withoutAccents } from '../wire/sort-key.ts';
import { lockBooks } from './book-records.ts';
import type { Contact } from './contact.ts';

/** The maximum number of words per name; a contact with more words is found by the first of them. */
const maxWords = 6;
/** Maximum characters of a term; longer terms usually differ in their beginnings. */
const maxTermLength = 60;

/** The first term is the one by which lists are sorted; in Swedish, the `swedishKey` if there is one. */
export function termsOf(
  { name, phone, email }: Pick<Contact, 'name' | 'phone' | 'email'>,
  form = plainForm,
): readonly string[] {
  const words = wordsOf(form(name));
  const fromWords = words.slice(0, maxWords).map((_, from) => termFrom(words.slice(from).join(' ')));
  const numbers = phone === undefined ? [] : [phone, nationalForm(phone)];
  const terms = new Set([
    ...fromWords,
    ...numbers,
    ...(email === undefined ? [] : [termFrom(email.toLowerCase())]),
  ]);
  return terms.size > 0 ? [...terms] : [''];
}

/** The key that sorts a contact in Swedish; undefined if the first of its terms does. */
function swedishKey(name: string, terms: readonly string[]): string | undefined {
  if (isAscii(name)) return undefined;
  const words = wordsOf(name.normalize('NFC').toLowerCase()).map((word) => sortKey(word, 'sv'));
  const key = termFrom(words.join(' '));
  // Cut to their length, the key of a name may equal a term of some of its words; it then stands where it does in English.
  return words.length === 0 || terms.includes(key) ? undefined : key;
}

/** Most names are ASCII, and those sort alike in both languages, so nothing more is computed for them. */
function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}

/** The prefix to search for when someone types this. */
export function termSought(written: string): string {
  const digits = withoutSeparators(written);
  if (/^[0-9]+$/.test(digits)) return termFrom(digits.startsWith('00') ? digits.slice(2) : digits);
  return written.includes('@')
    ? termFrom(written.trim().toLowerCase())
    : termFrom(wordsOf(plainForm(written)).join(' '));
}

function wordsOf(text: string): readonly string[] {
  return text.split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => word !== '');
}

/** Never cuts within a surrogate pair. */
function termFrom(text: string): string {
  return text.slice(0, maxTermLength).replace(/[\uD800-\uDBFF]$/, '');
}

const keyColumns = { book_id: 'bigint', term: 'text', contact_id: 'bigint' } as const;
const termColumns = { ...keyColumns, is_first: 'smallint' } as const;

/** What a row says about its contact's place in lists (`is_first`). Searches ignore rows that are `inSwedish`. */
const place = { none: 0, inAll: 1, inEnglish: 2, inSwedish: 3 } as const;
const placesOf = { en: [place.inAll, place.inEnglish], sv: [place.inAll, place.inSwedish] } as const;

/** All rows of a contact: their terms, and what each says of the order. */
function rowsOf(contact: Contact): readonly (readonly [term: string, isFirst: number])[] {
  const terms = termsOf(contact);
  const swedish = swedishKey(contact.name, terms);
  const first = swedish === undefined ? place.inAll : place.inEnglish;
  const rows = terms.map((term, at) => [term, at === 0 ? first : place.none] as const);
  return swedish === undefined ? rows : [...rows, [swedish, place.inSwedish]];
}

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
    const rows = after === undefined ? [] : rowsOf(after);
    const terms = rows.map(([term]) => term);
    // The rows of a contact from before an upgrade may still be those of form 1.
    const old =
      before === undefined ? [] : [...rowsOf(before).map(([term]) => term), ...termsOfForm1(before)];
    for (const term of old) if (!terms.includes(term)) gone.push([bookId, term, contactId]);
    for (const [term, isFirst] of rows) here.push([bookId, term, contactId, isFirst]);
  }
  if (gone.length > 0)
    await transaction.run(
      sql`DELETE FROM contact_terms WHERE (book_id, term, contact_id) IN
            (SELECT book_id, term, contact_id FROM ${rowSet('gone', keyColumns, gone)})`,
    );
  await transaction.insert(
    'contact_terms',
    termColumns,
    here,
    'ON CONFLICT (book_id, term, contact_id) DO UPDATE SET is_first = excluded.is_first',
  );
}

/** The terms of a contact in form 1 that may differ from those in form 2. */
function termsOfForm1(contact: Contact): readonly string[] {
  return isAscii(contact.name) ? [] : termsOf(contact, withoutAccents);
}

/** The form of a contact's rows that this version writes (`has_terms`). In form 1, all rows were terms, and kept letters like ø. */
export const formOfTerms = 2;

/** Writes the rows of contacts that have none, or those of an earlier version; returns how many contacts. */
export const addMissingTerms = singleWriteVerb(
  'contacts.addMissingTerms',
  async (transaction, { bookId, limit }: { readonly bookId: number; readonly limit: number }) => {
    await lockBooks(transaction, [bookId]);
    const rows = await transaction.all<{
      id: number;
      name: string;
      phone: string | null;
      email: string | null;
      has_terms: number;
    }>(
      sql`SELECT id, name, phone, email, has_terms FROM contacts
          WHERE book_id = ${bookId} AND has_terms < ${literal(formOfTerms)} ORDER BY id LIMIT ${limit}`,
    );
    const changed = rows
      .filter(({ name, has_terms }) => has_terms === 0 || !isAscii(name))
      .map(({ id, name, phone, email }) => {
        const contact = { ...noMore, name, phone: phone ?? undefined, email: email ?? undefined };
        return { contactId: id, before: contact, after: contact };
      });
    await moveTerms(transaction, bookId, changed);
    const ids = rows.map(({ id }) => id);
    await transaction.run(
      sql`UPDATE contacts SET has_terms = ${literal(formOfTerms)}
          WHERE book_id = ${bookId} AND id ${oneOf('bigint', ids)}`,
    );
    return rows.length;
  },
  ({ limit }) => limit,
);

const noMore = { externalId: undefined, app: undefined, tags: [] } as const;

/** A book with contacts that lack their rows, or have those of an earlier version. */
export const findBookWithoutTerms = readVerb('contacts.findBookWithoutTerms', async (reading, _: null) => {
  const row = await reading.first<{ book_id: number }>(
    sql`SELECT book_id FROM contacts WHERE has_terms < ${literal(formOfTerms)} LIMIT 1`,
  );
  return row?.book_id;
});

export interface TermPage {
  readonly bookId: number;
  /** The prefix to search for; empty for all contacts, in name order. */
  readonly sought: string;
  /**
   * The language in whose order a list of all contacts is. What a search finds is in the order of its terms, where accents make
   * no difference.
   */
  readonly language: Language;
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
  { bookId, sought, language, after, limit }: TermPage,
): Promise<readonly TermRow[]> {
  const { term, id } = after ?? { term: sought, id: 0 };
  const rows = (which: Sql) =>
    sql`SELECT term, contact_id AS id FROM contact_terms
        WHERE book_id = ${bookId} AND (term, contact_id) > (${term}, ${id}) AND ${which}
        ORDER BY term, contact_id LIMIT ${limit}`;
  if (sought !== '')
    return reading.all<TermRow>(
      rows(sql`term < ${`${sought}\u{10ffff}`} AND is_first <> ${literal(place.inSwedish)}`),
    );
  const ofPlace = (one: number) => rows(sql`is_first = ${literal(one)}`);
  const [all, own] = placesOf[language];
  return reading.all<TermRow>(
    sql`SELECT term, id FROM (SELECT * FROM (${ofPlace(all)}) AS all_rows
          UNION ALL SELECT * FROM (${ofPlace(own)}) AS own_rows) AS found ORDER BY term, id LIMIT ${limit}`,
  );
}

/** A node of an earlier version that was suspended during the upgrade may still write contacts afterwards. */
const lookEveryMs = 60_000;
/** Contacts per transaction. */
const setSize = 300;

/** Gives contacts from before an upgrade the rows of this version, while the server is in service. */
export function missingTerms(store: Store, log: { warn(details: object, message: string): void }): WokenLoop {
  const failed = (error: unknown) =>
    log.warn(
      { error },
      'some contacts from before an upgrade are not yet found by name, or sorted; trying again',
    );
  return new WokenLoop({ pauseMs: lookEveryMs, firstMs: 0, failed }, async (signal) => {
    while (!signal.aborted) {
      const bookId = await store.read(findBookWithoutTerms, null);
      if (bookId === undefined) return;
      await store.write(addMissingTerms, { bookId, limit: setSize });
    }
  });
}
