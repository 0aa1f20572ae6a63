/**
 * All SQL of runs: a step of a run is one transaction, which takes effect only if the run is still in the state the step was
 * computed from.
 */

import { type AuditEntry, recordAct, recordActs } from '../audit/audit-log.ts';
import { storedReason } from '../foundation/sentences.ts';
import { noteSent, type SentSms } from '../messages/conversation-rows.ts';
import { claimKey, type Earlier, forgetKey, type Idempotency } from '../messages/idempotency.ts';
import { giveToUser } from '../messages/incoming/give-to-user.ts';
import { type JobAnswer, markTaken, runsWithAnswers } from '../messages/incoming/job-answers.ts';
import { withdraw } from '../messages/operator/cancel.ts';
import { endJobLeases, keepUnclear, lockPool, type UnclearAnswer } from '../messages/pool/leases.ts';
import { type Acceptance, type Accepted, acceptWithin, messageIdsIn } from '../messages/sending/accept.ts';
import { forUpdate, fromEach, oneOf, rowSet, sql } from '../storage/sql.ts';
import type { Row } from '../storage/storable.ts';
import { inOrderOf, readVerb, singleWriteVerb, type Transaction, writeVerb } from '../storage/verb.ts';
import { type JobEvent, queueJobEvents } from '../webhooks/outbox/queue-job-events.ts';
import type { JobMail } from './job-mail.ts';
import { extendQuestions, keepMails } from './mails-store.ts';
import type { Entry, JobCallback } from './run/entry.ts';
import {
  type Act,
  type Outcome,
  type Person,
  personStates,
  phases,
  type Run,
  type RunEvent,
} from './run/run.ts';
import type { Tally } from './run/tally.ts';
import { type EventOfRun, putEvents } from './stored-runs.ts';

/** Ids of runs that have pending events or are due. */
export const listReadyRuns = readVerb(
  'jobs.listReady',
  async (
    reading,
    { now, limit }: { readonly now: number; readonly limit: number },
  ): Promise<readonly number[]> => {
    const rows = await reading.all<{ id: number }>(
      sql`SELECT id FROM (SELECT id FROM job_runs WHERE due_at <= ${now} ORDER BY due_at LIMIT ${limit}) AS due
          UNION SELECT run_id FROM (SELECT DISTINCT run_id FROM job_events LIMIT ${limit}) AS pending`,
    );
    const answered = await runsWithAnswers(reading, limit);
    return [...new Set([...answered, ...rows.map(({ id }) => id)])];
  },
);

export interface KeptStep {
  readonly run: Run;
  /** The version of the run when it was read; 0 for a new run. */
  readonly version: number;
  readonly dueAt: number | null;
  readonly now: number;
  /** The people who changed. */
  readonly people: readonly Person[];
  readonly tally: Tally;
  /** The new entries of its timeline. */
  readonly entries: readonly Entry[];
  readonly callbacks: readonly JobCallback[];
  readonly events: readonly string[];
  readonly answers: readonly JobAnswer[];
  /** Answers that were neither YES nor NO; they go to their user. */
  readonly comments: readonly JobAnswer[];
  /** Answers whose senders are to be asked which run they mean. */
  readonly unclear: readonly UnclearAnswer[];
  /** Events for other runs that this run's answers cause. */
  readonly elsewhere: readonly EventOfRun[];
  /** Indexes (`place`) of the people whose questions are withdrawn. */
  readonly withdraw: readonly number[];
  /** Indexes of those among them who were asked by mail: their questions cannot be withdrawn. */
  readonly mailed: readonly number[];
  /** Until when the job waits for answers, and from which phones; null if unchanged. */
  readonly leases: { readonly phones: readonly string[]; readonly endsAt: number } | null;
  readonly acceptance: Acceptance | null;
  /** The idempotency key of the call that starts the run; null if it has none, or if this is not a start. */
  readonly claim: Idempotency | null;
  /** The entry in the audit log for the call that starts the run; null if this is not a start. */
  readonly audited: AuditEntry | null;
  /** For people without a phone. */
  readonly mails: readonly JobMail[];
  /** The recipients of the accepted messages, in their order. */
  readonly sentTo: readonly { readonly place: number; readonly isQuestion: boolean }[];
}

/**
 * `moved`: another step came first, so nothing was stored. Nothing is stored either if the same call has already started a
 * run.
 */
export type StepKept = Accepted | { readonly kind: 'moved' } | { readonly kind: 'kept' };

