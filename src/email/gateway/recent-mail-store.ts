/** All SQL of what became of the mails of the last days. */
import { companyIds, findCompanies } from '../../accounts/company-records.ts';
import { amongUnlocked, oneOf, raw, sql } from '../../storage/sql.ts';
import type { Row } from '../../storage/storable.ts';
import { bigint, flag, integer, json, optional, StoredRecord, text } from '../../storage/stored-record.ts';
import { readVerb, singleWriteVerb, type Transaction } from '../../storage/verb.ts';
import { type RecentMail, slotsOfRing } from './recent-mail.ts';

const stored = new StoredRecord({
  receivedAt: bigint,
  address: text,
  sender: text,
  isProven: flag,
  recipients: json<readonly string[]>(),
  recipientCount: integer,
  outcome: text,
  reason: optional(text),
  answer: text,
  messageIds: json<readonly string[]>(),
});

/** At most as many as a ring has slots. */
export const recordMails = singleWriteVerb(
  'email.recordMails',
  async (transaction, mails: readonly RecentMail[]) => {
    const byRing = new Map<number, RecentMail[]>();
    for (const mail of mails) byRing.set(mail.ring, [...(byRing.get(mail.ring) ?? []), mail]);
    const rows: Row[] = [];
    // In one order, so that no two nodes deadlock.
    for (const [ring, own] of [...byRing].sort(([one], [other]) => one - other)) {
      const first = await takeSlots(transaction, ring, own.length);
      for (const [place, mail] of own.entries())
        rows.push([ring, (first + place) % slotsOfRing, ...stored.row(mail)]);
    }
    await transaction.insert(
      'recent_mails',
      { ring: 'bigint', slot: 'integer', ...stored.columns },
      rows,
      `ON CONFLICT (ring, slot) DO UPDATE SET ${stored.assignments('excluded', [])}`,
    );
  },
  (mails) => 2 * mails.length,
);

/** Returns the number of the first, counted since ever. */
async function takeSlots(transaction: Transaction, ring: number, count: number): Promise<number> {
  const row = await transaction.first<{ next: number }>(
    sql`INSERT INTO recent_mail_rings (ring, next) VALUES (${ring}, ${count})
        ON CONFLICT (ring) DO UPDATE SET next = recent_mail_rings.next + ${count}
        RETURNING next`,
  );
  return (row as { next: number }).next - count;
}

export interface ListedMail extends Omit<RecentMail, 'ring' | 'reason'> {
  /** Whose it is; null: nobody's. */
  readonly company: string | null;
  readonly reason: string | null;
}

/** The newest first. `company`: of that one only; null: all. */
export const listRecentMails = readVerb(
  'email.listRecentMails',
  async (
    reading,
    { company, limit }: { readonly company: string | null; readonly limit: number },
  ): Promise<readonly ListedMail[]> => {
    const of = company === null ? undefined : await companyIds(reading, [company]);
    // A ring is small; PostgreSQL would walk through the mails of all in the order of time.
    const own = sql`WITH own AS MATERIALIZED
      (SELECT * FROM recent_mails WHERE ring ${oneOf('bigint', [...(of?.values() ?? [])])})`;
    const rows = await reading.all<{ readonly ring: number }>(
      sql`${of === undefined ? sql`` : own} SELECT ring, ${raw(stored.names())}
          FROM ${raw(of === undefined ? 'recent_mails' : 'own')} ORDER BY received_at DESC LIMIT ${limit}`,
    );
    const names = await findCompanies(
      reading,
      rows.map(({ ring }) => ring),
    );
    return rows.map((row) => {
      const mail = stored.read(row);
      return {
        company: names.get(row.ring)?.name ?? null,
        ...mail,
        reason: mail.reason ?? null,
      } as ListedMail;
    });
  },
);

const purgeLimit = 1_000;

/** Removes what came before that time; answers with how many. */
export const purgeRecentMails = singleWriteVerb(
  'email.purgeRecentMails',
  async (transaction, { before }: { readonly before: number }) =>
    transaction.run(
      sql`DELETE FROM recent_mails WHERE ${amongUnlocked(
        'ring, slot',
        sql`recent_mails WHERE received_at < ${before} ORDER BY received_at LIMIT ${raw(String(purgeLimit))}`,
      )}`,
    ),
  () => purgeLimit,
);
