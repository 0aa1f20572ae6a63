/**
 * Starts a saved job (API: /startsavedjob): its people are determined now, and the first are asked before the call is
 * answered.
 */

import type { Caller } from '../accounts/caller.ts';
import { requireRole } from '../accounts/role.ts';
import { remarkOfTime } from '../audit/audit-details.ts';
import { byUser } from '../audit/audit-log.ts';
import { errorOfFields } from '../foundation/errors.ts';
import { fault } from '../foundation/result.ts';
import { inEnglish, type Sentence, storedReason } from '../foundation/sentences.ts';
import {
  answerAgain,
  findEarlier,
  keptForMs,
  type Repeatable,
  repeatableOf,
} from '../messages/idempotency.ts';
import type { Sending } from '../messages/sending/send.ts';
import type { Ids } from '../storage/ids.ts';
import type { Store } from '../storage/store.ts';
import { type Chosen, choosePeople, type LeftOut } from './choose-people.ts';
import { type JobSending, obstacleToMail } from './job-mail.ts';
import type { JobType } from './job-type.ts';
import { keepAdvanced } from './proceed.ts';
import type { Run } from './run/run.ts';
import { asReason, obstacleTo, type Unsendable } from './run/unsendable.ts';
import { findSavedJob, type SavedJob } from './saved-job.ts';
import { allowedParameters, type StartParameter, type StartRequest } from './start-parameters.ts';

export interface Starting {
  readonly sending: JobSending;
  /** Allocates the ids of runs. */
  readonly ids: Ids;
  /** Signals that a run has something to do. */
  readonly wake: () => void;
}

export interface Started {
  readonly result: 'OK' | 'ERROR';
  /** 0 if there is no run. */
  readonly runtimeid: number;
  readonly jobname: string;
  /** Empty if the result is OK. */
  readonly errormessage: string;
  /** The values of the message. */
  readonly problem?: Sentence;
}

/**
 * `given` lists the parameters of the call. A call repeated with its idempotency key starts nothing and gets the same
 * response. With a `Repeatable`, repeated calls may differ in what they ask for.
 */
export async function startJob(
  starting: Starting,
  caller: Caller,
  request: StartRequest,
  given: readonly StartParameter[],
  idempotencyKey?: string | Repeatable,
): Promise<Started> {
  requireRole(caller, 'jobs');
  const { sending } = starting;
  const now = sending.clock.now();
  const repeatable =
    typeof idempotencyKey === 'string'
      ? repeatableOf(idempotencyKey, { start: request }, now)
      : idempotencyKey;
  // This comes before validation: a call that was valid the first time may be invalid now.
  const { companyId, userId } = caller;
  const earlier = repeatable && (await sending.store.read(findEarlier, { companyId, userId, ...repeatable }));
  if (earlier != null) return answerAgain(earlier) as Started;
  const found = await findStartable(sending, caller, request, given);
  const jobname = request.jobName ?? found.job.name;
  const failed = (problem: Sentence): Started => ({
    result: 'ERROR',
    runtimeid: 0,
    jobname,
    errormessage: inEnglish(problem),
    problem,
  });
  if ('problem' in found) return failed(found.problem);
  const { job, type, chosen } = found;
  const message = request.message ?? job.content.message;
  const id = await starting.ids.draw(1);
  const nobody: Unsendable = { phones: new Map(), ...obstacleToMail(sending) };
  const run = newRun(
    { id, job, type, caller, jobname, message, chosen },
    request.startAt ?? sending.clock.now(),
  );
  const problem = whyNotStarted(run, chosen, nobody);
  if (problem !== undefined) return failed(problem);
  const stored = {
    run,
    people: chosen.people,
    version: 0,
    events: [],
    answers: [],
    choices: new Map(),
    hasMore: false,
  };
  const started: Started = { result: 'OK', runtimeid: id, jobname, errormessage: '' };
  const count = { sentence: 'people_count', people: chosen.people.length } as const;
  const kept = await keepAdvanced(sending, stored, caller, {
    audited: {
      companyId,
      at: now,
      by: byUser(caller),
      act: 'run.start',
      object: String(id),
      details: [jobname, count, ...remarkOfTime(request.startAt ?? null)],
    },
    refuse: (unsendable) => whyNotStarted(run, chosen, unsendable),
    claim:
      repeatable === undefined
        ? null
        : { ...repeatable, answer: JSON.stringify(started), expiresAt: repeatable.now + keptForMs },
  });
  if (kept.kind === 'earlier') return answerAgain(kept.earlier) as Started;
  starting.wake();
  return kept.kind === 'refused' ? failed(kept.problem) : started;
}

