/** Address books as the operator has set them up, without their contacts: all SQL that reads and writes them whole. */
import { companyIds, companyNames } from '../accounts/company-records.ts';
import { readSetKeys } from '../accounts/set-keys.ts';
import { fillIds } from '../storage/ids.ts';
import { forUpdate, literal, oneOf, sql } from '../storage/sql.ts';
import type { Row } from '../storage/storable.ts';
import type { Reading, Transaction } from '../storage/verb.ts';

export interface BookRecord {
  /** Undefined until allocated. */
  readonly id: number | undefined;
  readonly name: string;
  /** The company's name. */
  readonly company: string;
  /** Filters in string notation, by name. */
  readonly savedTagFilters: Readonly<Record<string, string>>;
  /** Members by group name: numbers as digits, and contacts as `contact 9001`. */
  readonly groups: Readonly<Record<string, readonly string[]>>;
}

/** The names of company and book, with a separator that occurs in neither. */
export const bookKeyOf = ({ company, name }: { readonly company: string; readonly name: string }): string =>
  `${company}\n${name}`;

interface Named {
  /** Names of companies whose books are all included. */
  readonly companies: readonly string[];
  readonly ids: readonly number[];
}

export async function readBooks(reading: Reading, { companies, ids }: Named): Promise<readonly BookRecord[]> {
  const ofCompanies = [...(await companyIds(reading, companies)).values()];
  const books = await reading.all<{ id: number; company_id: number; name: string }>(
    sql`SELECT id, company_id, name FROM address_books
        WHERE company_id ${oneOf('bigint', ofCompanies)} OR id ${oneOf('bigint', ids)} ORDER BY id`,
  );
  const names = await companyNames(
    reading,
    books.map(({ company_id }) => company_id),
  );
  const found = books.map(({ id }) => id);
  const filters = await filtersOf(reading, found);
  const groups = await groupsOf(reading, found);
  return books.map(({ id, company_id, name }) => ({
    id,
    name,
    company: names.get(company_id) as string,
    savedTagFilters: Object.fromEntries(filters.get(id) ?? []),
    groups: Object.fromEntries(groups.get(id) ?? []),
  }));
}

type ByBook<Value> = ReadonlyMap<number, ReadonlyMap<string, Value>>;

async function filtersOf(reading: Reading, ids: readonly number[]): Promise<ByBook<string>> {
  const rows = await reading.all<{ book_id: number; name: string; filter: string }>(
    sql`SELECT book_id, name, filter FROM saved_tag_filters WHERE book_id ${oneOf('bigint', ids)}`,
  );
  const filters = new Map<number, Map<string, string>>(ids.map((id) => [id, new Map()]));
  for (const { book_id, name, filter } of rows) filters.get(book_id)?.set(name, filter);
  return filters;
}

async function groupsOf(reading: Reading, ids: readonly number[]): Promise<ByBook<readonly string[]>> {
  const rows = await reading.all<{
    book_id: number;
    name: string;
    number: string | null;
    external_id: string | null;
  }>(
    sql`SELECT contact_groups.book_id, contact_groups.name, number, external_id FROM contact_groups
        LEFT JOIN group_members
          ON group_members.book_id = contact_groups.book_id AND group_members.group_name = contact_groups.name
        WHERE contact_groups.book_id ${oneOf('bigint', ids)} ORDER BY place`,
  );
  const groups = new Map<number, Map<string, string[]>>(ids.map((id) => [id, new Map()]));
  for (const { book_id, name, number, external_id } of rows) {
    const group = groups.get(book_id)?.get(name) ?? [];
    if (number !== null) group.push(number);
    else if (external_id !== null) group.push(`contact ${external_id}`);
    groups.get(book_id)?.set(name, group);
  }
  return groups;
}

/** Looks ids up by key, for the books of the named companies. */
export async function bookIds(
  reading: Reading,
  companies: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const books = await readBooks(reading, { companies, ids: [] });
  return new Map(books.map((book) => [bookKeyOf(book), book.id as number]));
}

const bookColumns = { id: 'bigint', company_id: 'bigint', name: 'text' } as const;

