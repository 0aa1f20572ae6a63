/** The long form of the fuzz test: its own server, as many requests as asked for, and figures at the end. */
import { parseArgs } from 'node:util';
import { type Report, runCampaign } from '../test/fuzz/campaign.ts';
import { faultsOfLog, startTarget } from '../test/fuzz/target.ts';
import { singleStatusPath } from '../test/harness/messaging.ts';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '200000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    connections: { type: 'string', default: '24' },
  },
});
const [requests, seed, connections] = [values.requests, values.seed, values.connections].map(Number) as [
  number,
  number,
  number,
];

/** Runs on the store that `DATABASE_URL` names, or else on the embedded store. */
const { DATABASE_URL } = process.env;
const { app, known } = await startTarget('sqlite', DATABASE_URL === undefined ? {} : { DATABASE_URL });
console.log(`${requests} requests over ${connections} connections, --seed ${seed}`);
const { pid } = app;
const report = await runCampaign(app, { requests, seed, connections, known, progress: progressEvery(10) });

show(report);
const faults = [
  ...report.findings.map(({ faults: found }) => found.join('; ')),
  ...(await faultsAfterwards()),
];
await app.close();
console.log(faults.length === 0 ? 'No findings.' : `${faults.length} findings:\n${faults.join('\n')}`);
process.exit(faults.length === 0 ? 0 : 1);

function progressEvery(seconds: number): (report: Report) => void {
  let next = seconds;
  return ({ requests: sent, seconds: passed, peakMemoryMiB, findings }) => {
    if (passed < next) return;
    next += seconds;
    console.log(
      `${Math.round(passed)} s: ${sent} requests, peak ${peakMemoryMiB} MiB, ${findings.length} findings`,
    );
  };
}

function show(done: Report): void {
  for (const [answer, count] of [...done.answers].sort())
    console.log(`${String(count).padStart(8)}  ${answer}`);
  for (const [code, count] of [...done.codes].sort()) console.log(`${String(count).padStart(8)}  ${code}`);
  const perSecond = Math.round(done.requests / done.seconds);
  console.log(
    `${done.requests} requests in ${Math.round(done.seconds)} s (${perSecond}/s) over ${done.connections} connections; ` +
      `the slowest answer took ${Math.round(done.slowestMs)} ms; the server's memory was at most ${done.peakMemoryMiB} MiB`,
  );
  for (const finding of done.findings) console.log(finding);
}

/** Checks that the same process still serves and that its log reports no faults. */
async function faultsAfterwards(): Promise<readonly string[]> {
  if (app.pid !== pid) return [`the server has ended:\n${app.stderr.slice(-4_000)}`];
  const refused = [...report.answers]
    .filter(([answered]) => answered.endsWith(' 503'))
    .reduce((sum, [, count]) => sum + count, 0);
  const [user] = known.users;
  const answer = await app.as(user).post(singleStatusPath, { id: '1', markasread: false });
  return [
    ...(answer.status === 200 || answer.status === 404 ? [] : [`afterwards it answers ${answer.status}`]),
    ...(refused <= report.requests / 1_000 ? [] : [`${refused} requests were refused with 503`]),
    ...(report.peakMemoryMiB < 1_024 ? [] : [`the server used up to ${report.peakMemoryMiB} MiB of memory`]),
    ...faultsOfLog(app.stderr, known).map((line) => `in its log: ${line.slice(0, 2_000)}`),
  ];
}
