/**
 * Runs as the store has them, with all that has happened to them: what happens is put, each thing once, and read by their next
 * steps. Many are read at once, since thousands of people may answer within a second.
 */
import { groupedBy } from '../foundation/grouped.ts';
import { clarity, type JobAnswer, readJobAnswers } from '../messages/incoming/job-answers.ts';
import { readSharingJobs, type SharingJob } from '../messages/pool/leases.ts';
import { oneOf } from '../storage/sql.ts';
import { bigint, json, StoredRecord, text } from '../storage/stored-record.ts';
import { type Reading, snapshotVerb, type Transaction } from '../storage/verb.ts';
import { findType } from './job-type.ts';
import {
  type Choice,
  type Happened,
  maxPeople,
  type Person,
  type Run,
  type RunEvent,
  type RunWithPeople,
} from './run/run.ts';

/** What has happened to a run, by a name that it has once. */
interface NamedEvent extends Happened {
  readonly name: string;
}

export interface EventOfRun extends NamedEvent {
  readonly runId: number;
}

const storedEvent = new StoredRecord({ runId: bigint, name: text, at: bigint, event: json<RunEvent>() });
export const storedRun = new StoredRecord({ run: json<Run>() });
export const storedPerson = new StoredRecord({ person: json<Person>() });
const versionedRun = new StoredRecord({ id: bigint, version: bigint, run: json<Run>() });
/** In JSON still: of a run that there is no room for, thousands may be read in vain. */
const personOfRun = new StoredRecord({ runId: bigint, person: text });

export async function putEvents(transaction: Transaction, events: readonly EventOfRun[]): Promise<void> {
  await transaction.insert(
    'job_events',
    storedEvent.columns,
    events.map((event) => storedEvent.row(event)),
    'ON CONFLICT (run_id, name) DO NOTHING',
  );
}

export interface StoredRun extends RunWithPeople {
  readonly version: number;
  readonly events: readonly NamedEvent[];
  readonly answers: readonly JobAnswer[];
  readonly choices: Choices;
  /** There may be more of both than these. */
  readonly hasMore: boolean;
}

interface ReadRuns {
  readonly runs: readonly StoredRun[];
  /** Ids of those that there was no room for; what is in neither list is gone. */
  readonly unread: readonly number[];
}

/** One step takes in so many, and as many answers; what is beyond comes in the next. */
const maxEvents = 500;
/** So much is read of all runs together. One run fits, whatever its size. */
const limits = { people: 2 * maxPeople, events: 4 * maxEvents };

/** With the settings of their types as they are now, where they have not started. */
export const readRuns = snapshotVerb(
  'jobs.readRuns',
  async (reading, ids: readonly number[]): Promise<ReadRuns> => {
    const among = oneOf('bigint', ids);
    const found = await versionedRun.all(reading)`FROM job_runs WHERE id ${among}`;
    const people = await personOfRun.all(reading)`
      FROM job_people WHERE run_id ${among} ORDER BY run_id, place LIMIT ${limits.people}`;
    const answers = await readJobAnswers(reading, ids, limits.events);
    const events = await storedEvent.all(reading)`
      FROM job_events WHERE run_id ${among} ORDER BY run_id, at, name LIMIT ${limits.events}`;
    const choices = await readChoices(reading, answers);
    // There may be more of the run at which a list was cut off: its people are all needed, its answers and events are not.
    const cut = { answers: cutOf(answers, limits.events), events: cutOf(events, limits.events) };
    const last = Math.min(cutOf(people, limits.people) - 1, cut.answers, cut.events);
    const [peopleOf, answersOf, eventsOf] = [byRun(people), byRun(answers), byRun(events)];
    const runs: StoredRun[] = [];
    for (const { id, version, run: stored } of found.filter((one) => one.id <= last)) {
      const run = await withSettings(reading, stored);
      const own = (peopleOf.get(id) ?? []).map(({ person }) => JSON.parse(person) as Person);
      const happened = takenIn(
        { rows: answersOf.get(id) ?? [], isCut: cut.answers === id },
        { rows: eventsOf.get(id) ?? [], isCut: cut.events === id },
      );
      runs.push({ run, version, people: own, choices, ...happened });
    }
    return { runs, unread: ids.filter((id) => id > last) };
  },
);

interface OfRun {
  readonly runId: number;
}

async function withSettings(reading: Reading, run: Run): Promise<Run> {
  const type = run.phase === 'scheduled' ? await findType(reading, run.companyId, run.typeName) : undefined;
  return type === undefined ? run : { ...run, settings: type.settings };
}

/** The run at which a list of rows in the order of their runs ends before its end. */
function cutOf(rows: readonly OfRun[], limit: number): number {
  return rows.length === limit ? (rows.at(-1) as OfRun).runId : Number.MAX_SAFE_INTEGER;
}

function byRun<Row extends OfRun>(rows: readonly Row[]): ReadonlyMap<number, readonly Row[]> {
  return groupedBy(rows, ({ runId }) => runId);
}

/** What waits for one run, in the order of time. */
interface Waiting<Row> {
  readonly rows: readonly Row[];
  /** There may be more than these. */
  readonly isCut: boolean;
}

/** What one step takes in: of both what came up to the same time, so that nothing overtakes anything. */
function takenIn(
  answers: Waiting<JobAnswer>,
  events: Waiting<NamedEvent>,
): Pick<StoredRun, 'answers' | 'events' | 'hasMore'> {
  const until = Math.min(
    lastOf(answers, ({ receivedAt }) => receivedAt),
    lastOf(events, ({ at }) => at),
  );
  return {
    answers: answers.rows.slice(0, maxEvents).filter(({ receivedAt }) => receivedAt <= until),
    events: events.rows.slice(0, maxEvents).filter(({ at }) => at <= until),
    hasMore: until < Number.MAX_SAFE_INTEGER,
  };
}

/** The time of the last that is taken in, if there may be more. */
function lastOf<Row>({ rows, isCut }: Waiting<Row>, timeOf: (row: Row) => number): number {
  const last = rows[maxEvents - 1] ?? (isCut ? rows.at(-1) : undefined);
  return last === undefined ? Number.MAX_SAFE_INTEGER : timeOf(last);
}

/** The choices by the id of the answer; none where it is clear, or only one run is left. */
type Choices = ReadonlyMap<number, readonly Choice[]>;

/** Which runs an answer may be to that names none, where several ask one person from one number (JOB-7). */
async function readChoices(reading: Reading, answers: readonly JobAnswer[]): Promise<Choices> {
  const unclear = answers.filter((answer) => answer.clarity !== clarity.clear);
  if (unclear.length === 0) return new Map();
  const pairs = new Map(unclear.map((answer) => [pairOf(answer), answer]));
  const since = Math.min(...unclear.map(({ receivedAt }) => receivedAt));
  const sharing = await readSharingJobs(reading, [...pairs.values()], since);
  const ids = [...new Set(sharing.map(({ conversation }) => Number(conversation)))];
  const runs = await storedRun.all(reading)`FROM job_runs WHERE id ${oneOf('bigint', ids)}`;
  const names = new Map(runs.map(({ run }) => [run.id, run.jobName]));
  const choicesOf = (answer: JobAnswer) => {
    const live = sharing.filter((one) => isLive(one, answer));
    // A run has a lease for each of its texts.
    const codes = new Map(live.map(({ conversation, code }) => [conversation, code]));
    return [...codes].map(([conversation, code]) => {
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
