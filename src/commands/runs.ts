/** `carillon jobs watch`, `accept` and the like: runs of saved jobs, looked at and steered. */
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Command, Option } from 'commander';
import { StartError } from '../foundation/errors.ts';
import { print, printData, printError, printJson, reprint } from '../foundation/terminal.ts';
import type { RecordedEntry, RecordedPerson, RunRecord } from '../jobs/record.ts';
import { system } from '../jobs/run/entry.ts';
import { type Act, type Audience, audiences, type PersonState } from '../jobs/run/run.ts';
import { theNode } from '../storage/verb.ts';
import { type AnswerOf, type Api, lookElsewhereEveryMs } from './api.ts';
import { type CallerOptions, callerApi, eitherWay, withEither } from './as-caller.ts';
import { instant, type JsonOption, jsonOption, printChange, printTable } from './list.ts';
import { machineAccount } from './machine-account.ts';
import { stopOnSignal } from './stop-on-signal.ts';
import { tellServer } from './tell-server.ts';

export function addRunCommands(jobs: Command): void {
  withEither(jobs.command('watch <run>'))
    .description('show what happens in a run, as it happens, until it has ended')
    .option(...jsonOption)
    .action(eitherWay(watchAsCaller, watch));
  jobs
    .command('record <run>')
    .description('who was asked when and why, who answered what, and every decision')
    .addOption(
      new Option('--format <format>', 'how to print it')
        .choices(['table', 'csv', 'html', 'json'])
        .default('table'),
    )
    .option(...jsonOption)
    .action(record);
  for (const [kind, answer] of [
    ['accept', 'YES'],
    ['decline', 'NO'],
  ] as const) {
    withEither(jobs.command(`${kind} <run> <phone>`))
      .description(`count somebody as ${answer}, who telephoned or whose comment means that`)
      .option('--comment', `the last comment counts as ${answer}, and stands in the record with it`)
      .option(...jsonOption)
      .action((run: string, phone: string, options: AnswerOptions) => answerFor(run, phone, kind, options));
  }
  withEither(jobs.command('escalate <run>'))
    .description('open the next level, or ask the next wave, now')
    .option(...jsonOption)
    .action((run: string, options: SteerOptions) => steer(run, { kind: 'escalate' }, options));
  withEither(jobs.command('extend <run> <minutes>'))
    .description('let it end later')
    .option(...jsonOption)
    .action((run: string, minutes: string, options: SteerOptions) =>
      steer(run, { kind: 'extend', minutes: minutesIn(minutes) }, options),
    );
  withEither(jobs.command('tell <run> <text>'))
    .description('write to its people')
    .addOption(new Option('--to <whom>', 'to whom').choices(audiences).default('all'))
    .option(...jsonOption)
    .action((run: string, text: string, { to, ...options }: SteerOptions & { readonly to: Audience }) =>
      steer(run, { kind: 'tell', to, text }, options),
    );
  withEither(jobs.command('cancel <run>'))
    .description('end it, and tell those who were asked')
    .option(...jsonOption)
    .action((run: string, options: SteerOptions) => steer(run, { kind: 'cancel' }, options));
}

function runIdIn(run: string): number {
  if (/^[1-9][0-9]{0,14}$/.test(run)) return Number(run);
  throw new StartError(`A run has a number, not ${JSON.stringify(run)}.`);
}

function minutesIn(given: string): number {
  if (/^[1-9][0-9]{0,4}$/.test(given) && Number(given) <= 10_080) return Number(given);
  throw new StartError('Give 1 to 10080 minutes.');
}

async function cleaned(phone: string): Promise<string> {
  const { cleanNumber } = await import('../wire/phone-number.ts');
  const number = cleanNumber(phone);
  if (number.ok) return number.value;
  throw new StartError(number.error);
}

interface SteerOptions extends CallerOptions, JsonOption {}

interface AnswerOptions extends SteerOptions {
  readonly comment?: boolean;
}

async function answerFor(
  run: string,
  phone: string,
  kind: 'accept' | 'decline',
  { comment = false, ...options }: AnswerOptions,
): Promise<void> {
  await steer(run, { kind, phone: await cleaned(phone) }, { ...options, comment });
}

