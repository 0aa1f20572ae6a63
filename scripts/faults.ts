/**
 * `npm run faults -- [--engine sqlite|postgres|both] [--messages N] [--seed S] [--only TEXT]`: the long form of the fault
 * trial. It makes the links, the store and the nodes of a server fail in every known way, one after the other, and prints a
 * table of what became of the messages. It fails if a message was lost, sent twice without a mark, or never reached a final
 * state.
 */
import { parseArgs } from 'node:util';
import { linkFaults } from '../test/faults/link-faults.ts';
import { nodeFaults, storeFaults } from '../test/faults/site-faults.ts';
import { type FaultReport, faultTrial, type TrialReport } from '../test/faults/trial.ts';
import { findPostgres } from '../test/harness/postgres.ts';

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'both' },
    messages: { type: 'string', default: '400' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    only: { type: 'string', default: '' },
  },
});
const engines = (['sqlite', 'postgres'] as const).filter(
  (engine) => values.engine === 'both' || values.engine === engine,
);
const messages = Number(values.messages);
const seed = Number(values.seed);
const shownOffenders = 10;

if (engines.length === 0) refuse(`--engine must be sqlite, postgres or both, not ${values.engine}.`);
if (!Number.isSafeInteger(messages) || messages < 40)
  refuse('--messages must be a whole number of at least 40.');
if (!Number.isSafeInteger(seed)) refuse('--seed must be a whole number.');
if (engines.includes('postgres') && findPostgres() === undefined)
  refuse('PostgreSQL is not installed here (Debian: apt-get install postgresql).');

const reports: { readonly engine: string; readonly report: TrialReport }[] = [];
for (const engine of engines) {
  console.error(`${engine}: ${messages} messages for each fault, seed ${seed}`);
  const isMeant = ({ name }: { readonly name: string }) => name.includes(values.only);
  const report = await faultTrial({
    engine,
    linkFaults: linkFaults.filter(isMeant),
    siteFaults: [...storeFaults, ...nodeFaults].filter(
      (fault) => isMeant(fault) && fault.engines.includes(engine),
    ),
    messages,
    seed,
    atATime: 1,
    onProgress: (progress) => console.error(progress),
  });
  reports.push({ engine, report });
}
printTable();
for (const { engine, report } of reports) tellBroken(engine, report);

function refuse(sentence: string): never {
  console.error(sentence);
  process.exit(2);
}

/** With several engines, a cell holds the value of each engine, in the order of the engines. */
function printTable(): void {
  console.log(`Values in each cell: ${engines.join('; ')}.\n`);
  console.log(
    '| fault | acknowledged | lost | sent twice without a mark | without a final state | in doubt | recovered after | memory |',
  );
  console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |');
  const names = new Set(reports.flatMap(({ report }) => report.faults.map(({ name }) => name)));
  for (const name of names)
    printRow(name, ({ faults }) => {
      const fault = faults.find((one) => one.name === name);
      return fault === undefined ? Array<string>(7).fill('–') : cellsOf(fault);
    });
  printRow('**all**', ({ faults, maxMiB }) => {
    const sum = (count: (fault: FaultReport) => number) => faults.reduce((all, one) => all + count(one), 0);
    return [
      sum((one) => one.acknowledged),
      sum((one) => one.lost.length),
      sum((one) => one.twice.length),
      sum((one) => one.unended.length),
      sum((one) => one.inDoubt),
      '',
      `most ${Math.round(maxMiB)} MiB`,
    ];
  });
}

function printRow(name: string, cells: (report: TrialReport) => readonly (string | number)[]): void {
  const [first = [], ...others] = reports.map(({ report }) => cells(report));
  const joined = first.map((cell, column) => [cell, ...others.map((one) => one[column])].join('; '));
  console.log(`| ${[name, ...joined.map((cell) => (cell === '; ' ? '' : cell))].join(' | ')} |`);
}

function cellsOf(fault: FaultReport): readonly (string | number)[] {
  const { acknowledged, lost, twice, unended, inDoubt, wellAfterMs, grewMiB } = fault;
  const well = wellAfterMs === undefined ? '–' : `${(wellAfterMs / 1_000).toFixed(1)} s`;
  const memory = `${grewMiB < 0 ? '−' : '+'}${Math.abs(Math.round(grewMiB))} MiB`;
  return [acknowledged, lost.length, twice.length, unended.length, inDoubt, well, memory];
}

function tellBroken(engine: string, { faults, exitCode, output }: TrialReport): void {
  const broken = faults.filter(
    ({ failure, lost, twice, unended }) =>
      failure !== undefined || lost.length + twice.length + unended.length > 0,
  );
  for (const { name, failure = 'see the table above', lost, twice, unended } of broken) {
    console.error(`BROKEN, ${engine}: ${name}: ${failure}`);
    for (const [rule, those] of Object.entries({ lost, twice, unended }))
      for (const one of those.slice(0, shownOffenders)) console.error(`  ${rule}: ${one}`);
  }
  if (exitCode !== 0) console.error(`BROKEN, ${engine}: the server ended with ${exitCode}`);
  if (broken.length === 0 && exitCode === 0) return;
  console.error(output);
  process.exitCode = 1;
}
