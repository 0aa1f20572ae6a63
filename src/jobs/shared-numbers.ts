/** Which runs an answer may be to that names none, where several ask one person from one number (JOB-7). */
import { clarity, type JobAnswer } from '../messages/incoming/job-answers.ts';
import { readSharingJobs, type SharingJob } from '../messages/pool/job-leases.ts';
import { oneOf, sql } from '../storage/sql.ts';
import type { Reading } from '../storage/verb.ts';
import type { Choice, Run } from './run/run.ts';

/** By the id of the answer; none where it is clear, or only one run is left. */
export type Choices = ReadonlyMap<number, readonly Choice[]>;

export async function readChoices(reading: Reading, answers: readonly JobAnswer[]): Promise<Choices> {
  const unclear = answers.filter((answer) => answer.clarity !== clarity.clear);
  if (unclear.length === 0) return new Map();
  const pairs = new Map(unclear.map((answer) => [pairOf(answer), answer]));
  const since = Math.min(...unclear.map(({ receivedAt }) => receivedAt));
  const sharing = await readSharingJobs(reading, [...pairs.values()], since);
  const ids = [...new Set(sharing.map(({ conversation }) => Number(conversation)))];
  const rows = await reading.all<{ id: number; run: string }>(
    sql`SELECT id, run FROM job_runs WHERE id ${oneOf('bigint', ids)}`,
  );
  const names = new Map(rows.map(({ id, run }) => [id, (JSON.parse(run) as Run).jobName]));
  const choicesOf = (answer: JobAnswer) => {
    const live = sharing.filter((one) => isLive(one, answer));
    // A run has a lease for each of its texts.
    const byRun = new Map(live.map(({ conversation, code }) => [conversation, code]));
    return [...byRun].map(([conversation, code]) => {
      const runId = Number(conversation);
      return { runId, code, job: names.get(runId) ?? '' };
    });
  };
  const choices = unclear.map((answer) => [answer.id, choicesOf(answer)] as const);
  return new Map(choices.filter(([, some]) => some.length > 1));
}

/** As it was when the answer came. */
function isLive(job: SharingJob, answer: JobAnswer): boolean {
  const { companyId, receivedAt } = answer;
  const isThen = job.startsAt <= receivedAt && receivedAt < job.endsAt;
  return pairOf(job) === pairOf(answer) && job.companyId === companyId && isThen;
}

function pairOf({ sender, recipient }: Pick<JobAnswer, 'sender' | 'recipient'>): string {
  return `${sender} ${recipient}`;
}
