/**
 * Claim: messages go from HTTP to DELIVERED, durably at every step and each with a receipt, on the cores that also generate
 * the load.
 */
import { countDelivered, countUnderWay, type Database, openDirectly, postmaster } from './database.ts';
import { type LoadResult, load } from './load.ts';
import { type Figure, median, medianOf, pause, type Report } from './measure.ts';
import type { Engine, Options } from './options.ts';
import { cpuMs, cpuMsWithChildren, type Memory, memoryOf } from './process-usage.ts';
import { runWhenMain } from './run.ts';
import { receiptDelayMs, type Server, startServer } from './server.ts';

const connections = 50;
const body = JSON.stringify({
  to: ['46701740699'],
  message: 'Your appointment is tomorrow at 9:30. Please be there ten minutes early.',
});
const memoryEveryMs = 1_000;
const backlogEveryMs = 3_000;
/** Messages in progress when the load ends must be delivered within this time. */
const drainLimitMs = 60_000;

export async function lifecycle(options: Options): Promise<Report> {
  const { quick, rounds = quick ? 1 : 3, seconds = quick ? 6 : 60 } = options;
  const figures: Figure[] = [];
  for (const engine of options.engines) {
    const measured: Round[] = [];
    for (let round = 0; round < rounds; round++) measured.push(await measure(engine, seconds));
    figures.push(...summarise(engine, measured));
  }
  return { name: 'lifecycle', claim, method: method(seconds), figures };
}

const claim =
  'One process carries 10,000 messages/s from HTTP to DELIVERED, with bounded latency, memory and backlog.';

function method(seconds: number): readonly string[] {
  return [
    `wrk, one thread, ${connections} kept-alive connections, for ${seconds} s: POST /send, one recipient, API key. Each message is stored, handed to the simulator carrier and answered; its receipt, ${receiptDelayMs} ms later, makes it DELIVERED. Each step is durable before the next.`,
    'Each round is a fresh process on a fresh store, without a warm-up, so the start is included.',
    'The rate is the number of messages DELIVERED in the store, over the time from the first request to the last receipt, including those after the load. A message that wrk saw accepted but that is not DELIVERED in the store counts as lost.',
    'Load, server and PostgreSQL share the cores. 50 clients that wait for their answers slow down with the server, so the 99th percentile is that of the requests made, not that at a fixed rate.',
    `Memory is the resident set, read every second; backlog is the number of messages in the store without a final status, read every ${backlogEveryMs / 1_000} s (at 10,000/s at least ${(receiptDelayMs * 10).toLocaleString('en')} messages wait for the simulator's receipts). Growth is the median of the last third of the load divided by that of the second third: in the first third the process takes the memory that it needs.`,
    'SQLite maps up to 256 MiB of its file, which counts as resident although the system can take it back, so growth is measured without mapped files.',
  ];
}

interface Round {
  readonly accepted: LoadResult;
  readonly delivered: number;
  readonly perSecond: number;
  readonly drainMs: number;
  readonly memories: readonly Memory[];
  readonly backlogs: readonly number[];
  readonly serverCpuMs: number;
  readonly postgresCpuMs: number | undefined;
}

async function measure(engine: Engine, seconds: number): Promise<Round> {
  const server = await startServer({ engine });
  const database = await openDirectly(server);
  try {
    const headers = { 'x-api-key': await server.apiKey() };
    const postgres = engine === 'postgres' ? await postmaster(database) : undefined;
    const usage = () => ({
      server: cpuMs(server.pid),
      postgres: postgres === undefined ? undefined : cpuMsWithChildren(postgres),
    });
    const before = usage();
    const samples = sample(server, database);
    const startedAt = performance.now();
    const url = `${server.url}/restsms/svcrest/send`;
    const accepted = await load({ url, headers, body, seconds, connections });
    const loadEndedAt = performance.now();
    const { memories, backlogs } = await samples.stop();
    const endedAt = await waitForTheRest(database);
    const after = usage();
    const delivered = await countDelivered(database);
    return {
      accepted,
      delivered,
      perSecond: delivered / ((endedAt - startedAt) / 1_000),
      drainMs: endedAt - loadEndedAt,
      memories,
      backlogs,
      serverCpuMs: after.server - before.server,
      postgresCpuMs: after.postgres === undefined ? undefined : after.postgres - (before.postgres ?? 0),
    };
  } finally {
    await database.close();
    await server.close();
  }
}

