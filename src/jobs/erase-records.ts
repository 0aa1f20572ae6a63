/**
 * Erases a phone number from the records of ended runs, which still show that a person was asked and answered, but not
 * who.
 */
import { byDialect, oneOf, sql } from '../storage/sql.ts';
import type { Reading, Transaction } from '../storage/verb.ts';
import { formsOf } from '../wire/phone-number.ts';
import type { Entry } from './run/entry.ts';
import type { LastAnswer, Person } from './run/run.ts';

/** A run, and a person's place in it. */
type PersonPlace = readonly [runId: number, place: number];

/** Returns which of these runs have not ended, and so still need the people they ask. */
export async function liveRuns(reading: Reading, ids: readonly number[]): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set();
  const rows = await reading.all<{ id: number }>(
    sql`SELECT id FROM job_runs WHERE id ${oneOf('bigint', ids)} AND ended_at IS NULL`,
  );
  return new Set(rows.map(({ id }) => id));
}

interface RunOfMessage {
  readonly id: number;
  readonly isLive: boolean;
}

/** Maps messages to the runs they belong to. */
export async function runsBehind(
  reading: Reading,
  companyId: number,
  ids: readonly number[],
): Promise<ReadonlyMap<number, RunOfMessage>> {
  if (ids.length === 0) return new Map();
  const of = await reading.all<{ id: number; runId: number }>(
    sql`SELECT message_id AS id, run_id AS "runId" FROM job_messages
        WHERE company_id = ${companyId} AND message_id ${oneOf('bigint', ids)}`,
  );
  const runIds = [...new Set(of.map(({ runId }) => runId))];
  const live = await liveRuns(reading, runIds);
  return new Map(of.map(({ id, runId }) => [id, { id: runId, isLive: live.has(runId) }]));
}

/** Extracted from the run's JSON, which may be hundreds of kilobytes long. */
const startOfRun = byDialect({
  sqlite: "json_extract(run, '$.startAt')",
  postgres: "(CAST(run AS json) ->> 'startAt')",
});

/** Returns when each run starts; runs that no longer exist are left out. */
export async function startsOf(
  reading: Reading,
  runIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (runIds.length === 0) return new Map();
  const rows = await reading.all<{ id: number; startAt: number }>(
    sql`SELECT id, CAST(${startOfRun} AS BIGINT) AS "startAt" FROM job_runs WHERE id ${oneOf('bigint', runIds)}`,
  );
  return new Map(rows.map(({ id, startAt }) => [id, startAt]));
}

interface ErasedPeople {
  readonly erased: number;
  /** The number of people kept because their runs have not ended. */
  readonly kept: number;
  /** Null at the end of the scan. */
  readonly next: PersonPlace | null;
}

const runsInStep = 20;

/** Scans the people of a company's runs from a place on, up to the first run from which a person is erased. */
export async function erasePeople(
  transaction: Transaction,
  about: { readonly companyId: number; readonly number: string },
  [afterRun, afterPlace]: PersonPlace,
  limit: number,
): Promise<ErasedPeople> {
  const runs = await transaction.all<{ id: number; endedAt: number | null }>(
    sql`SELECT id, ended_at AS "endedAt" FROM job_runs WHERE company_id = ${about.companyId} AND id >= ${afterRun}
        ORDER BY id LIMIT ${runsInStep}`,
  );
  const forms = formsOf(about.number);
  let [seen, erased, kept] = [0, 0, 0];
  for (const { id, endedAt } of runs) {
    const rows = await transaction.all<{ place: number; person: string }>(
      sql`SELECT place, person FROM job_people
          WHERE run_id = ${id} AND place > ${id === afterRun ? afterPlace : -1} ORDER BY place LIMIT ${limit - seen}`,
    );
    const theirs = rows
      .filter(({ person }) => forms.some((form) => person.includes(form)))
      .map(({ person }) => JSON.parse(person) as Person)
      .filter(({ phone }) => phone !== null && forms.includes(phone));
    if (endedAt === null) kept += theirs.length;
    else {
      await blank(transaction, id, theirs);
      erased += theirs.length;
    }
    seen += rows.length;
    const last = rows.at(-1);
    // Each run with an erased person requires a scan of its timeline.
    const isEnough = seen >= limit || erased > 0;
    if (isEnough && last !== undefined) return { erased, kept, next: [id, last.place] };
  }
  const last = runs.at(-1);
  const isEnd = last === undefined || runs.length < runsInStep;
  return { erased, kept, next: isEnd ? null : [last.id + 1, -1] };
}

async function blank(transaction: Transaction, runId: number, people: readonly Person[]): Promise<void> {
  if (people.length === 0) return;
  for (const { email: _, unsent: __, answer, ...person } of people) {
    const rest = { ...person, phone: null, name: '', contactId: '', ...withoutText(answer) };
    await transaction.run(
      sql`UPDATE job_people SET person = ${JSON.stringify(rest)} WHERE run_id = ${runId} AND place = ${person.place}`,
    );
    await transaction.run(
      sql`UPDATE job_mails SET text = '' WHERE run_id = ${runId} AND place = ${person.place}`,
    );
  }
  const places = new Set(people.map(({ place }) => place));
  const entries = await transaction.all<{ place: number; entry: string }>(
    sql`SELECT place, entry FROM job_entries WHERE run_id = ${runId}`,
  );
  for (const { place, entry } of entries) {
    const { text, ...remaining } = JSON.parse(entry) as Entry;
    if (text === undefined || !remaining.people?.some((one) => places.has(one))) continue;
    await transaction.run(
      sql`UPDATE job_entries SET entry = ${JSON.stringify(remaining)} WHERE run_id = ${runId} AND place = ${place}`,
    );
  }
}

function withoutText(answer: LastAnswer | undefined): Pick<Person, 'answer'> {
  return answer === undefined ? {} : { answer: { at: answer.at, meaning: answer.meaning } };
}
