/** `carillon jobs`: lists, rehearses and starts saved jobs. */
import { Command, InvalidArgumentError } from 'commander';
import { StartError } from '../foundation/errors.ts';
import { print, printJson } from '../foundation/terminal.ts';
import { listLatestRuns } from '../jobs/management/runs.ts';
import type { Run } from '../jobs/run/run.ts';
import { listAllJobs } from '../jobs/saved-job.ts';
import type { AnswerOf, Api } from './api.ts';
import { actsAsEither, type CallerOptions, requireCallerApi, withCaller } from './as-caller.ts';
import { inStore } from './as-operator.ts';
import {
  type Columns,
  columnsBy,
  instant,
  iso,
  type JsonOption,
  jsonOption,
  printList,
  printRows,
} from './list.ts';
import { addRunCommands } from './runs.ts';

export function jobsCommand(): Command {
  const jobs = new Command('jobs');
  actsAsEither(jobs.command('list'), listAsUser, list)
    .description('list the saved jobs of all companies, or those that a user may start')
    .option('--runs', 'list the runs instead of the jobs');
  for (const [name, description, action] of [
    ['start', 'start a saved job for a user', startJob],
    ['rehearse', 'show who a start would ask, who would be left out, and why; nothing is sent', rehearse],
  ] as const) {
    withCaller(jobs.command(`${name} <job>`))
      .description(description)
      .option('--name <name>', 'name of this run')
      .option('--message <text>', 'text of this run')
      .option('--goal <number>', 'how many YES answers are needed', wholeNumber)
      .option('--at <time>', 'when to start: 2027-01-31T08:00:00+01:00')
      .option(...jsonOption)
      .action(action);
  }
  addRunCommands(jobs);
  return jobs;
}

/** Applies to each list. */
const listed = 200;

interface ListOptions extends CallerOptions, JsonOption {
  readonly runs?: boolean;
}

interface Job {
  readonly company?: string;
  readonly id: number | string;
  readonly name: string;
  readonly type: string;
  readonly owner?: string;
}

const jobColumns = {
  COMPANY: ({ company }: Job) => company,
  JOB: ({ id }: Job) => String(id),
  NAME: ({ name }: Job) => name,
  TYPE: ({ type }: Job) => type,
  OWNER: ({ owner }: Job) => owner,
};

type OwnRun = AnswerOf<'GET', '/api/v1/runs'>['runs'][number];

const noRuns = 'No job has been started.';
const runColumns = {
  RUN: ({ id }: ListedRun) => id,
  JOB: ({ name }: ListedRun) => name,
  TYPE: ({ type }: ListedRun) => type,
  START: ({ start }: ListedRun) => instant(start),
  BY: ({ username }: ListedRun) => username,
  IS: ({ phase, outcome }: ListedRun) => (outcome ? `${phase}, ${outcome}` : phase),
};
type ListedRun = Pick<OwnRun, 'id' | 'name' | 'type' | 'start' | 'username' | 'phase'> & {
  readonly outcome?: string | null;
};

async function listAsUser(api: Api, { runs, ...options }: ListOptions): Promise<void> {
  const shape = { none: noRuns, columns: runColumns };
  if (runs) return printList(await api.list('/api/v1/runs', 'runs', listed), shape, options);
  const none = 'There are no saved jobs that the user may start.';
  printList(await api.list('/api/v1/jobs', 'jobs', listed), { none, columns: jobColumns }, options);
}

async function list({ runs, ...options }: ListOptions): Promise<void> {
  await inStore(async (store) => {
    if (runs) {
      const shape = { none: noRuns, columns: columnsBy(rowOf, runColumns), toJson: runJson };
      return printList(await store.read(listLatestRuns, listed), shape, options);
    }
    const none = 'There are no saved jobs. Add one to the provisioning file.';
    printList(await store.read(listAllJobs, listed), { none, columns: jobColumns }, options);
  });
}

function rowOf({ id, jobName: name, typeName: type, startAt, starter: username, phase, outcome }: Run) {
  return { id: String(id), name, type, start: iso(startAt), username, phase, outcome };
}

function runJson(run: Run) {
  const { id, name, type, start, username, phase, outcome } = rowOf(run);
  return { run: id, job: name, type, startAt: start, startedBy: username, phase, outcome };
}

interface StartOptions extends CallerOptions, JsonOption {
  readonly name?: string;
  readonly message?: string;
  readonly goal?: number;
  readonly at?: string;
}

function wholeNumber(given: string): number {
  if (/^[1-9][0-9]{0,14}$/.test(given)) return Number(given);
  throw new InvalidArgumentError('Give a whole number.');
}

function jobIdIn(job: string): number {
  if (/^[1-9][0-9]{0,14}$/.test(job)) return Number(job);
  throw new StartError(`Give the number of the saved job, not ${JSON.stringify(job)}.`);
}

