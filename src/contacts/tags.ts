/**
 * The tags of an address book. Each is stored once, under a number that contacts and filters refer to, together with its
 * count.
 */
import { ServiceError } from '../foundation/errors.ts';
import { type IdKind, leaseIds } from '../storage/ids.ts';
import { fromEach, oneOf, rowSet, sql } from '../storage/sql.ts';
import type { Row } from '../storage/storable.ts';
import type { Store } from '../storage/store.ts';
import {
  inTurns,
  type Reading,
  type ReadOwner,
  readVerb,
  type Transaction,
  theCaller,
} from '../storage/verb.ts';
import { type AddressBook, type BookQuery, listReadableBooks } from './address-book.ts';
import { type Tag, tagKey } from './contact.ts';

export interface TagCount extends Tag {
  /** The number of contacts with the tag. */
  readonly count: number;
}

/** The tags in use, ordered by type and value in UTF-16 code units, which is the same on both engines. */
export const countTags = inTurns(
  readVerb('contacts.countTags', async (reading, { bookId }: BookQuery): Promise<readonly TagCount[]> => {
    const rows = await reading.all<TagCount>(
      sql`SELECT type, value, contact_count AS count FROM tags WHERE book_id = ${bookId} AND contact_count > 0`,
    );
    return rows.sort((a, b) => compareText(a.type, b.type) || compareText(a.value, b.value));
  }),
  ({ owner }) => owner,
);

interface TagPage {
  readonly bookId: number;
  readonly after: Tag | undefined;
  readonly limit: number;
}

/** The tags in use, ordered by type and value in each engine's own order. */
export const listTagPage = readVerb(
  'contacts.listTagPage',
  async (reading, { bookId, after, limit }: TagPage): Promise<readonly TagCount[]> => {
    const behind = after === undefined ? sql`` : sql`AND (type, value) > (${after.type}, ${after.value})`;
    return reading.all<TagCount>(
      sql`SELECT type, value, contact_count AS count FROM tags
          WHERE book_id = ${bookId} ${behind} AND contact_count > 0 ORDER BY type, value LIMIT ${limit}`,
    );
  },
);

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const askedColumns = { type: 'text', value: 'text' } as const;

export interface KnownTag {
  readonly id: number;
  /** The number of contacts with the tag. */
  readonly count: number;
}

/** Looked up by tag key; tags that the book does not have are absent. */
export async function findTags(
  reading: Reading,
  bookId: number,
  tags: readonly Tag[],
): Promise<ReadonlyMap<string, KnownTag>> {
  if (tags.length === 0) return new Map();
  const asked = rowSet(
    'asked',
    askedColumns,
    tags.map(({ type, value }) => [type, value]),
  );
  const rows = await reading.all<Tag & KnownTag>(
    sql`SELECT tags.id, tags.type, tags.value, tags.contact_count AS count FROM ${asked}
        JOIN tags ON tags.book_id = ${bookId} AND tags.type = asked.type AND tags.value = asked.value`,
  );
  return new Map(rows.map((row) => [tagKey(row), row]));
}

const tagColumns = {
  book_id: 'bigint',
  id: 'bigint',
  type: 'text',
  value: 'text',
  contact_count: 'bigint',
} as const;

/** The ids of tags by key; creates tags that the book does not have. */
export async function makeTagIds(
  transaction: Transaction,
  bookId: number,
  tags: ReadonlyMap<string, Tag>,
): Promise<ReadonlyMap<string, number>> {
  const known = await findTags(transaction, bookId, [...tags.values()]);
  const ids = new Map([...known].map(([key, { id }]) => [key, id]));
  const missing = [...tags].filter(([key]) => !ids.has(key));
  const firstId = await leaseSome(transaction, 'tag', missing.length);
  const rows = missing.map(([key, { type, value }], index): Row => {
    ids.set(key, firstId + index);
    return [bookId, firstId + index, type, value, 0];
  });
  await transaction.insert('tags', tagColumns, rows);
  return ids;
}

const contactTagColumns = { book_id: 'bigint', tag_id: 'bigint', contact_id: 'bigint' } as const;

export interface TagPair {
  readonly tagId: number;
  readonly contactId: number;
}

