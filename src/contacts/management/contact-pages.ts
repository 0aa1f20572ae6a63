/** Lists the contacts of a book page by page: all by name, those found by the beginning of a name or number, those whom a filter meets. */
import { sql } from '../../storage/sql.ts';
import { inTurns, type Reading, snapshotVerb } from '../../storage/verb.ts';
import type { TagFilter } from '../../wire/tag-filter.ts';
import type { BookQuery } from '../address-book.ts';
import type { Contact } from '../contact.ts';
import { readContacts } from '../contact-store.ts';
import { termsOf } from '../contact-terms.ts';
import type { StoredContact } from '../known-contacts.ts';
import { contactsMeeting } from '../store.ts';
import { contactsByTerm, type TermRow } from '../term-store.ts';

export interface ContactQuery extends BookQuery {
  /** The beginning of a name or number, as `termSought` makes it; empty: of any. */
  readonly sought: string;
  readonly filter: TagFilter | undefined;
  /** Undefined: from the beginning. Of a list by filter the id alone counts. */
  readonly after: TermRow | undefined;
  readonly limit: number;
}

export interface FoundContacts {
  readonly contacts: readonly StoredContact[];
  /** Undefined: there are no more. */
  readonly next: TermRow | undefined;
}

/** Where few meet the filter among many of a name, so many are looked at for a page. */
const maxLookedAt = 2_000;

export const findContactPage = inTurns(
  snapshotVerb('contacts.findPage', async (reading, query: ContactQuery): Promise<FoundContacts> => {
    const { bookId, sought, filter, limit } = query;
    if (filter !== undefined && sought === '') return pageByFilter(reading, { ...query, filter });
    const contacts: StoredContact[] = [];
    let { after } = query;
    let lookedAt = 0;
    for (;;) {
      const rows = await contactsByTerm(reading, { bookId, sought, after, limit: limit + 1 });
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

/** Who has several terms that begin so is shown where the first of them stands. */
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

async function pageByFilter(
  reading: Reading,
  { bookId, filter, after, limit }: ContactQuery & { readonly filter: TagFilter },
): Promise<FoundContacts> {
  const meeting = await contactsMeeting(reading, bookId, filter);
  if (meeting === undefined) return { contacts: [], next: undefined };
  const rows = await reading.all<{ contact_id: number }>(
    sql`${meeting} AND contact_id > ${after?.id ?? 0} ORDER BY contact_id LIMIT ${limit + 1}`,
  );
  const ids = rows.slice(0, limit).map(({ contact_id }) => contact_id);
  const last = ids.at(-1);
  const next = rows.length > limit && last !== undefined ? { term: '', id: last } : undefined;
  return { contacts: await readContacts(reading, bookId, ids), next };
}

export interface PeopleCount {
  readonly people: number;
  readonly withPhone: number;
}

/** How many a filter meets. */
export const countMeeting = inTurns(
  snapshotVerb(
    'contacts.countMeeting',
    async (reading, { bookId, filter }: BookQuery & { readonly filter: TagFilter }): Promise<PeopleCount> => {
      const meeting = await contactsMeeting(reading, bookId, filter);
      if (meeting === undefined) return { people: 0, withPhone: 0 };
      const row = await reading.first<PeopleCount>(
        sql`WITH met AS MATERIALIZED (${meeting})
            SELECT COUNT(*) AS people, COUNT(contacts.phone) AS "withPhone" FROM met
            JOIN contacts ON contacts.book_id = ${bookId} AND contacts.id = met.contact_id`,
      );
      return row as PeopleCount;
    },
  ),
  ({ owner }) => owner,
);

export const findContact = snapshotVerb(
  'contacts.find',
  async (reading, { bookId, id }: { readonly bookId: number; readonly id: number }) => {
    const [contact] = await readContacts(reading, bookId, [id]);
    return contact;
  },
);
