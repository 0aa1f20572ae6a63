/**
 * Takes from the journal what is to go back by mail, and moves the reader on, in one transaction, so that each change is
 * taken at least once. An answer goes into the outbox immediately; receipts are gathered with their messages until their
 * e-mail is due.
 *
 *   status ──▶ gathered ──a few seconds, or a minute after the previous e-mail──▶ one e-mail with all receipts so far
 */
import type { CompanyLanguage } from '../../accounts/company-records.ts';
import { isHeld, type JournalPage, keepReader, takePage } from '../../changes/held-reader.ts';
import { changeKind } from '../../changes/journal.ts';
import { groupedBy } from '../../foundation/grouped.ts';
import { status } from '../../messages/message.ts';
import { amongUnlocked, fromEach, literal, raw, rowSet, sql } from '../../storage/sql.ts';
import { singleWriteVerb, type Transaction } from '../../storage/verb.ts';
import { type AnsweredMail, answerMail, receiptMail } from './mail-back.ts';
import { queueMails } from './outgoing-mail.ts';
import { reportedStatuses } from './words.ts';

/** The journal reader for receipts and answers. The node that holds it sends all mail. */
export const mailReader = 'mail';

/** From now on the journal is kept for this reader; returns true if it was not before. */
export const keepMailReader = singleWriteVerb('email.keepReader', (transaction, _: null) =>
  keepReader(transaction, mailReader),
);

interface TakeInput {
  readonly nodeId: number;
  /** The last place of the journal to read. */
  readonly to: number;
  readonly limit: number;
  readonly now: number;
  /** The email-to-SMS domain. */
  readonly domain: string;
}

/** Receipts that arrive within this time share one e-mail. */
const gatherMs = 3_000;
/** At most one receipt e-mail goes back per incoming e-mail in this time. */
const leastBetweenMs = 60_000;

export const takeChanges = singleWriteVerb(
  'email.takeChanges',
  (transaction, { nodeId, to, limit, now, domain }: TakeInput) =>
    takePage(transaction, { name: mailReader, nodeId, to, limit }, async (page) => {
      await gatherReceipts(transaction, page, now);
      await queueAnswers(transaction, page, now, domain);
    }),
  ({ limit }) => limit,
);

interface Receipt {
  readonly company_id: number;
  readonly message_id: number;
  readonly mail_id: number;
  readonly status: number;
  readonly changed_at: number;
  readonly only_non_delivery: number;
}

/** Only the latest status of each message counts; earlier ones need not be reported any more. */
async function gatherReceipts(
  transaction: Transaction,
  { from, to }: JournalPage,
  now: number,
): Promise<void> {
  const receipts = await transaction.all<Receipt>(
    sql`SELECT email_messages.company_id, message_id, mail_id, status, changed_at, only_non_delivery
        FROM changes JOIN email_messages ON email_messages.company_id = changes.company_id
          AND email_messages.message_id = changes.subject_id
        WHERE place > ${from} AND place <= ${to} AND kind = ${literal(changeKind.message)}
          AND status IN (${raw(reportedStatuses.join(', '))})
        ORDER BY place`,
  );
  if (receipts.length === 0) return;
  const last = new Map(receipts.map((receipt) => [`${receipt.company_id} ${receipt.message_id}`, receipt]));
  const isReported = (receipt: Receipt) =>
    receipt.only_non_delivery === 0 || receipt.status !== status.DELIVERED;
  await transaction.each(
    { company_id: 'bigint', message_id: 'bigint', status: 'smallint', changed_at: 'bigint' },
    [...last.values()].map((receipt) => {
      const { company_id, message_id, status: code, changed_at } = receipt;
      return [company_id, message_id, ...(isReported(receipt) ? [code, changed_at] : [null, null])];
    }),
    sql`UPDATE email_messages SET untold_status = each.status, untold_at = each.changed_at ${fromEach}
        WHERE email_messages.company_id = each.company_id AND email_messages.message_id = each.message_id`,
  );
  const reported = [...last.values()].filter(isReported);
  const mails = new Map(reported.map((receipt) => [`${receipt.company_id} ${receipt.mail_id}`, receipt]));
  await transaction.each(
    { company_id: 'bigint', mail_id: 'bigint', now: 'bigint' },
    [...mails.values()].map(({ company_id, mail_id }) => [company_id, mail_id, now]),
    // A report time in the future was set before the clock was set back.
    sql`UPDATE email_messages SET receipts_due_at = CASE
            WHEN receipts_due_at IS NOT NULL THEN receipts_due_at
            WHEN receipts_told_at BETWEEN each.now - ${raw(String(leastBetweenMs - gatherMs))} AND each.now
              THEN receipts_told_at + ${raw(String(leastBetweenMs))}
            ELSE each.now + ${raw(String(gatherMs))} END ${fromEach}
        WHERE email_messages.company_id = each.company_id AND email_messages.message_id = each.mail_id`,
  );
}

