/** Verbs that put address books into a store for tests of rooms below provisioning. */
import { sql } from '../../src/storage/sql.ts';
import { readVerb, singleWriteVerb } from '../../src/storage/verb.ts';

export interface TestBook {
  readonly id: number;
  readonly companyId: number;
  readonly name: string;
  /** Ids of users who may read it, and of those whose default it is. */
  readonly readers?: readonly number[];
  readonly defaultOf?: readonly number[];
  readonly filters?: Readonly<Record<string, string>>;
  /** Numbers, and contacts by their external ids. */
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
    for (const [position, { number = null, contact = null }] of members.entries()) {
      await transaction.run(
        sql`INSERT INTO group_members (book_id, group_name, position, number, external_id)
            VALUES (${id}, ${name}, ${position}, ${number}, ${contact})`,
      );
    }
  }
});

/** How many rows tell of people and their tags. */
export const countPersonalRows = readVerb('test.countPersonalRows', async (reading, bookId: number) => {
  const row = await reading.first<{ contacts: number; tags: number; members: number }>(
    sql`SELECT (SELECT COUNT(*) FROM contacts WHERE book_id = ${bookId}) AS contacts,
          (SELECT COUNT(*) FROM contact_tags WHERE book_id = ${bookId}) AS tags,
          (SELECT COUNT(*) FROM group_members WHERE book_id = ${bookId}) AS members`,
  );
  return row as { contacts: number; tags: number; members: number };
});
