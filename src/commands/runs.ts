/** `carillon jobs watch`, `accept` and similar commands: show and control runs of saved jobs. */
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Command, Option } from 'commander';
import { StartError } from '../foundation/errors.ts';
import { print, printData, printError, printJson, reprint } from '../foundation/terminal.ts';
import type { RecordedEntry, RecordedPerson, RecordOfRun, RunRecord } from '../jobs/record.ts';
import { system } from '../jobs/run/entry.ts';
import { type Audience, audiences, type Person } from '../jobs/run/run.ts';
import type { Steering } from '../jobs/steer.ts';
import { theNode } from '../storage/verb.ts';
import { type AnswerOf, type Api, lookElsewhereEveryMs } from './api.ts';
import { actsAsEither, type CallerOptions } from './as-caller.ts';
import { inStore } from './as-operator.ts';
import { type Columns, instant, type JsonOption, printChange, printRows } from './list.ts';
import { machineAccount } from './machine-account.ts';
import { stopOnSignal } from './stop-on-signal.ts';
import { tellServer } from './tell-server.ts';

export function addRunCommands(jobs: Command): void {
  actsAsEither(jobs.command('watch <run>'), watchAsUser, watch).description(
    'follow a run until it has ended',
  );
  actsAsEither(jobs.command('record <run>'), recordAsUser, record)
    .description('show who was asked when and why, who answered what, and every decision')
    .addOption(
      new Option('--format <format>', 'how to print it')
        .choices(['table', 'csv', 'html', 'json'])
        .default('table'),
    );
  for (const [kind, answer] of [
    ['accept', 'YES'],
    ['decline', 'NO'],
  ] as const)
    steers(jobs.command(`${kind} <run> <phone>`), (phone, { comment = false }) => ({
      kind,
      whom: { phone },
      countsComment: comment,
    }))
      .description(
        `count a person as ${answer}, for example after a phone call or a comment with that meaning`,
      )
      .option('--comment', `count the last comment as ${answer}, and show it in the record`);
  steers(jobs.command('escalate <run>'), () => ({ kind: 'escalate' })).description(
    'open the next level or ask the next wave now',
  );
  const extend = (given: string) => ({ kind: 'extend', minutes: minutesIn(given) }) as const;
  steers(jobs.command('extend <run> <minutes>'), extend).description('let a run go on for longer');
  steers(jobs.command('tell <run> <text>'), (text, { to }) => ({ kind: 'tell', to, text }))
    .description('send a text to the people in a run')
    .addOption(new Option('--to <whom>', 'who gets the text').choices(audiences).default('all'));
  steers(jobs.command('cancel <run>'), () => ({ kind: 'cancel' })).description(
    'end a run, and tell those who were asked',
  );
}

function runIdIn(run: string): number {
  if (/^[1-9][0-9]{0,14}$/.test(run)) return Number(run);
  throw new StartError(`Give the number of the run, not ${JSON.stringify(run)}.`);
}

function minutesIn(given: string): number {
  if (/^[1-9][0-9]{0,4}$/.test(given) && Number(given) <= 10_080) return Number(given);
  throw new StartError('Give 1 to 10080 minutes.');
}

interface SteerOptions extends CallerOptions, JsonOption {
  readonly comment?: boolean;
  /** For `tell` only. */
  readonly to: Audience;
}

/** `actOf` receives the arguments after the run. */
function steers(command: Command, actOf: (word: string, options: SteerOptions) => Steering): Command {
  type Given = readonly [...string[], SteerOptions];
  const steeringOf = (given: Given) => {
    const [run = '', word = ''] = given as readonly string[];
    const options = given.at(-1) as SteerOptions;
    return { id: runIdIn(run), act: actOf(word, options), options };
  };
  return actsAsEither<Given>(
    command,
    async (api, ...given) => {
      const { id, act, options } = steeringOf(given);
      await api.post(`/api/v1/runs/{id}/${act.kind}`, { id, ...wordsOf(act) });
      tellSteered(id, act, options);
    },
    (...given) => {
      const { id, act, options } = steeringOf(given);
      return steerAsOperator(id, act, options);
    },
  );
}

function tellSteered(id: number, { kind }: Steering, options: JsonOption): void {
  printChange({ run: String(id), act: kind }, [`Sent to the run ${id}: ${kind}.`], options);
}

/** The fields of the act in the API's vocabulary. */
function wordsOf(steering: Steering) {
  if (steering.kind === 'tell') return { message: steering.text, to: steering.to };
  if ('whom' in steering) return { ...steering.whom, comment: steering.countsComment ? 'last' : undefined };
  return steering.kind === 'extend' ? { minutes: steering.minutes } : {};
}

