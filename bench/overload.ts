/**
 * Claim: offered three times its capacity, the server refuses the excess at once and stays fast for the requests it accepts.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sql } from '../src/storage/sql.ts';
import { countUnderWay, type Database, openDirectly } from './database.ts';
import { load } from './load.ts';
import { type Figure, pause, type Report } from './measure.ts';
import type { OpenLoopPlan, OpenLoopResult } from './open-loop.ts';
import type { Engine, Options } from './options.ts';
import { memoryOf } from './process-usage.ts';
import { runWhenMain } from './run.ts';
import { type Server, startServer } from './server.ts';

const body = JSON.stringify({
  to: ['46701740699'],
  message: 'Your appointment is tomorrow at 9:30. Please be there ten minutes early.',
});
const path = '/restsms/svcrest/send';
const sustainableSeconds = 5;
const sustainableConnections = 50;
const overloadFactor = 3;
/** Each connection may have `depth` requests in progress: some programs pipeline requests, most do not. */
const crowds = [
  { connections: 400, depth: 8 },
  { connections: 2_000, depth: 1 },
  { connections: 2_000, depth: 8 },
] as const;
type Crowd = (typeof crowds)[number];
/** New connections per second, each with one request. */
const newConnections = 20;
const maxAnswerMs = 500;
const leastAccepted = 0.7;
const memoryEveryMs = 200;
const deliveryLimitMs = 300_000;

export async function overload(options: Options): Promise<Report> {
  const { quick, seconds = quick ? 6 : 60 } = options;
  const figures: Figure[] = [];
  for (const engine of options.engines) {
    for (const crowd of crowds) figures.push(...(await measure(engine, crowd, seconds)));
  }
  return { name: 'overload', claim, method: method(seconds), figures };
}

const claim = `Offered three times its capacity, the server still accepts ${100 * leastAccepted} % of its capacity, answers 99 % of the accepted requests within ${maxAnswerMs} ms, and refuses the rest with 503 and Retry-After; 99 % of new clients get their answer within ${maxAnswerMs} ms too.`;

function method(seconds: number): readonly string[] {
  return [
    `The sustainable rate is what ${sustainableConnections} clients that wait for their answers get accepted in ${sustainableSeconds} s, while the messages are also delivered to the simulator carrier.`,
    `Then requests leave on schedule for ${seconds} s, ${overloadFactor} times as many per second, whether or not earlier ones are answered: over ${crowds.map(({ connections, depth }) => `${connections} connections with at most ${depth} requests in progress on each`).join(', or ')}, from a process of its own. A request that finds all connections full is held back and reported. Meanwhile ${newConnections} new clients per second connect, send one request, and leave.`,
    'Times are as the client sees them, from sending a request to the end of its answer. Load, server and PostgreSQL share the cores; the turns of the load show how late the load itself is.',
    'Latency is normal again when the slowest of twenty consecutive requests takes no more than twice the slowest of a hundred before the overload, plus 10 ms.',
  ];
}

async function measure(
  engine: Engine,
  { connections, depth }: Crowd,
  seconds: number,
): Promise<readonly Figure[]> {
  const server = await startServer({ engine });
  const database = await openDirectly(server);
  let maxMiB = 0;
  const sampler = setInterval(() => {
    maxMiB = Math.max(maxMiB, memoryOf(server.pid).total);
  }, memoryEveryMs);
  try {
    const headers = { 'x-api-key': await server.apiKey(), 'content-type': 'application/json' };
    const sustainable = await load({
      url: server.url + path,
      headers,
      body,
      seconds: sustainableSeconds,
      connections: sustainableConnections,
    });
    await untilDelivered(database);
    await probe(server, headers, 50);
    const { slowestMs: normalMs } = await probe(server, headers, 100);
    const storedBefore = await countStored(database);
    const plan = {
      headers,
      body,
      path,
      perSecond: overloadFactor * sustainable.perSecond,
      seconds,
      connections,
    };
    const result = await openLoop({ ...plan, port: portOf(server), depth, newPerSecond: newConnections });
    const endedAt = performance.now();
    const normal = await untilNormal(server, headers, normalMs);
    const backlog = await countUnderWay(database);
    await untilDelivered(database);
    const deliveredMs = performance.now() - endedAt;
    const stored = (await countStored(database)) - storedBefore - normal.accepted;
    const figures: readonly Figure[] = [
      ...figuresOf(engine, result, seconds),
      ...figuresOfAccepted(engine, result, { seconds, stored, sustainablePerSecond: sustainable.perSecond }),
      { engine, what: 'memory, most', value: maxMiB, unit: 'MiB' },
      { engine, what: 'latency normal again after', value: normal.afterMs, unit: 'ms' },
      { engine, what: 'without a final status then', value: backlog, unit: 'messages' },
      { engine, what: 'all have a final status after', value: deliveredMs, unit: 'ms' },
    ];
    return figures.map((figure) => ({ ...figure, what: `${connections} connections: ${figure.what}` }));
  } finally {
    clearInterval(sampler);
    await database.close();
    await server.close();
  }
}

