/**
 * Removes runs that have ended longer ago than the retention, with their people and timelines (JOB-14). What is answered to
 * one that is gone is an SMS to its user, as any other.
 */
import { giveAnswersOfGoneRuns } from '../messages/incoming/give-to-user.ts';
import { amongUnlocked, oneOf, sql } from '../storage/sql.ts';
import type { Store } from '../storage/store.ts';
import { singleWriteVerb, type Transaction } from '../storage/verb.ts';

/** A run may have thousands of people. */
const setSize = 10;
const maxAnswers = 500;

export async function purgeOldRuns(
  store: Store,
  { before }: { readonly before: number },
  isStopped: () => boolean,
): Promise<number> {
  let all = 0;
  let purged = setSize;
  while (purged === setSize && !isStopped()) {
    purged = await store.write(purgeRuns, { before, limit: setSize });
    all += purged;
  }
  return all;
}

export const purgeRuns = singleWriteVerb(
  'jobs.purge',
  async (transaction, { before, limit }: { readonly before: number; readonly limit: number }) => {
    const runs = await transaction.all<{ id: number }>(
      sql`DELETE FROM job_runs WHERE ${amongUnlocked(
        'id',
        sql`job_runs WHERE ended_at < ${before} ORDER BY ended_at LIMIT ${limit}`,
      )} RETURNING id`,
    );
    await removeRest(
      transaction,
      runs.map(({ id }) => id),
    );
    return runs.length;
  },
  ({ limit }) => 100 * limit,
);

async function removeRest(transaction: Transaction, runIds: readonly number[]): Promise<void> {
  const among = oneOf('bigint', runIds);
  await transaction.run(sql`DELETE FROM job_people WHERE run_id ${among}`);
  await transaction.run(sql`DELETE FROM job_entries WHERE run_id ${among}`);
  await transaction.run(sql`DELETE FROM job_messages WHERE run_id ${among}`);
  await transaction.run(sql`DELETE FROM job_events WHERE run_id ${among}`);
  await giveAnswersOfGoneRuns(transaction, runIds, maxAnswers);
}

/** Something has come for a run that is gone. */
export const clearGoneRun = singleWriteVerb(
  'jobs.clearGone',
  async (transaction, id: number): Promise<void> => {
    const run = await transaction.first(sql`SELECT id FROM job_runs WHERE id = ${id}`);
    if (run === undefined) await removeRest(transaction, [id]);
  },
  () => 100,
);
