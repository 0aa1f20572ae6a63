/** Which contacts of a book the operator's own lists may go on to name. */
import { companyIds } from '../accounts/company-records.ts';
import { oneOf, sql } from '../storage/sql.ts';
import { inTurns, readVerb, theNode } from '../storage/verb.ts';

interface NamedContacts {
  /** Its name. */
  readonly company: string;
  /** Its name. */
  readonly book: string;
  readonly externalIds: readonly string[];
}

/** Which of the contacts a book has. */
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
