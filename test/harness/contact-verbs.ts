/** Verbs that put address books into a store, for tests of rooms that do not use provisioning. */
import { oneOf, sql } from '../../src/storage/sql.ts';
import { readVerb, singleWriteVerb } from '../../src/storage/verb.ts';

export interface TestBook {
  readonly id: number;
  readonly companyId: number;
  readonly name: string;
  /** The ids of users who may read the book, and of users whose default book it is. */
  readonly readers?: readonly number[];
  readonly defaultOf?: readonly number[];
  readonly filters?: Readonly<Record<string, string>>;
  /** Members of each group: numbers, or contacts by external id. */
  readonly groups?: Readonly<
    Record<string, readonly { readonly number?: string; readonly contact?: string }[]>
  >;
}

export const putBook = singleWriteVerb('test.putBook', async (transaction, book: TestBook) => {
  const { id, companyId, name, readers = [], defaultOf = [], filters = {}, groups = {} } = book;
  await transaction.run(
    sql`INSERT INTO address_books (id, company_id, name) VALUES (${id}, ${companyId}, ${name})`,
  );
  for (const userId of new Set([...readers, ...defaultOf])) {
    await transaction.run(
      sql`INSERT INTO address_book_readers (user_id, book_id, is_default)
          VALUES (${userId}, ${id}, ${defaultOf.includes(userId) ? 1 : 0})`,
    );
  }
  for (const [name, filter] of Object.entries(filters)) {
    await transaction.run(
      sql`INSERT INTO saved_tag_filters (book_id, name, filter) VALUES (${id}, ${name}, ${filter})`,
    );
  }
  for (const [name, members] of Object.entries(groups)) {
    await transaction.run(sql`INSERT INTO contact_groups (book_id, name) VALUES (${id}, ${name})`);
    for (const [place, { number = null, contact = null }] of members.entries()) {
      await transaction.run(
        sql`INSERT INTO group_members (book_id, group_name, place, number, external_id)
            VALUES (${id}, ${name}, ${place}, ${number}, ${contact})`,
      );
    }
  }
});

/** The number of rows that hold people and their tags. */
export const countPersonalRows = readVerb('test.countPersonalRows', async (reading, bookId: number) => {
  const row = await reading.first<{ contacts: number; tags: number; members: number }>(
    sql`SELECT (SELECT COUNT(*) FROM contacts WHERE book_id = ${bookId}) AS contacts,
          (SELECT COUNT(*) FROM contact_tags WHERE book_id = ${bookId}) AS tags,
          (SELECT COUNT(*) FROM group_members WHERE book_id = ${bookId}) AS members`,
  );
  return row as { contacts: number; tags: number; members: number };
});

/** The book's known tags as `type:value`, whether or not any contact has them. */
export const listKnownTags = readVerb('test.listKnownTags', async (reading, bookId: number) => {
  const rows = await reading.all<{ type: string; value: string }>(
    sql`SELECT type, value FROM tags WHERE book_id = ${bookId}`,
  );
  return rows.map(({ type, value }) => `${type}:${value}`).sort();
});

/** Gives PostgreSQL the statistics of a vacuum that runs while a transaction is filling the tables. */
export const forgetStatistics = singleWriteVerb(
  'test.forgetStatistics',
  async (transaction, tables: readonly string[]) =>
    transaction.run(
      sql`UPDATE pg_class SET reltuples = 0, relpages = 1 WHERE relname ${oneOf('text', tables)}`,
    ),
);

/**
 * Fills a book with contacts 1 to `count`, each with five tags, bypassing the room's verbs, which would take too long: ward
 * w0 to w9, shift s0 to s3, role r0 to r10, language l0 to l6, and status active.
 */
export const stockContacts = singleWriteVerb(
  'test.stockContacts',
  async (transaction, { bookId, count }: { readonly bookId: number; readonly count: number }) => {
    const numbers = sql`WITH RECURSIVE series(n) AS
      (SELECT CAST(1 AS BIGINT) UNION ALL SELECT n + 1 FROM series WHERE n < ${count})`;
    await transaction.run(
      sql`INSERT INTO contacts (book_id, id, name, phone) ${numbers}
          SELECT ${bookId}, n, 'Person', CAST(46700000000 + n AS TEXT) FROM series`,
    );
    let firstTag = 1;
    for (const [type, values, step] of [
      ['ward', 10, 1],
      ['shift', 4, 10],
      ['role', 11, 1],
      ['language', 7, 1],
      ['status', 1, 1],
    ] as const) {
      for (let value = 0; value < values; value++) {
        const name = type === 'status' ? 'active' : `${type[0]}${value}`;
        await transaction.run(
          sql`INSERT INTO tags (book_id, id, type, value, contact_count)
              VALUES (${bookId}, ${firstTag + value}, ${type}, ${name}, 0)`,
        );
      }
      await transaction.run(
        sql`INSERT INTO contact_tags (book_id, tag_id, contact_id) ${numbers}
            SELECT ${bookId}, ${firstTag} + (n / ${step}) % ${values}, n FROM series`,
      );
      firstTag += values;
    }
    await transaction.run(
      sql`UPDATE tags SET contact_count = (SELECT COUNT(*) FROM contact_tags
            WHERE contact_tags.book_id = tags.book_id AND contact_tags.tag_id = tags.id)
          WHERE book_id = ${bookId}`,
    );
  },
);

/** Makes the rows of all contacts those that an earlier version wrote. */
export const asInForm1 = singleWriteVerb('test.asInForm1', async (transaction, _: null) => {
  await transaction.run(sql`DELETE FROM contact_terms WHERE is_first = 3`);
  await transaction.run(sql`UPDATE contact_terms SET is_first = 1 WHERE is_first = 2`);
  await transaction.run(sql`UPDATE contact_terms SET term = 'søren' WHERE term = 'soren'`);
  await transaction.run(sql`UPDATE contacts SET has_terms = 1`);
});

export const countTerms = readVerb('test.countTerms', async (reading, _: null) => {
  const row = await reading.first<{ count: number }>(sql`SELECT COUNT(*) AS count FROM contact_terms`);
  return row?.count;
});
