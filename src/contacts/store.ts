/** All SQL of address books: which a user may read, and whom a filter or a group selects. */
import { findCompanies } from '../accounts/company-records.ts';
import { oneOf, rowSet, type Sql, sql } from '../storage/sql.ts';
import { inTurns, type Reading, type ReadOwner, readVerb, snapshotVerb, theCaller } from '../storage/verb.ts';
import { parseTagFilter, type TagFilter } from '../wire/tag-filter.ts';
import type { AddressBook } from './address-book.ts';
import { tagKey } from './contact.ts';
import { findTags } from './tag-store.ts';

/** Those that the user may read, in the order of their ids. */
export const listReadableBooks = readVerb(
  'contacts.listReadableBooks',
  (reading, userId: number): Promise<readonly AddressBook[]> => readableBooks(reading, userId),
);

export async function readableBooks(reading: Reading, userId: number): Promise<readonly AddressBook[]> {
  const rows = await reading.all<{ id: number; name: string; is_default: number }>(
    sql`SELECT id, name, is_default FROM address_book_readers JOIN address_books ON id = book_id
        WHERE user_id = ${userId} ORDER BY id`,
  );
  return rows.map(({ id, name, is_default }) => ({ id, name, isDefault: is_default === 1 }));
}

/** The ids of books of that name, of one company or of all. */
export const findBooksByName = readVerb(
  'contacts.findBooksByName',
  async (reading, { company, name }: { readonly company: string | null; readonly name: string }) => {
    const rows = await reading.all<{ id: number; company_id: number }>(
      sql`SELECT id, company_id FROM address_books WHERE name = ${name} ORDER BY id`,
    );
    const names = await findCompanies(
      reading,
      rows.map(({ company_id }) => company_id),
    );
    const books = rows.map(({ id, company_id }) => ({ id, company: names.get(company_id)?.name }));
    return books.filter((book) => company === null || book.company === company);
  },
);

export interface SelectionQuery extends ReadOwner {
  readonly filter: TagFilter | undefined;
  /** Names; their selections are united. */
  readonly savedFilters: readonly string[];
  readonly groups: readonly string[];
  /** At most so many numbers are answered with by the filters, and as many by the groups. */
  readonly limit: number;
}

export type Selected =
  | {
      readonly kind: 'selected';
      /** Phone numbers, each once, in the order of the contacts' ids. */
      readonly byFilters: readonly string[];
      /** The others, each once, in the order of the groups and of their members. */
      readonly byGroups: readonly string[];
      /** Contacts selected that have no phone number; counted only when nobody else was selected. */
      readonly withoutPhone: number;
    }
  | { readonly kind: 'noDefaultBook' }
  | {
      readonly kind: 'unknownName';
      readonly what: 'filter' | 'group';
      readonly name: string;
      readonly known: readonly string[];
    };

/** Whom filters and groups select in the user's default book. */
export const selectNumbers = inTurns(
  snapshotVerb(
    'contacts.selectNumbers',
    async (reading, { userId, filter, savedFilters, groups, limit }: SelectionQuery): Promise<Selected> => {
      const book = (await readableBooks(reading, userId)).find(({ isDefault }) => isDefault);
      if (book === undefined) return { kind: 'noDefaultBook' };
      const filters = filter === undefined ? [] : [filter];
      for (const name of savedFilters) {
        const saved = await findSavedFilter(reading, book.id, name);
        if (saved === undefined) return unknownName('filter', name, await filterNames(reading, book.id));
        filters.push(saved);
      }
      const known = await knownGroups(reading, book.id, groups);
      const unknown = groups.find((name) => !known.has(name));
      if (unknown !== undefined) return unknownName('group', unknown, await groupNames(reading, book.id));
      const byFilters = new Set<string>();
      let withoutPhone = 0;
      for (const one of filters) {
        const meets = await contactsMeeting(reading, book.id, one);
        if (meets === undefined) continue;
        const numbers = await numbersOf(reading, book.id, meets, limit);
        for (const number of numbers) byFilters.add(number);
        if (numbers.length === 0) withoutPhone += await count(reading, meets);
      }
      const members = groups.length === 0 ? [] : await membersOf(reading, book.id, groups, limit);
      const byGroups = members.filter((number) => !byFilters.has(number));
      if (groups.length > 0 && members.length === 0)
        withoutPhone += await countWithoutPhone(reading, book.id, groups);
      return { kind: 'selected', byFilters: [...byFilters], byGroups, withoutPhone };
    },
  ),
  theCaller,
);

function unknownName(what: 'filter' | 'group', name: string, known: readonly string[]): Selected {
  return { kind: 'unknownName', what, name, known };
}

