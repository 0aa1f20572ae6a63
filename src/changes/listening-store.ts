/** Which companies somebody listens to: what their messages do from now on is written down. */
import { raiseNews } from '../storage/news.ts';
import { sql } from '../storage/sql.ts';
import { readVerb, singleWriteVerb } from '../storage/verb.ts';

export interface Listener {
  readonly companyId: number;
  readonly listener: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

export const listen = singleWriteVerb(
  'changes.listen',
  async (transaction, { companyId, listener, until }: Listener) => {
    await transaction.run(
      sql`INSERT INTO change_listeners (company_id, listener, until) VALUES (${companyId}, ${listener}, ${until})
          ON CONFLICT (company_id, listener) DO UPDATE SET until = excluded.until`,
    );
    await raiseNews(transaction, 'listening');
    return null;
  },
);

/** Each company that anybody listens to, and until when. */
export const readListened = readVerb('changes.readListened', (reading, _: null) =>
  Promise.resolve(
    reading.all<{ companyId: number; until: number }>(
      sql`SELECT company_id AS "companyId", MAX(until) AS until FROM change_listeners GROUP BY company_id`,
    ),
  ),
);