async function steerAsOperator(runId: number, given: Steering, options: SteerOptions): Promise<void> {
  const [{ operator }, { systemClock }, { orThrow }, { cleanNumber }, steering] = await Promise.all([
    import('../audit/audit-log.ts'),
    import('../foundation/clock.ts'),
    import('../foundation/result.ts'),
    import('../wire/phone-number.ts'),
    import('../jobs/steer.ts'),
  ]);
  const act =
    'whom' in given && 'phone' in given.whom
      ? { ...given, whom: { phone: orThrow(cleanNumber(given.whom.phone)) } }
      : given;
  await inStore(async (store, config) => {
    const name = `operator ${machineAccount()}`;
    await steering.steer(store, systemClock, { runId, owner: theNode(), by: operator, name }, act);
    tellSteered(runId, act, options);
    await tellServer(config, { event: 'operator_command', object: `jobs ${act.kind} ${runId}` });
  });
}

interface RecordOptions extends CallerOptions, JsonOption {
  readonly format: 'table' | 'csv' | 'html' | 'json';
}

type PersonRow = Pick<
  RecordedPerson,
  'name' | 'phone' | 'email' | 'state' | 'messages' | 'mails' | 'answers'
> &
  Readonly<{ task?: string | undefined }>;

const personColumns: Columns<PersonRow> = {
  NAME: ({ name }) => name,
  'PHONE OR MAIL': ({ phone, email }) => phone || email,
  STATE: ({ state, task }) => (task === undefined ? state : `${state}, has a place`),
  'LAST MESSAGE': ({ messages, mails }) => messages.at(-1)?.status ?? mails.at(-1)?.state,
  'LAST ANSWER': ({ answers }) => lastAnswer(answers),
};

const entryColumns: Columns<RecordedEntry> = {
  AT: ({ at }) => at,
  WHAT: ({ what }) => what,
  BY: ({ by }) => by,
  WHO: ({ people }) => people.join(', '),
  DETAIL: ({ detail }) => detail,
};

interface Shown extends Pick<RecordOfRun, 'job' | 'run' | 'timeline'> {
  readonly phase: string;
  readonly outcome?: string | undefined;
  readonly people: readonly PersonRow[];
}

function printRecord({ job, run, phase, outcome, people, timeline }: Shown): void {
  print(`${job}, run ${run}: ${phase}${outcome === undefined ? '' : ` (${outcome})`}`, '');
  printRows(people, personColumns);
  print();
  printRows(timeline, entryColumns);
}

async function recordAsUser(api: Api, given: string, { format, json }: RecordOptions): Promise<void> {
  const id = runIdIn(given);
  if (!json && (format === 'csv' || format === 'html')) {
    for await (const text of api.download(`/api/v1/runs/{id}/record.${format}`, { id }))
      await printData(text);
    return;
  }
  const found = await api.get('/api/v1/runs/{id}/record', { id });
  if (json || format === 'json') printJson(found, 2);
  else printRecord(found);
}

async function record(given: string, { format, json = false }: RecordOptions): Promise<void> {
  const [{ recordOf }, { recordAsCsv, recordAsPage }] = await Promise.all([
    import('../jobs/record.ts'),
    import('../jobs/record-page.ts'),
  ]);
  await withRecords(given, async (read) => {
    const found = await read();
    if (json || format === 'json') return printJson(recordOf(found), 2);
    if (format === 'csv') return printData(recordAsCsv(found));
    if (format === 'html') return printData([...recordAsPage(found)].join(''));
    printRecord(recordOf(found));
  });
}

async function withRecords(
  given: string,
  work: (read: () => Promise<RunRecord>) => Promise<void>,
): Promise<void> {
  const { readRecord } = await import('../jobs/record.ts');
  const runId = runIdIn(given);
  await inStore((store) =>
    work(async () => {
      const found = await store.read(readRecord, { runId, owner: theNode() });
      if (found === null) throw new StartError(`There is no run ${runId}.`);
      return found;
    }),
  );
}

/** An answer by link has no text, only a meaning. */
function lastAnswer(answers: PersonRow['answers']): string {
  const last = answers.at(-1);
  return last === undefined ? '' : last.text || `${last.meaning} by link`;
}

/** Events of a run since the previous poll. */
interface Look {
  readonly added: readonly RecordedEntry[];
  readonly addedJson: readonly object[];
  readonly progress: Progress;
}

