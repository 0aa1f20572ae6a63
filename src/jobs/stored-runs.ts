/**
 * Stored runs with their pending events: each event is stored once and read by the run's next step. Many runs are read at
 * once, since thousands of people may answer within a second.
 */
import { groupedBy } from '../foundation/grouped.ts';
import { clarity, type JobAnswer, readJobAnswers } from '../messages/incoming/job-answers.ts';
import { readSharingJobs, type SharingJob } from '../messages/pool/leases.ts';
import { byDialect, oneOf, sql } from '../storage/sql.ts';
import { bigint, json, StoredRecord, text } from '../storage/stored-record.ts';
import {
  inTurns,
  type Reading,
  type ReadOwner,
  readVerb,
  snapshotVerb,
  type Transaction,
} from '../storage/verb.ts';
import { findType } from './job-type.ts';
import type { Entry } from './run/entry.ts';
import {
  type Choice,
  type Happened,
  maxPeople,
  type Person,
  type Run,
  type RunEvent,
  type RunWithPeople,
} from './run/run.ts';

/** An event of a run, under a name that is unique within it. */
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
/** Kept as JSON, since thousands may be read in vain for a run that turns out not to fit. */
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
  /** Whether there may be more events and answers than these. */
  readonly hasMore: boolean;
}

interface ReadRuns {
  readonly runs: readonly StoredRun[];
  /** Ids of runs that did not fit; a run whose id is in neither list no longer exists. */
  readonly unread: readonly number[];
}

/** One step processes at most this many events, and as many answers; the others wait for the next step. */
const maxEvents = 500;
/** The total read for all runs together. A single run always fits, whatever its size. */
const limits = { people: 2 * maxPeople, events: 4 * maxEvents };

/** Runs that have not started get the current settings of their types. */
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
    // The run at which a list was cut off may have more rows. It cannot be read without all of its people, but some of its
    // answers and events suffice.
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

/** The people of a scheduled run are already chosen, so it keeps its settings if its type now derives from the other generic. */
async function withSettings(reading: Reading, run: Run): Promise<Run> {
  const type = run.phase === 'scheduled' ? await findType(reading, run.companyId, run.typeName) : undefined;
  if (type === undefined || type.settings.generic !== run.settings.generic) return run;
  return { ...run, settings: type.settings };
}

/** The run in which a truncated list of rows, sorted by run, ends. */
function cutOf(rows: readonly OfRun[], limit: number): number {
  return rows.length === limit ? (rows.at(-1) as OfRun).runId : Number.MAX_SAFE_INTEGER;
}

function byRun<Row extends OfRun>(rows: readonly Row[]): ReadonlyMap<number, readonly Row[]> {
  return groupedBy(rows, ({ runId }) => runId);
}

/** Rows waiting for one run, in order of time. */
interface Waiting<Row> {
  readonly rows: readonly Row[];
  /** Whether there may be more rows than these. */
  readonly isCut: boolean;
}

/** Selects what one step processes: events and answers up to the same time, so that nothing overtakes anything else. */
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

/** The time of the last row read, if there may be more rows. */
function lastOf<Row>({ rows, isCut }: Waiting<Row>, timeOf: (row: Row) => number): number {
  const last = rows[maxEvents - 1] ?? (isCut ? rows.at(-1) : undefined);
  return last === undefined ? Number.MAX_SAFE_INTEGER : timeOf(last);
}

/** Choices by answer id; none if the answer is clear or only one run is left. */
type Choices = ReadonlyMap<number, readonly Choice[]>;

/**
 * The runs that an answer may be meant for if it names no run and several runs ask one person from one number (JOB-7).
 */
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

/** Whether the job was waiting for such an answer when the answer arrived. */
function isLive(job: SharingJob, answer: JobAnswer): boolean {
  const { companyId, receivedAt } = answer;
  const isThen = job.startsAt <= receivedAt && receivedAt < job.endsAt;
  return pairOf(job) === pairOf(answer) && job.companyId === companyId && isThen;
}

function pairOf({ sender, recipient }: Pick<JobAnswer, 'sender' | 'recipient'>): string {
  return `${sender} ${recipient}`;
}

/** One of the people of a run; a person without a phone is known by the contact. */
export type Whom = { readonly phone: string } | { readonly contactId: string };

interface SteeredQuery {
  readonly runId: number;
  /** The owner in whose turn the run is read. */
  readonly owner: ReadOwner;
  readonly whom: Whom | null;
}

const ofPerson = (name: 'phone' | 'contactId') =>
  byDialect({ sqlite: `person->>'${name}'`, postgres: `person::json->>'${name}'` });

/** The run, and the person whom an action of its owner concerns. */
export const findSteered = inTurns(
  snapshotVerb(
    'jobs.findSteered',
    async (
      reading,
      { runId, whom }: SteeredQuery,
    ): Promise<{ readonly run: Run; readonly person: Person | null } | null> => {
      const found = await storedRun.first(reading)`FROM job_runs WHERE id = ${runId}`;
      if (found === undefined) return null;
      if (whom === null) return { ...found, person: null };
      const isWhom =
        'phone' in whom
          ? sql`${ofPerson('phone')} = ${whom.phone}`
          : sql`${ofPerson('contactId')} = ${whom.contactId}`;
      const one = await storedPerson.first(reading)`
        FROM job_people WHERE run_id = ${runId} AND ${isWhom} ORDER BY place LIMIT 1`;
      return { ...found, person: one?.person ?? null };
    },
  ),
  ({ owner }) => owner,
);

const isCommentOf = {
  sqlite:
    "entry->>'kind' = 'reply' AND entry->>'meaning' IN ('comment', 'unclear') AND entry->>'$.people[0]' =",
  postgres:
    "entry::json->>'kind' = 'reply' AND entry::json->>'meaning' IN ('comment', 'unclear') AND (entry::json#>>'{people,0}')::BIGINT =",
};

/** The person's last text that was no clear YES or NO, or did not say to which run; null if there is none. */
export const readLastComment = inTurns(
  readVerb(
    'jobs.readLastComment',
    async (
      reading,
      { runId, place }: Omit<SteeredQuery, 'whom'> & { readonly place: number },
    ): Promise<string | null> => {
      const row = await reading.first<{ entry: string }>(
        sql`SELECT entry FROM job_entries
            WHERE run_id = ${runId} AND ${byDialect(isCommentOf)} ${place} ORDER BY job_entries.place DESC LIMIT 1`,
      );
      return row === undefined ? null : ((JSON.parse(row.entry) as Entry).text ?? null);
    },
  ),
  ({ owner }) => owner,
);
