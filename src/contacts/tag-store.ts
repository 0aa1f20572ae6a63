/** All SQL of tags: each stands once in its book, under a number that contacts and filters refer to. */
import { type IdKind, leaseIds } from '../storage/ids.ts';
import { type Row, rowSet, sql } from '../storage/sql.ts';
import { type Reading, readVerb, type Transaction } from '../storage/verb.ts';
import { type Tag, tagKey } from './contact.ts';

export interface TagCount extends Tag {
  /** Contacts that have the tag. */
  readonly count: number;
}

/** Those that some contact has, in the order of type and value by their UTF-16 units, which is the same on both engines. */
export const countTags = readVerb(
  'contacts.countTags',
  async (reading, bookId: number): Promise<readonly TagCount[]> => {
    const rows = await reading.all<TagCount>(
      sql`SELECT type, value, count FROM tags
          JOIN (SELECT tag_id, COUNT(*) AS count FROM contact_tags WHERE book_id = ${bookId} GROUP BY tag_id) AS counted
            ON counted.tag_id = tags.id
          WHERE tags.book_id = ${bookId}`,
    );
    return rows.sort((a, b) => compareText(a.type, b.type) || compareText(a.value, b.value));
  },
);

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const askedColumns = { type: 'text', value: 'text' } as const;

/** By the keys of the tags; those that the book does not know are absent. */
export async function findTagIds(
  reading: Reading,
  bookId: number,
  tags: readonly Tag[],
): Promise<Map<string, number>> {
  if (tags.length === 0) return new Map();
  const asked = rowSet(
    'asked',
    askedColumns,
    tags.map(({ type, value }) => [type, value]),
  );
  const rows = await reading.all<Tag & { readonly id: number }>(
    sql`SELECT tags.id, tags.type, tags.value FROM ${asked}
        JOIN tags ON tags.book_id = ${bookId} AND tags.type = asked.type AND tags.value = asked.value`,
  );
  return new Map(rows.map((row) => [tagKey(row), row.id]));
}

const tagColumns = { book_id: 'bigint', id: 'bigint', type: 'text', value: 'text' } as const;

/** As `findTagIds`; tags that the book does not know are made. */
export async function makeTagIds(
  transaction: Transaction,
  bookId: number,
  tags: ReadonlyMap<string, Tag>,
): Promise<ReadonlyMap<string, number>> {
  const ids = await findTagIds(transaction, bookId, [...tags.values()]);
  const missing = [...tags].filter(([key]) => !ids.has(key));
  const firstId = await leaseSome(transaction, 'tag', missing.length);
  const rows = missing.map(([key, { type, value }], index): Row => {
    ids.set(key, firstId + index);
    return [bookId, firstId + index, type, value];
  });
  await transaction.insert('tags', tagColumns, rows);
  return ids;
}

/** The first of so many ids in a row. */
export async function leaseSome(transaction: Transaction, kind: IdKind, size: number): Promise<number> {
  if (size === 0) return 0;
  const [first = 0] = await leaseIds.run(transaction, [{ kind, size }]);
  return first;
}
