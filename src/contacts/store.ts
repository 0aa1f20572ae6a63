/** All SQL of address books: which a user may read, and whom a filter or a group selects. */
import { oneOf, type Sql, sql } from '../storage/sql.ts';
import { type Reading, readVerb } from '../storage/verb.ts';
import { parseTagFilter, type TagFilter } from '../wire/tag-filter.ts';
import type { AddressBook } from './address-book.ts';
import { tagKey } from './contact.ts';
import { findTagIds } from './tag-store.ts';

/** Those that the user may read, in the order of their ids. */
export const listReadableBooks = readVerb(
  'contacts.listReadableBooks',
  (reading, userId: number): Promise<readonly AddressBook[]> => readableBooks(reading, userId),
);

async function readableBooks(reading: Reading, userId: number): Promise<readonly AddressBook[]> {
  const rows = await reading.all<{ id: number; name: string; is_default: number }>(
    sql`SELECT id, name, is_default FROM address_book_readers JOIN address_books ON id = book_id
        WHERE user_id = ${userId} ORDER BY id`,
  );
  return rows.map(({ id, name, is_default }) => ({ id, name, isDefault: is_default === 1 }));
}

export interface BookName {
  readonly company: string | undefined;
  readonly name: string;
}

/** The ids of books of that name, of one company or of all. */
export const findBooksByName = readVerb(
  'contacts.findBooksByName',
  async (reading, { company = null, name }: { readonly company?: string | null; readonly name: string }) =>
    reading.all<{ readonly id: number; readonly company: string }>(
      sql`SELECT address_books.id, companies.name AS company FROM address_books
          JOIN companies ON companies.id = address_books.company_id
          WHERE address_books.name = ${name} AND (companies.name = ${company} OR CAST(${company} AS TEXT) IS NULL)
          ORDER BY address_books.id`,
    ),
);

export interface SelectionQuery {
  readonly userId: number;
  readonly filter: TagFilter | undefined;
  /** Names; their selections are united. */
  readonly savedFilters: readonly string[];
  readonly groups: readonly string[];
  /** At most so many people are answered with by each filter and group. */
  readonly limit: number;
}

export type Selected =
  | {
      readonly kind: 'selected';
      /** Phone numbers, in the order of the contacts' ids; one may stand several times. */
      readonly byFilters: readonly string[];
      /** In the order of the groups and of their members. */
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
export const selectNumbers = readVerb(
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
    const byFilters: string[] = [];
    let withoutPhone = 0;
    for (const one of filters) {
      const condition = await conditionOf(reading, book.id, one);
      if (condition === undefined) continue;
      const numbers = await numbersWhere(reading, condition, limit);
      byFilters.push(...numbers);
      if (numbers.length === 0) withoutPhone += await countWhere(reading, condition);
    }
    const byGroups: string[] = [];
    for (const name of groups) {
      const members = await membersOf(reading, book.id, name, limit);
      byGroups.push(...members.flatMap(({ phone }) => phone ?? []));
      if (byGroups.length === 0) withoutPhone += members.length;
    }
    return { kind: 'selected', byFilters, byGroups, withoutPhone };
  },
);

function unknownName(what: 'filter' | 'group', name: string, known: readonly string[]): Selected {
  return { kind: 'unknownName', what, name, known };
}

/** Contacts of the book that meet the filter; undefined: nobody has the tags of some part. */
async function conditionOf(reading: Reading, bookId: number, filter: TagFilter): Promise<Sql | undefined> {
  const tags = filter.map(({ tagType, tagValues }) => tagValues.map((value) => ({ type: tagType, value })));
  const ids = await findTagIds(reading, bookId, tags.flat());
  let condition = sql`book_id = ${bookId}`;
  for (const part of tags) {
    const partIds = part.flatMap((tag) => ids.get(tagKey(tag)) ?? []);
    if (partIds.length === 0) return undefined;
    condition = sql`${condition} AND id IN
      (SELECT contact_id FROM contact_tags WHERE book_id = ${bookId} AND tag_id ${oneOf('bigint', partIds)})`;
  }
  return condition;
}

/** Sorted here: for the first of an order the engines would walk through all contacts rather than through the tags. */
async function numbersWhere(reading: Reading, condition: Sql, limit: number): Promise<readonly string[]> {
  const rows = await reading.all<{ id: number; phone: string }>(
    sql`SELECT id, phone FROM contacts WHERE ${condition} AND phone IS NOT NULL LIMIT ${limit}`,
  );
  return rows.sort((a, b) => a.id - b.id).map(({ phone }) => phone);
}

async function countWhere(reading: Reading, condition: Sql): Promise<number> {
  const row = await reading.first<{ count: number }>(
    sql`SELECT COUNT(*) AS count FROM contacts WHERE ${condition}`,
  );
  return row?.count ?? 0;
}

async function findSavedFilter(
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

async function filterNames(reading: Reading, bookId: number): Promise<readonly string[]> {
  const rows = await reading.all<{ name: string }>(
    sql`SELECT name FROM saved_tag_filters WHERE book_id = ${bookId} ORDER BY name LIMIT ${maxNames}`,
  );
  return rows.map(({ name }) => name);
}

async function groupNames(reading: Reading, bookId: number): Promise<readonly string[]> {
  const rows = await reading.all<{ name: string }>(
    sql`SELECT name FROM contact_groups WHERE book_id = ${bookId} ORDER BY name LIMIT ${maxNames}`,
  );
  return rows.map(({ name }) => name);
}

async function knownGroups(
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

async function membersOf(
  reading: Reading,
  bookId: number,
  group: string,
  limit: number,
): Promise<readonly { readonly phone: string | null }[]> {
  return reading.all(
    sql`SELECT COALESCE(group_members.number, contacts.phone) AS phone FROM group_members
        LEFT JOIN contacts ON contacts.book_id = group_members.book_id
          AND contacts.external_id = group_members.external_id
        WHERE group_members.book_id = ${bookId} AND group_name = ${group}
        ORDER BY position LIMIT ${limit}`,
  );
}
