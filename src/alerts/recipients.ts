/** Who got the first SMS of an incident, and in which language more of them go. */
import { findCompany } from '../accounts/company-records.ts';
import { literal, sql } from '../storage/sql.ts';
import { inTurns, type ReadOwner, readVerb } from '../storage/verb.ts';
import type { Language } from '../wire/answers/words.ts';
import { maxRecipientsOfAlert } from './receiver.ts';

/** The language of SMS that no job sends. */
export const findLanguage = readVerb(
  'alerts.findLanguage',
  async (reading, companyId: number): Promise<Language> =>
    (await findCompany(reading, companyId))?.language ?? 'en',
);

interface RecipientsQuery {
  readonly companyId: number;
  readonly messageId: number;
  readonly messages: number;
  readonly owner: ReadOwner;
}

/** Who got the first SMS of an incident, as far as it is still known. */
export const listRecipients = inTurns(
  readVerb(
    'alerts.listRecipients',
    async (reading, { companyId, messageId, messages }: RecipientsQuery): Promise<readonly string[]> => {
      const rows = await reading.all<{ recipient: string }>(
        sql`SELECT recipient FROM messages
            WHERE company_id = ${companyId} AND id >= ${messageId} AND id < ${messageId + messages}
            ORDER BY id LIMIT ${literal(maxRecipientsOfAlert)}`,
      );
      return [...new Set(rows.map(({ recipient }) => recipient))];
    },
  ),
  ({ owner }) => owner,
);
