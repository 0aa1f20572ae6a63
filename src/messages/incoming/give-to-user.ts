/** What came for a job and is no answer to it belongs to the user who started it, as any other SMS. */
import type { Transaction } from '../../storage/verb.ts';
import type { JobAnswer } from './job-answers.ts';
import { keepFor } from './store.ts';

export async function giveToUser(transaction: Transaction, answers: readonly JobAnswer[]): Promise<void> {
  for (const answer of answers) {
    const { runId, questionId } = answer;
    await keepFor(transaction, answer, { ...answer, conversation: String(runId), messageId: questionId });
  }
}
