/** Verbs that spend quota and show what is left, for tests of rooms that must not change what was spent. */
import { sql } from '../../src/storage/sql.ts';
import { readVerb, singleWriteVerb } from '../../src/storage/verb.ts';

export interface Spending {
  readonly username: string;
  readonly parts: number;
}

/** Spends quota as if messages with this many parts had been accepted for the user. */
export const spendQuota = singleWriteVerb(
  'test.spendQuota',
  async (transaction, { username, parts }: Spending) => {
    await transaction.run(
      sql`UPDATE companies SET quota_used = quota_used + ${parts}
          WHERE id = (SELECT company_id FROM users WHERE username = ${username})`,
    );
    await transaction.run(
      sql`UPDATE users SET quota_used = quota_used + ${parts} WHERE username = ${username}`,
    );
  },
);

interface CompanyLimits {
  readonly id: number;
  readonly perMinute?: number;
  readonly perDay?: number;
  readonly mailsPerDay?: number;
  /** The total, in parts. */
  readonly quotaParts?: number;
}

/** Sets the company's limit with nothing used yet; absent means no limit. */
export const limitCompany = singleWriteVerb(
  'test.limitCompany',
  async (transaction, { id, perMinute, perDay, mailsPerDay, quotaParts }: CompanyLimits) => {
    await transaction.run(
      sql`UPDATE companies SET parts_per_minute = ${perMinute ?? null}, parts_per_day = ${perDay ?? null},
            mails_per_day = ${mailsPerDay ?? null}, quota_parts = ${quotaParts ?? null},
            minute_counted = NULL, minute_parts = 0, day_counted = NULL, day_parts = 0
          WHERE id = ${id}`,
    );
  },
);

export interface Quota {
  readonly granted: number | null;
  readonly used: number;
}

export const readQuotas = readVerb('test.readQuotas', async (reading, username: string) => {
  const user = await reading.first<Quota>(
    sql`SELECT quota_parts AS granted, quota_used AS used FROM users WHERE username = ${username}`,
  );
  const company = await reading.first<Quota>(
    sql`SELECT quota_parts AS granted, quota_used AS used FROM companies
        WHERE id = (SELECT company_id FROM users WHERE username = ${username})`,
  );
  return { user, company };
});

/** Sets what a company does about opt-outs. */
export const setOptOutPolicy = singleWriteVerb(
  'test.setOptOutPolicy',
  async (
    transaction,
    { id, policy }: { readonly id: number; readonly policy: 'honour' | 'essentialPasses' },
  ) => {
    await transaction.run(sql`UPDATE companies SET opt_outs = ${policy} WHERE id = ${id}`);
    return null;
  },
);