function sample(server: Server, database: Database) {
  const memories: Memory[] = [];
  const backlogs: number[] = [];
  const timer = setInterval(() => memories.push(memoryOf(server.pid)), memoryEveryMs);
  let ended = false;
  const counting = (async () => {
    for (;;) {
      await pause(backlogEveryMs);
      if (ended) return;
      backlogs.push(await countUnderWay(database));
    }
  })();
  return {
    async stop() {
      clearInterval(timer);
      backlogs.push(await countUnderWay(database));
      ended = true;
      void counting;
      return { memories, backlogs };
    },
  };
}

async function waitForTheRest(database: Database): Promise<number> {
  const deadline = performance.now() + drainLimitMs;
  while ((await countUnderWay(database)) > 0) {
    if (performance.now() > deadline) throw new Error('some messages were not delivered');
    await pause(50);
  }
  return performance.now();
}

function summarise(engine: Engine, rounds: readonly Round[]): readonly Figure[] {
  const figure = (what: string, unit: string, of: (round: Round) => number, bound?: Figure['claim']) =>
    medianOf(rounds.map(of), { engine, what, unit }, bound);
  const own = ({ memories }: Round) => memories.map(({ total, files }) => total - files);
  return [
    figure('accepted', 'messages/s', ({ accepted }) => accepted.perSecond),
    figure(
      'DELIVERED, from the first request to the last receipt',
      'messages/s',
      (round) => round.perSecond,
      {
        atLeast: 10_000,
      },
    ),
    figure('accept: median', 'ms', ({ accepted }) => accepted.p50Ms),
    figure('accept: 99th percentile', 'ms', ({ accepted }) => accepted.p99Ms, { atMost: 50 }),
    figure('accepted but not DELIVERED', 'messages', lost, { atMost: 0 }),
    figure('DELIVERED in total', 'messages', ({ delivered }) => delivered),
    figure('time until the last receipt after the load', 'ms', ({ drainMs }) => drainMs),
    figure('backlog, median', 'messages', ({ backlogs }) => median(backlogs)),
    figure('backlog, highest', 'messages', ({ backlogs }) => Math.max(...backlogs)),
    figure('backlog, growth', '', ({ backlogs }) => growth(backlogs), { atMost: 1.5 }),
    figure('memory, first third', 'MiB', ({ memories }) => median(thirds(memories.map(total)).first)),
    figure('memory, last third', 'MiB', ({ memories }) => median(thirds(memories.map(total)).last)),
    figure('memory without mapped files, last third', 'MiB', (round) => median(thirds(own(round)).last)),
    figure('memory without mapped files, growth', '', (round) => growth(own(round)), { atMost: 1.1 }),
    figure('CPU of the server', 'µs/message', (round) => (round.serverCpuMs * 1_000) / round.delivered),
    ...(engine === 'postgres'
      ? [
          figure('CPU of PostgreSQL', 'µs/message', ({ postgresCpuMs = 0, delivered }) => {
            return (postgresCpuMs * 1_000) / delivered;
          }),
        ]
      : []),
    figure('taken by the load itself', 'cores', ({ accepted }) => accepted.cores),
  ];
}

function total(memory: Memory): number {
  return memory.total;
}

/** wrk exits before the answers to its last requests, so more messages may be delivered than wrk saw accepted, never fewer. */
function lost({ accepted, delivered }: Round): number {
  return Math.max(0, accepted.answered - delivered);
}

function thirds(values: readonly number[]) {
  const length = Math.ceil(values.length / 3);
  return {
    first: values.slice(0, length),
    middle: values.slice(length, -length),
    last: values.slice(-length),
  };
}

function growth(values: readonly number[]): number {
  const { middle, last } = thirds(values);
  return median(last) / median(middle);
}

await runWhenMain(import.meta, lifecycle);
