/** `carillon jobs watch`, `accept` and the like: runs of saved jobs, looked at and steered. */

import { userInfo } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { print, printData, printError, printJson, reprint } from '../foundation/terminal.ts';
import type { RecordedEntry, RecordedPerson, RunRecord } from '../jobs/record.ts';
import { system } from '../jobs/run/entry.ts';
import { type Act, type Audience, audiences, type PersonState } from '../jobs/run/run.ts';
import type { Store } from '../storage/store.ts';
import { theNode } from '../storage/verb.ts';
import { instant, type JsonOption, jsonOption, printChange, printTable } from './list.ts';
import { stopOnSignal } from './stop-on-signal.ts';
import { tellServer } from './tell-server.ts';

export function addRunCommands(jobs: Command): void {
  jobs
    .command('watch <run>')
    .description('show what happens in a run, as it happens, until it has ended')
    .option(...jsonOption)
    .action(watch);
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
    jobs
      .command(`${kind} <run> <phone>`)
      .description(`count somebody as ${answer}, who telephoned or whose comment means that`)
      .option('--comment', `the last comment counts as ${answer}, and stands in the record with it`)
      .option(...jsonOption)
      .action((run: string, phone: string, options: AnswerOptions) => answerFor(run, phone, kind, options));
  }
  jobs
    .command('escalate <run>')
    .description('open the next level, or ask the next wave, now')
    .option(...jsonOption)
    .action((run: string, options: JsonOption) => steer(run, { kind: 'escalate' }, options));
  jobs
    .command('extend <run> <minutes>')
    .description('let it end later')
    .option(...jsonOption)
    .action(async (run: string, minutes: string, options: JsonOption) =>
      steer(run, { kind: 'extend', minutes: await minutesIn(minutes) }, options),
    );
  jobs
    .command('tell <run> <text>')
    .description('write to its people')
    .addOption(new Option('--to <whom>', 'to whom').choices(audiences).default('all'))
    .option(...jsonOption)
    .action((run: string, text: string, { to, ...options }: JsonOption & { readonly to: Audience }) =>
      steer(run, { kind: 'tell', to, text }, options),
    );
  jobs
    .command('cancel <run>')
    .description('end it, and tell those who were asked')
    .option(...jsonOption)
    .action((run: string, options: JsonOption) => steer(run, { kind: 'cancel' }, options));
}

async function runIdIn(run: string): Promise<number> {
  const { StartError } = await import('../foundation/errors.ts');
  if (/^[1-9][0-9]{0,14}$/.test(run)) return Number(run);
  throw new StartError(`A run has a number, not ${JSON.stringify(run)}.`);
}

async function minutesIn(given: string): Promise<number> {
  const { StartError } = await import('../foundation/errors.ts');
  if (/^[1-9][0-9]{0,4}$/.test(given) && Number(given) <= 10_080) return Number(given);
  throw new StartError('Give 1 to 10080 minutes.');
}

async function cleaned(phone: string): Promise<string> {
  const [{ StartError }, { cleanNumber }] = await Promise.all([
    import('../foundation/errors.ts'),
    import('../wire/phone-number.ts'),
  ]);
  const number = cleanNumber(phone);
  if (number.ok) return number.value;
  throw new StartError(number.error);
}

interface AnswerOptions extends JsonOption {
  readonly comment?: boolean;
}

async function answerFor(
  run: string,
  given: string,
  kind: 'accept' | 'decline',
  { comment: isComment = false, ...options }: AnswerOptions,
): Promise<void> {
  const phone = await cleaned(given);
  if (!isComment) return steer(run, { kind, phone }, options);
  const { lastComment } = await import('../jobs/steer.ts');
  const runId = await runIdIn(run);
  const withComment = async (store: Store) => ({
    kind,
    phone,
    comment: await lastComment(store, { runId, owner: theNode() }, phone),
  });
  await steer(run, withComment, options);
}

async function steer(
  given: string,
  wanted: Act | ((store: Store) => Promise<Act>),
  options: JsonOption,
): Promise<void> {
  const [{ operator }, { readConfig }, { withStore }, { systemClock }, steering] = await Promise.all([
    import('../audit/audit-log.ts'),
    import('../config/config.ts'),
    import('../app/open-store.ts'),
    import('../foundation/clock.ts'),
    import('../jobs/steer.ts'),
  ]);
  const config = readConfig(process.env);
  const runId = await runIdIn(given);
  await withStore(config, async (store) => {
    const act = typeof wanted === 'function' ? await wanted(store) : wanted;
    await steering.steer(
      store,
      systemClock,
      { runId, owner: theNode() },
      act,
      operator,
      `operator ${userInfo().username}`,
    );
    printChange({ run: String(runId), act: act.kind }, [`The run ${runId} is told: ${act.kind}.`], options);
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
  const [{ readConfig }, { withStore }, { readRecord }, { StartError }] = await Promise.all([
    import('../config/config.ts'),
    import('../app/open-store.ts'),
    import('../jobs/record.ts'),
    import('../foundation/errors.ts'),
  ]);
  const runId = await runIdIn(given);
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
