/** Claim: offered three times what it can take, the server refuses the rest at once and keeps what it takes quick. */
import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { count, countOpen } from './lifecycle.ts';
import { type Figure, load, publish } from './measure.ts';
import type { OpenLoopPlan, OpenLoopResult } from './open-loop.ts';
import { type Engine, engines, type Server, startServer } from './server.ts';

const body = JSON.stringify({
  to: ['46701740699'],
  message: 'Your appointment is tomorrow at 9:30. Please be there ten minutes early.',
});
const path = '/restsms/svcrest/send';
const sustainableSeconds = 5;
const overload = 3;
const connections = 400;
const depth = 8;
const maxP99Ms = 250;

const deliveryTimeoutMs = 300_000;

async function openLoop(server: Server, perSecond: number, seconds: number) {
  const plan: OpenLoopPlan = {
    port: Number(new URL(server.url).port),
    path,
    headers: { 'x-api-key': server.apiKey },
    body,
    perSecond,
    seconds,
    connections,
    depth,
  };
  const script = fileURLToPath(new URL('./open-loop.ts', import.meta.url));
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ['--import', 'tsx', script, JSON.stringify(plan)]);
  return JSON.parse(stdout) as OpenLoopResult;
}

/** Requests one after the other, as a caller would notice: how long the slowest took, and how many were accepted. */
async function probe({ url, apiKey }: Server, requests: number) {
  let slowestMs = 0;
  let accepted = 0;
  for (let index = 0; index < requests; index++) {
    const startedAt = performance.now();
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    const answer = await fetch(url + path, { method: 'POST', headers, body });
    await answer.text();
    if (answer.ok) accepted += 1;
    slowestMs = Math.max(slowestMs, answer.ok ? performance.now() - startedAt : Number.POSITIVE_INFINITY);
  }
  return { slowestMs, accepted };
}

async function untilDelivered(server: Server): Promise<void> {
  const deadline = performance.now() + deliveryTimeoutMs;
  while ((await countOpen(server)) > 0) {
    if (performance.now() > deadline) throw new Error('messages are left that were not delivered');
    await delay(100);
  }
}

/** Until probes take what they took before: answers how long that was, and how many were accepted meanwhile. */
async function untilNormal(server: Server, normalMs: number) {
  const startedAt = performance.now();
  let accepted = 0;
  for (;;) {
    const probed = await probe(server, 20);
    accepted += probed.accepted;
    if (probed.slowestMs <= 2 * normalMs + 10) return { afterMs: performance.now() - startedAt, accepted };
  }
}

async function measure(engine: Engine, seconds: number): Promise<readonly Figure[]> {
  const server = await startServer({ engine });
  const stored = () => count(server, 'SELECT COUNT(*) AS n FROM messages');
  let mostMiB = 0;
  const sampler = setInterval(() => {
    mostMiB = Math.max(mostMiB, server.memory());
  }, 200);
  try {
    const headers = { 'x-api-key': server.apiKey };
    const url = server.url + path;
    const closed = await load({ url, headers, body, seconds: sustainableSeconds, connections: 50 });
    await untilDelivered(server);
    await probe(server, 50);
    const { slowestMs: normalMs } = await probe(server, 100);
    const storedBefore = await stored();
    const result = await openLoop(server, overload * closed.perSecond, seconds);
    const endedAt = performance.now();
    const normal = await untilNormal(server, normalMs);
    const backlog = await countOpen(server);
    await untilDelivered(server);
    const deliveredMs = performance.now() - endedAt;
    const kept = (await stored()) - storedBefore - normal.accepted;
    return [
      { what: `${engine}: sustainable, closed loop`, value: closed.perSecond, unit: 'requests/s' },
      ...loadFigures(engine, result, seconds),
      {
        what: `${engine}: stored for each that was accepted`,
        value: kept / accepted(result).count,
        unit: '',
      },
      { what: `${engine}: most memory`, value: mostMiB, unit: 'MiB' },
      { what: `${engine}: latency normal again after`, value: normal.afterMs, unit: 'ms' },
      { what: `${engine}: not yet delivered then`, value: backlog, unit: 'messages' },
      { what: `${engine}: all delivered after`, value: deliveredMs, unit: 'ms' },
    ];
  } finally {
    clearInterval(sampler);
    await server.close();
  }
}

function accepted({ answers }: OpenLoopResult) {
  return answers['200'] ?? { count: 0, p50Ms: 0, p99Ms: 0, maxMs: 0 };
}

function loadFigures(engine: Engine, result: OpenLoopResult, seconds: number): readonly Figure[] {
  const { p50Ms, p99Ms, maxMs } = accepted(result);
  const figures: Figure[] = [
    { what: `${engine}: offered`, value: result.offeredPerSecond, unit: 'requests/s' },
    { what: `${engine}: held back, no connection free`, value: result.heldBackPerSecond, unit: 'requests/s' },
    { what: `${engine}: p50 of the accepted`, value: p50Ms, unit: 'ms' },
    { what: `${engine}: p99 of the accepted`, value: p99Ms, unit: 'ms', claim: { atMost: maxP99Ms } },
    { what: `${engine}: slowest of the accepted`, value: maxMs, unit: 'ms' },
    { what: `${engine}: p99 of the accepted to ${maxP99Ms} ms`, value: p99Ms / maxP99Ms, unit: '' },
  ];
  for (const [status, latencies] of Object.entries(result.answers)) {
    figures.push({
      what: `${engine}: answered ${status}`,
      value: latencies.count / seconds,
      unit: 'requests/s',
    });
    if (status === '200') continue;
    figures.push(
      { what: `${engine}: p99 of ${status}`, value: latencies.p99Ms, unit: 'ms' },
      { what: `${engine}: slowest of ${status}`, value: latencies.maxMs, unit: 'ms' },
    );
  }
  figures.push(
    { what: `${engine}: refused without Retry-After`, value: result.withoutRetryAfter, unit: 'requests' },
    { what: `${engine}: without an answer`, value: result.unanswered, unit: 'requests' },
  );
  return figures;
}

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    engine: { type: 'string', default: 'sqlite' },
  },
});
const engine = engines.find((name) => name === values.engine);
if (engine === undefined) {
  console.error(`There is no engine ${values.engine} here: ${engines.join(' or ')}.`);
  process.exit(1);
}
publish({ name: `overload-${engine}`, figures: await measure(engine, Number(values.seconds)) });
