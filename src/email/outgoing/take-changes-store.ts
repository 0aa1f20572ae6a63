/**
 * Takes from the journal what is to go back by mail, and moves the reader on, in one transaction: at least once, without
 * a gap. An answer goes into the outbox at once; receipts gather with their messages until their mail is due.
 *
 *   status ──▶ told soon ──a few seconds, or a minute after the mail before──▶ one mail of all that there is by then
 */

import type { Advanced } from '../../changes/change-reader.ts';
import { isHeld, moveHeldReader } from '../../changes/held-reader.ts';
import { changeKind } from '../../changes/journal.ts';
import { status } from '../../messages/message.ts';
import { fromEach, literal, raw, sql } from '../../storage/sql.ts';
import { singleWriteVerb, type Transaction } from '../../storage/verb.ts';
import { type AnsweredRow, answeredColumns, toAnswered } from './answered-mail.ts';
import { answerMail } from './mail-back.ts';
import { mailReader } from './mail-reader.ts';
import { queueMails } from './queue-mails.ts';
import { toldStatuses } from './words.ts';

export interface TakeInput {
  readonly nodeId: number;
  /** No further than this place of the journal. */
  readonly to: number;
  readonly limit: number;
  readonly now: number;
  /** Of phones. */
  readonly domain: string;
}

export type Taken = Advanced | 'notHeld';

/** What comes close together is told together. */
const gatherMs = 3_000;
/** Of one mail, no more than one in so long goes back for its receipts. */
const leastBetweenMs = 60_000;

interface Page {
  readonly from: number;
  readonly to: number;
}

export const takeChanges = singleWriteVerb(
  'email.takeChanges',
  async (transaction, { nodeId, to, limit, now, domain }: TakeInput): Promise<Taken> => {
    const reader = await isHeld(transaction, { name: mailReader, nodeId });
    if (typeof reader === 'string') return reader;
    const { last, count } = (await transaction.first<{ last: number | null; count: number }>(
      sql`SELECT MAX(place) AS last, COUNT(*) AS count FROM (SELECT place FROM changes
          WHERE place > ${reader.place} AND place <= ${to} ORDER BY place LIMIT ${limit}) AS page`,
    )) ?? { last: null, count: 0 };
    if (last === null) return { place: reader.place, isMore: false };
    const page = { from: reader.place, to: last };
    await gatherReceipts(transaction, page, now);
    await queueAnswers(transaction, page, now, domain);
    await moveHeldReader(transaction, mailReader, last);
    return { place: last, isMore: count === limit };
  },
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

/** The last one of each message counts: what it was before need not be told any more. */
async function gatherReceipts(transaction: Transaction, { from, to }: Page, now: number): Promise<void> {
  const receipts = await transaction.all<Receipt>(
    sql`SELECT email_messages.company_id, message_id, mail_id, status, changed_at, only_non_delivery
        FROM changes JOIN email_messages ON email_messages.company_id = changes.company_id
          AND email_messages.message_id = changes.subject_id
        WHERE place > ${from} AND place <= ${to} AND kind = ${literal(changeKind.message)}
          AND status IN (${raw(toldStatuses.join(', '))})
        ORDER BY place`,
  );
  if (receipts.length === 0) return;
  const last = new Map(receipts.map((receipt) => [`${receipt.company_id} ${receipt.message_id}`, receipt]));
  const isTold = (receipt: Receipt) => receipt.only_non_delivery === 0 || receipt.status !== status.DELIVERED;
  await transaction.each(
    { company_id: 'bigint', message_id: 'bigint', status: 'smallint', changed_at: 'bigint' },
    [...last.values()].map((receipt) => {
      const { company_id, message_id, status: code, changed_at } = receipt;
      return [company_id, message_id, ...(isTold(receipt) ? [code, changed_at] : [null, null])];
    }),
    sql`UPDATE email_messages SET untold_status = each.status, untold_at = each.changed_at ${fromEach}
        WHERE email_messages.company_id = each.company_id AND email_messages.message_id = each.message_id`,
  );
  const told = [...last.values()].filter(isTold);
  const mails = new Map(told.map((receipt) => [`${receipt.company_id} ${receipt.mail_id}`, receipt]));
  await transaction.each(
    { company_id: 'bigint', mail_id: 'bigint', now: 'bigint' },
    [...mails.values()].map(({ company_id, mail_id }) => [company_id, mail_id, now]),
    // A mail of a time to come was told before the clock was set back.
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
  { from, to }: Page,
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
