/**
 * Read access to runs: pages of lists, the state of one run, its people and timeline, and the run that a message belongs to.
 */
import type { Visibility } from '../../accounts/visibility.ts';
import { byDialect, oneOf, sql } from '../../storage/sql.ts';
import { bigint, json, StoredRecord } from '../../storage/stored-record.ts';
import { inTurns, type Reading, readVerb, snapshotVerb } from '../../storage/verb.ts';
import type { Entry } from '../run/entry.ts';
import type { Person, PersonState, Run } from '../run/run.ts';
import { storedPerson, storedRun } from '../stored-runs.ts';

/** Runs before an id, the latest first. */
export const listVisibleRuns = readVerb(
  'jobs.listVisibleRuns',
  async (
    reading,
    {
      visible,
      before,
      limit,
    }: { readonly visible: Visibility; readonly before: number; readonly limit: number },
  ): Promise<readonly Run[]> => {
    const found = await storedRun.all(reading)`
      FROM job_runs WHERE ${await ofOwner(reading, visible)} AND id < ${before}
      ORDER BY id DESC LIMIT ${limit}`;
    return found.map(({ run }) => run);
  },
);

/** The owner is read first: with the owner as a subquery, PostgreSQL would walk through everyone's runs. */
async function ofOwner(reading: Reading, { companyId, userId }: Visibility) {
  if (userId === null) return sql`company_id = ${companyId}`;
  const row = await reading.first<{ owner: number | null }>(
    sql`SELECT job_owner_id AS owner FROM users WHERE id = ${userId} AND company_id = ${companyId}`,
  );
  return sql`system_user_id = ${row?.owner ?? 0}`;
}

/** Null if there is no such visible run. */
export const findVisibleRun = readVerb(
  'jobs.findVisibleRun',
  async (
    reading,
    { visible, id }: { readonly visible: Visibility; readonly id: number },
  ): Promise<Run | null> => {
    const found = await storedRun.first(reading)`FROM job_runs WHERE id = ${id} AND ${seenBy(visible)}`;
    return found?.run ?? null;
  },
);

/** An administrator sees all runs of the company, other users the runs of jobs that they may start. */
function seenBy({ companyId, userId }: Visibility) {
  return userId === null
    ? sql`company_id = ${companyId}`
    : sql`system_user_id = (SELECT job_owner_id FROM users WHERE id = ${userId} AND company_id = ${companyId})`;
}

/** The latest first. */
export const listLatestRuns = readVerb(
  'jobs.listRuns',
  async (reading, limit: number): Promise<readonly Run[]> => {
    const found = await storedRun.all(reading)`FROM job_runs ORDER BY id DESC LIMIT ${limit}`;
    return found.map(({ run }) => run);
  },
);

const phase = byDialect({ sqlite: "run->>'phase'", postgres: "run::json->>'phase'" });
const starterId = byDialect({ sqlite: "run->>'userId'", postgres: "(run::json->>'userId')::BIGINT" });

/** Runs waiting for their start, the next one first. */
export const listScheduledRuns = readVerb(
  'jobs.listScheduledRuns',
  async (
    reading,
    { companyId, userId, limit }: Visibility & { readonly limit: number },
  ): Promise<readonly Run[]> => {
    const isTheirs = userId === null ? sql`` : sql`AND ${starterId} = ${userId}`;
    const found = await storedRun.all(reading)`
      FROM job_runs WHERE company_id = ${companyId} AND due_at IS NOT NULL AND ${phase} = 'scheduled' ${isTheirs}
      ORDER BY due_at, id LIMIT ${limit}`;
    return found.map(({ run }) => run);
  },
);

/** The number of people in one state; `task` is the task in which they hold a place. */
export interface StateCount {
  readonly state: PersonState;
  readonly task: number | null;
  readonly count: number;
}

const fieldOf = (name: 'state' | 'task') =>
  byDialect({ sqlite: `person->>'${name}'`, postgres: `person::json->>'${name}'` });

export const countPeople = inTurns(
  readVerb(
    'jobs.countPeople',
    async (reading, { runId }: { readonly runId: number; readonly companyId: number }) => {
      const rows = await reading.all<{ state: PersonState; task: string | null; count: number }>(
        sql`SELECT ${fieldOf('state')} AS state, ${fieldOf('task')} AS task, COUNT(*) AS count
            FROM job_people WHERE run_id = ${runId} GROUP BY 1, 2`,
      );
      return rows.map(
        ({ state, task, count }): StateCount => ({
          state,
          count: Number(count),
          task: task === null ? null : Number(task),
        }),
      );
    },
  ),
  ({ companyId }) => ({ companyId, userId: 0 }),
);

/** In the order in which they are asked. */
export const listPeopleOfRun = readVerb(
  'jobs.listPeople',
  async (
    reading,
    { runId, after, limit }: { readonly runId: number; readonly after: number; readonly limit: number },
  ): Promise<readonly Person[]> => {
    const found = await storedPerson.all(reading)`
      FROM job_people WHERE run_id = ${runId} AND place > CAST(${after} AS BIGINT) ORDER BY place LIMIT ${limit}`;
    return found.map(({ person }) => person);
  },
);

/** At most this many people are named per entry. */
export const maxNamed = 20;

const placedEntry = new StoredRecord({ place: bigint, entry: json<Entry>() });

/** The latest first, with the people they name. */
export const listEntries = snapshotVerb(
  'jobs.listEntries',
  async (
    reading,
    { runId, before, limit }: { readonly runId: number; readonly before: number; readonly limit: number },
  ) => {
    const entries = await placedEntry.all(reading)`
      FROM job_entries WHERE run_id = ${runId} AND place < CAST(${before} AS BIGINT)
      ORDER BY place DESC LIMIT ${limit}`;
    const named = [...new Set(entries.flatMap(({ entry }) => entry.people?.slice(0, maxNamed) ?? []))];
    const people = await storedPerson.all(reading)`
      FROM job_people WHERE run_id = ${runId} AND place ${oneOf('integer', named)}`;
    return { entries, people: people.map(({ person }) => person) };
  },
);

interface RunOfMessage {
  readonly messageId: number;
  readonly runId: number;
  readonly name: string;
  /** The current state of the person who received the message. */
  readonly state: PersonState;
}

/** Finds the runs of a page of messages. */
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

/** Null if the message belongs to no run. */
export const findRunOf = readVerb(
  'jobs.findRunOf',
  async (reading, message: { readonly companyId: number; readonly id: number }) => {
    const row = await reading.first<{ runId: number }>(
      sql`SELECT run_id AS "runId" FROM job_messages
          WHERE company_id = ${message.companyId} AND message_id = ${message.id}`,
    );
    return row?.runId ?? null;
  },
);