/** The ids of the book's contacts that meet the filter; undefined: nobody has the tags of some part. */
export async function contactsMeeting(
  reading: Reading,
  bookId: number,
  filter: TagFilter,
): Promise<Sql | undefined> {
  const parts = filter.map(({ tagType, tagValues }) => tagValues.map((value) => ({ type: tagType, value })));
  const known = await findTags(reading, bookId, parts.flat());
  const [least, ...others] = parts
    .map((tags) => tags.flatMap((tag) => known.get(tagKey(tag)) ?? []))
    .map((tags) => ({
      ids: tags.map(({ id }) => id),
      count: tags.reduce((sum, { count }) => sum + count, 0),
    }))
    .sort((a, b) => a.count - b.count);
  if (least === undefined || least.count === 0) return undefined;
  // Whoever meets the part that fewest meet is looked up in the others, so that the work follows the smallest part and
  // not the book. A comparison with a selected value cannot be turned into a join: PostgreSQL, which has no statistics
  // of a book that has just been imported, would begin with all who have the commonest tag.
  const [tagId, ...more] = least.ids;
  // Of one tag the index has them in the order of the contacts, which PostgreSQL sees of a single value only.
  const tag = more.length === 0 ? sql`= ${tagId ?? 0}` : oneOf('bigint', least.ids);
  let meets = sql`SELECT DISTINCT contact_id FROM contact_tags AS least
    WHERE book_id = ${bookId} AND tag_id ${tag}`;
  for (const { ids } of others) {
    meets = sql`${meets} AND (SELECT 1 FROM contact_tags AS other WHERE other.book_id = least.book_id
      AND other.contact_id = least.contact_id AND other.tag_id ${oneOf('bigint', ids)} LIMIT 1) = 1`;
  }
  return meets;
}

/**
 * People who share a phone are one recipient. Sorted here: for the first of an order the engines would walk through all
 * contacts rather than through the tags.
 */
async function numbersOf(
  reading: Reading,
  bookId: number,
  meets: Sql,
  limit: number,
): Promise<readonly string[]> {
  const rows = await reading.all<{ id: number; phone: string }>(
    sql`WITH met AS MATERIALIZED (${meets})
        SELECT MIN(contacts.id) AS id, contacts.phone FROM met
        JOIN contacts ON contacts.book_id = ${bookId} AND contacts.id = met.contact_id
        WHERE contacts.phone IS NOT NULL GROUP BY contacts.phone LIMIT ${limit}`,
  );
  return rows.sort((a, b) => a.id - b.id).map(({ phone }) => phone);
}

async function count(reading: Reading, meets: Sql): Promise<number> {
  const row = await reading.first<{ count: number }>(sql`SELECT COUNT(*) AS count FROM (${meets}) AS met`);
  return row?.count ?? 0;
}

export async function findSavedFilter(
  reading: Reading,
  bookId: number,
  name: string,
): Promise<TagFilter | undefined> {
  const row = await reading.first<{ filter: string }>(
    sql`SELECT filter FROM saved_tag_filters WHERE book_id = ${bookId} AND name = ${name}`,
  );
  if (row === undefined) return undefined;
  const filter = parseTagFilter(row.filter);
  if (!filter.ok) throw new Error(`the saved tag filter ${name} of the book ${bookId} is no filter`);
  return filter.value;
}

/** The most names that a fault lists. */
const maxNames = 20;

export async function filterNames(reading: Reading, bookId: number): Promise<readonly string[]> {
  const rows = await reading.all<{ name: string }>(
    sql`SELECT name FROM saved_tag_filters WHERE book_id = ${bookId} ORDER BY name LIMIT ${maxNames}`,
  );
  return rows.map(({ name }) => name);
}

export async function groupNames(reading: Reading, bookId: number): Promise<readonly string[]> {
  const rows = await reading.all<{ name: string }>(
    sql`SELECT name FROM contact_groups WHERE book_id = ${bookId} ORDER BY name LIMIT ${maxNames}`,
  );
  return rows.map(({ name }) => name);
}

export async function knownGroups(
  reading: Reading,
  bookId: number,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set();
  const rows = await reading.all<{ name: string }>(
    sql`SELECT name FROM contact_groups WHERE book_id = ${bookId} AND name ${oneOf('text', names)}`,
  );
  return new Set(rows.map(({ name }) => name));
}

const askedColumns = { name: 'text', rank: 'integer' } as const;

/** The groups and their members, who are numbers or contacts. The cross join has SQLite begin with the groups. */
export function membersIn(bookId: number, groups: readonly string[]): Sql {
  const asked = rowSet(
    'asked',
    askedColumns,
    groups.map((name, rank) => [name, rank]),
  );
  return sql`${asked} CROSS JOIN group_members
    LEFT JOIN contacts ON contacts.book_id = ${bookId} AND contacts.external_id = group_members.external_id
    WHERE group_members.book_id = ${bookId} AND group_members.group_name = asked.name`;
}

/** One statement for all groups: however often they name the same people, no more is answered with than asked for. */
async function membersOf(
  reading: Reading,
  bookId: number,
  groups: readonly string[],
  limit: number,
): Promise<readonly string[]> {
  const rows = await reading.all<{ phone: string }>(
    sql`SELECT COALESCE(group_members.number, contacts.phone) AS phone FROM ${membersIn(bookId, groups)}
          AND COALESCE(group_members.number, contacts.phone) IS NOT NULL
        GROUP BY COALESCE(group_members.number, contacts.phone)
        ORDER BY MIN(asked.rank * ${placesOfGroup} + group_members.place) LIMIT ${limit}`,
  );
  return rows.map(({ phone }) => phone);
}

/** More than any group has. */
export const placesOfGroup = 10_000_000;

async function countWithoutPhone(
  reading: Reading,
  bookId: number,
  groups: readonly string[],
): Promise<number> {
  const row = await reading.first<{ count: number }>(
    sql`SELECT COUNT(DISTINCT contacts.id) AS count FROM ${membersIn(bookId, groups)}
          AND contacts.phone IS NULL`,
  );
  return row?.count ?? 0;
}
