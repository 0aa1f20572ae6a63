/** Puts receipts that have gathered into the outbox, one mail for all of a mail that came in. */
import { isHeld } from '../../changes/held-reader.ts';
import { groupedBy } from '../../foundation/grouped.ts';
import { amongUnlocked, fromEach, raw, rowSet, sql } from '../../storage/sql.ts';
import { singleWriteVerb, type Transaction } from '../../storage/verb.ts';
import { type AnsweredRow, answeredColumns, toAnswered } from './answered-mail.ts';
import { receiptMail } from './mail-back.ts';
import { mailReader } from './mail-reader.ts';
import { queueMails } from './queue-mails.ts';

interface ReceiptsInput {
  readonly nodeId: number;
  readonly now: number;
  /** Of phones. */
  readonly domain: string;
  /** So many mails at a time. */
  readonly limit: number;
}

/** Of a mail, whose messages have ids in a row. */
const maxMessages = 100;
/** Longer than any receipt gathers. */
const longestMs = 2 * 60_000;

interface DueMail {
  readonly company_id: number;
  readonly mail_id: number;
}

interface ReceiptRow extends AnsweredRow {
  readonly message_id: number;
  readonly recipient: string;
  readonly untold_status: number;
  readonly untold_at: number;
}

/** Returns how many mails there were. */
export const queueReceipts = singleWriteVerb(
  'email.queueReceipts',
  async (transaction, { nodeId, now, domain, limit }: ReceiptsInput) => {
    if (typeof (await isHeld(transaction, { name: mailReader, nodeId })) === 'string') return 0;
    await makeDue(transaction, now, limit);
    const mails = await transaction.all<DueMail>(
      sql`SELECT company_id, mail_id FROM email_messages WHERE receipts_due_at <= ${now}
          ORDER BY receipts_due_at, company_id, message_id LIMIT ${limit}`,
    );
    if (mails.length === 0) return 0;
    const rows = await readUntold(transaction, mails);
    const byMail = groupedBy(rows, ({ company_id, mail_id }) => `${company_id} ${mail_id}`);
    const written = [...byMail.values()].map((own) => {
      const receipts = own.map(({ recipient, untold_status, untold_at }) => ({
        number: recipient,
        status: untold_status,
        at: untold_at,
      }));
      return receiptMail(toAnswered(own[0] as ReceiptRow), receipts, { domain, now });
    });
    await queueMails(transaction, written, now);
    await markTold(transaction, rows);
    await endGathering(transaction, mails, now);
    return mails.length;
  },
  ({ limit }) => limit * maxMessages,
);

/** What is due later than anything can be was put off before the clock was set back. */
async function makeDue(transaction: Transaction, now: number, limit: number): Promise<void> {
  await transaction.run(
    sql`UPDATE email_messages SET receipts_due_at = ${now} WHERE ${amongUnlocked(
      'company_id, message_id',
      sql`email_messages WHERE receipts_due_at > ${now + longestMs} ORDER BY receipts_due_at LIMIT ${limit}`,
    )}`,
  );
}

/** By the ids that they can have: PostgreSQL would read the whole table for a join by their bounds. */
async function readUntold(
  transaction: Transaction,
  mails: readonly DueMail[],
): Promise<readonly ReceiptRow[]> {
  const columns = { company_id: 'bigint', mail_id: 'bigint', message_id: 'bigint' } as const;
  const keys = mails.flatMap(({ company_id, mail_id }) =>
    Array.from({ length: maxMessages }, (_, place) => [company_id, mail_id, mail_id + place]),
  );
  return transaction.all<ReceiptRow>(
    sql`SELECT ${raw(answeredColumns)}, email_messages.message_id, messages.recipient, untold_status, untold_at
        FROM ${rowSet('due', columns, keys)}
        JOIN email_messages ON email_messages.company_id = due.company_id
          AND email_messages.message_id = due.message_id AND email_messages.mail_id = due.mail_id
        JOIN companies ON companies.id = email_messages.company_id
        JOIN messages ON messages.company_id = email_messages.company_id
          AND messages.id = email_messages.message_id
        WHERE untold_status IS NOT NULL ORDER BY email_messages.company_id, email_messages.message_id`,
  );
}

const messageKey = { company_id: 'bigint', message_id: 'bigint' } as const;

async function markTold(transaction: Transaction, rows: readonly ReceiptRow[]): Promise<void> {
  await transaction.each(
    messageKey,
    rows.map(({ company_id, message_id }) => [company_id, message_id]),
    sql`UPDATE email_messages SET untold_status = NULL, untold_at = NULL ${fromEach}
        WHERE email_messages.company_id = each.company_id AND email_messages.message_id = each.message_id`,
  );
}

async function endGathering(transaction: Transaction, mails: readonly DueMail[], now: number): Promise<void> {
  await transaction.each(
    { ...messageKey, now: 'bigint' },
    mails.map(({ company_id, mail_id }) => [company_id, mail_id, now]),
    sql`UPDATE email_messages SET receipts_due_at = NULL, receipts_told_at = each.now ${fromEach}
        WHERE email_messages.company_id = each.company_id AND email_messages.message_id = each.message_id`,
  );
}
