/**
 * What became of mails that ask somebody: kept in the transaction that ends the mail, until whoever asked takes it in. Of one
 * that is replayed the later outcome comes too.
 */
import { amongUnlocked, sql } from '../../storage/sql.ts';
import type { Transaction } from '../../storage/verb.ts';

interface QuestionOutcome {
  readonly messageId: string;
  /** Taken: the relay has it. */
  readonly isTaken: boolean;
  /** What the relay said, or why it was not asked. */
  readonly reason: string;
  readonly at: number;
}

const columns = { message_id: 'text', is_taken: 'smallint', reason: 'text', at: 'bigint' } as const;

export async function keepQuestionOutcomes(
  transaction: Transaction,
  outcomes: readonly QuestionOutcome[],
): Promise<void> {
  const latest = new Map(outcomes.map((one) => [one.messageId, one]));
  await transaction.insert(
    'question_outcomes',
    columns,
    [...latest.values()].map(({ messageId, isTaken, reason, at }) => [
      messageId,
      isTaken ? 1 : 0,
      reason,
      at,
    ]),
    'ON CONFLICT (message_id) DO UPDATE SET is_taken = excluded.is_taken, reason = excluded.reason, at = excluded.at',
  );
}

export async function takeQuestionOutcomes(
  transaction: Transaction,
  limit: number,
): Promise<readonly QuestionOutcome[]> {
  const rows = await transaction.all<{ message_id: string; is_taken: number; reason: string; at: number }>(
    sql`DELETE FROM question_outcomes WHERE ${amongUnlocked(
      'message_id',
      sql`question_outcomes WHERE message_id > '' ORDER BY message_id LIMIT ${limit}`,
    )} RETURNING message_id, is_taken, reason, at`,
  );
  return rows.map(({ message_id, is_taken, ...rest }) => ({
    messageId: message_id,
    isTaken: is_taken === 1,
    reason: rest.reason,
    at: rest.at,
  }));
}
