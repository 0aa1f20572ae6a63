/** Verbs that put templates into a store, for tests of rooms that do not use provisioning. */
import { raiseNews } from '../../src/storage/news.ts';
import { sql } from '../../src/storage/sql.ts';
import { singleWriteVerb } from '../../src/storage/verb.ts';

export interface TestTemplate {
  readonly companyId: number;
  readonly id: number;
  /** Undefined deletes the template. */
  readonly text: string | undefined;
}

export const putTemplate = singleWriteVerb(
  'test.putTemplate',
  async (transaction, { companyId, id, text }: TestTemplate) => {
    await transaction.run(sql`DELETE FROM templates WHERE company_id = ${companyId} AND id = ${id}`);
    if (text !== undefined) {
      await transaction.run(
        sql`INSERT INTO templates (company_id, id, name, text) VALUES (${companyId}, ${id}, 'of a test', ${text})`,
      );
    }
    await raiseNews(transaction, 'templates');
  },
);
