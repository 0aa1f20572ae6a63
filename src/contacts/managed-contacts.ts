/**
 * The contacts of a book that a provisioning file manages: looked up by file, and released when the file no longer names
 * them.
 */
import { companyIds } from '../accounts/company-records.ts';
import { oneOf, sql } from '../storage/sql.ts';
import { inTurns, readVerb, singleWriteVerb, theNode } from '../storage/verb.ts';

interface ManagedPage {
  readonly bookId: number;
  /** The path of the file. */
  readonly source: string;
  readonly afterId: number;
  readonly limit: number;
}

interface ManagedContact {
  readonly id: number;
  readonly externalId: string | undefined;
  readonly phone: string | undefined;
  readonly email: string | undefined;
}

export const listManagedBy = readVerb(
  'contacts.listManagedBy',
  async (reading, { bookId, source, afterId, limit }: ManagedPage): Promise<readonly ManagedContact[]> => {
    const rows = await reading.all<{
      readonly id: number;
      readonly external_id: string | null;
      readonly phone: string | null;
      readonly email: string | null;
    }>(
      sql`SELECT id, external_id, phone, email FROM contacts
          WHERE book_id = ${bookId} AND managed_by = ${source} AND id > ${afterId} ORDER BY id LIMIT ${limit}`,
    );
    return rows.map(({ id, external_id, phone, email }) => ({
      id,
      externalId: external_id ?? undefined,
      phone: phone ?? undefined,
      email: email ?? undefined,
    }));
  },
);

/** Books in which the file manages contacts. */
export const listBooksManagedBy = readVerb(
  'contacts.listBooksManagedBy',
  async (reading, source: string): Promise<readonly number[]> => {
    const rows = await reading.all<{ readonly id: number }>(
      sql`SELECT id FROM address_books WHERE EXISTS
            (SELECT 1 FROM contacts WHERE contacts.book_id = address_books.id AND managed_by = ${source}) ORDER BY id`,
    );
    return rows.map(({ id }) => id);
  },
);

export const releaseManaged = singleWriteVerb(
  'contacts.releaseManaged',
  async (
    transaction,
    {
      bookId,
      source,
      ids,
    }: { readonly bookId: number; readonly source: string; readonly ids: readonly number[] },
  ): Promise<void> => {
    await transaction.run(
      sql`UPDATE contacts SET managed_by = NULL
          WHERE book_id = ${bookId} AND managed_by = ${source} AND id ${oneOf('bigint', ids)}`,
    );
  },
  ({ ids }) => ids.length,
);

interface NamedContacts {
  /** Identified by name. */
  readonly company: string;
  /** Identified by name. */
  readonly book: string;
  readonly externalIds: readonly string[];
}

/** Which of the contacts exist in a book. */
export const findExternalIds = inTurns(
  readVerb(
    'contacts.findExternalIds',
    async (reading, { company, book, externalIds }: NamedContacts): Promise<readonly string[]> => {
      const [companyId = 0] = (await companyIds(reading, [company])).values();
      const rows = await reading.all<{ external_id: string }>(
        sql`SELECT external_id FROM contacts WHERE external_id ${oneOf('text', externalIds)} AND book_id =
            (SELECT id FROM address_books WHERE company_id = ${companyId} AND name = ${book})`,
      );
      return rows.map(({ external_id }) => external_id);
    },
  ),
  theNode,
);
