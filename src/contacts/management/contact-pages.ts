/**
 * Lists the contacts of a book page by page: all by name, those found by a prefix of a name or number, or those that match a
 * filter.
 */
import type { Language } from '../../foundation/language.ts';
import type { ReadOptions, Store } from '../../storage/store.ts';
import { inTurns, snapshotVerb } from '../../storage/verb.ts';
import type { TagFilter } from '../../wire/tag-filter.ts';
import type { BookQuery } from '../address-book.ts';
import type { Contact } from '../contact.ts';
import { readContacts } from '../contact-store.ts';
import { contactsByTerm, type TermRow, termsOf } from '../contact-terms.ts';
import { meeting } from '../filter-pages.ts';
import type { StoredContact } from '../known-contacts.ts';

export interface ContactQuery extends BookQuery {
  /** A prefix of a name or number, in the form of `termSought`; empty matches all. */
  readonly sought: string;
  readonly filter: TagFilter | undefined;
  /** Whose order all contacts have, if nothing is sought. */
  readonly language: Language;
  /** Undefined starts from the beginning. In a list by filter, only the id counts. */
  readonly after: TermRow | undefined;
  readonly limit: number;
}

export interface FoundContacts {
  readonly contacts: readonly StoredContact[];
  /** Undefined when there are no more. */
  readonly next: TermRow | undefined;
}

/** When few of many contacts with a name match the filter, at most this many are examined per page. */
const maxLookedAt = 2_000;

export const findContactPage = inTurns(
  snapshotVerb('contacts.findPage', async (reading, query: ContactQuery): Promise<FoundContacts> => {
    const { bookId, sought, language, filter, limit } = query;
    const contacts: StoredContact[] = [];
    let { after } = query;
    let lookedAt = 0;
    for (;;) {
      const rows = await contactsByTerm(reading, { bookId, sought, language, after, limit: limit + 1 });
      const page = rows.slice(0, limit);
      const byId = new Map(
        (
          await readContacts(
            reading,
            bookId,
            page.map(({ id }) => id),
          )
        ).map((one) => [one.id, one]),
      );
      for (const row of page) {
        after = row;
        const contact = byId.get(row.id);
        if (contact === undefined || !isFirstOf(contact, row, sought) || !meets(contact, filter)) continue;
        contacts.push(contact);
        if (contacts.length === limit) return { contacts, next: rows.at(-1) === row ? undefined : row };
      }
      lookedAt += page.length;
      if (rows.length <= limit) return { contacts, next: undefined };
      if (filter === undefined || lookedAt >= maxLookedAt) return { contacts, next: after };
    }
  }),
  ({ owner }) => owner,
);

/** A contact with several matching terms is shown at the first of them. */
function isFirstOf(contact: Contact, { term }: TermRow, sought: string): boolean {
  if (sought === '') return true;
  const [first] = termsOf(contact)
    .filter((one) => one.startsWith(sought))
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return first === term;
}

function meets({ tags }: Contact, filter: TagFilter | undefined): boolean {
  return (filter ?? []).every(({ tagType, tagValues }) =>
    tags.some(({ type, value }) => type === tagType && tagValues.includes(value)),
  );
}

export const readSomeContacts = inTurns(
  snapshotVerb(
    'contacts.readSome',
    (reading, { bookId, ids }: BookQuery & { readonly ids: readonly number[] }) =>
      readContacts(reading, bookId, ids),
  ),
  ({ owner }) => owner,
);

/** Like `findContactPage`, but in the order of the contacts' ids. */
export async function pageByFilter(
  store: Store,
  { bookId, owner, filter, after, limit }: Omit<ContactQuery, 'language'> & { readonly filter: TagFilter },
  options: ReadOptions,
): Promise<FoundContacts> {
  const ids: number[] = [];
  for await (const met of meeting(store, { bookId, owner, filter, after: after?.id }, options)) {
    ids.push(...met.map(({ id }) => id));
    if (ids.length > limit) break;
  }
  const page = ids.slice(0, limit);
  const last = page.at(-1);
  const next = ids.length > limit && last !== undefined ? { term: '', id: last } : undefined;
  return { contacts: await store.read(readSomeContacts, { bookId, owner, ids: page }, options), next };
}

export interface PeopleCount {
  readonly people: number;
  readonly withPhone: number;
}

/** The number of contacts that match a filter. */
export async function countMeeting(
  store: Store,
  wanted: BookQuery & { readonly filter: TagFilter },
  options: ReadOptions,
): Promise<PeopleCount> {
  let [people, withPhone] = [0, 0];
  for await (const met of meeting(store, wanted, options)) {
    people += met.length;
    withPhone += met.filter(({ phone }) => phone !== null).length;
  }
  return { people, withPhone };
}

export const findContact = snapshotVerb(
  'contacts.find',
  async (reading, { bookId, id }: { readonly bookId: number; readonly id: number }) => {
    const [contact] = await readContacts(reading, bookId, [id]);
    return contact;
  },
);
