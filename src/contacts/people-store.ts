/** Finds people of a user's default address book with their names, as those need them who ask one after the other. */
import { byDialect, oneOf, sql } from '../storage/sql.ts';
import { inTurns, type Reading, snapshotVerb, theCaller } from '../storage/verb.ts';
import type { TagFilter } from '../wire/tag-filter.ts';
import type { FoundPeople, FoundPerson, PeopleQuery, PeopleSelection } from './found-people.ts';
import {
  contactsMeeting,
  filterNames,
  findSavedFilter,
  groupNames,
  knownGroups,
  membersIn,
  placesOfGroup,
  readableBooks,
} from './store.ts';

/** For each selection: numbers first, then by the contacts' ids, then members of groups; the same person may come again. */
export const readPeople = inTurns(
  snapshotVerb(
    'contacts.readPeople',
    async (reading, { userId, selections, limit }: PeopleQuery): Promise<FoundPeople> => {
      const book = (await readableBooks(reading, userId)).find(({ isDefault }) => isDefault);
      const needsBook = selections.some(
        ({ filters, savedFilters, groups }) => filters.length + savedFilters.length + groups.length > 0,
      );
      if (book === undefined && needsBook) return { kind: 'noDefaultBook' };
      const people: FoundPerson[][] = [];
      for (const selection of selections) {
        const found = await find(reading, book?.id, selection, limit);
        if ('kind' in found) return found;
        people.push(found);
      }
      return { kind: 'found', people };
    },
  ),
  theCaller,
);

type NotFound = Exclude<FoundPeople, { readonly kind: 'found' }>;

async function find(
  reading: Reading,
  bookId: number | undefined,
  { numbers, filters, savedFilters, groups }: PeopleSelection,
  limit: number,
): Promise<FoundPerson[] | NotFound> {
  const listed = numbers.map(unknownWith);
  if (bookId === undefined) return listed;
  const named = new Map(
    (await peopleByPhone(reading, bookId, numbers)).map((person) => [person.phone, person]),
  );
  const people: FoundPerson[] = listed.map((person) => named.get(person.phone) ?? person);
  const all = [...filters];
  for (const name of savedFilters) {
    const saved = await findSavedFilter(reading, bookId, name);
    if (saved === undefined)
      return { kind: 'unknownName', what: 'filter', name, known: await filterNames(reading, bookId) };
    all.push(saved);
  }
  const known = await knownGroups(reading, bookId, groups);
  const unknown = groups.find((name) => !known.has(name));
  if (unknown !== undefined)
    return { kind: 'unknownName', what: 'group', name: unknown, known: await groupNames(reading, bookId) };
  for (const filter of all) {
    const met = await byFilter(reading, bookId, filter, limit);
    if (met.length === limit) return { kind: 'tooMany' };
    people.push(...met);
  }
  const members = groups.length > 0 ? await byGroups(reading, bookId, groups, limit) : [];
  if (members.length === limit) return { kind: 'tooMany' };
  return [...people, ...members];
}

interface PersonRow {
  readonly id: number;
  readonly external_id: string | null;
  readonly name: string;
  readonly phone: string | null;
  readonly email: string | null;
  readonly app: string | null;
}

function toPerson({ id, external_id, ...about }: PersonRow): FoundPerson {
  const { name, phone, email, app } = about;
  return { rowId: id, contactId: external_id ?? String(id), name, phone, email, app };
}

/** A number that is no contact's. */
function unknownWith(phone: string): FoundPerson {
  return { rowId: null, contactId: '', name: '', phone, email: null, app: null };
}

const lowestFirst = (a: PersonRow, b: PersonRow) => a.id - b.id;

/** Of people who share a phone the first contact. */
export async function peopleByPhone(
  reading: Reading,
  bookId: number,
  numbers: readonly string[],
): Promise<readonly FoundPerson[]> {
  if (numbers.length === 0) return [];
  const rows = await reading.all<PersonRow>(
    sql`SELECT id, external_id, name, phone, email, app FROM contacts
        WHERE book_id = ${bookId} AND phone ${oneOf('text', numbers)}`,
  );
  // The last one of a phone is the one that a map keeps.
  return [...rows].sort((a, b) => -lowestFirst(a, b)).map(toPerson);
}

async function byFilter(
  reading: Reading,
  bookId: number,
  filter: TagFilter,
  limit: number,
): Promise<readonly FoundPerson[]> {
  const meets = await contactsMeeting(reading, bookId, filter);
  if (meets === undefined) return [];
  const rows = await reading.all<PersonRow>(
    sql`WITH met AS MATERIALIZED (${meets})
        SELECT contacts.id, contacts.external_id, contacts.name, contacts.phone, contacts.email, contacts.app FROM met
        JOIN contacts ON contacts.book_id = ${bookId} AND contacts.id = met.contact_id LIMIT ${limit}`,
  );
  return [...rows].sort(lowestFirst).map(toPerson);
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
  const rows = await reading.all<PersonRow & { number: string | null }>(
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