/** The companies must exist. */
export async function createBooks(transaction: Transaction, books: readonly BookRecord[]): Promise<void> {
  if (books.length === 0) return;
  const companies = await companyIds(
    transaction,
    books.map(({ company }) => company),
  );
  const filled = await fillIds(transaction, 'addressBook', books);
  const rows = filled.map(({ id, company, name }): Row => [id, companies.get(company) ?? null, name]);
  await transaction.insert('address_books', bookColumns, rows);
  for (const book of filled) await writeEntries(transaction, book.id, noEntries, book);
}

/** `before` has the same books in the same order. */
export async function changeBooks(
  transaction: Transaction,
  books: readonly BookRecord[],
  before: readonly BookRecord[],
): Promise<void> {
  await lockBooks(
    transaction,
    books.flatMap(({ id }) => id ?? []),
  );
  for (const [index, book] of books.entries())
    if (book.id !== undefined) await writeEntries(transaction, book.id, before[index] ?? noEntries, book);
}

type Entries = Pick<BookRecord, 'savedTagFilters' | 'groups'>;

const noEntries: Entries = { savedTagFilters: {}, groups: {} };

const filterColumns = { book_id: 'bigint', name: 'text', filter: 'text' } as const;
const groupColumns = { book_id: 'bigint', name: 'text' } as const;
const memberColumns = {
  book_id: 'bigint',
  group_name: 'text',
  place: 'integer',
  number: 'text',
  external_id: 'text',
} as const;

/** Writes the filters and groups that differ, each as a whole. */
async function writeEntries(
  transaction: Transaction,
  bookId: number,
  before: Entries,
  after: Entries,
): Promise<void> {
  const filters = differing(before.savedTagFilters, after.savedTagFilters);
  await transaction.run(
    sql`DELETE FROM saved_tag_filters WHERE book_id = ${bookId} AND name ${oneOf('text', filters.names)}`,
  );
  await transaction.insert(
    'saved_tag_filters',
    filterColumns,
    filters.wanted.map(([name, filter]) => [bookId, name, filter]),
  );
  const groups = differing(before.groups, after.groups);
  await transaction.run(
    sql`DELETE FROM contact_groups WHERE book_id = ${bookId} AND name ${oneOf('text', groups.names)}`,
  );
  await transaction.run(
    sql`DELETE FROM group_members WHERE book_id = ${bookId} AND group_name ${oneOf('text', groups.names)}`,
  );
  await transaction.insert(
    'contact_groups',
    groupColumns,
    groups.wanted.map(([name]) => [bookId, name]),
  );
  await transaction.insert(
    'group_members',
    memberColumns,
    groups.wanted.flatMap(([name, members]) =>
      members.map((member, place) => [bookId, name, place, ...memberValues(member)]),
    ),
  );
}

