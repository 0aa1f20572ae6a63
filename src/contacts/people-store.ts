/** Finds people of a user's default address book with their names, as those need them who ask one after the other. */
import { byDialect, oneOf, sql } from '../storage/sql.ts';
import { inTurns, type Reading, snapshotVerb, theCaller } from '../storage/verb.ts';
import type { TagFilter } from '../wire/tag-filter.ts';
import type { MetContact } from './filter-pages.ts';
import type { FoundPeople, FoundPerson, PeopleQuery, PeopleSelection } from './found-people.ts';
import { filtersNamed, membersIn, placesOfGroup, readableBooks, unknownGroup } from './store.ts';

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
