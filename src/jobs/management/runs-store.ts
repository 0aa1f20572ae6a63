/** Runs as the management API shows them: a page of a list, and of one run how it stands, its people and its timeline. */
import type { Visibility } from '../../accounts/visibility.ts';
import { byDialect, oneOf, sql } from '../../storage/sql.ts';
import { inTurns, type Reading, readVerb, snapshotVerb } from '../../storage/verb.ts';
import type { Entry } from '../run/entry.ts';
import type { Person, PersonState, Run } from '../run/run.ts';

export interface RunsQuery {
  readonly visible: Visibility;
  /** The last of the page before. */
  readonly before: number;
  readonly limit: number;
}

/** To an administrator all of the company; to others those of the jobs that they may start. */
function seenBy({ companyId, userId }: Visibility) {
  return userId === null
    ? sql`company_id = ${companyId}`
    : sql`system_user_id = (SELECT job_owner_id FROM users WHERE id = ${userId} AND company_id = ${companyId})`;
}

/** The latest first. */
export const listVisibleRuns = readVerb(
  'jobs.listVisibleRuns',
  async (reading, { visible, before, limit }: RunsQuery): Promise<readonly Run[]> => {
    const rows = await reading.all<{ run: string }>(
      sql`SELECT run FROM job_runs WHERE ${await ofOwner(reading, visible)} AND id < ${before}
          ORDER BY id DESC LIMIT ${limit}`,
    );
    return rows.map(({ run }) => JSON.parse(run) as Run);
  },
);

/** The owner is read first: PostgreSQL would go through the runs of all others for one that it does not know. */
async function ofOwner(reading: Reading, { companyId, userId }: Visibility) {
  if (userId === null) return sql`company_id = ${companyId}`;
  const row = await reading.first<{ owner: number | null }>(
    sql`SELECT job_owner_id AS owner FROM users WHERE id = ${userId} AND company_id = ${companyId}`,
  );
  return sql`system_user_id = ${row?.owner ?? 0}`;
}

export interface RunQuery {
  readonly visible: Visibility;
  readonly id: number;
}

/** Null: there is none that is visible. */
export const findVisibleRun = readVerb(
  'jobs.findVisibleRun',
  async (reading, { visible, id }: RunQuery): Promise<Run | null> => {
    const row = await reading.first<{ run: string }>(
      sql`SELECT run FROM job_runs WHERE id = ${id} AND ${seenBy(visible)}`,
    );
    return row === undefined ? null : (JSON.parse(row.run) as Run);
  },
);

/** How many people are so; `task`: whose place they hold. */
export interface Standing {
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
        ({ state, task, count }): Standing => ({
          state,
          count: Number(count),
          task: task === null ? null : Number(task),
        }),
      );
    },
  ),
  ({ companyId }) => ({ companyId, userId: 0 }),
);

export interface PartOfRun {
  readonly runId: number;
  readonly after: number;
  readonly limit: number;
}

/** In the order in which they are asked. */
export const listPeopleOfRun = readVerb(
  'jobs.listPeople',
  async (reading, { runId, after, limit }: PartOfRun): Promise<readonly Person[]> => {
    const rows = await reading.all<{ person: string }>(
      sql`SELECT person FROM job_people WHERE run_id = ${runId} AND place > CAST(${after} AS BIGINT) ORDER BY place LIMIT ${limit}`,
    );
    return rows.map(({ person }) => JSON.parse(person) as Person);
  },
);

export interface PlacedEntry {
  readonly place: number;
  readonly entry: Entry;
}

/** Of an entry so many people are named. */
export const maxNamed = 20;

/** The latest first, with the people whom they name. */
export const listEntries = snapshotVerb(
  'jobs.listEntries',
  async (
    reading,
    { runId, before, limit }: { readonly runId: number; readonly before: number; readonly limit: number },
  ) => {
    const rows = await reading.all<{ place: number; entry: string }>(
      sql`SELECT place, entry FROM job_entries WHERE run_id = ${runId} AND place < CAST(${before} AS BIGINT)
          ORDER BY place DESC LIMIT ${limit}`,
    );
    const entries = rows.map(({ place, entry }): PlacedEntry => ({ place, entry: JSON.parse(entry) }));
    const named = [...new Set(entries.flatMap(({ entry }) => entry.people?.slice(0, maxNamed) ?? []))];
    const people = await reading.all<{ person: string }>(
      sql`SELECT person FROM job_people WHERE run_id = ${runId} AND place ${oneOf('integer', named)}`,
    );
    return { entries, people: people.map(({ person }) => JSON.parse(person) as Person) };
  },
);
