/**
 * Read access to runs: pages of lists, the state of one run, its people and timeline, and the run that a message belongs to.
 */
import type { Visibility } from '../../accounts/visibility.ts';
import { type StatusName, statusNames } from '../../messages/message.ts';
import { byDialect, literal, oneOf, type Sql, sql } from '../../storage/sql.ts';
import { bigint, enumerated, expression, json, nullable, StoredRecord } from '../../storage/stored-record.ts';
import { type Reading, readVerb, snapshotVerb } from '../../storage/verb.ts';
import { type MailState, mailStates } from '../mails-store.ts';
import type { Entry } from '../run/entry.ts';
import { type Person, type PersonState, type Phase, personStates, phases, type Run } from '../run/run.ts';
import type { Tally } from '../run/tally.ts';
import { storedPerson, storedRun } from '../stored-runs.ts';

export interface TalliedRun {
  readonly run: Run;
  readonly tally: Tally;
}

const talliedRun = new StoredRecord({ run: json<Run>(), tally: json<Tally>() });

const codeOfPhase = (phase: Phase) => literal(phases.indexOf(phase));

interface RunsQuery {
  readonly visible: Visibility;
  /** Null for runs in all phases. */
  readonly among: readonly Phase[] | null;
  /** Null for runs of all saved jobs. */
  readonly savedJob: number | null;
  readonly before: number;
  readonly limit: number;
}

/** Runs before an id, the latest first. */
export const listVisibleRuns = readVerb(
  'jobs.listVisibleRuns',
  async (reading, { visible, among, savedJob, before, limit }: RunsQuery): Promise<readonly TalliedRun[]> => {
    const owned = await ofOwner(reading, visible);
    if (among === null && savedJob === null)
      return talliedRun.all(
        reading,
      )`FROM job_runs WHERE ${owned} AND id < ${before} ORDER BY id DESC LIMIT ${limit}`;
    const ofJob = savedJob === null ? sql`` : sql`AND saved_job_id = ${savedJob}`;
    // The runs of each phase are read in the order of their index, and as many as the page has.
    const found = unionOf(
      (among ?? phases).map(
        (phase) => sql`SELECT id, run, tally FROM job_runs
          WHERE ${owned} ${ofJob} AND phase = ${codeOfPhase(phase)} AND id < ${before}
          ORDER BY id DESC LIMIT ${limit}`,
      ),
    );
    return talliedRun.all(reading)`FROM ${found} ORDER BY id DESC LIMIT ${limit}`;
  },
);

/** The rows of several statements that each have an order and a limit of their own. */
function unionOf(statements: readonly Sql[]): Sql {
  const parts = statements.map((one) => sql`SELECT * FROM (${one}) AS part`);
  return sql`(${parts.reduce((all, part) => sql`${all} UNION ALL ${part}`)}) AS found`;
}

/** The owner is read first: with the owner as a subquery, PostgreSQL would walk through everyone's runs. */
async function ofOwner(reading: Reading, { companyId, userId }: Visibility) {
  if (userId === null) return sql`company_id = ${companyId}`;
  const row = await reading.first<{ owner: number | null }>(
    sql`SELECT job_owner_id AS owner FROM users WHERE id = ${userId} AND company_id = ${companyId}`,
  );
  return sql`system_user_id = ${row?.owner ?? 0}`;
}

interface VisibleRun {
  readonly visible: Visibility;
  readonly id: number;
}

/** Null if there is no such visible run. */
export const findVisibleRun = readVerb(
  'jobs.findVisibleRun',
  async (reading, { visible, id }: VisibleRun): Promise<TalliedRun | null> => {
    const found = await talliedRun.first(reading)`FROM job_runs WHERE id = ${id} AND ${seenBy(visible)}`;
    return found ?? null;
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

/** A person of a run, with the latest question that the person was sent. */
export interface ListedPerson {
  readonly person: Person;
  /** Null if there is none, or if it went by mail. */
  readonly messageId: number | null;
  readonly status: StatusName | null;
  /** The state of the question sent by mail. */
  readonly mail: MailState | null;
}

const listedPerson = new StoredRecord({
  person: json<Person>(),
  messageId: expression('messages.id', nullable(bigint)),
  status: expression('messages.status', nullable(enumerated(statusNames))),
  mail: nullable(enumerated(mailStates)),
});

interface PeopleQuery extends Pick<Visibility, 'companyId'> {
  readonly runId: number;
  /** Null for people in all states. */
  readonly among: readonly PersonState[] | null;
  /** Whether only those whose last answer is not clear are wanted. */
  readonly isUnclear: boolean;
  readonly after: number;
  readonly limit: number;
}

/** In the order in which they are asked. */
export const listPeopleOfRun = readVerb(
  'jobs.listPeople',
  async (reading, query: PeopleQuery): Promise<readonly ListedPerson[]> => {
    const { companyId } = query;
    // The page comes first, and then the question of each of its people.
    return listedPerson.all(reading)`FROM (
        SELECT place, person,
          (SELECT MAX(message_id) FROM job_messages WHERE job_messages.run_id = found.run_id
            AND job_messages.place = found.place AND is_question = 1) AS question_id,
          (SELECT state FROM job_mails WHERE job_mails.run_id = found.run_id
            AND job_mails.place = found.place AND is_question = 1 ORDER BY changed_at DESC LIMIT 1) AS mail
        FROM ${pageOfPeople(query)}) AS page
      LEFT JOIN messages ON messages.company_id = ${companyId} AND messages.id = page.question_id
      ORDER BY place`;
  },
);

function pageOfPeople({ runId, among, isUnclear, after, limit }: PeopleQuery): Sql {
  const page = (condition: Sql) =>
    sql`SELECT run_id, place, person FROM job_people
        WHERE run_id = ${runId} ${condition} AND place > CAST(${after} AS BIGINT) ORDER BY place LIMIT ${limit}`;
  const inState = (state: PersonState) => sql`AND state = ${literal(codeOf(state))}`;
  // People whose answers are not clear are few.
  const states = isUnclear
    ? [
        sql`AND is_unclear = 1 ${among === null ? sql`` : sql`AND state ${oneOf('smallint', among.map(codeOf))}`}`,
      ]
    : (among?.map(inState) ?? [sql``]);
  return sql`(SELECT * FROM ${unionOf(states.map(page))} ORDER BY place LIMIT ${limit}) AS found`;
}

const codeOf = (state: PersonState) => personStates.indexOf(state);

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

/**
 * Whether any of the messages is a question of a run that goes on. A company without such runs costs a look into an index.
 */
export const concernsRuns = readVerb(
  'jobs.concernsRuns',
  async (
    reading,
    { companyId, messageIds }: { readonly companyId: number; readonly messageIds: readonly number[] },
  ): Promise<boolean> => {
    const running = await reading.first(
      sql`SELECT id FROM job_runs WHERE company_id = ${companyId}
            AND phase IN (${codeOfPhase('open')}, ${codeOfPhase('finished')}) LIMIT 1`,
    );
    if (running === undefined) return false;
    const question = await reading.first(
      sql`SELECT message_id FROM job_messages
          WHERE company_id = ${companyId} AND message_id ${oneOf('bigint', messageIds)} AND is_question = 1 LIMIT 1`,
    );
    return question !== undefined;
  },
);
