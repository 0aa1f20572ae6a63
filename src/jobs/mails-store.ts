/** The mails of runs: what became of each stands in the record, and a question that was refused for good has reached nobody. */
import { takeQuestionOutcomes } from '../email/outgoing/question-outcomes.ts';
import { giveUpLater, queueMails } from '../email/outgoing/queue-mails.ts';
import { fromEach, literal, oneOf, sql } from '../storage/sql.ts';
import { type Reading, singleWriteVerb, type Transaction } from '../storage/verb.ts';
import type { JobMail } from './by-mail/job-mail.ts';
import { putEvents } from './run-events.ts';

/** Their places are the codes that the store has. */
export const mailStates = ['waiting', 'taken', 'failed'] as const;
export type MailState = (typeof mailStates)[number];

export interface SentMail {
  readonly messageId: string;
  readonly place: number;
  readonly isQuestion: boolean;
  readonly text: string;
  /** Taken: the relay has it. */
  readonly state: MailState;
  /** What the relay said; null while it waits. */
  readonly reason: string | null;
  readonly changedAt: number;
}

const columns = {
  message_id: 'text',
  run_id: 'bigint',
  place: 'integer',
  is_question: 'smallint',
  text: 'text',
  state: 'smallint',
  changed_at: 'bigint',
} as const;

const waiting = mailStates.indexOf('waiting');

export async function keepMails(
  transaction: Transaction,
  runId: number,
  mails: readonly JobMail[],
  now: number,
): Promise<void> {
  await queueMails(transaction, mails, now);
  await transaction.insert(
    'job_mails',
    columns,
    mails.map(({ messageId, place, isQuestion, said }) => [
      ...[messageId, runId, place, isQuestion ? 1 : 0, said, waiting, now],
    ]),
    'ON CONFLICT (message_id) DO NOTHING',
  );
}

/** Questions that still wait are of use until then. */
export async function extendQuestions(
  transaction: Transaction,
  runId: number,
  endsAt: number,
): Promise<void> {
  const rows = await transaction.all<{ message_id: string }>(
    sql`SELECT message_id FROM job_mails
        WHERE run_id = ${runId} AND is_question = 1 AND state = ${literal(waiting)}`,
  );
  const messageIds = rows.map(({ message_id }) => message_id);
  if (messageIds.length > 0) await giveUpLater(transaction, messageIds, endsAt);
}

/** Takes in so many outcomes at most; answers how many there were. */
export const takeMailOutcomes = singleWriteVerb(
  'jobs.takeMailOutcomes',
  async (transaction, { limit }: { readonly limit: number }): Promise<number> => {
    const outcomes = await takeQuestionOutcomes(transaction, limit);
    if (outcomes.length === 0) return 0;
    const byId = new Map(outcomes.map((one) => [one.messageId, one]));
    await transaction.each(
      { message_id: 'text', state: 'smallint', reason: 'text', changed_at: 'bigint' },
      outcomes.map(({ messageId, isTaken, reason, at }) => [
        ...[messageId, mailStates.indexOf(isTaken ? 'taken' : 'failed'), reason, at],
      ]),
      sql`UPDATE job_mails SET state = each.state, reason = each.reason, changed_at = each.changed_at ${fromEach}
          WHERE job_mails.message_id = each.message_id`,
    );
    const failed = outcomes.flatMap(({ isTaken, messageId }) => (isTaken ? [] : [messageId]));
    const rows = await transaction.all<{ message_id: string; run_id: number; place: number }>(
      sql`SELECT message_id, run_id, place FROM job_mails
          WHERE message_id ${oneOf('text', failed)} AND is_question = 1`,
    );
    await putEvents(
      transaction,
      rows.map(({ message_id, run_id, place }) => {
        const { reason, at } = byId.get(message_id) as (typeof outcomes)[number];
        const event = { kind: 'failed', place, status: `the mail failed: ${reason}` } as const;
        return { runId: run_id, name: `failed ${message_id}`, at, event };
      }),
    );
    return outcomes.length;
  },
  ({ limit }) => limit,
);

export async function readMails(reading: Reading, runId: number): Promise<readonly SentMail[]> {
  const rows = await reading.all<
    Omit<SentMail, 'isQuestion' | 'state'> & { isQuestion: number; state: number }
  >(
    sql`SELECT message_id AS "messageId", place, is_question AS "isQuestion", text, state, reason, changed_at AS "changedAt"
        FROM job_mails WHERE run_id = ${runId} ORDER BY message_id`,
  );
  return rows.map((row) => ({
    ...{ ...row, isQuestion: row.isQuestion === 1, state: mailStates[row.state] ?? 'waiting' },
  }));
}