/** Follows a run until it ends. On a terminal, the last line shows its state and is rewritten with each change. */
async function follow(
  run: string,
  look: () => Promise<Look>,
  everyMs: number,
  { json = false }: JsonOption,
): Promise<void> {
  const isLive = !json && process.stdout.isTTY;
  let last: readonly string[] = [];
  let isStopped = false;
  stopOnSignal(async () => {
    isStopped = true;
  });
  printError(`Watching the run ${run}. Ctrl-C ends it.`);
  while (!isStopped) {
    const { added, addedJson, progress } = await look();
    const now = isLive ? [progressLine(progress)] : [];
    if (json) for (const one of addedJson) printJson(one);
    else if (added.length > 0 || now[0] !== last[0]) {
      reprint(last.length, [...added.map(lineOf), ...now]);
      last = now;
    }
    if (progress.phase === 'ended') return;
    await delay(everyMs);
  }
}

async function watchAsUser(api: Api, run: string, options: CallerOptions & JsonOption): Promise<void> {
  const id = runIdIn(run);
  let latest: OwnEntry | undefined;
  const look = async () => {
    const { people, end, ...progress } = await api.get('/api/v1/runs/{id}', { id });
    const addedJson = await entriesBehind(api, id, latest);
    latest = addedJson.at(-1) ?? latest;
    return { added: addedJson.map(ownEntry), addedJson, progress: { ...progress, ...people, until: end } };
  };
  await follow(run, look, lookElsewhereEveryMs, options);
}

const lookEveryMs = 500;

async function watch(given: string, options: CallerOptions & JsonOption): Promise<void> {
  const { recordedEntry } = await import('../jobs/record.ts');
  await withRecords(given, async (read) => {
    let seen = 0;
    const look = async () => {
      const { run, people, entries } = await read();
      const added = entries.slice(seen).map((entry) => recordedEntry(entry, people));
      seen = entries.length;
      const count = (fits: (person: Person) => boolean) => people.filter(fits).length;
      const progress = {
        name: run.jobName,
        phase: run.phase,
        tasks: run.tasks.map(({ goal }, place) => ({ goal, found: count(({ task }) => task === place) })),
        asked: count(({ state }) => state === 'asked'),
        unreachable: count(({ state }) => state === 'unreachable'),
        until: run.expiryAt,
      };
      return { added, addedJson: added, progress };
    };
    await follow(given, look, lookEveryMs, options);
  });
}

function lineOf({ at, what, by, people, detail }: RecordedEntry): string {
  const who = [people.join(', '), detail].filter(Boolean).join(': ');
  return `${at}  ${what.padEnd(9)}  ${by === system ? '' : `by ${by}  `}${who}`;
}

type OwnEntry = AnswerOf<'GET', '/api/v1/runs/{id}/timeline'>['entries'][number];

/** Earliest first, as they are added; the API returns the latest first. */
async function entriesBehind(
  api: Api,
  id: number,
  known: OwnEntry | undefined,
): Promise<readonly OwnEntry[]> {
  const found: OwnEntry[] = [];
  for await (const entry of api.each('/api/v1/runs/{id}/timeline', 'entries', Infinity, { id })) {
    if (isDeepStrictEqual(entry, known)) break;
    found.push(entry);
  }
  return found.reverse();
}

/** The entry in the vocabulary of the record. */
function ownEntry({ time: at, what, by = system, people, others, ...entry }: OwnEntry): RecordedEntry {
  const { meaning, text, why } = entry;
  const detail = [meaning, text && JSON.stringify(text), why].filter(Boolean).join(', ');
  return { at, what, by, people: others === 0 ? people : [...people, `${others} more`], detail };
}

interface Progress {
  readonly name: string;
  readonly phase: string;
  readonly tasks: readonly { readonly goal?: number | null; readonly found: number }[];
  readonly asked: number;
  readonly unreachable: number;
  readonly until: string | number | null | undefined;
}

/** Night call: open, 1 of 2 found, 3 asked, 1 not reached, until 2026-11-23T09:08:07Z */
function progressLine({ name, phase, tasks, asked, unreachable, until }: Progress): string {
  const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
  const goals = tasks.flatMap(({ goal }) => goal ?? []);
  const needed = goals.length < tasks.length ? '' : ` of ${sum(goals)}`;
  const parts = [phase, `${sum(tasks.map(({ found }) => found))}${needed} found`, `${asked} asked`];
  if (unreachable > 0) parts.push(`${unreachable} not reached`);
  if (until) parts.push(`until ${instant(until)}`);
  return `${name}: ${parts.join(', ')}`;
}