type Headers = Readonly<Record<string, string>>;

const portOf = ({ url }: Server) => Number(new URL(url).port);

async function openLoop(plan: OpenLoopPlan): Promise<OpenLoopResult> {
  const script = fileURLToPath(new URL('./open-loop.ts', import.meta.url));
  const parameters = ['--import', 'tsx', script, JSON.stringify(plan)];
  const { stdout } = await promisify(execFile)(process.execPath, parameters);
  return JSON.parse(stdout) as OpenLoopResult;
}

/**
 * Sends requests one after the other, as a caller would, and returns how long the slowest took and how many were accepted.
 */
async function probe({ url }: Server, headers: Headers, requests: number) {
  let slowestMs = 0;
  let accepted = 0;
  for (let index = 0; index < requests; index++) {
    const startedAt = performance.now();
    const answer = await fetch(url + path, { method: 'POST', headers, body });
    await answer.text();
    if (answer.ok) accepted += 1;
    slowestMs = Math.max(slowestMs, answer.ok ? performance.now() - startedAt : Number.POSITIVE_INFINITY);
  }
  return { slowestMs, accepted };
}

async function untilNormal(server: Server, headers: Headers, normalMs: number) {
  const startedAt = performance.now();
  let accepted = 0;
  for (;;) {
    const probed = await probe(server, headers, 20);
    accepted += probed.accepted;
    if (probed.slowestMs <= 2 * normalMs + 10) return { afterMs: performance.now() - startedAt, accepted };
  }
}

async function untilDelivered(database: Database): Promise<void> {
  const deadline = performance.now() + deliveryLimitMs;
  while ((await countUnderWay(database)) > 0) {
    if (performance.now() > deadline) throw new Error('some messages were not delivered');
    await pause(100);
  }
}

async function countStored(database: Database): Promise<number> {
  const [row] = await database.all<{ n: number }>(sql`SELECT COUNT(*) AS n FROM messages`);
  return row?.n ?? 0;
}

function acceptedOf({ answers }: OpenLoopResult) {
  return answers['200'] ?? { count: 0, p50Ms: 0, p99Ms: 0, maxMs: 0 };
}

function figuresOf(engine: Engine, result: OpenLoopResult, seconds: number): readonly Figure[] {
  const { p50Ms, p99Ms, maxMs } = acceptedOf(result);
  const figures: Figure[] = [
    { engine, what: 'offered', value: result.offeredPerSecond, unit: 'requests/s' },
    { engine, what: 'held back, no connection free', value: result.heldBackPerSecond, unit: 'requests/s' },
    { engine, what: 'accepted: median', value: p50Ms, unit: 'ms' },
    { engine, what: 'accepted: 99th percentile', value: p99Ms, unit: 'ms', claim: { atMost: maxAnswerMs } },
    { engine, what: 'accepted: slowest', value: maxMs, unit: 'ms' },
    {
      engine,
      what: 'new connections: 99th percentile',
      value: result.onNewConnections.p99Ms,
      unit: 'ms',
      claim: { atMost: maxAnswerMs },
    },
    { engine, what: 'new connections: slowest', value: result.onNewConnections.maxMs, unit: 'ms' },
  ];
  for (const [status, latencies] of Object.entries(result.answers)) {
    const perSecond = latencies.count / seconds;
    figures.push({ engine, what: `answered ${status}`, value: perSecond, unit: 'requests/s' });
    if (status === '200') continue;
    figures.push(
      { engine, what: `${status}: 99th percentile`, value: latencies.p99Ms, unit: 'ms' },
      { engine, what: `${status}: slowest`, value: latencies.maxMs, unit: 'ms' },
    );
  }
  const none = { atMost: 0 };
  figures.push(
    {
      engine,
      what: 'refused without Retry-After',
      value: result.withoutRetryAfter,
      unit: 'requests',
      claim: none,
    },
    { engine, what: 'without an answer', value: result.unanswered, unit: 'requests', claim: none },
    { engine, what: 'turns of the load: 99th percentile', value: result.ownTurns.p99Ms, unit: 'ms' },
    { engine, what: 'turns of the load: longest', value: result.ownTurns.maxMs, unit: 'ms' },
  );
  return figures;
}

function figuresOfAccepted(
  engine: Engine,
  result: OpenLoopResult,
  {
    seconds,
    stored,
    sustainablePerSecond,
  }: { readonly seconds: number; readonly stored: number; readonly sustainablePerSecond: number },
): readonly Figure[] {
  const { count } = acceptedOf(result);
  return [
    { engine, what: 'sustainable, closed loop', value: sustainablePerSecond, unit: 'requests/s' },
    {
      engine,
      what: 'accepted, relative to the sustainable rate',
      value: count / seconds / sustainablePerSecond,
      unit: '',
      claim: { atLeast: leastAccepted },
    },
    {
      engine,
      what: 'accepted but not stored',
      value: count + result.onNewConnections.accepted - stored,
      unit: 'messages',
      claim: { atMost: 0 },
    },
  ];
}

await runWhenMain(import.meta, overload);
