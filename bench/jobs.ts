/** Claim: a job asks 10,000 people within seconds, and a thousand concurrent runs answer everyone without delay. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { command } from '../src/app/control.ts';
import { sql } from '../src/storage/sql.ts';
import { type Database, openDirectly } from './database.ts';
import { type Figure, medianOf, pause, type Report } from './measure.ts';
import type { Engine, Options } from './options.ts';
import { cpuMs } from './process-usage.ts';
import { runWhenMain } from './run.ts';
import { basic, type Server, startServer } from './server.ts';

const provisioning = `companies:
  - name: Bench
    systemUsers: [{ username: bench-jobs }]
    users: [{ username: ada, roles: [send, jobs], systemUser: bench-jobs }]
    jobTypes:
      - { name: Ask, generic: GMM, expiryMinutes: 600 }
    savedJobs:
      - { id: 1, owner: bench-jobs, name: Bench, type: Ask, message: "Can you come tonight? Answer YES or NO." }
`;
const asked = { start: 10_000, ofRun: 50 } as const;
const drainLimitMs = 60_000;

export async function jobs(options: Options): Promise<Report> {
  const { quick, rounds = quick ? 1 : 3, seconds = quick ? 6 : 60 } = options;
  const runs = quick ? 50 : 1_000;
  const figures: Figure[] = [];
  for (const engine of options.engines) {
    const measured: Round[] = [];
    for (let round = 0; round < rounds; round++) measured.push(await measure(engine, runs, seconds));
    figures.push(...summarise(engine, measured, runs));
  }
  return {
    name: 'jobs',
    claim:
      'A start with 10,000 people is answered within 3 s; in 1,000 runs with 50 people each, all of whom answer within a minute, an answer is processed and its reply accepted within 250 ms at the 99th percentile.',
    method: [
      `A job with ${asked.start} recipients is started by a call, with the simulator as the carrier.`,
      `Then ${runs} runs with ${asked.ofRun} people each are started, and all people answer YES at random moments within ${seconds} s, through the simulator. The time runs from handing the SMS to the server until the beginning of the step whose transaction accepts the reply; the commit comes on top.`,
      'The load, the server and PostgreSQL share the cores.',
    ],
    figures,
  };
}

interface Round {
  readonly startMs: number;
  /** Latencies in ascending order. */
  readonly latencies: readonly number[];
  readonly unanswered: number;
  readonly cpuMsPerAnswer: number;
}

async function measure(engine: Engine, runs: number, seconds: number): Promise<Round> {
  const server = await startServer({ engine });
  const folder = mkdtempSync(join(tmpdir(), 'carillon-bench-jobs-'));
  const database = await openDirectly(server);
  try {
    const file = join(folder, 'jobs.yaml');
    writeFileSync(file, provisioning);
    await server.run('apply', file);
    const startedAt = performance.now();
    await start(server, phones(0, asked.start));
    const startMs = performance.now() - startedAt;
    for (let run = 1; run <= runs; run++) await start(server, phones(run, asked.ofRun));
    const questions = await questionsOf(database);
    const before = cpuMs(server.pid);
    const sentAt = await answerAll(server, questions, seconds);
    const replies = await repliesTo(database, sentAt);
    const latencies = [...replies]
      .map(([phone, at]) => at - (sentAt.get(phone) as number))
      .sort((a, b) => a - b);
    const unanswered = sentAt.size - replies.size;
    return { startMs, latencies, unanswered, cpuMsPerAnswer: (cpuMs(server.pid) - before) / sentAt.size };
  } finally {
    await database.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function phones(run: number, count: number): readonly string[] {
  return Array.from({ length: count }, (_, place) => String(46_700_000_014 + 100 * (run * 10_000 + place)));
}

async function start({ url }: Server, tonumbers: readonly string[]): Promise<void> {
  const answer = await fetch(`${url}/dispatch/svcdispatch/startsavedjob`, {
    method: 'POST',
    headers: { authorization: basic(), 'content-type': 'application/json' },
    body: JSON.stringify({ jobid: 1, tonumbers }),
  });
  const { result, errormessage } = (await answer.json()) as Readonly<Record<string, string>>;
  if (result !== 'OK') throw new Error(`the job was not started: ${answer.status} ${errormessage}`);
}

interface Question {
  readonly recipient: string;
  readonly sender: string;
}

/** Excludes the large run. */
async function questionsOf(database: Database): Promise<readonly Question[]> {
  return database.all<Question>(
    sql`SELECT messages.recipient, messages.sender FROM job_messages JOIN messages ON messages.company_id = job_messages.company_id
          AND messages.id = job_messages.message_id
        WHERE run_id > (SELECT MIN(id) FROM job_runs)`,
  );
}

/** Returns the time at which each phone answered. */
async function answerAll(
  { dataFolder }: Server,
  questions: readonly Question[],
  seconds: number,
): Promise<ReadonlyMap<string, number>> {
  const sentAt = new Map<string, number>();
  await Promise.all(
    questions.map(async ({ recipient, sender }) => {
      await pause(Math.random() * seconds * 1_000);
      sentAt.set(recipient, Date.now());
      await arrive(dataFolder, { to: sender, from: recipient, text: 'Yes' });
    }),
  );
  return sentAt;
}

/** Tries again while the operator socket has too many connections, or this process too many open files. */
async function arrive(dataFolder: string, sms: object): Promise<void> {
  for (;;) {
    try {
      await command(dataFolder, 'simulate-incoming', sms);
      return;
    } catch (error) {
      const { code = '' } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
      if (!['EAGAIN', 'ECONNRESET', 'EMFILE', 'EPIPE'].includes(code)) throw error;
      await pause(20);
    }
  }
}

async function repliesTo(
  database: Database,
  sentAt: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, number>> {
  const until = performance.now() + drainLimitMs;
  for (;;) {
    const rows = await database.all<{ recipient: string; at: number }>(
      sql`SELECT messages.recipient, MIN(messages.created_at) AS at FROM job_messages JOIN messages
            ON messages.company_id = job_messages.company_id AND messages.id = job_messages.message_id
          WHERE is_question = 0 GROUP BY messages.recipient`,
    );
    if (rows.length >= sentAt.size || performance.now() > until)
      return new Map(rows.map(({ recipient, at }) => [recipient, at]));
    await pause(500);
  }
}

function summarise(engine: Engine, measured: readonly Round[], runs: number): readonly Figure[] {
  const quantile = (part: number) =>
    measured.map(({ latencies }) => latencies[Math.floor(part * (latencies.length - 1))] ?? Number.NaN);
  const of = (what: string, unit: string, values: readonly number[], atMost?: number) =>
    medianOf(values, { what, engine, unit }, atMost === undefined ? undefined : { atMost });
  return [
    of(
      `start with ${asked.start} people`,
      'ms',
      measured.map(({ startMs }) => startMs),
      3_000,
    ),
    of(`answer to reply, ${runs} runs, 99th percentile`, 'ms', quantile(0.99), 250),
    of('the same, median', 'ms', quantile(0.5)),
    of(
      'answers without a reply',
      'answers',
      measured.map(({ unanswered }) => unanswered),
      0,
    ),
    of(
      'CPU of the server per answer',
      'ms',
      measured.map(({ cpuMsPerAnswer }) => cpuMsPerAnswer),
    ),
  ];
}

await runWhenMain(import.meta, jobs);