const weightOf = ({ people, mails, acceptance }: KeptStep) =>
  5 + people.length + mails.length + 3 * (acceptance?.rows.length ?? 0);

export const keepStep = writeVerb<KeptStep, StepKept>(
  'jobs.keepStep',
  async (transaction, inputs) => {
    // A step that writes leases may write leases of other runs too.
    if (inputs.some(writesLeases)) await lockPool(transaction);
    const plain = inputs.filter(({ claim }) => claim === null);
    const sent: SentSms[] = [];
    const answers = new Map(await keepSteps(transaction, plain, sent));
    // Every node uses this order, since each step locks the rows of its company.
    for (const input of [...inputs].sort((one, other) => one.run.companyId - other.run.companyId))
      if (input.claim !== null) answers.set(input, await keepClaimed(transaction, input, input.claim, sent));
    const kept = inputs.filter((input) => isKept(answers.get(input) as StepKept));
    await giveToUser(
      transaction,
      kept.flatMap(({ comments }) => comments),
    );
    await noteSent(transaction, sent);
    return inputs.map((input) => answers.get(input) as StepKept);
  },
  weightOf,
);

/** A repeated call gets the same response again; one that failed may be retried with the same key. */
async function keepClaimed(
  transaction: Transaction,
  input: KeptStep,
  claim: Idempotency,
  sent: SentSms[],
): Promise<StepKept> {
  const earlier = await claimKey(transaction, input.run, claim);
  if (earlier !== null) return earlier;
  const [[, answer]] = (await keepSteps(transaction, [input], sent)) as [[KeptStep, StepKept]];
  if (!isKept(answer)) await forgetKey(transaction, { ...input.run, idempotency: claim });
  return answer;
}

function isKept({ kind }: StepKept): boolean {
  return kind === 'kept' || kind === 'accepted';
}

/** Adds the SMS that the steps send to `sent`, to be noted in their conversations. */
async function keepSteps(
  transaction: Transaction,
  inputs: readonly KeptStep[],
  sent: SentSms[],
): Promise<(readonly [KeptStep, StepKept])[]> {
  const current = await currentOf(transaction, inputs);
  const sending = inputs.filter((input) => input.acceptance !== null && current.has(input));
  const accepted = await acceptWithin(
    transaction,
    sending.map(({ acceptance }) => acceptance as Acceptance),
    'fromPool',
    async (_, some) => sent.push(...some),
  );
  let place = 0;
  const answers = inputs.map((input): readonly [KeptStep, StepKept] => {
    if (!current.has(input)) return [input, { kind: 'moved' }];
    return [input, input.acceptance === null ? { kind: 'kept' } : (accepted[place++] as Accepted)];
  });
  const kept = answers.filter(([, answer]) => isKept(answer)).map(([input]) => input);
  await keepRuns(transaction, kept);
  await queueJobEvents(
    transaction,
    kept.flatMap(({ run, callbacks }) => callbacks.map((callback) => eventOf(run, callback))),
    Math.max(0, ...kept.map(({ now }) => now)),
  );
  await keepMessages(transaction, kept);
  for (const input of kept) await keepConsequences(transaction, input);
  await recordActs(
    transaction,
    kept.flatMap(({ audited }) => audited ?? []),
  );
  // This comes late, because the count of a company's e-mails stays locked from here on.
  await keepMails(transaction, kept);
  return answers;
}

function writesLeases({ acceptance, leases, unclear }: KeptStep): boolean {
  return acceptance !== null || leases !== null || unclear.length > 0;
}

function eventOf(run: Run, callback: JobCallback): JobEvent {
  const { companyId, ownerId, userId, id } = run;
  const { eventtype: name, timestamp: at } = callback;
  return { companyId, systemUserId: ownerId, userId, name, runtimeId: id, at, body: callback };
}

/** Returns the steps whose runs are unchanged since they were read; of several steps of one run, the first. */
async function currentOf(
  transaction: Transaction,
  inputs: readonly KeptStep[],
): Promise<ReadonlySet<KeptStep>> {
  // Steps of the same runs on other nodes wait here.
  const rows = await transaction.all<{ id: number; version: number }>(
    sql`SELECT id, version FROM job_runs WHERE id ${oneOf('bigint', [...new Set(inputs.map(({ run }) => run.id))])}
        ORDER BY id ${forUpdate}`,
  );
  const versions = new Map(rows.map(({ id, version }) => [id, version]));
  const current = new Set<KeptStep>();
  for (const input of inputs) {
    if ((versions.get(input.run.id) ?? 0) !== input.version) continue;
    current.add(input);
    versions.set(input.run.id, 1 + input.version);
  }
  return current;
}

