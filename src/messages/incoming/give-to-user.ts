/** Gives SMS that came for a job but did not answer it to the user who started the job, like any other SMS. */
import type { Transaction } from '../../storage/verb.ts';
import { noteUnread } from '../conversation-rows.ts';
import { forgetTaken, type JobAnswer, markTaken, readJobAnswers } from './job-answers.ts';
import { keepFor } from './store.ts';

/** Comes last in a transaction, as all that waits for conversations. */
export async function giveToUser(transaction: Transaction, answers: readonly JobAnswer[]): Promise<void> {
  const given: JobAnswer[] = [];
  for (const answer of answers) {
    const { runId, questionId } = answer;
    const owner = { ...answer, conversation: String(runId), messageId: questionId };
    if (await keepFor(transaction, answer, owner)) given.push(answer);
  }
  await noteUnread(transaction, given);
}

/** The runs are gone, so up to `limit` of the answers that still arrive for them go to the users of the runs. */
export async function giveAnswersOfGoneRuns(
  transaction: Transaction,
  runIds: readonly number[],
  limit: number,
): Promise<void> {
  const answers = await readJobAnswers(transaction, runIds, limit);
  await markTaken(
    transaction,
    answers.map(({ id }) => id),
  );
  await forgetTaken(transaction, runIds);
  await giveToUser(transaction, answers);
}
