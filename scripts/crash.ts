/**
 * `npm run crash -- [--kills N] [--engine sqlite|postgres|both] [--carrier simulator|smpp] [--seed S]`: the long form of the
 * crash trial. It kills a server under load at random moments (with `smpp` the SMSC too), prints its findings, and fails
 * with the offending ids if a rule was broken.
 */
import { parseArgs } from 'node:util';
import { type CarrierKind, crashTrial, type TrialReport } from '../test/crash/trial.ts';
import type { EngineName } from '../test/harness/engines.ts';
import { findPostgres } from '../test/harness/postgres.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '50' },
    engine: { type: 'string', default: 'both' },
    carrier: { type: 'string', default: 'simulator' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    verbose: { type: 'boolean', default: false },
  },
});
const kills = wholeNumber('--kills', values.kills);
const seed = wholeNumber('--seed', values.seed);
const carrier = carrierOf(values.carrier);
const shownOffenders = 20;

for (const engine of enginesOf(values.engine)) {
  const repeated = `npm run crash -- --kills ${kills} --engine ${engine} --carrier ${carrier} --seed ${seed}`;
  console.log(`${engine}: ${kills} kills, seed ${seed} (again: ${repeated})`);
  const startedAt = Date.now();
  const report = await crashTrial({
    engine,
    carrier,
    kills,
    seed,
    lifeMs: [200, 3_000],
    latestScheduleMs: 12_000,
    withExpiry: true,
    ...(values.verbose && { onProgress: (progress: string) => console.log(`  ${progress}`) }),
  });
  for (const [what, figure] of tableOf(report, Date.now() - startedAt))
    console.log(`  ${what.padEnd(44)} ${figure}`);
  for (const { rule, where } of report.offences) {
    console.error(`  BROKEN: ${rule} (${where.length} times)`);
    for (const one of where.slice(0, shownOffenders)) console.error(`    ${one}`);
  }
  if (report.offences.length > 0) process.exitCode = 1;
}

function wholeNumber(option: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  console.error(`${option} must be a whole number, not ${text}.`);
  process.exit(2);
}

function carrierOf(name: string): CarrierKind {
  if (name === 'simulator' || name === 'smpp') return name;
  console.error(`--carrier must be simulator or smpp, not ${name}.`);
  process.exit(2);
}

function enginesOf(name: string): readonly EngineName[] {
  if (name === 'sqlite') return [name];
  if (name !== 'postgres' && name !== 'both') {
    console.error(`--engine must be sqlite, postgres or both, not ${name}.`);
    process.exit(2);
  }
  if (findPostgres() === undefined) {
    console.error('PostgreSQL is not installed here (Debian: apt-get install postgresql).');
    process.exit(2);
  }
  return name === 'both' ? ['sqlite', 'postgres'] : [name];
}

function tableOf(report: TrialReport, tookMs: number): readonly (readonly [string, string | number])[] {
  const broken = (rule: string) =>
    report.offences.filter((one) => one.rule === rule).reduce((sum, { where }) => sum + where.length, 0);
  const starts = [...report.startMs].sort((a, b) => a - b).map(Math.round);
  const killed = [...report.kills].map(([kind, count]) => `${kind} ${count}`).join(', ');
  const { answered, refused, unanswered, repeated } = report.counts;
  return [
    ['kills', killed],
    ['calls answered / refused with 503 / unanswered', `${answered} / ${refused} / ${unanswered}`],
    ['messages accepted (stored)', `${report.accepted} (${report.stored})`],
    ['lost', broken('nothing acknowledged is lost')],
    ['doubled', broken('nothing is sent twice unless it is in doubt')],
    ['in doubt (of these handed over twice)', `${report.inDoubt} (${report.sentTwice})`],
    ...smscRows(report),
    ['repeated Idempotency-Keys', repeated],
    ['scheduled and sent; latest', `${report.scheduled.count}; ${report.scheduled.latestMs} ms`],
    ['cancelled / expired', `${report.cancelled} / ${report.expired}`],
    ['incoming SMS', report.incoming],
    [
      'marked as read, but the answer was lost: statuses / SMS',
      `${report.unseen.statuses} / ${report.unseen.incoming}`,
    ],
    ['start to ready: median / max', `${starts[Math.floor(starts.length / 2)]} / ${starts.at(-1)} ms`],
    ['rules broken', report.offences.length],
    ['took', `${Math.round(tookMs / 1_000)} s`],
  ];
}

function smscRows({ smsc }: TrialReport): readonly (readonly [string, string])[] {
  if (smsc === undefined) return [];
  return [
    ['submissions accepted by the SMSC (again)', `${smsc.taken} (${smsc.takenAgain})`],
    ['receipts (repeated)', `${smsc.receipts} (${smsc.receiptsRepeated})`],
  ];
}