/** Adds tags to contacts and removes others, and updates the stored counts. */
export async function changeTagPairs(
  transaction: Transaction,
  bookId: number,
  { removed, added }: { readonly removed: readonly TagPair[]; readonly added: readonly TagPair[] },
): Promise<void> {
  const rows = (pairs: readonly TagPair[]) =>
    pairs.map(({ tagId, contactId }): Row => [bookId, tagId, contactId]);
  if (removed.length > 0) {
    await transaction.run(
      sql`DELETE FROM contact_tags WHERE (book_id, tag_id, contact_id) IN
            (SELECT book_id, tag_id, contact_id FROM ${rowSet('removed', contactTagColumns, rows(removed))})`,
    );
  }
  await transaction.insert('contact_tags', contactTagColumns, rows(added));
  const deltas = new Map<number, number>();
  for (const { tagId } of added) deltas.set(tagId, (deltas.get(tagId) ?? 0) + 1);
  for (const { tagId } of removed) deltas.set(tagId, (deltas.get(tagId) ?? 0) - 1);
  await changeCounts(transaction, bookId, deltas);
}

/** Removes all tags of contacts that are being removed. */
export async function removeTagsOf(
  transaction: Transaction,
  bookId: number,
  contactIds: readonly number[],
): Promise<void> {
  const counts = await transaction.all<{ tag_id: number; count: number }>(
    sql`SELECT tag_id, COUNT(*) AS count FROM contact_tags
        WHERE book_id = ${bookId} AND contact_id ${oneOf('bigint', contactIds)} GROUP BY tag_id`,
  );
  await transaction.run(
    sql`DELETE FROM contact_tags WHERE book_id = ${bookId} AND contact_id ${oneOf('bigint', contactIds)}`,
  );
  await changeCounts(transaction, bookId, new Map(counts.map(({ tag_id, count }) => [tag_id, -count])));
}

const countColumns = { book_id: 'bigint', id: 'bigint', delta: 'bigint' } as const;

async function changeCounts(
  transaction: Transaction,
  bookId: number,
  deltas: ReadonlyMap<number, number>,
): Promise<void> {
  await transaction.each(
    countColumns,
    [...deltas].filter(([, delta]) => delta !== 0).map(([id, delta]) => [bookId, id, delta]),
    sql`UPDATE tags SET contact_count = contact_count + each.delta
        ${fromEach} WHERE tags.book_id = each.book_id AND tags.id = each.id`,
  );
  // A tag that no contact has any more could reveal something about a removed person.
  const fewer = [...deltas].filter(([, delta]) => delta < 0).map(([id]) => id);
  if (fewer.length === 0) return;
  await transaction.run(
    sql`DELETE FROM tags WHERE book_id = ${bookId} AND id ${oneOf('bigint', fewer)} AND contact_count = 0`,
  );
}

/** Returns the first of this many consecutive ids. */
export async function leaseSome(transaction: Transaction, kind: IdKind, size: number): Promise<number> {
  if (size === 0) return 0;
  const [first = 0] = await leaseIds.run(transaction, [{ kind, size }]);
  return first;
}

export interface TagType {
  readonly type: string;
  readonly typecount: number;
  readonly values: { readonly value: string; readonly count: number }[];
}

/** For the book with that id, or else the user's default book. Does not reveal whether another book exists. */
export async function listTags(
  store: Store,
  owner: ReadOwner,
  bookId: number | undefined,
): Promise<{ readonly book: AddressBook; readonly tags: TagType[] }> {
  const books = await store.read(listReadableBooks, owner.userId);
  const book = books.find(({ id, isDefault }) => (bookId === undefined ? isDefault : id === bookId));
  if (book === undefined) {
    const sentence =
      bookId === undefined
        ? 'The account has no default address book. Give `addressbookid`, or ask the operator to set a default.'
        : `There is no address book ${bookId} that the account may read.`;
    throw new ServiceError('not_found', sentence);
  }
  return { book, tags: byType(await store.read(countTags, { bookId: book.id, owner: theCaller(owner) })) };
}

/** `counts` is sorted by type. */
function byType(counts: readonly TagCount[]): TagType[] {
  const types = new Map<string, { type: string; typecount: number; values: TagType['values'] }>();
  for (const { type, value, count } of counts) {
    const known = types.get(type) ?? { type, typecount: 0, values: [] };
    known.typecount += count;
    known.values.push({ value, count });
    types.set(type, known);
  }
  return [...types.values()];
}
