/** `carillon jobs`: saved jobs, their rehearsal and their start. */
import { Command, InvalidArgumentError } from 'commander';
import { StartError } from '../foundation/errors.ts';
import { print, printJson } from '../foundation/terminal.ts';
import type { Rehearsal, RehearsedPerson } from '../jobs/rehearse.ts';
import type { AnswerOf, Api } from './api.ts';
import { type CallerOptions, callerApi, requireCallerApi, withCaller, withEither } from './as-caller.ts';
import { instant, instantOf, type JsonOption, jsonOption, printList, printTable } from './list.ts';
import { addRunCommands } from './runs.ts';

export function jobsCommand(): Command {
  const jobs = new Command('jobs');
  withEither(jobs.command('list'))
    .description('saved jobs of all companies, or those that a user may start')
    .option('--runs', 'the runs instead of the jobs')
    .option(...jsonOption)
    .action(listJobs);
  for (const [name, description, action] of [
    ['start', 'start a saved job for a user', startJob],
    ['rehearse', 'show who a start would ask, and who not and why; nothing is sent', rehearse],
  ] as const) {
    withCaller(jobs.command(`${name} <job>`))
      .description(description)
      .option('--name <name>', 'name of this run')
      .option('--message <text>', 'text of this run')
      .option('--goal <number>', 'so many YES are needed', wholeNumber)
      .option('--at <time>', 'when to start: 2027-01-31T08:00:00+01:00')
      .option(...jsonOption)
      .action(action);
  }
  addRunCommands(jobs);
  return jobs;
}

/** Of each list. */
const listed = 200;
const noRuns = 'No job has been started.';

interface ListOptions extends CallerOptions, JsonOption {
  readonly runs?: boolean;
}

async function listJobs({ runs = false, ...options }: ListOptions): Promise<void> {
  const api = await callerApi(options);
  if (api !== undefined) return runs ? listOwnRuns(api, options) : listOwnJobs(api, options);
  const [{ readConfig }, { withStore }, { listAllJobs }, { listLatestRuns }] = await Promise.all([
    import('../config/config.ts'),
    import('../app/open-store.ts'),
    import('../jobs/saved-job.ts'),
    import('../jobs/management/runs.ts'),
  ]);
  await withStore(readConfig(process.env), async (store) => {
    if (runs) {
      printList(
        await store.read(listLatestRuns, listed),
        {
          none: noRuns,
          columns: {
            RUN: ({ id }) => String(id),
            JOB: ({ jobName }) => jobName,
            TYPE: ({ typeName }) => typeName,
            START: ({ startAt }) => instant(startAt),
            BY: ({ starter }) => starter,
            IS: ({ phase, outcome }) => (outcome === null ? phase : `${phase}, ${outcome}`),
          },
          toJson: ({ id, jobName, typeName, startAt, starter, phase, outcome }) => ({
            run: String(id),
            job: jobName,
            type: typeName,
            startAt: new Date(startAt).toISOString(),
            startedBy: starter,
            phase,
            outcome,
          }),
        },
        options,
      );
      return;
    }
    printList(
      await store.read(listAllJobs, listed),
      {
        none: 'There are no saved jobs: add one to the provisioning file.',
        columns: {
          COMPANY: ({ company }) => company,
          JOB: ({ id }) => String(id),
          NAME: ({ name }) => name,
          TYPE: ({ type }) => type,
          OWNER: ({ owner }) => owner,
        },
        toJson: (job) => job,
      },
      options,
    );
  });
}

async function listOwnJobs(api: Api, options: JsonOption): Promise<void> {
  printList(
    await api.list('/api/v1/jobs', 'jobs', listed),
    {
      none: 'There are no saved jobs that the user may start.',
      columns: { JOB: ({ id }) => id, NAME: ({ name }) => name, TYPE: ({ type }) => type },
      toJson: (job) => job,
    },
    options,
  );
}