/** The values that this start uses in place of the saved ones. */
function runOf({ name, message, goal, at }: StartOptions) {
  return { jobname: name, message, responsegoal: goal, scheduledstart: at };
}

async function startJob(job: string, options: StartOptions): Promise<void> {
  const asked = { jobid: jobIdIn(job), ...runOf(options) };
  const api = await requireCallerApi(options);
  const { result, runtimeid, jobname, errormessage } = await api.post(
    '/dispatch/svcdispatch/startsavedjob',
    asked,
  );
  if (options.json) printJson({ result, run: String(runtimeid), job: jobname, error: errormessage }, 2);
  else if (result === 'OK') print(`${jobname} has been started: run ${runtimeid}.`);
  if (result !== 'OK') throw new StartError(errormessage);
}

async function rehearse(job: string, options: StartOptions): Promise<void> {
  const asked = { id: jobIdIn(job), ...runOf(options) };
  const api = await requireCallerApi(options);
  const rehearsal = rehearsedIn(await api.post('/api/v1/jobs/{id}/rehearse', asked));
  if (options.json) return printJson(rehearsal, 2);
  printRehearsal(rehearsal);
}

type Rehearsed = ReturnType<typeof rehearsedIn>;

/** The response for programs, without absent values. Its lists have only the first entries, but all are counted. */
function rehearsedIn(answer: AnswerOf<'POST', '/api/v1/jobs/{id}/rehearse'>) {
  const { partsFirst, partsAll, quotaLeft = null, mailsFirst, mailsAll, mailsLeft = null, ...rest } = answer;
  const { people, leftOut, tasks, ...rehearsal } = rest;
  return {
    ...rehearsal,
    people: people.map(({ phone = '', email = '', ...person }) => ({ phone, email, ...person })),
    leftOut: leftOut.map(({ phone = null, ...person }) => ({ phone, ...person })),
    tasks: tasks.map(({ goal = null, ...task }) => ({ goal, ...task })),
    parts: { first: partsFirst, all: partsAll, left: quotaLeft },
    mails: { first: mailsFirst, all: mailsAll, left: mailsLeft },
  };
}

const taskColumns: Columns<Rehearsed['tasks'][number]> = {
  TASK: ({ task }) => task || 'everybody',
  GOAL: ({ goal }) => (goal === null ? 'all' : String(goal)),
  'CAN BE REACHED': ({ canBeReached }) => String(canBeReached),
  'CAN BE MET': ({ canBeMet }) => (canBeMet ? 'yes' : 'no'),
};

type Person = Rehearsed['people'][number];

const personColumns: Columns<Person & { readonly place: number }> = {
  ORDER: ({ place }) => String(place),
  LEVEL: ({ level }) => String(level),
  ASKED: whenAsked,
  NAME: ({ name }) => name,
  'PHONE OR MAIL': ({ phone, email }) => phone || email,
  TASK: ({ task }) => task,
  PARTS: ({ parts }) => String(parts),
  'NOT ASKED BECAUSE': ({ why = '' }) => why,
};

function printRehearsal(rehearsal: Rehearsed): void {
  const { job, type, message, problem, people, peopleCount, leftOut, leftOutCount, tasks } = rehearsal;
  print(`${job} (${type}): ${JSON.stringify(message)}`, '');
  if (problem !== undefined) print(`It would not be started: ${problem}`, '');
  if (tasks.length > 0) {
    printRows(tasks, taskColumns);
    print();
    printRows(
      people.map((person, place) => ({ ...person, place: place + 1 })),
      personColumns,
    );
    printMore(peopleCount - people.length);
    print();
  }
  const others = leftOut.filter(({ why }) => why !== 'no phone number');
  for (const { name, phone, why } of others)
    print(`Left out: ${[name, phone].filter(Boolean).join(' ')} (${why})`);
  printMore(leftOutCount - leftOut.length);
  if (others.length > 0) print();
  print(`${costOf(rehearsal).join(' ')} Nothing was sent.`);
}

function printMore(count: number): void {
  if (count > 0) print(`… and ${count.toLocaleString('en')} more`);
}

function costOf({ parts, mails }: Rehearsed): readonly string[] {
  const sentences = [`${parts.first} SMS parts for those who are asked at once, ${parts.all} for all.`];
  if (parts.left !== null) sentences.push(`The quota has ${parts.left} left.`);
  if (mails.all === 0) return sentences;
  sentences.push(`${mails.first} e-mails at once, ${mails.all} for all.`);
  if (mails.left !== null) sentences.push(`The company may send ${mails.left} more today.`);
  if (mails.first > (mails.left ?? mails.first))
    sentences.push('That is not enough: people beyond the limit count as not reached.');
  return sentences;
}

function whenAsked({ why, askedAtOnce, afterMinutes }: Person): string {
  if (why !== undefined) return 'never';
  if (askedAtOnce) return 'at once';
  return afterMinutes === 0 ? 'in a later wave' : `after ${afterMinutes} min`;
}
