/**
 * The outcomes of e-mails that ask a question: kept in the transaction that ends the e-mail until the asker consumes them. A
 * replayed e-mail also reports its later outcome.
 */
import { amongUnlocked, raw, sql } from '../../storage/sql.ts';
import { bigint, flag, type Kept, StoredRecord, text } from '../../storage/stored-record.ts';
import type { Transaction } from '../../storage/verb.ts';

const questionOutcome = new StoredRecord({
  messageId: text,
  /** True if the relay has taken the e-mail. */
  isTaken: flag,
  /** The relay's response, or why the relay was not asked. */
  reason: text,
  at: bigint,
});

type QuestionOutcome = Kept<typeof questionOutcome>;

export async function keepQuestionOutcomes(
  transaction: Transaction,
  outcomes: readonly QuestionOutcome[],
): Promise<void> {
  const latest = new Map(outcomes.map((one) => [one.messageId, one]));
  await transaction.insert(
    'question_outcomes',
    questionOutcome.columns,
    [...latest.values()].map((outcome) => questionOutcome.row(outcome)),
    `ON CONFLICT (message_id) DO UPDATE SET ${questionOutcome.assignments('excluded', ['message_id'])}`,
  );
}

export async function takeQuestionOutcomes(
  transaction: Transaction,
  limit: number,
): Promise<readonly QuestionOutcome[]> {
  const rows = await transaction.all<object>(
    sql`DELETE FROM question_outcomes WHERE ${amongUnlocked(
      'message_id',
      sql`question_outcomes WHERE message_id > '' ORDER BY message_id LIMIT ${limit}`,
    )} RETURNING ${raw(questionOutcome.names())}`,
  );
  return rows.map((row) => questionOutcome.read(row));
}