function differing<Value>(
  before: Readonly<Record<string, Value>>,
  after: Readonly<Record<string, Value>>,
): { readonly names: readonly string[]; readonly wanted: readonly (readonly [string, Value])[] } {
  const was = new Map(Object.entries(before));
  const is = new Map(Object.entries(after));
  const names = [...new Set([...was.keys(), ...is.keys()])].filter(
    (name) => JSON.stringify(was.get(name)) !== JSON.stringify(is.get(name)),
  );
  const wanted = names.flatMap((name) => {
    const value = is.get(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return { names, wanted };
}

/** A member that is a contact. */
export const contactMember = /^contact (.+)$/s;

function memberValues(member: string): readonly [number: string | null, externalId: string | null] {
  const [, externalId] = contactMember.exec(member) ?? [];
  return externalId === undefined ? [member, null] : [null, externalId];
}

/** Removes the books with their remaining content; all but a few contacts have been removed before. */
export async function removeBooks(transaction: Transaction, books: readonly BookRecord[]): Promise<void> {
  const ids = books.flatMap(({ id }) => id ?? []);
  if (ids.length === 0) return;
  await lockBooks(transaction, ids);
  for (const table of booksTables) await transaction.run(sql`${table} ${oneOf('bigint', ids)}`);
}

const booksTables = [
  sql`DELETE FROM group_members WHERE book_id`,
  sql`DELETE FROM contact_groups WHERE book_id`,
  sql`DELETE FROM saved_tag_filters WHERE book_id`,
  sql`DELETE FROM contact_tags WHERE book_id`,
  sql`DELETE FROM tags WHERE book_id`,
  sql`DELETE FROM contact_terms WHERE book_id`,
  sql`DELETE FROM contact_import_rows WHERE book_id`,
  sql`DELETE FROM contact_imports WHERE book_id`,
  sql`DELETE FROM contacts WHERE book_id`,
  // This also removes the list of users who may read the book.
  sql`DELETE FROM address_books WHERE id`,
];

/**
 * PostgreSQL runs transactions concurrently, so those that change or remove a book's contents take turns. Returns the ids
 * of the books that exist. Later statements see the earlier changes of others. The rows in a book have no foreign key, so
 * without this lock the rows of an import would remain after the book is removed.
 */
export async function lockBooks(
  transaction: Transaction,
  ids: readonly number[],
): Promise<readonly number[]> {
  if (ids.length === 0) return [];
  // Always locks in the same order, so that no two transactions deadlock.
  const rows = await transaction.all<{ id: number }>(
    sql`SELECT id FROM address_books WHERE id ${oneOf('bigint', ids)} ORDER BY id
        ${forUpdate}`,
  );
  return rows.map(({ id }) => id);
}

/** False when the book was removed, so that nothing may be written into it. */
export async function lockBook(transaction: Transaction, id: number): Promise<boolean> {
  return (await lockBooks(transaction, [id])).length > 0;
}

/**
 * The names of a book's groups or saved filters that a provisioning file has set, and that only the file may change (PORT-6).
 */
export async function managedEntries(
  reading: Reading,
  bookId: number,
  what: 'groups' | 'savedTagFilters',
): Promise<ReadonlySet<string>> {
  const book = await reading.first<{ company_id: number; name: string }>(
    sql`SELECT company_id, name FROM address_books WHERE id = ${bookId}`,
  );
  if (book === undefined) return new Set();
  const company = (await companyNames(reading, [book.company_id])).get(book.company_id) ?? '';
  const set = await readSetKeys(reading, 'addressBooks', [bookKeyOf({ company, name: book.name })]);
  const prefix = `${what}.`;
  return new Set(
    set.flatMap(({ keys }) =>
      keys.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length)),
    ),
  );
}

/** The names of those books of a company that a provisioning file has. */
export async function managedBooks(
  reading: Reading,
  companyId: number,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const company = (await companyNames(reading, [companyId])).get(companyId) ?? '';
  const keys = new Map(names.map((name) => [bookKeyOf({ company, name }), name]));
  const set = await readSetKeys(reading, 'addressBooks', [...keys.keys()]);
  return new Set(set.flatMap(({ object }) => keys.get(object) ?? []));
}

interface NamedBook {
  readonly id: number;
  readonly name: string;
}

/** A book of the company, by its id or its name. */
export async function findBook(
  reading: Reading,
  companyId: number,
  key: { readonly id: number } | { readonly name: string },
): Promise<NamedBook | undefined> {
  const is = 'id' in key ? sql`id = ${key.id}` : sql`name = ${key.name}`;
  return reading.first<NamedBook>(
    sql`SELECT id, name FROM address_books WHERE company_id = ${companyId} AND ${is}`,
  );
}

/** Whether the company has at least so many books. */
export async function hasBooks(reading: Reading, companyId: number, count: number): Promise<boolean> {
  const last = await reading.first(
    sql`SELECT id FROM address_books WHERE company_id = ${companyId} LIMIT 1 OFFSET ${literal(count - 1)}`,
  );
  return last !== undefined;
}

/** No file may know the book by its name. */
export async function renameBook(transaction: Transaction, { id, name }: NamedBook): Promise<void> {
  await transaction.run(sql`UPDATE address_books SET name = ${name} WHERE id = ${id}`);
}

/** How many contacts a book has, counted no further than to `most`. */
export async function countContacts(reading: Reading, bookId: number, most: number): Promise<number> {
  const counted = await reading.first<{ count: number }>(
    sql`SELECT COUNT(*) AS count
        FROM (SELECT id FROM contacts WHERE book_id = ${bookId} ORDER BY id LIMIT ${literal(most)}) AS counted`,
  );
  return counted?.count ?? 0;
}
