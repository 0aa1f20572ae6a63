/** All SQL of what became of the mails of the last days. */
import { amongFirst, raw, sql } from '../../storage/sql.ts';
import type { Row } from '../../storage/storable.ts';
import { readVerb, singleWriteVerb, type Transaction } from '../../storage/verb.ts';
import { type RecentMail, slotsOfRing } from './recent-mail.ts';

const columns = {
  ring: 'bigint',
  slot: 'integer',
  received_at: 'bigint',
  address: 'text',
  sender: 'text',
  is_proven: 'smallint',
  recipients: 'text',
  recipient_count: 'integer',
  outcome: 'text',
  reason: 'text',
  answer: 'text',
  message_ids: 'text',
} as const;

/** At most as many as a ring has slots. */
export const recordMails = singleWriteVerb(
  'email.recordMails',
  async (transaction, mails: readonly RecentMail[]) => {
    const byRing = new Map<number, RecentMail[]>();
    for (const mail of mails) byRing.set(mail.ring, [...(byRing.get(mail.ring) ?? []), mail]);
    const rows: Row[] = [];
    // In one order, lest two nodes wait for each other.
    for (const [ring, own] of [...byRing].sort(([one], [other]) => one - other)) {
      const first = await takeSlots(transaction, ring, own.length);
      for (const [place, mail] of own.entries()) rows.push(rowOf(mail, (first + place) % slotsOfRing));
    }
    await transaction.insert(
      'recent_mails',
      columns,
      rows,
      `ON CONFLICT (ring, slot) DO UPDATE SET ${renewed}`,
    );
  },
  (mails) => 2 * mails.length,
);

const renewed = Object.keys(columns)
  .filter((column) => column !== 'ring' && column !== 'slot')
  .map((column) => `${column} = excluded.${column}`)
  .join(', ');

/** Returns the number of the first, counted since ever. */
async function takeSlots(transaction: Transaction, ring: number, count: number): Promise<number> {
  const row = await transaction.first<{ next: number }>(
    sql`INSERT INTO recent_mail_rings (ring, next) VALUES (${ring}, ${count})
        ON CONFLICT (ring) DO UPDATE SET next = recent_mail_rings.next + ${count}
        RETURNING next`,
  );
  return (row as { next: number }).next - count;
}

function rowOf(mail: RecentMail, slot: number): Row {
  const { ring, receivedAt, address, sender, isProven, recipients, recipientCount } = mail;
  const { outcome, reason = null, answer, messageIds } = mail;
  return [
    ring,
    slot,
    receivedAt,
    address,
    sender,
    Number(isProven),
    JSON.stringify(recipients),
    recipientCount,
    outcome,
    reason,
    answer,
    JSON.stringify(messageIds),
  ];
}

export interface ListedMail extends Omit<RecentMail, 'ring' | 'reason'> {
  /** Whose it is; null: nobody's. */
  readonly company: string | null;
  readonly reason: string | null;
}

interface MailRow {
  readonly company: string | null;
  readonly received_at: number;
  readonly address: string;
  readonly sender: string;
  readonly is_proven: number;
  readonly recipients: string;
  readonly recipient_count: number;
  readonly outcome: RecentMail['outcome'];
  readonly reason: string | null;
  readonly answer: string;
  readonly message_ids: string;
}

/** The newest first. `company`: of that one only; null: all. */
export const listRecentMails = readVerb(
  'email.listRecentMails',
  async (
    reading,
    { company, limit }: { readonly company: string | null; readonly limit: number },
  ): Promise<readonly ListedMail[]> => {
    // A ring is small; PostgreSQL would walk through the mails of all in the order of time.
    const own = sql`WITH own AS MATERIALIZED
      (SELECT * FROM recent_mails WHERE ring = (SELECT id FROM companies WHERE name = ${company}))`;
    const rows = await reading.all<MailRow>(
      sql`${company === null ? sql`` : own}
          SELECT companies.name AS company, received_at, address, sender, is_proven, recipients, recipient_count,
            outcome, reason, answer, message_ids
          FROM ${raw(company === null ? 'recent_mails' : 'own')} LEFT JOIN companies ON companies.id = ring
          ORDER BY received_at DESC LIMIT ${limit}`,
    );
    return rows.map((row) => ({
      receivedAt: row.received_at,
      company: row.company,
      address: row.address,
      sender: row.sender,
      isProven: row.is_proven === 1,
      recipients: JSON.parse(row.recipients) as string[],
      recipientCount: row.recipient_count,
      outcome: row.outcome,
      reason: row.reason,
      answer: row.answer,
      messageIds: JSON.parse(row.message_ids) as string[],
    }));
  },
);

const purgeLimit = 1_000;

/** Removes what came before that time; answers with how many. */
export const purgeRecentMails = singleWriteVerb(
  'email.purgeRecentMails',
  async (transaction, { before }: { readonly before: number }) =>
    transaction.run(
      sql`DELETE FROM recent_mails WHERE ${amongFirst(
        'ring, slot',
        sql`recent_mails WHERE received_at < ${before} ORDER BY received_at LIMIT ${raw(String(purgeLimit))}`,
      )}`,
    ),
  () => purgeLimit,
);