export type Startable =
  | { readonly job: SavedJob; readonly type: JobType; readonly chosen: Chosen }
  | {
      readonly job: SavedJob;
      /** Null if it no longer exists. */
      readonly type: JobType | null;
      readonly problem: Sentence;
      readonly leftOut: readonly LeftOut[];
    };

/** The data needed by a start and by a dry run of it. Throws if the call is invalid. */
export async function findStartable(
  { store }: Pick<Sending, 'store'>,
  caller: Caller,
  request: StartRequest,
  given: readonly StartParameter[],
): Promise<Startable> {
  const found = await store.read(findSavedJob, { userId: caller.userId, id: request.jobId });
  if (found === null)
    throw errorOfFields(
      fault('unknown_job', { sentence: 'no_startable_job', job: String(request.jobId) }),
      'jobid',
    );
  const { job, type } = found;
  if (type === null)
    return { job, type, problem: { sentence: 'job_type_gone', type: job.type }, leftOut: [] };
  refuseOthers(type, given);
  return startableOf(store, caller, { job, type }, request);
}

/** What is needed for a start of the job, which need not be saved. */
export async function startableOf(
  store: Store,
  caller: Caller,
  { job, type }: { readonly job: SavedJob; readonly type: JobType },
  request: StartRequest,
): Promise<Startable> {
  const choice = await choosePeople(store, caller, job, type.settings, request);
  if (choice.kind === 'problem') return { job, type, problem: choice.problem, leftOut: choice.leftOut ?? [] };
  if (choice.kind === 'fault') throw errorOfFields(choice.fault, choice.field);
  return { job, type, chosen: choice.chosen };
}

/** API: rules 3 to 5. */
function refuseOthers({ name, settings }: JobType, given: readonly StartParameter[]): void {
  const { generic } = settings;
  const wrong = given.find((parameter) => !allowedParameters[generic].has(parameter));
  if (wrong !== undefined)
    throw errorOfFields(
      fault('not_for_job_type', { sentence: 'not_for_jobs_of_type', parameter: wrong, type: name, generic }),
      wrong,
    );
  if (generic !== 'GMA') return;
  const filter = given.find(
    (one) => one === 'toaddressbookcustomtagfilter' || one === 'toaddressbooktagfilterjson',
  );
  const hasGoal = given.includes('responsegoal');
  if ((filter !== undefined) === hasGoal) return;
  const missing = hasGoal ? 'toaddressbookcustomtagfilter' : 'responsegoal';
  throw errorOfFields(
    fault('missing_parameter', { sentence: 'filter_with_goal', type: name, generic, missing }),
    filter ?? 'responsegoal',
  );
}

interface NewRun extends Pick<Run, 'id' | 'message'> {
  readonly job: SavedJob;
  readonly type: JobType;
  readonly caller: Caller;
  readonly jobname: string;
  readonly chosen: Chosen;
}

export function newRun({ id, job, type, caller, jobname, message, chosen }: NewRun, startAt: number): Run {
  return {
    id,
    companyId: caller.companyId,
    ownerId: job.ownerId,
    userId: caller.userId,
    starter: caller.username,
    savedJobId: job.id,
    jobName: jobname,
    typeName: type.name,
    message,
    settings: type.settings,
    phase: 'scheduled',
    outcome: null,
    startAt,
    expiryAt: null,
    warned: false,
    tasks: chosen.tasks,
    turns: 0,
    entries: 0,
  };
}

/** Why the start is refused; undefined if those who can be reached are asked. */
export function whyNotStarted(
  { settings, message }: Run,
  { people }: Chosen,
  unsendable: Unsendable,
): Sentence | undefined {
  const { all, phones } = unsendable;
  if (message.trim() === '') return { sentence: 'job_no_text' };
  if (all !== undefined) return { sentence: 'job_not_sent', why: asReason(all) };
  const codes = [...phones.values()];
  const withoutNumber = codes.filter((code) => code === 'no_pool_number').length;
  if (withoutNumber > 0 && settings.poolExhausted === 'refuse')
    return { sentence: 'job_pool_short', people: withoutNumber, code: 'no_pool_number' };
  const obstacles = people.map((person) => obstacleTo(person, unsendable));
  if (obstacles.includes(undefined)) return undefined;
  const why = [...new Set(obstacles as string[])].reduce((one, more) =>
    storedReason({ sentence: 'several_reasons', one, more }),
  );
  return { sentence: 'job_nobody_reached', why };
}
