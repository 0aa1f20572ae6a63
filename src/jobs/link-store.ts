/** What is read and written for somebody who answers by the link of a mail. */
import { byDialect, sql } from '../storage/sql.ts';
import { inTurns, singleWriteVerb, snapshotVerb } from '../storage/verb.ts';
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
  /** Answers by link that wait to be taken in. */
  readonly pending: number;
}

const taskOf = byDialect({ sqlite: "person->>'task'", postgres: "person::json->>'task'" });
const reserveOf = byDialect({ sqlite: "person->>'reserve'", postgres: "(person::json->>'reserve')::BIGINT" });

/** Names of the answers of one person, which nothing else has. */
const named = (place: number) => `answered ${place} `;

/** Of a large run it takes milliseconds, and whoever has a link may ask often. */
export const readStanding = inTurns(
  snapshotVerb(
    'jobs.readStanding',
    async (reading, { runId, place }: PersonOfRun): Promise<StoredStanding | null> => {
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
      const waiting = await reading.first<{ pending: number }>(
        sql`SELECT COUNT(*) AS pending FROM job_events WHERE run_id = ${runId} AND name LIKE ${`${named(place)}%`}`,
      );
      return {
        run: JSON.parse(row.run) as Run,
        person,
        ...(counts as Pick<StoredStanding, 'people' | 'found' | 'rank'>),
        pending: waiting?.pending ?? 0,
      };
    },
  ),
  ({ runId }) => runId,
);

export interface AnswerByLink extends PersonOfRun {
  readonly meaning: 'yes' | 'no';
  readonly at: number;
  /** By which it is another than those before. */
  readonly mark: string;
}

/** For the next step of the run, as an answer by SMS is. */
export const putAnswerByLink = singleWriteVerb(
  'jobs.putAnswerByLink',
  async (transaction, { runId, place, meaning, at, mark }: AnswerByLink): Promise<null> => {
    const event: RunEvent = { kind: 'answered', place, meaning };
    await transaction.run(
      sql`INSERT INTO job_events (run_id, name, at, event)
          SELECT id, ${named(place) + mark}, ${at}, ${JSON.stringify(event)} FROM job_runs WHERE id = ${runId}`,
    );
    return null;
  },
);
