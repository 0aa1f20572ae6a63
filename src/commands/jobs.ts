/** `carillon jobs`: saved jobs, their rehearsal and their start. */
import { Command, InvalidArgumentError } from 'commander';
import type { JobCommandInput } from '../app/operator-commands.ts';
import { print, printJson } from '../foundation/terminal.ts';
import type { Rehearsal, RehearsedPerson } from '../jobs/rehearse.ts';
import { instant, type JsonOption, jsonOption, printList, printTable } from './list.ts';
import { addRunCommands } from './runs.ts';

export function jobsCommand(): Command {
  const jobs = new Command('jobs');
  jobs
    .command('list')
    .description('saved jobs of all companies, and the latest runs')
    .option('--runs', 'the runs instead of the jobs')
    .option(...jsonOption)
    .action(listJobs);
  for (const [name, description, action] of [
    ['start', 'start a saved job for a user', startJob],
    ['rehearse', 'show who a start would ask, and who not and why; nothing is sent', rehearse],
  ] as const) {
    jobs
      .command(`${name} <job>`)
      .description(description)
      .requiredOption('--user <username>', 'who starts it, and pays')
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

async function listJobs({
  runs = false,
  ...options
}: JsonOption & { readonly runs?: boolean }): Promise<void> {
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
          none: 'No job has been started.',
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

interface StartOptions extends JsonOption {
  readonly user: string;
  readonly name?: string;
  readonly message?: string;
  readonly goal?: number;
  readonly at?: string;
}

function wholeNumber(given: string): number {
  if (/^[1-9][0-9]{0,14}$/.test(given)) return Number(given);
  throw new InvalidArgumentError('Give a whole number.');
}

async function tell<Answer>(name: string, job: string, options: StartOptions): Promise<Answer> {
  const [{ readConfig }, { command }, { systemClock }, { StartError }, { parseScheduleTime }] =
    await Promise.all([
      import('../config/config.ts'),
      import('../app/control.ts'),
      import('../foundation/clock.ts'),
      import('../foundation/errors.ts'),
      import('../wire/schedule-time.ts'),
    ]);
  if (!/^[1-9][0-9]{0,14}$/.test(job))
    throw new StartError(`A saved job has a number, not ${JSON.stringify(job)}.`);
  const time = options.at === undefined ? undefined : parseScheduleTime(options.at, systemClock.now());
  if (time?.ok === false) throw new StartError(time.error);
  const input: JobCommandInput = {
    username: options.user,
    jobId: Number(job),
    jobName: options.name,
    message: options.message,
    goal: options.goal,
    startAt: time?.value,
    given: options.goal === undefined ? [] : ['responsegoal'],
  };
  return (await command(readConfig(process.env).dataFolder, name, input)) as Answer;
}

async function startJob(job: string, options: StartOptions): Promise<void> {
  const { StartError } = await import('../foundation/errors.ts');
  const { result, runtimeid, jobname, errormessage } = await tell<{
    result: string;
    runtimeid: number;
    jobname: string;
    errormessage: string;
  }>('start-job', job, options);
  if (options.json) printJson({ result, run: String(runtimeid), job: jobname, error: errormessage }, 2);
  else if (result === 'OK') print(`${jobname} is started: run ${runtimeid}.`);
  if (result !== 'OK') throw new StartError(errormessage);
}

async function rehearse(job: string, options: StartOptions): Promise<void> {
  const { processId: _, ...told } = await tell<Rehearsal & { processId?: number }>(
    'rehearse-job',
    job,
    options,
  );
  if (options.json) return printJson(told, 2);
  printRehearsal(told);
}

function printRehearsal(rehearsal: Rehearsal): void {
  const { job, type, message, problem, people, leftOut, tasks } = rehearsal;
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
    print();
  }
  const others = leftOut.filter(({ why }) => why !== 'no phone number');
  for (const { name, phone, why } of others)
    print(`Left out: ${[name, phone].filter(Boolean).join(' ')} (${why})`);
  if (others.length > 0) print();
  print(`${costOf(rehearsal).join(' ')} Nothing was sent.`);
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
