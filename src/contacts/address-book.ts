/** A company's list of contacts, which can be read by those users that the operator allows. */
import { findCompanies } from '../accounts/company-records.ts';
import { ServiceError } from '../foundation/errors.ts';
import { type Fault, fault, quoted } from '../foundation/result.ts';
import { oneOf, rowSet, type Sql, sql } from '../storage/sql.ts';
import type { Store } from '../storage/store.ts';
import { bigint, flag, type Kept, StoredRecord, text } from '../storage/stored-record.ts';
import { inTurns, type Reading, type ReadOwner, readVerb, snapshotVerb, theCaller } from '../storage/verb.ts';
import { parseTagFilter, type TagFilter } from '../wire/tag-filter.ts';

export const storedBook = new StoredRecord({
  id: bigint,
  name: text,
  /** The book in which the reader's filters and groups are looked up. */
  isDefault: flag,
});

/** An address book as one of its readers sees it. */
export type AddressBook = Kept<typeof storedBook>;

export interface BookQuery {
  readonly bookId: number;
  /** The reader in whose turn the store is read. */
  readonly owner: ReadOwner;
}

/** The books that the user may read, in id order. */
export const listReadableBooks = readVerb(
  'contacts.listReadableBooks',
  (reading, userId: number): Promise<readonly AddressBook[]> => readableBooks(reading, userId),
);

export async function readableBooks(reading: Reading, userId: number): Promise<readonly AddressBook[]> {
  return storedBook.all(reading)`
    FROM address_book_readers JOIN address_books ON id = book_id WHERE user_id = ${userId} ORDER BY id`;
}

/** A user's books. A user who may read none is refused in the same way as a stranger (API: address book). */
export async function listAddressBooks(store: Store, userId: number): Promise<readonly AddressBook[]> {
  const books = await store.read(listReadableBooks, userId);
  if (books.length === 0) {
    throw new ServiceError('unauthorised', 'The account may not read any address book.');
  }
  return books;
}

/** The ids of the books of that name, in one company or in all. */
export const findBooksByName = readVerb(
  'contacts.findBooksByName',
  async (reading, { company, name }: { readonly company: string | null; readonly name: string }) => {
    const rows = await reading.all<{ id: number; company_id: number }>(
      sql`SELECT id, company_id FROM address_books WHERE name = ${name} ORDER BY id`,
    );
    const companies = await findCompanies(
      reading,
      rows.map(({ company_id }) => company_id),
    );
    const books = rows.map(({ id, company_id }) => {
      const of = companies.get(company_id);
      return { id, company: of?.name, countryCode: of?.countryCode };
    });
    return books.filter((book) => company === null || book.company === company);
  },
);

interface NamesQuery extends ReadOwner {
  /** Names. */
  readonly savedFilters: readonly string[];
  readonly groups: readonly string[];
  /** The maximum number of member phone numbers to return. */
  readonly limit: number;
}

export type UnknownNames =
  | { readonly kind: 'noDefaultBook' }
  | {
      readonly kind: 'unknownName';
      readonly what: 'filter' | 'group';
      readonly name: string;
      readonly known: readonly string[];
    };

export function unknownNameFault({
  what,
  name,
  known,
}: Extract<UnknownNames, { kind: 'unknownName' }>): Fault {
  const others = known.map(quoted).join(', ');
  return what === 'filter'
    ? fault('unknown_tag_filter', { sentence: 'unknown_filter', filter: quoted(name), known: others })
    : fault('unknown_group', { sentence: 'unknown_group', group: quoted(name), known: others });
}

interface KnownNames {
  readonly kind: 'known';
  readonly bookId: number;
  readonly savedFilters: readonly TagFilter[];
  /** Phone numbers of the groups' members without duplicates, in the order of the groups and of their members. */
  readonly members: readonly string[];
  /** Members without a phone number; counted only when no member has one. */
  readonly withoutPhone: number;
}

/** The saved filters' definitions and the groups' members, in the user's default book. */
export const findNames = inTurns(
  snapshotVerb(
    'contacts.findNames',
    async (
      reading,
      { userId, savedFilters, groups, limit }: NamesQuery,
    ): Promise<KnownNames | UnknownNames> => {
      const book = (await readableBooks(reading, userId)).find(({ isDefault }) => isDefault);
      if (book === undefined) return { kind: 'noDefaultBook' };
      const filters = await filtersNamed(reading, book.id, savedFilters);
      if ('kind' in filters) return filters;
      const unknown = await unknownGroup(reading, book.id, groups);
      if (unknown !== undefined) return unknown;
      const members = groups.length === 0 ? [] : await membersOf(reading, book.id, groups, limit);
      const withoutPhone =
        groups.length > 0 && members.length === 0 ? await countWithoutPhone(reading, book.id, groups) : 0;
      return { kind: 'known', bookId: book.id, savedFilters: filters, members, withoutPhone };
    },
  ),
  theCaller,
);

export async function filtersNamed(
  reading: Reading,
  bookId: number,
  names: readonly string[],
): Promise<readonly TagFilter[] | UnknownNames> {
  const filters: TagFilter[] = [];
  for (const name of names) {
    const saved = await findSavedFilter(reading, bookId, name);
    if (saved === undefined)
      return { kind: 'unknownName', what: 'filter', name, known: await filterNames(reading, bookId) };
    filters.push(saved);
  }
  return filters;
}

/** The first unknown group. */
export async function unknownGroup(
  reading: Reading,
  bookId: number,
  groups: readonly string[],
): Promise<UnknownNames | undefined> {
  const known = await knownGroups(reading, bookId, groups);
  const name = groups.find((group) => !known.has(group));
  if (name === undefined) return undefined;
  return { kind: 'unknownName', what: 'group', name, known: await groupNames(reading, bookId) };
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
  if (!filter.ok) throw new Error(`the saved tag filter ${name} of the book ${bookId} is not a tag filter`);
  return filter.value;
}

/** The maximum number of names that a fault lists. */
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

const askedColumns = { name: 'text', rank: 'integer' } as const;

/** The groups and their members, which are numbers or contacts. The cross join makes SQLite start with the groups. */
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

/** One statement for all groups, so that however often they name the same people, no more are returned than requested. */
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

/** The book, with its company's country code. The company may be left out when only one company has a book of that name. */
export async function findAddressBook(
  store: Store,
  name: string,
  company: string | undefined,
): Promise<{ readonly id: number; readonly countryCode: string | undefined }> {
  const [book, ...others] = await store.read(findBooksByName, { company: company ?? null, name });
  if (book === undefined) {
    const where = company === undefined ? '' : ` in the company "${company}"`;
    throw new ServiceError(
      'not_found',
      `There is no address book "${name}"${where}. Create address books with a provisioning file (carillon apply).`,
    );
  }
  if (others.length === 0) return { id: book.id, countryCode: book.countryCode };
  const companies = [book, ...others].map((one) => `"${one.company}"`).join(', ');
  throw new ServiceError(
    'conflicting_parameters',
    `Several companies have an address book "${name}": ${companies}. Name one with --company.`,
  );
}