async function steer(run: string, act: Act, options: AnswerOptions): Promise<void> {
  const id = runIdIn(run);
  const { comment: isComment = false } = options;
  const api = await callerApi(options);
  if (api === undefined) return steerAsOperator(id, act, options);
  await steerAsCaller(api, id, act, isComment);
  tellSteered(id, act, options);
}

function tellSteered(id: number, { kind }: Act, options: JsonOption): void {
  printChange({ run: String(id), act: kind }, [`The run ${id} is told: ${kind}.`], options);
}

async function steerAsCaller(api: Api, id: number, act: Act, isComment: boolean): Promise<void> {
  switch (act.kind) {
    case 'accept':
    case 'decline': {
      const { kind, phone } = act;
      const comment = isComment ? 'last' : undefined;
      await api.post(`/api/v1/runs/{id}/${kind}`, { id, phone, comment });
      return;
    }
    case 'extend':
      await api.post('/api/v1/runs/{id}/extend', { id, minutes: act.minutes });
      return;
    case 'tell':
      await api.post('/api/v1/runs/{id}/tell', { id, message: act.text, to: act.to });
      return;
    case 'escalate':
    case 'cancel':
      await api.post(`/api/v1/runs/{id}/${act.kind}`, { id });
      return;
    default:
      throw new Error(`No act of a user is ${JSON.stringify(act satisfies never)}`);
  }
}

async function steerAsOperator(
  runId: number,
  wanted: Act,
  { comment: isComment = false, ...options }: AnswerOptions,
): Promise<void> {
  const [{ operator }, { readConfig }, { withStore }, { systemClock }, steering] = await Promise.all([
    import('../audit/audit-log.ts'),
    import('../config/config.ts'),
    import('../app/open-store.ts'),
    import('../foundation/clock.ts'),
    import('../jobs/steer.ts'),
  ]);
  const config = readConfig(process.env);
  const run = { runId, owner: theNode() };
  await withStore(config, async (store) => {
    const act =
      isComment && 'phone' in wanted
        ? { ...wanted, comment: await steering.lastComment(store, run, wanted.phone) }
        : wanted;
    const by = `operator ${machineAccount()}`;
    await steering.steer(store, systemClock, run, act, operator, by);
    tellSteered(runId, act, options);
    await tellServer(config, { event: 'operator_command', object: `jobs ${act.kind} ${runId}` });
  });
}

interface RecordOptions extends JsonOption {
  readonly format: 'table' | 'csv' | 'html' | 'json';
}

async function withRecords(
  given: string,
  work: (read: () => Promise<RunRecord>) => Promise<void>,
): Promise<void> {
  const [{ readConfig }, { withStore }, { readRecord }] = await Promise.all([
    import('../config/config.ts'),
    import('../app/open-store.ts'),
    import('../jobs/record.ts'),
  ]);
  const runId = runIdIn(given);
  await withStore(readConfig(process.env), (store) =>
    work(async () => {
      const found = await store.read(readRecord, { runId, owner: theNode() });
      if (found === null) throw new StartError(`There is no run ${runId}.`);
      return found;
    }),
  );
}

async function record(given: string, { format, json = false }: RecordOptions): Promise<void> {
  const [{ recordAsCsv, recordOf }, { recordAsPage }] = await Promise.all([
    import('../jobs/record.ts'),
    import('../jobs/record-page.ts'),
  ]);
  await withRecords(given, async (read) => {
    const found = await read();
    if (json || format === 'json') return printJson(recordOf(found), 2);
    if (format === 'csv') return printData(recordAsCsv(found));
    if (format === 'html') return printData(recordAsPage(recordOf(found)));
    const { job, run, phase, outcome, people, timeline } = recordOf(found);
    print(`${job}, run ${run}: ${phase}${outcome === null ? '' : ` (${outcome})`}`, '');
    printTable(
      ['NAME', 'PHONE OR MAIL', 'STATE', 'LAST MESSAGE', 'LAST ANSWER'],
      people.map(({ name, phone, email, state, task, messages, mails, answers }) => [
        ...[name, phone || email, task === undefined ? state : `${state}, has a place`],
        messages.at(-1)?.status ?? mails.at(-1)?.state ?? '',
        lastAnswer(answers),
      ]),
    );
    print();
    printTable(
      ['AT', 'WHAT', 'BY', 'WHO', 'DETAIL'],
      timeline.map(({ at, what, by, people: who, detail }) => [at, what, by, who.join(', '), detail]),
    );
  });
}

