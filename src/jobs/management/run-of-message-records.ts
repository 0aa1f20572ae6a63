/** What messages of runs were about: for pages that show messages of one person. */
import type { Visibility } from '../../accounts/visibility.ts';
import { oneOf, sql } from '../../storage/sql.ts';
import { readVerb } from '../../storage/verb.ts';
import type { Person, PersonState, Run } from '../run/run.ts';

export interface RunOfMessage {
  readonly messageId: number;
  readonly runId: number;
  readonly name: string;
  /** How it is with the person who got it. */
  readonly state: PersonState;
}

/** Of a page of messages those that are of runs. */
export const readRunsOfMessages = readVerb(
  'jobs.runsOfMessages',
  async (
    reading,
    { companyId, ids }: Pick<Visibility, 'companyId'> & { readonly ids: readonly number[] },
  ): Promise<readonly RunOfMessage[]> => {
    if (ids.length === 0) return [];
    const rows = await reading.all<{ messageId: number; runId: number; run: string; person: string }>(
      sql`SELECT job_messages.message_id AS "messageId", job_messages.run_id AS "runId", job_runs.run, job_people.person
          FROM job_messages CROSS JOIN job_runs CROSS JOIN job_people
          WHERE job_messages.company_id = ${companyId} AND job_messages.message_id ${oneOf('bigint', ids)}
            AND job_runs.id = job_messages.run_id
            AND job_people.run_id = job_messages.run_id AND job_people.place = job_messages.place`,
    );
    return rows.map(({ messageId, runId, run, person }) => ({
      messageId,
      runId,
      name: (JSON.parse(run) as Run).jobName,
      state: (JSON.parse(person) as Person).state,
    }));
  },
);
