/** The saved templates of companies. */
import { sql } from '../storage/sql.ts';
import { readVerb } from '../storage/verb.ts';

export interface TemplateKey {
  readonly companyId: number;
  readonly id: number;
}

export const findTemplateText = readVerb(
  'templates.findText',
  async (reading, { companyId, id }: TemplateKey): Promise<string | undefined> =>
    (
      await reading.first<{ text: string }>(
        sql`SELECT text FROM templates WHERE company_id = ${companyId} AND id = ${id}`,
      )
    )?.text,
);
