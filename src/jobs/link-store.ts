/** What is read and written for somebody who answers by the link of a mail. */
import { byDialect, sql } from '../storage/sql.ts';
import { inTurns, type Reading, readVerb, singleWriteVerb, snapshotVerb } from '../storage/verb.ts';
import type { RunEvent } from './run/event.ts';
import type { Person, Run } from './run/run.ts';

export interface PersonOfRun {
  readonly runId: number;
  readonly place: number;
}

export interface StoredStanding {
  readonly run: Run;
  readonly person: Person;
  readonly people: number;
  /** Who hold a place. */
  readonly found: number;
  /** Of the reserves those up to this person. */
  readonly rank: number;
  /** Answers by link that wait to be taken in, the latest first. */
  readonly pending: readonly Meaning[];
}

export type Meaning = 'yes' | 'no';

/** Of one person: more can't be taken back as fast as they come. */
export const maxPending = 5;

const taskOf = byDialect({ sqlite: "person->>'task'", postgres: "person::json->>'task'" });
const reserveOf = byDialect({ sqlite: "person->>'reserve'", postgres: "(person::json->>'reserve')::BIGINT" });

/** Names of the answers of one person, which nothing else has. */
const named = (place: number) => `answered ${place} `;

/** The company of a run; undefined: there is none. */
export const findCompanyOfRun = readVerb(
  'jobs.findCompanyOfRun',
  async (reading, runId: number): Promise<number | undefined> => {
    const row = await reading.first<{ company_id: number }>(
      sql`SELECT company_id FROM job_runs WHERE id = ${runId}`,
    );
    return row?.company_id;
  },
);

async function pendingOf(reading: Reading, { runId, place }: PersonOfRun): Promise<readonly Meaning[]> {
  const rows = await reading.all<{ event: string }>(
    sql`SELECT event FROM job_events WHERE run_id = ${runId} AND name LIKE ${`${named(place)}%`}
        ORDER BY at DESC, name DESC LIMIT ${maxPending}`,
  );
  return rows.map(({ event }) => (JSON.parse(event) as RunEvent & { kind: 'answered' }).meaning);
}

export interface WantedStanding extends PersonOfRun {
  readonly companyId: number;
}

/** Of a large run it takes milliseconds, and whoever has a link may ask often. */
export const readStanding = inTurns(
  snapshotVerb(
    'jobs.readStanding',
    async (reading, { runId, place }: WantedStanding): Promise<StoredStanding | null> => {
      const row = await reading.first<{ run: string; person: string }>(
        sql`SELECT run, person FROM job_runs JOIN job_people ON run_id = id
            WHERE id = ${runId} AND place = ${place}`,
      );
      if (row === undefined) return null;
      const person = JSON.parse(row.person) as Person;
      const turn = person.reserve ?? 0;
      const counts = await reading.first<Pick<StoredStanding, 'people' | 'found' | 'rank'>>(
        sql`SELECT COUNT(*) AS people, COUNT(${taskOf}) AS found,
              COUNT(*) FILTER (WHERE ${reserveOf} <= ${turn}) AS rank FROM job_people WHERE run_id = ${runId}`,
      );
      return {
        run: JSON.parse(row.run) as Run,
        person,
        ...(counts as Pick<StoredStanding, 'people' | 'found' | 'rank'>),
        pending: await pendingOf(reading, { runId, place }),
      };
    },
  ),
  ({ companyId }) => ({ companyId, userId: 0 }),
);

export interface AnswerByLink extends PersonOfRun {
  readonly meaning: Meaning;
  readonly at: number;
  /** By which it is another than those before. */
  readonly mark: string;
}

/** For the next step of the run, as an answer by SMS is. False: it is what the person has said already. */
export const putAnswerByLink = singleWriteVerb(
  'jobs.putAnswerByLink',
  async (transaction, { runId, place, meaning, at, mark }: AnswerByLink): Promise<boolean> => {
    const row = await transaction.first<{ person: string }>(
      sql`SELECT person FROM job_people WHERE run_id = ${runId} AND place = ${place}`,
    );
    if (row === undefined) return false;
    const [latest = (JSON.parse(row.person) as Person).state] = await pendingOf(transaction, {
      runId,
      place,
    });
    if (latest === meaning) return false;
    const event: RunEvent = { kind: 'answered', place, meaning };
    await transaction.run(
      sql`INSERT INTO job_events (run_id, name, at, event)
          SELECT id, ${named(place) + mark}, ${at}, ${JSON.stringify(event)} FROM job_runs WHERE id = ${runId}`,
    );
    return true;
  },
);

/** Whether an answer still waits for a step of its run. */
export const isAnswerPending = readVerb(
  'jobs.isAnswerPending',
  async (reading, { runId, place, mark }: PersonOfRun & Pick<AnswerByLink, 'mark'>): Promise<boolean> => {
    const row = await reading.first(
      sql`SELECT name FROM job_events WHERE run_id = ${runId} AND name = ${named(place) + mark}`,
    );
    return row !== undefined;
  },
);