interface AnswerRow extends AnsweredRow {
  readonly id: number;
  readonly sender: string;
  readonly text: string;
  readonly received_at: number;
  readonly orig_msg: number;
  readonly original: string | null;
}

async function queueAnswers(
  transaction: Transaction,
  { from, to }: JournalPage,
  now: number,
  domain: string,
): Promise<void> {
  const rows = await transaction.all<AnswerRow>(
    sql`SELECT ${raw(answeredColumns)}, incoming_messages.id, incoming_messages.sender, incoming_messages.text,
          incoming_messages.received_at, orig_msg, messages.text AS original
        FROM changes JOIN incoming_messages ON incoming_messages.id = changes.subject_id
        JOIN email_messages ON email_messages.company_id = changes.company_id
          AND email_messages.message_id = incoming_messages.response_to_id
        JOIN companies ON companies.id = email_messages.company_id
        LEFT JOIN messages ON messages.company_id = email_messages.company_id
          AND messages.id = email_messages.message_id
        WHERE place > ${from} AND place <= ${to} AND kind = ${literal(changeKind.incoming)}
        ORDER BY place`,
  );
  const mails = rows.map((row) =>
    answerMail(
      toAnswered(row),
      {
        id: row.id,
        number: row.sender,
        text: row.text,
        at: row.received_at,
        original: row.orig_msg === 1 ? (row.original ?? undefined) : undefined,
      },
      domain,
    ),
  );
  await queueMails(transaction, mails, now);
}

interface ReceiptsInput {
  readonly nodeId: number;
  readonly now: number;
  /** The email-to-SMS domain. */
  readonly domain: string;
  /** At most this many e-mails at a time. */
  readonly limit: number;
}

/** An e-mail has at most this many messages; their ids are consecutive. */
const maxMessages = 100;
/** Longer than any receipt waits to be gathered. */
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

/** Puts gathered receipts into the outbox, one e-mail per incoming e-mail; returns how many e-mails. */
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
    const rows = await readUnreported(transaction, mails);
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
    await markReported(transaction, rows);
    await endGathering(transaction, mails, now);
    return mails.length;
  },
  ({ limit }) => limit * maxMessages,
);

/** A due time beyond the longest wait was set before the clock was set back. */
async function makeDue(transaction: Transaction, now: number, limit: number): Promise<void> {
  await transaction.run(
    sql`UPDATE email_messages SET receipts_due_at = ${now} WHERE ${amongUnlocked(
      'company_id, message_id',
      sql`email_messages WHERE receipts_due_at > ${now + longestMs} ORDER BY receipts_due_at LIMIT ${limit}`,
    )}`,
  );
}

/** Joins on every possible id: for a join on their bounds PostgreSQL would read the whole table. */
async function readUnreported(
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

async function markReported(transaction: Transaction, rows: readonly ReceiptRow[]): Promise<void> {
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

/** Columns of `email_messages`, its message and its company; the message is gone if it was purged earlier. */
const answeredColumns = `email_messages.company_id, email_messages.mail_id, return_address, subject, mail_message_id,
  mail_references, messages.conversation, companies.language,
  companies.time_zone`;

interface AnsweredRow {
  readonly company_id: number;
  readonly mail_id: number;
  readonly return_address: string;
  readonly subject: string;
  readonly mail_message_id: string | null;
  readonly mail_references: string | null;
  readonly conversation: string | null;
  readonly language: CompanyLanguage | null;
  readonly time_zone: string | null;
}

/** A placeholder for the conversation of a message that is gone, whose e-mail is still answered. */
const noConversation = `mail-${'0'.repeat(32)}`;

/** The e-mail that receipts and answers reply to. */
function toAnswered(row: AnsweredRow): AnsweredMail {
  // An e-mail received before references were stored has none.
  const references = row.mail_references ?? row.mail_message_id ?? '';
  return {
    companyId: row.company_id,
    mailId: row.mail_id,
    returnAddress: row.return_address,
    subject: row.subject,
    references: references.split(' ').filter((id) => id !== ''),
    conversation: row.conversation || noConversation,
    language: row.language ?? 'en',
    timeZone: row.time_zone ?? undefined,
  };
}
