/** What stores hold of runs for people to look at: which there are, and all of one. */
import type { Visibility } from '../accounts/visibility.ts';
import type { StatusName } from '../messages/message.ts';
import { statusNames } from '../messages/message.ts';
import { byDialect, sql } from '../storage/sql.ts';
import { inTurns, type ReadOwner, readVerb, snapshotVerb } from '../storage/verb.ts';
import { readMails, type SentMail } from './mails-store.ts';
import type { Entry } from './run/entry.ts';
import type { Person, Run } from './run/run.ts';

export interface SentMessage {
  readonly id: number;
  readonly place: number;
  readonly isQuestion: boolean;
  /** The number that it came from, which is answered to. */
  readonly from: string;
  readonly text: string;
  readonly status: StatusName;
  readonly changedAt: number;
}

export interface RunRecord {
  readonly run: Run;
  readonly people: readonly Person[];
  readonly entries: readonly Entry[];
  /** In the order of their ids. */
  readonly messages: readonly SentMessage[];
  readonly mails: readonly SentMail[];
}

export interface RecordQuery {
  readonly runId: number;
  /** Whose turn it is to read. */
  readonly owner: ReadOwner;
}

export const readRecord = inTurns(
  snapshotVerb('jobs.readRecord', async (reading, { runId: id }: RecordQuery): Promise<RunRecord | null> => {
    const row = await reading.first<{ run: string }>(sql`SELECT run FROM job_runs WHERE id = ${id}`);
    if (row === undefined) return null;
    const people = await reading.all<{ person: string }>(
      sql`SELECT person FROM job_people WHERE run_id = ${id} ORDER BY place`,
    );
    const entries = await reading.all<{ entry: string }>(
      sql`SELECT entry FROM job_entries WHERE run_id = ${id} ORDER BY place`,
    );
    const messages = await reading.all<{
      id: number;
      place: number;
      is_question: number;
      sender: string;
      text: string;
      status: number;
      changed_at: number;
    }>(
      sql`SELECT messages.id, job_messages.place, job_messages.is_question, messages.sender, messages.text, messages.status, messages.changed_at
          FROM job_messages CROSS JOIN messages
          WHERE job_messages.run_id = ${id} AND messages.company_id = job_messages.company_id
            AND messages.id = job_messages.message_id ORDER BY messages.id`,
    );
    return {
      run: JSON.parse(row.run) as Run,
      mails: await readMails(reading, id),
      people: people.map(({ person }) => JSON.parse(person) as Person),
      entries: entries.map(({ entry }) => JSON.parse(entry) as Entry),
      messages: messages.map((message) => ({
        id: message.id,
        place: message.place,
        isQuestion: message.is_question === 1,
        from: message.sender,
        text: message.text,
        changedAt: message.changed_at,
        status: statusNames[message.status] as StatusName,
      })),
    };
  }),
  ({ owner }) => owner,
);

export interface KnownJob {
  readonly company: string;
  readonly id: number;
  readonly owner: string;
  readonly name: string;
  readonly type: string;
}

/** Saved jobs of all companies, in their order. */
export const listAllJobs = readVerb(
  'jobs.listAll',
  async (reading, limit: number): Promise<readonly KnownJob[]> => {
    const rows = await reading.all<KnownJob>(
      sql`SELECT companies.name AS company, saved_jobs.id, system_users.username AS owner, saved_jobs.name, saved_jobs.type
        FROM saved_jobs JOIN companies ON companies.id = saved_jobs.company_id
        JOIN system_users ON system_users.id = saved_jobs.system_user_id
        ORDER BY saved_jobs.company_id, saved_jobs.id LIMIT ${limit}`,
    );
    return rows.map((row) => ({ ...row }));
  },
);

/** The latest first. */
export const listLatestRuns = readVerb(
  'jobs.listRuns',
  async (reading, limit: number): Promise<readonly Run[]> => {
    const rows = await reading.all<{ run: string }>(
      sql`SELECT run FROM job_runs ORDER BY id DESC LIMIT ${limit}`,
    );
    return rows.map(({ run }) => JSON.parse(run) as Run);
  },
);

export interface ScheduledRunsQuery extends Visibility {
  readonly limit: number;
}

const phase = byDialect({ sqlite: "run->>'phase'", postgres: "run::json->>'phase'" });
const starterId = byDialect({ sqlite: "run->>'userId'", postgres: "(run::json->>'userId')::BIGINT" });

/** Those that wait for their start, the next first. */
export const listScheduledRuns = readVerb(
  'jobs.listScheduledRuns',
  async (reading, { companyId, userId, limit }: ScheduledRunsQuery): Promise<readonly Run[]> => {
    const isTheirs = userId === null ? sql`` : sql`AND ${starterId} = ${userId}`;
    const rows = await reading.all<{ run: string }>(
      sql`SELECT run FROM job_runs WHERE company_id = ${companyId} AND due_at IS NOT NULL AND ${phase} = 'scheduled' ${isTheirs}
          ORDER BY due_at, id LIMIT ${limit}`,
    );
    return rows.map(({ run }) => JSON.parse(run) as Run);
  },
);

/** Null: the message is of no run. */
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
