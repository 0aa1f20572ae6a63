/** Verbs that show what runs of saved jobs have left in a store. */

import { readMails } from '../../src/jobs/mails-store.ts';
import { charge } from '../../src/messages/message.ts';
import { sql } from '../../src/storage/sql.ts';
import { readVerb, singleWriteVerb } from '../../src/storage/verb.ts';

export interface TestText {
  readonly id: number;
  readonly place: number;
  readonly from: string;
  readonly text: string;
}

/** The texts that a run has sent, in order. */
export const listTexts = readVerb('test.listTexts', async (reading, runId: number) =>
  reading.all<TestText>(
    sql`SELECT messages.id, place, sender AS "from", text FROM job_messages JOIN messages
          ON messages.company_id = job_messages.company_id AND messages.id = job_messages.message_id
        WHERE run_id = ${runId} ORDER BY messages.id`,
  ),
);

/** Run rows with only what lists of waiting work read. */
export const putRuns = singleWriteVerb(
  'test.putRuns',
  async (transaction, runs: readonly { id: number; userId: number; phase: string; dueAt: number }[]) =>
    transaction.insert(
      'job_runs',
      {
        id: 'bigint',
        company_id: 'bigint',
        system_user_id: 'bigint',
        version: 'bigint',
        due_at: 'bigint',
        run: 'text',
      } as const,
      runs.map(({ dueAt, ...run }) => [run.id, 1, 1, 1, dueAt, JSON.stringify(run)]),
    ),
);

/** Marks the message of company 1 as taken by a carrier. */
export const markTakenByCarrier = singleWriteVerb(
  'test.markTakenByCarrier',
  async (transaction, id: number) =>
    transaction.run(
      sql`UPDATE messages SET charge = ${charge.due}, stage = NULL, due_at = NULL WHERE company_id = 1 AND id = ${id}`,
    ),
);

/** In order of ids. */
export const mailsOfRun = readVerb('test.mailsOfRun', readMails);

/** The relay has taken a question by mail. */
export const putQuestionOutcome = singleWriteVerb(
  'test.putQuestionOutcome',
  async (transaction, messageId: string) =>
    transaction.run(
      sql`INSERT INTO question_outcomes (message_id, is_taken, reason, at) VALUES (${messageId}, 1, '', 7)`,
    ),
);