const runColumns = {
  id: 'bigint',
  company_id: 'bigint',
  system_user_id: 'bigint',
  version: 'bigint',
  due_at: 'bigint',
  ended_at: 'bigint',
  run: 'text',
  phase: 'smallint',
  saved_job_id: 'bigint',
  changed_at: 'bigint',
  tally: 'text',
} as const;
const personColumns = {
  run_id: 'bigint',
  place: 'integer',
  person: 'text',
  state: 'smallint',
  is_unclear: 'smallint',
} as const;
const entryColumns = { run_id: 'bigint', place: 'integer', entry: 'text' } as const;

async function keepRuns(transaction: Transaction, kept: readonly KeptStep[]): Promise<void> {
  await transaction.insert(
    'job_runs',
    runColumns,
    kept.map(({ run, version, dueAt, now, tally }) => [
      ...[run.id, run.companyId, run.ownerId, 1 + version, dueAt, run.phase === 'ended' ? now : null],
      ...[JSON.stringify(run), phases.indexOf(run.phase), run.savedJobId, now, JSON.stringify(tally)],
    ]),
    `ON CONFLICT (id) DO UPDATE SET version = excluded.version, due_at = excluded.due_at, run = excluded.run,
       ended_at = COALESCE(job_runs.ended_at, excluded.ended_at), phase = excluded.phase,
       changed_at = excluded.changed_at, tally = excluded.tally`,
  );
  await transaction.insert(
    'job_people',
    personColumns,
    kept.flatMap(({ run, people }) => people.map((person) => personRow(run.id, person))),
    `ON CONFLICT (run_id, place) DO UPDATE SET person = excluded.person, state = excluded.state,
       is_unclear = excluded.is_unclear`,
  );
  await transaction.insert(
    'job_entries',
    entryColumns,
    kept.flatMap(({ run, entries }) =>
      entries.map((entry, place) => [run.id, run.entries - entries.length + place, JSON.stringify(entry)]),
    ),
  );
  const taken = kept.flatMap(({ run, events }) => events.map((name) => [run.id, name]));
  await transaction.each(
    { run_id: 'bigint', name: 'text' },
    taken,
    sql`DELETE FROM job_events WHERE (run_id, name) IN (SELECT each.run_id, each.name ${fromEach})`,
  );
  await markTaken(
    transaction,
    kept.flatMap(({ answers }) => answers.map(({ id }) => id)),
  );
}

function personRow(runId: number, person: Person): Row {
  const isUnclear = person.answer?.meaning === 'comment';
  return [runId, person.place, JSON.stringify(person), personStates.indexOf(person.state), Number(isUnclear)];
}

const messageColumns = {
  company_id: 'bigint',
  message_id: 'bigint',
  run_id: 'bigint',
  place: 'integer',
  is_question: 'smallint',
} as const;

async function keepMessages(transaction: Transaction, kept: readonly KeptStep[]): Promise<void> {
  const rows = kept.flatMap(({ run, acceptance, sentTo }) =>
    (acceptance === null ? [] : messageIdsIn(acceptance)).map((id, index) => {
      const to = sentTo[index] as KeptStep['sentTo'][number];
      return [run.companyId, id, run.id, to.place, to.isQuestion ? 1 : 0];
    }),
  );
  await transaction.insert('job_messages', messageColumns, rows);
}

/** Stores effects that few steps have. */
async function keepConsequences(transaction: Transaction, input: KeptStep): Promise<void> {
  const { run, leases, now } = input;
  await putEvents(transaction, input.elsewhere);
  await keepUnclear(transaction, input.unclear);
  if (leases !== null) {
    await endJobLeases(transaction, String(run.id), leases.phones, leases.endsAt);
    await extendQuestions(transaction, run.id, leases.endsAt);
  }
  if (input.withdraw.length === 0) return;
  const rows = await transaction.all<{ message_id: number; place: number }>(
    sql`SELECT message_id, place FROM job_messages
        WHERE run_id = ${run.id} AND place ${oneOf('integer', input.withdraw)} AND is_question = 1`,
  );
  const reason = storedReason({ sentence: 'run_needs_nobody', run: run.id });
  const gone = new Set(
    await withdraw(
      transaction,
      rows.map(({ message_id }) => [run.companyId, message_id]),
      now,
      reason,
    ),
  );
  // A person who has received any question must be notified.
  const bySms = rows.filter(({ message_id }) => !gone.has(message_id)).map(({ place }) => place);
  const reached = new Set([...bySms, ...input.mailed]);
  const withdrawn = input.withdraw.filter((place) => !reached.has(place));
  const event: RunEvent = { kind: 'withdrawn', asked: input.withdraw, withdrawn };
  await putEvents(transaction, [{ runId: run.id, name: `withdrawn ${input.version}`, at: now, event }]);
}