/** By a link nothing is written, but that. */
function lastAnswer(answers: RecordedPerson['answers']): string {
  const last = answers.at(-1);
  return last === undefined ? '' : last.text || `${last.meaning} by link`;
}

const lookEveryMs = 500;

/** On a terminal how it stands is the last line, and is written anew with each change. */
async function watch(given: string, { json = false }: JsonOption): Promise<void> {
  const { recordedEntry } = await import('../jobs/record.ts');
  await withRecords(given, async (read) => {
    const isLive = !json && process.stdout.isTTY;
    let seen = 0;
    let standing: readonly string[] = [];
    let isStopped = false;
    stopOnSignal(async () => {
      isStopped = true;
    });
    printError(`Watching the run ${given}. Ctrl-C ends it.`);
    while (!isStopped) {
      const record = await read();
      const told = record.entries.slice(seen).map((entry) => recordedEntry(entry, record.people));
      const now = isLive ? [standingOf(record)] : [];
      if (json) for (const one of told) printJson(one);
      else if (told.length > 0 || now[0] !== standing[0]) {
        reprint(standing.length, [...told.map(lineOf), ...now]);
        standing = now;
      }
      seen = record.entries.length;
      if (record.run.phase === 'ended') return;
      await delay(lookEveryMs);
    }
  });
}

function lineOf({ at, what, by, people, detail }: RecordedEntry): string {
  const who = [people.join(', '), detail].filter(Boolean).join(': ');
  return `${at}  ${what.padEnd(9)}  ${by === system ? '' : `by ${by}  `}${who}`;
}

type OwnEntry = AnswerOf<'GET', '/api/v1/runs/{id}/timeline'>['entries'][number];

async function watchAsCaller(api: Api, run: string, { json = false }: SteerOptions): Promise<void> {
  const id = runIdIn(run);
  let isStopped = false;
  stopOnSignal(async () => {
    isStopped = true;
  });
  printError(`Watching the run ${run}. Ctrl-C ends it.`);
  let latest: OwnEntry | undefined;
  while (!isStopped) {
    const { phase } = await api.get('/api/v1/runs/{id}', { id });
    const added = await entriesBehind(api, id, latest);
    for (const entry of added) {
      if (json) printJson(entry);
      else print(ownLineOf(entry));
    }
    latest = added.at(-1) ?? latest;
    if (phase === 'ended') return;
    await delay(lookElsewhereEveryMs);
  }
}

/** The earliest first, as they are added; of the API the latest come first. */
async function entriesBehind(
  api: Api,
  id: number,
  known: OwnEntry | undefined,
): Promise<readonly OwnEntry[]> {
  const found: OwnEntry[] = [];
  let after: string | undefined;
  do {
    const page = await api.get('/api/v1/runs/{id}/timeline', { id, after, limit: 200 });
    for (const entry of page.entries) {
      if (isDeepStrictEqual(entry, known)) return found.reverse();
      found.push(entry);
    }
    after = page.next;
  } while (after !== undefined);
  return found.reverse();
}

function ownLineOf({ time, what, by, people, others, why, text, meaning }: OwnEntry): string {
  const names = [...people, ...(others === 0 ? [] : [`${others} more`])].join(', ');
  const detail = [why, text && JSON.stringify(text), meaning].filter(Boolean).join(', ');
  const who = [names, detail].filter(Boolean).join(': ');
  return `${time}  ${what.padEnd(9)}  ${by === undefined ? '' : `by ${by}  `}${who}`;
}

/** Night call: open, 1 of 2 found, 3 asked, 1 not reached, until 2026-11-23T09:08:07Z */
function standingOf({ run, people }: RunRecord): string {
  const found = people.filter(({ task }) => task !== null).length;
  const needed = run.tasks.some(({ goal }) => goal === null)
    ? ''
    : ` of ${run.tasks.reduce((sum, { goal }) => sum + (goal ?? 0), 0)}`;
  const count = (state: PersonState) => people.filter((person) => person.state === state).length;
  const parts = [run.phase, `${found}${needed} found`, `${count('asked')} asked`];
  if (count('unreachable') > 0) parts.push(`${count('unreachable')} not reached`);
  if (run.expiryAt !== null) parts.push(`until ${instant(run.expiryAt)}`);
  return `${run.jobName}: ${parts.join(', ')}`;
}