async function listOwnRuns(api: Api, options: JsonOption): Promise<void> {
  printList(
    await api.list('/api/v1/runs', 'runs', listed),
    {
      none: noRuns,
      columns: {
        RUN: ({ id }) => id,
        JOB: ({ name }) => name,
        TYPE: ({ type }) => type,
        START: ({ start }) => instantOf(start),
        BY: ({ username }) => username,
        IS: ({ phase, outcome }) => (outcome === undefined ? phase : `${phase}, ${outcome}`),
      },
      toJson: (run) => run,
    },
    options,
  );
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
  throw new StartError(`A saved job has a number, not ${JSON.stringify(job)}.`);
}

/** What of it this start has in place of what is saved. */
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
  else if (result === 'OK') print(`${jobname} is started: run ${runtimeid}.`);
  if (result !== 'OK') throw new StartError(errormessage);
}

async function rehearse(job: string, options: StartOptions): Promise<void> {
  const asked = { id: jobIdIn(job), ...runOf(options) };
  const api = await requireCallerApi(options);
  const rehearsal = rehearsedIn(await api.post('/api/v1/jobs/{id}/rehearse', asked));
  if (options.json) return printJson(rehearsal, 2);
  printRehearsal(rehearsal);
}

/** Of its lists the first, and how many there are. */
interface Rehearsed extends Rehearsal {
  readonly peopleCount: number;
  readonly leftOutCount: number;
}

/** Of an answer, which leaves out what there is not. */
function rehearsedIn(answer: AnswerOf<'POST', '/api/v1/jobs/{id}/rehearse'>): Rehearsed {
  const { job, type, message, problem, people, peopleCount, leftOut, leftOutCount, tasks } = answer;
  const { partsFirst, partsAll, quotaLeft, mailsFirst, mailsAll, mailsLeft } = answer;
  return {
    job,
    type,
    ...(problem === undefined ? {} : { problem }),
    message,
    people: people.map(({ phone = '', email = '', ...person }) => ({ phone, email, ...person })),
    peopleCount,
    leftOut: leftOut.map(({ phone = null, ...person }) => ({ phone, ...person })),
    leftOutCount,
    tasks: tasks.map(({ goal = null, ...task }) => ({ goal, ...task })),
    parts: { first: partsFirst, all: partsAll, left: quotaLeft ?? null },
    mails: { first: mailsFirst, all: mailsAll, left: mailsLeft ?? null },
  };
}

function printRehearsal(rehearsal: Rehearsed): void {
  const { job, type, message, problem, people, peopleCount, leftOut, leftOutCount, tasks } = rehearsal;
  print(`${job} (${type}): ${JSON.stringify(message)}`, '');
  if (problem !== undefined) print(`It would not be started: ${problem}`, '');
  if (tasks.length > 0) {
    printTable(
      ['TASK', 'GOAL', 'CAN BE REACHED', 'CAN BE MET'],
      tasks.map(({ task, goal, canBeReached, canBeMet }) => [
        ...[task || 'everybody', goal === null ? 'all' : String(goal), String(canBeReached)],
        canBeMet ? 'yes' : 'no',
      ]),
    );
    print();
    printTable(
      ['ORDER', 'LEVEL', 'ASKED', 'NAME', 'PHONE OR MAIL', 'TASK', 'PARTS', 'NOT ASKED BECAUSE'],
      people.map((person, place) => [
        ...[
          String(place + 1),
          String(person.level),
          whenAsked(person),
          person.name,
          person.phone || person.email,
        ],
        ...[person.task, String(person.parts), person.why ?? ''],
      ]),
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

function costOf({ parts, mails }: Rehearsal): readonly string[] {
  const sentences = [`${parts.first} SMS parts for those who are asked at once, ${parts.all} for all.`];
  if (parts.left !== null) sentences.push(`The quota has ${parts.left} left.`);
  if (mails.all === 0) return sentences;
  sentences.push(`${mails.first} mails at once, ${mails.all} for all.`);
  if (mails.left !== null) sentences.push(`The company may send ${mails.left} more today.`);
  if (mails.first > (mails.left ?? mails.first))
    sentences.push('That is not enough: the others count as not reached.');
  return sentences;
}

function whenAsked({ why, askedAtOnce, afterMinutes }: RehearsedPerson): string {
  if (why !== undefined) return 'never';
  if (askedAtOnce) return 'at once';
  return afterMinutes === 0 ? 'in a later wave' : `after ${afterMinutes} min`;
}
