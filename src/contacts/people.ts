/** People from an address book, as they are found for the features that ask them one by one. */
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
  /** The id of the contact in the store, which identifies it: the id used by lists may equal another contact's own id. */
  readonly rowId: number | null;
  /** The contact's id in the operator's lists, or else its own id; empty for a number that belongs to no contact. */
  readonly contactId: string;
  readonly name: string;
  /** Null when there is none. */
  readonly phone: string | null;
  readonly email: string | null;
  /** The contact's address in the mobile app. */
  readonly app: string | null;
}

/** The people to find: those who match a filter, the members of the groups, and the numbers. */
export interface PeopleSelection {
  readonly numbers: readonly string[];
  readonly filters: readonly TagFilter[];
  /** Names. */
  readonly savedFilters: readonly string[];
  readonly groups: readonly string[];
}

export interface PeopleQuery extends ReadOwner {
  readonly selections: readonly PeopleSelection[];
  /**
   * Per selection, the maximum number of people for each filter, and for its groups together. All filters together may match
   * `limitsOfAll` times as many.
   */
  readonly limit: number;
}

export type FoundPeople =
  | { readonly kind: 'found'; readonly people: readonly (readonly FoundPerson[])[] }
  /** A filter or the groups reach the limit, and may have more. */
  | { readonly kind: 'tooMany' }
  | UnknownNames;

/** The people and filters that a selection names, as far as the default book knows them. */
export interface NamedPeople {
  readonly listed: readonly FoundPerson[];
  /** Includes saved filters. */
  readonly filters: readonly TagFilter[];
  readonly members: readonly FoundPerson[];
}

type FoundNames =
  | { readonly kind: 'found'; readonly bookId: number | undefined; readonly named: readonly NamedPeople[] }
  | Exclude<FoundPeople, { readonly kind: 'found' }>;

/**
 * A run has at most as many people as one filter may match. Even with all whom its exclusions leave out (by two lists of
 * numbers and two filters), they are no more than this many times the limit.
 */
const limitsOfAll = 5;

/** For each selection, the people of its numbers and groups, and the definitions of its saved filters. */
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

/** A number that belongs to no contact. */
function unknownWith(phone: string): FoundPerson {
  return { rowId: null, contactId: '', name: '', phone, email: null, app: null };
}

const lowestFirst = (a: MetContact, b: MetContact) => a.id - b.id;

/** If people share a phone, the first contact is used. */
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
  // A map keeps the last entry for each phone.
  return [...rows].sort((a, b) => -lowestFirst(a, b)).map(toPerson);
}

// Stands for the id of a member without a contact: `NULL = NULL` is not true, so the join below finds none for it.
const noId = byDialect({ sqlite: '0', postgres: '0::BIGINT' });

/** In the order of the groups and of their members. A number that belongs to a contact gets its name. */
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

/**
 * For each selection: first the numbers, then contacts by id, then group members; the same person may occur more than once.
 */
export async function findPeople(store: Store, query: PeopleQuery): Promise<FoundPeople> {
  const { companyId, userId, limit } = query;
  const found = await store.read(readNamedPeople, query);
  if (found.kind !== 'found') return found;
  const people: FoundPerson[][] = [];
  // The filters of many levels may match the same people, who are kept in memory once.
  const known = new Map<number | null, FoundPerson>();
  for (const { listed, filters, members } of found.named) {
    const met: FoundPerson[] = [];
    for (const filter of filters) {
      const book = { bookId: found.bookId ?? 0, owner: { companyId, userId } };
      const some = await peopleMeeting(store, { ...book, filter }, limit);
      if (some.length >= limit) return { kind: 'tooMany' };
      for (const person of some) {
        const same = known.get(person.rowId) ?? person;
        known.set(person.rowId, same);
        met.push(same);
      }
      if (known.size > limit * limitsOfAll) return { kind: 'tooMany' };
    }
    people.push([...listed, ...met, ...members]);
  }
  return { kind: 'found', people };
}

/** Returns at most `limit` people, or up to one page more. */
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
