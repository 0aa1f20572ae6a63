/** People of an address book as they are found, for those who ask them one after the other. */
import { byDialect, oneOf, sql } from '../storage/sql.ts';
import type { Store } from '../storage/store.ts';
import { inTurns, type Reading, type ReadOwner, snapshotVerb, theCaller } from '../storage/verb.ts';
import type { TagFilter } from '../wire/tag-filter.ts';
import {
  type BookQuery,
  filtersNamed,
  membersIn,
  placesOfGroup,
  readableBooks,
  type UnknownNames,
  unknownGroup,
} from './address-book.ts';
import { type MetContact, meeting } from './filter-pages.ts';

export interface FoundPerson {
  /** Of the contact in the store, by which it is known again: what lists call one may be another's own id. */
  readonly rowId: number | null;
  /** What the operator's lists call the contact, else its own id; empty for a number that is no contact's. */
  readonly contactId: string;
  readonly name: string;
  /** Null: there is none. */
  readonly phone: string | null;
  readonly email: string | null;
  /** Address in the mobile app. */
  readonly app: string | null;
}

/** Whom to find: those whom a filter meets, the members of the groups, and the numbers. */
export interface PeopleSelection {
  readonly numbers: readonly string[];
  readonly filters: readonly TagFilter[];
  /** Names. */
  readonly savedFilters: readonly string[];
  readonly groups: readonly string[];
}

export interface PeopleQuery extends ReadOwner {
  readonly selections: readonly PeopleSelection[];
  /** Of each selection at most so many by each filter, and as many by the groups. */
  readonly limit: number;
}

export type FoundPeople =
  | { readonly kind: 'found'; readonly people: readonly (readonly FoundPerson[])[] }
  /** A filter, or the groups, have as many as the limit, and perhaps more. */
  | { readonly kind: 'tooMany' }
  | UnknownNames;

/** What a selection names, where the default book knows it. */
export interface NamedPeople {
  readonly listed: readonly FoundPerson[];
  /** Saved ones too. */
  readonly filters: readonly TagFilter[];
  readonly members: readonly FoundPerson[];
}

type FoundNames =
  | { readonly kind: 'found'; readonly bookId: number | undefined; readonly named: readonly NamedPeople[] }
  | Exclude<FoundPeople, { readonly kind: 'found' }>;

/** The people of numbers and groups, and what saved filters say; of each selection. */
export const readNamedPeople = inTurns(
  snapshotVerb(
    'contacts.readNamedPeople',
    async (reading, { userId, selections, limit }: PeopleQuery): Promise<FoundNames> => {
      const book = (await readableBooks(reading, userId)).find(({ isDefault }) => isDefault);
      const needsBook = selections.some(
        ({ filters, savedFilters, groups }) => filters.length + savedFilters.length + groups.length > 0,
      );
      if (book === undefined && needsBook) return { kind: 'noDefaultBook' };
      const named: NamedPeople[] = [];
      for (const selection of selections) {
        const found = await find(reading, book?.id, selection, limit);
        if ('kind' in found) return found;
        named.push(found);
      }
      return { kind: 'found', bookId: book?.id, named };
    },
  ),
  theCaller,
);

async function find(
  reading: Reading,
  bookId: number | undefined,
  { numbers, filters, savedFilters, groups }: PeopleSelection,
  limit: number,
): Promise<NamedPeople | Exclude<FoundPeople, { readonly kind: 'found' }>> {
  const unnamed = numbers.map(unknownWith);
  if (bookId === undefined) return { listed: unnamed, filters: [], members: [] };
  const known = new Map(
    (await peopleByPhone(reading, bookId, numbers)).map((person) => [person.phone, person]),
  );
  const saved = await filtersNamed(reading, bookId, savedFilters);
  if ('kind' in saved) return saved;
  const unknown = await unknownGroup(reading, bookId, groups);
  if (unknown !== undefined) return unknown;
  const members = groups.length > 0 ? await byGroups(reading, bookId, groups, limit) : [];
  if (members.length === limit) return { kind: 'tooMany' };
  const listed = unnamed.map((person) => known.get(person.phone) ?? person);
  return { listed, filters: [...filters, ...saved], members };
}

export function toPerson({ id, external_id, ...about }: MetContact): FoundPerson {
  const { name, phone, email, app } = about;
  return { rowId: id, contactId: external_id ?? String(id), name, phone, email, app };
}

/** A number that is no contact's. */
function unknownWith(phone: string): FoundPerson {
  return { rowId: null, contactId: '', name: '', phone, email: null, app: null };
}

const lowestFirst = (a: MetContact, b: MetContact) => a.id - b.id;

/** Of people who share a phone the first contact. */
export async function peopleByPhone(
  reading: Reading,
  bookId: number,
  numbers: readonly string[],
): Promise<readonly FoundPerson[]> {
  if (numbers.length === 0) return [];
  const rows = await reading.all<MetContact>(
    sql`SELECT id, external_id, name, phone, email, app FROM contacts
        WHERE book_id = ${bookId} AND phone ${oneOf('text', numbers)}`,
  );
  // The last one of a phone is the one that a map keeps.
  return [...rows].sort((a, b) => -lowestFirst(a, b)).map(toPerson);
}

// A list without a number has no contact: `NULL = NULL` is not true, and the join below leaves it alone.
const noId = byDialect({ sqlite: '0', postgres: '0::BIGINT' });

/** In the order of the groups and of their members. A number that is a contact's has its name. */
async function byGroups(
  reading: Reading,
  bookId: number,
  groups: readonly string[],
  limit: number,
): Promise<readonly FoundPerson[]> {
  const rows = await reading.all<MetContact & { number: string | null }>(
    sql`SELECT COALESCE(contacts.id, ${noId}) AS id, contacts.external_id, COALESCE(contacts.name, '') AS name,
          contacts.phone, contacts.email, contacts.app, group_members.number
        FROM ${membersIn(bookId, groups)}
        ORDER BY asked.rank * ${placesOfGroup} + group_members.place LIMIT ${limit}`,
  );
  const named = await peopleByPhone(
    reading,
    bookId,
    rows.flatMap(({ number }) => number ?? []),
  );
  const byNumber = new Map(named.map((person) => [person.phone, person]));
  return rows.map((row) =>
    row.number === null ? toPerson(row) : (byNumber.get(row.number) ?? unknownWith(row.number)),
  );
}

/** For each selection: numbers first, then by the contacts' ids, then members of groups; the same person may come again. */
export async function findPeople(store: Store, query: PeopleQuery): Promise<FoundPeople> {
  const { companyId, userId, limit } = query;
  const found = await store.read(readNamedPeople, query);
  if (found.kind !== 'found') return found;
  const people: FoundPerson[][] = [];
  for (const { listed, filters, members } of found.named) {
    const met: FoundPerson[] = [];
    for (const filter of filters) {
      const book = { bookId: found.bookId ?? 0, owner: { companyId, userId } };
      const some = await peopleMeeting(store, { ...book, filter }, limit);
      if (some.length >= limit) return { kind: 'tooMany' };
      met.push(...some);
    }
    people.push([...listed, ...met, ...members]);
  }
  return { kind: 'found', people };
}

/** So many, or a page more, where there are as many. */
async function peopleMeeting(
  store: Store,
  wanted: BookQuery & { readonly filter: TagFilter },
  limit: number,
): Promise<readonly FoundPerson[]> {
  const people: FoundPerson[] = [];
  for await (const met of meeting(store, wanted)) {
    people.push(...met.map(toPerson));
    if (people.length >= limit) break;
  }
  return people;
}
