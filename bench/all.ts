/**
 * Runs every benchmark, one after the other, each in its own process, and keeps the results in `bench/results/`; or only those
 * that are named.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeMachine, type Machine, machineLines, warnings } from './machine.ts';
import { isMet, type Report } from './measure.ts';
import { everyEngine, type Options, readOptions } from './options.ts';
import { toMarkdown } from './report.ts';

const names = [
  'text',
  'cost',
  'accept',
  'recipients',
  'lifecycle',
  'webhooks',
  'mail-out',
  'carriers',
  'smpp-server',
  'overload',
  'unread',
  'finished',
  'contacts',
  'batch',
  'portal',
  'start',
  'stops',
] as const;

interface Results {
  readonly date: string;
  readonly machine: Machine;
  readonly reports: readonly Report[];
  /** Benchmarks that failed to take a measurement. */
  readonly failed: readonly string[];
}

async function runAll(options: Options): Promise<Results> {
  const chosen = options.names.length === 0 ? names : names.filter((name) => options.names.includes(name));
  if (chosen.length < options.names.length)
    throw new Error(`Benchmarks are: ${names.join(', ')}. Not: ${options.names.join(', ')}.`);
  const machine = describeMachine();
  for (const line of [...machineLines(machine), ...warnings(machine)]) console.log(line);
  const folder = mkdtempSync(join(tmpdir(), 'carillon-reports-'));
  const reports: Report[] = [];
  const failed: string[] = [];
  try {
    for (const name of chosen) {
      const json = join(folder, `${name}.json`);
      if (await runOne(name, options.names, json))
        reports.push(JSON.parse(readFileSync(json, 'utf8')) as Report);
      else failed.push(name);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  const results = { date: new Date().toISOString().slice(0, 10), machine, reports, failed };
  if (options.quick)
    console.log('\nA quick run only shows whether everything works; its results are not kept.');
  else if (chosen.length === names.length) keep(results, options);
  return results;
}

/** Each benchmark runs in its own process, so that what it leaves in memory does not burden the next. */
async function runOne(name: string, chosen: readonly string[], json: string): Promise<boolean> {
  const script = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
  const given = process.argv.slice(2).filter((parameter) => !chosen.includes(parameter));
  const parameters = ['--import', 'tsx', script, ...given, '--json', json];
  const child = spawn(process.execPath, parameters, { stdio: ['ignore', 'inherit', 'inherit'] });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => child.kill(signal));
  return new Promise((resolve) => child.once('close', (exitCode) => resolve(exitCode === 0)));
}

function keep(results: Results, { engines }: Options): void {
  const folder = new URL('./results/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  // A run on one engine does not overwrite the results of a run on both.
  const name = engines.length === everyEngine.length ? 'latest' : `latest-${engines.join('-')}`;
  writeFileSync(new URL(`${name}.md`, folder), describe(results));
  console.log(`\nKept as bench/results/${name}.md.`);
}

function describe({ date, machine, reports, failed }: Results): string {
  const claims = reports.flatMap(({ figures }) => figures.filter(({ claim }) => claim !== undefined));
  const met = claims.filter(isMet).length;
  return [
    `# Benchmarks of ${date}`,
    '',
    `${met} of ${claims.length} targets were met. Values are medians, with the lowest and the highest round; \`npm run bench\` makes this file.`,
    '',
    ...[...machineLines(machine), ...warnings(machine)].map((line) => `- ${line}`),
    ...failed.map((name) => `- **${name} could not be measured.**`),
    '',
    ...reports.map(toMarkdown),
  ].join('\n');
}

const { failed } = await runAll(readOptions());
if (failed.length > 0) {
  console.error(`\nThese benchmarks took no measurement: ${failed.join(', ')}.`);
  process.exit(1);
}
