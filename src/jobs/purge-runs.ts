/**
 * Removes runs that ended longer ago than the retention period, with their people and timelines (JOB-14). An answer to a
 * removed run is treated like any other SMS to its user.
 */
import { giveAnswersOfGoneRuns } from '../messages/incoming/give-to-user.ts';
import { type PurgeTimes, purgeInSets } from '../storage/retention.ts';
import { amongUnlocked, oneOf, raw, sql } from '../storage/sql.ts';
import type { Store } from '../storage/store.ts';
import { singleWriteVerb, type Transaction } from '../storage/verb.ts';

/** Small, because a run may have thousands of people. */
const setSize = 10;
const maxAnswers = 500;

export function purgeOldRuns(store: Store, { before }: PurgeTimes, signal: AbortSignal): Promise<number> {
  return purgeInSets(signal, () => store.write(purgeRuns, { before }));
}

/** Returns how many were removed. */
export const purgeRuns = singleWriteVerb(
  'jobs.purge',
  async (transaction, { before }: { readonly before: number }) => {
    const runs = await transaction.all<{ id: number }>(
      sql`DELETE FROM job_runs WHERE ${amongUnlocked(
        'id',
        sql`job_runs WHERE ended_at < ${before} ORDER BY ended_at LIMIT ${raw(String(setSize))}`,
      )} RETURNING id`,
    );
    await removeRest(
      transaction,
      runs.map(({ id }) => id),
    );
    return runs.length;
  },
  () => 100 * setSize,
);

async function removeRest(transaction: Transaction, runIds: readonly number[]): Promise<void> {
  const among = oneOf('bigint', runIds);
  await transaction.run(sql`DELETE FROM job_people WHERE run_id ${among}`);
  await transaction.run(sql`DELETE FROM job_entries WHERE run_id ${among}`);
  await transaction.run(sql`DELETE FROM job_mails WHERE run_id ${among}`);
  await transaction.run(sql`DELETE FROM job_messages WHERE run_id ${among}`);
  await transaction.run(sql`DELETE FROM job_events WHERE run_id ${among}`);
  await giveAnswersOfGoneRuns(transaction, runIds, maxAnswers);
}

/** Handles answers that arrive for a run that no longer exists. */
export const clearGoneRun = singleWriteVerb(
  'jobs.clearGone',
  async (transaction, id: number): Promise<void> => {
    const run = await transaction.first(sql`SELECT id FROM job_runs WHERE id = ${id}`);
    if (run === undefined) await removeRest(transaction, [id]);
  },
  () => 100,
);
