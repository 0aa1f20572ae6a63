/** Writes edits of address books, all but their contacts, and who may read them. */
import { lockBooks } from '../contacts/lock-books.ts';
import { oneOf, sql } from '../storage/sql.ts';
import type { Row } from '../storage/storable.ts';
import type { Transaction } from '../storage/verb.ts';
import { bookKeyOf } from './compare.ts';
import { changed, created, fillIds } from './edit-lists.ts';
import type { AddressBookState, Edit, UserState } from './state.ts';

const bookColumns = { id: 'bigint', company_id: 'bigint', name: 'text' } as const;

/** Companies come before; the ids of new books are drawn here. */
export async function writeBooks(
  transaction: Transaction,
  edits: readonly Edit<AddressBookState>[],
): Promise<void> {
  const fresh = created(edits);
  if (fresh.length > 0) {
    const companies = await transaction.all<{ id: number; name: string }>(
      sql`SELECT id, name FROM companies`,
    );
    const companyIds = new Map(companies.map(({ id, name }) => [name, id]));
    const rows = (await fillIds(transaction, 'addressBook', fresh)).map(
      ({ id, company, name }): Row => [id, companyIds.get(company) ?? null, name],
    );
    await transaction.insert('address_books', bookColumns, rows);
  }
  await lockBooks(
    transaction,
    changed(edits).flatMap(({ id }) => id ?? []),
  );
  const ids = await bookIds(transaction, [...fresh, ...changed(edits)]);
  for (const { before, after } of edits) {
    const bookId = after && ids.get(bookKeyOf(after));
    if (after !== undefined && bookId !== undefined) await writeEntries(transaction, bookId, before, after);
  }
}

async function bookIds(
  transaction: Transaction,
  books: readonly { readonly company: string }[],
): Promise<ReadonlyMap<string, number>> {
  const companies = [...new Set(books.map(({ company }) => company))];
  if (companies.length === 0) return new Map();
  const rows = await transaction.all<{ id: number; name: string; company: string }>(
    sql`SELECT address_books.id, address_books.name, companies.name AS company FROM address_books
        JOIN companies ON companies.id = address_books.company_id WHERE companies.name ${oneOf('text', companies)}`,
  );
  return new Map(rows.map((row) => [bookKeyOf(row), row.id]));
}

const filterColumns = { book_id: 'bigint', name: 'text', filter: 'text' } as const;
const groupColumns = { book_id: 'bigint', name: 'text' } as const;
const memberColumns = {
  book_id: 'bigint',
  group_name: 'text',
  place: 'integer',
  number: 'text',
  external_id: 'text',
} as const;

/** Filters and groups that differ, each written anew. */
async function writeEntries(
  transaction: Transaction,
  bookId: number,
  before: AddressBookState | undefined,
  after: AddressBookState,
): Promise<void> {
  const filters = differing(before?.savedTagFilters ?? {}, after.savedTagFilters);
  await transaction.run(
    sql`DELETE FROM saved_tag_filters WHERE book_id = ${bookId} AND name ${oneOf('text', filters.names)}`,
  );
  await transaction.insert(
    'saved_tag_filters',
    filterColumns,
    filters.wanted.map(([name, filter]) => [bookId, name, filter]),
  );
  const groups = differing(before?.groups ?? {}, after.groups);
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

/** How a plan writes members that are contacts. */
export const contactMember = /^contact (.+)$/s;

function memberValues(member: string): readonly [number: string | null, externalId: string | null] {
  const [, externalId] = contactMember.exec(member) ?? [];
  return externalId === undefined ? [member, null] : [null, externalId];
}

/** With what is left in them; all but a few contacts were taken out before. */
export async function removeBooks(
  transaction: Transaction,
  edits: readonly Edit<AddressBookState>[],
): Promise<void> {
  const ids = edits.flatMap(({ before, after }) => (after === undefined ? (before?.id ?? []) : []));
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
  sql`DELETE FROM contacts WHERE book_id`,
  // Takes those who may read it along.
  sql`DELETE FROM address_books WHERE id`,
];

const readerColumns = { user_id: 'bigint', book_id: 'bigint', is_default: 'smallint' } as const;

/** Users and books come before. */
export async function writeReaders(
  transaction: Transaction,
  edits: readonly Edit<UserState>[],
): Promise<void> {
  const readers = edits.flatMap(({ before, after }) =>
    after === undefined || rights(before) === rights(after) ? [] : [after],
  );
  if (readers.length === 0) return;
  const usernames = readers.map(({ username }) => username);
  const users = await transaction.all<{ id: number; username: string }>(
    sql`SELECT id, username FROM users WHERE username ${oneOf('text', usernames)}`,
  );
  const userIds = new Map(users.map(({ id, username }) => [username, id]));
  const books = await bookIds(transaction, readers);
  const rows = readers.flatMap((user) =>
    user.addressBooks.map((name): Row => {
      const bookId = books.get(bookKeyOf({ company: user.company, name })) ?? null;
      return [userIds.get(user.username) ?? null, bookId, user.defaultAddressBook === name ? 1 : 0];
    }),
  );
  await transaction.run(
    sql`DELETE FROM address_book_readers WHERE user_id ${oneOf('bigint', [...userIds.values()])}`,
  );
  await transaction.insert('address_book_readers', readerColumns, rows);
}

function rights(user: UserState | undefined): string {
  return JSON.stringify([user?.addressBooks ?? [], user?.defaultAddressBook ?? null]);
}
