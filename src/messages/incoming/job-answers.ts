/**
 * Stores answers to job runs: SMS received on a number that a job has leased. They wait until the run takes them in,
 * and are kept as long as the run, so that an SMS stored again after a write with an unknown outcome is not taken for
 * another answer.
 */
import { oneOf, sql } from '../../storage/sql.ts';
import {
  bigint,
  flag,
  inColumn,
  type Kept,
  nullable,
  StoredRecord,
  text,
} from '../../storage/stored-record.ts';
import type { Reading, Transaction } from '../../storage/verb.ts';
import type { Answered } from '../pool/leases.ts';

const jobAnswer = new StoredRecord({
  id: bigint,
  runId: bigint,
  companyId: bigint,
  userId: bigint,
  sender: text,
  recipient: text,
  text,
  /** The run's message that the SMS answers. */
  questionId: bigint,
  receivedAt: bigint,
  /** The code that identifies the run when several runs share the number. */
  code: nullable(bigint),
  /** A value of `clarity`. */
  clarity: bigint,
  /** An earlier answer without a code; it is the actual answer if this SMS only names its run. */
  before: nullable(inColumn('before_text', text)),
  /** Whether it is a word that opts out, which counts as a NO whatever the words of the job are. */
  optedOut: flag,
});

export type JobAnswer = Kept<typeof jobAnswer>;

/** Whether it is clear which of the runs sharing the number an answer is for. */
export const clarity = {
  clear: 0,
  unclear: 1,
  /** An earlier answer is unclear too, and its sender was asked which run is meant. */
  unclearAgain: 2,
} as const;

/**
 * Stores an answer only once, however often it is called; returns whether it is new. The conversation of a job's lease is the
 * id of its run.
 */
export async function keepJobAnswer(
  transaction: Transaction,
  {
    id,
    sender,
    recipient,
    text,
    receivedAt,
  }: Pick<JobAnswer, 'id' | 'sender' | 'recipient' | 'text' | 'receivedAt'>,
  { lease, code, isUnclear, waiting, optsOut = false }: Answered & { readonly optsOut?: boolean },
): Promise<boolean> {
  const { companyId, userId, conversation, messageId } = lease;
  const again = waiting === null ? clarity.unclear : clarity.unclearAgain;
  const stored = await transaction.run(
    sql`INSERT INTO job_answers (id, run_id, company_id, user_id, sender, recipient, text, question_id, received_at,
          code, clarity, before_text, opted_out)
        VALUES (${id}, ${Number(conversation)}, ${companyId}, ${userId}, ${sender}, ${recipient}, ${text}, ${messageId},
          ${receivedAt}, ${code}, ${isUnclear ? again : clarity.clear}, ${code === null ? null : waiting},
          ${optsOut ? 1 : 0})
        ON CONFLICT (id) DO NOTHING`,
  );
  return stored === 1;
}

/** Waiting answers, by run and in the order in which they came. */
export async function readJobAnswers(
  reading: Reading,
  runIds: readonly number[],
  limit: number,
): Promise<readonly JobAnswer[]> {
  return jobAnswer.all(reading)`
    FROM job_answers WHERE run_id ${oneOf('bigint', runIds)} AND taken = 0
    ORDER BY run_id, received_at, id LIMIT ${limit}`;
}

/** Ids of runs that have waiting answers. */
export async function runsWithAnswers(reading: Reading, limit: number): Promise<readonly number[]> {
  const rows = await reading.all<{ run_id: number }>(
    sql`SELECT DISTINCT run_id FROM job_answers WHERE taken = 0 LIMIT ${limit}`,
  );
  return rows.map(({ run_id }) => run_id);
}

export async function markTaken(transaction: Transaction, ids: readonly number[]): Promise<void> {
  if (ids.length > 0)
    await transaction.run(sql`UPDATE job_answers SET taken = 1 WHERE id ${oneOf('bigint', ids)}`);
}

/** The user whose job the SMS answered; undefined when it answered none. */
export async function jobAnswerOwner(reading: Reading, id: number): Promise<number | undefined> {
  const row = await reading.first<{ user_id: number }>(sql`SELECT user_id FROM job_answers WHERE id = ${id}`);
  return row?.user_id;
}

/** Forgets what the runs have taken in, since the runs are gone. */
export async function forgetTaken(transaction: Transaction, runIds: readonly number[]): Promise<void> {
  await transaction.run(sql`DELETE FROM job_answers WHERE run_id ${oneOf('bigint', runIds)} AND taken = 1`);
}
