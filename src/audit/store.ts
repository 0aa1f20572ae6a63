/** Reads the audit log, the latest first, and purges it. */
import { amongUnlocked, raw, sql } from '../storage/sql.ts';
import { readVerb, singleWriteVerb } from '../storage/verb.ts';
import type { Act, Actor } from './audit-log.ts';

export interface AuditRow extends Actor {
  readonly id: number;
  /** Its name, or the id of one that is gone. */
  readonly company: string;
  readonly at: number;
  readonly act: Act;
  readonly object: string;
  readonly details: string;
}

export interface AuditPage {
  /** Null: of all companies. */
  readonly companyId: number | null;
  /** The last of the page before; null for the first page. */
  readonly before: number | null;
  readonly limit: number;
}

export const listAudit = readVerb('audit.list', async (reading, { companyId, before, limit }: AuditPage) => {
  const ofCompany = companyId === null ? sql`` : sql`company_id = ${companyId} AND`;
  return reading.all<AuditRow>(
    sql`SELECT id, COALESCE((SELECT name FROM companies WHERE companies.id = company_id), CAST(company_id AS TEXT)) AS company,
          at, channel, username, act, object, details
        FROM audit_log WHERE ${ofCompany} id < ${before ?? Number.MAX_SAFE_INTEGER} ORDER BY id DESC LIMIT ${limit}`,
  );
});

const purgeLimit = 1_000;

/** Removes what is older than the retention; answers with how many. */
export const purgeAudit = singleWriteVerb(
  'audit.purge',
  async (transaction, { before }: { readonly before: number }) =>
    transaction.run(
      sql`DELETE FROM audit_log WHERE ${amongUnlocked(
        'id',
        sql`audit_log WHERE at < ${before} ORDER BY at LIMIT ${raw(String(purgeLimit))}`,
      )}`,
    ),
  () => purgeLimit,
);
