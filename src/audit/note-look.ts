/** Keeps in the audit log that somebody has looked at what is another's. */
import { sql } from '../storage/sql.ts';
import { refusable, singleWriteVerb } from '../storage/verb.ts';
import { type AuditEntry, recordAct } from './audit-log.ts';

/** Who goes on looking at the same, as a page does that is kept up to date, looks once. */
const sameLookMs = 10 * 60_000;

export const noteLook = refusable(
  singleWriteVerb('audit.noteLook', async (transaction, look: AuditEntry) => {
    const { companyId, at, by, act, object } = look;
    const same = await transaction.first(
      sql`SELECT id FROM audit_log WHERE company_id = ${companyId} AND act = ${act} AND object = ${object}
            AND at > ${at - sameLookMs} AND username = ${by.username} LIMIT 1`,
    );
    if (same === undefined) await recordAct(transaction, look);
    return null;
  }),
);