export interface StoredAct extends Pick<EventOfRun, 'runId' | 'at'> {
  readonly act: Act;
  /** The name shown in the record. */
  readonly by: string;
  readonly audited: AuditEntry;
  /** The key under which the caller may repeat the act, and the name it is stored by. */
  readonly claim: (Idempotency & { readonly companyId: number; readonly userId: number }) | null;
  readonly name: string;
}

export type ActStored =
  | { readonly kind: 'stored' }
  /** There is no such run. */
  | { readonly kind: 'gone' }
  /** The run has ended, or is about to. */
  | { readonly kind: 'ended'; readonly outcome: Outcome | null }
  | Earlier;

/** There is at most one such event, and what comes after it comes too late. */
const cancelName = 'act cancel';

/**
 * Stores acts of owners. A step of the run that was computed without the act is not stored any more, so that no run ends
 * past an act that was answered.
 */
export const putAct = writeVerb(
  'jobs.putAct',
  // As in steps, the rows of runs are locked in the order of their ids.
  async (transaction, inputs: readonly StoredAct[]): Promise<ActStored[]> =>
    inOrderOf(
      inputs,
      ({ runId }) => runId,
      async (input) => {
        const { claim } = input;
        const earlier = claim && (await claimKey(transaction, claim, claim));
        if (earlier !== null) return earlier;
        const stored = await storeAct(transaction, input);
        if (claim !== null && stored.kind !== 'stored')
          await forgetKey(transaction, { ...claim, idempotency: claim });
        return stored;
      },
    ),
);

async function storeAct(
  transaction: Transaction,
  { runId, at, act, by, name, audited }: StoredAct,
): Promise<ActStored> {
  const row = await transaction.first<{ run: string }>(
    sql`UPDATE job_runs SET version = version + 1, changed_at = ${at} WHERE id = ${runId} RETURNING run`,
  );
  if (row === undefined) return { kind: 'gone' };
  const { phase, outcome, expiryAt } = JSON.parse(row.run) as Run;
  if (phase === 'ended' || (expiryAt !== null && expiryAt <= at)) return { kind: 'ended', outcome };
  const cancelled = await transaction.first(
    sql`SELECT name FROM job_events WHERE run_id = ${runId} AND name = ${cancelName}`,
  );
  if (cancelled !== undefined) return { kind: 'ended', outcome: 'CANCELED' };
  const event: RunEvent = { kind: 'act', act, by };
  await putEvents(transaction, [{ runId, name: act.kind === 'cancel' ? cancelName : name, at, event }]);
  await recordAct(transaction, audited);
  return { kind: 'stored' };
}

interface FailedMessage {
  readonly companyId: number;
  readonly messageId: number;
  readonly status: string;
  readonly at: number;
}

/** Notifies runs of their failed questions. Returns how many there were. */
export const putFailures = singleWriteVerb(
  'jobs.putFailures',
  async (transaction, failed: readonly FailedMessage[]): Promise<number> => {
    const rows = await transaction.all<{ message_id: number; run_id: number; place: number }>(
      sql`SELECT job_messages.message_id, run_id, place FROM ${rowSet(
        'failed',
        { company_id: 'bigint', message_id: 'bigint' },
        failed.map(({ companyId, messageId }) => [companyId, messageId]),
      )} JOIN job_messages ON job_messages.company_id = failed.company_id AND job_messages.message_id = failed.message_id
        WHERE is_question = 1`,
    );
    const byId = new Map(failed.map((one) => [one.messageId, one]));
    await putEvents(
      transaction,
      rows.map(({ message_id, run_id, place }) => {
        const { at, status } = byId.get(message_id) as FailedMessage;
        const event: RunEvent = { kind: 'failed', place, status };
        return { runId: run_id, name: `failed ${message_id}`, at, event };
      }),
    );
    return rows.length;
  },
  (failed) => failed.length,
);
