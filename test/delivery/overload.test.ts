import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import {
  allMessages,
  expectBooksInOrder,
  expectNothingLost,
  expectNothingTwice,
  untilAllEnded,
} from '../harness/delivery-books.ts';
import { eachEngine } from '../harness/engines.ts';
import { Load, type LoadOptions } from '../harness/load.ts';
import { query, sendOne } from '../harness/messaging.ts';
import { expectWithin } from '../harness/on-time.ts';
import { residentMiB } from '../harness/outage.ts';

/** Slower by far than what comes in: the store is the queue, and may grow; the process may not. */
const slowCarrier = standardProvisioning.replace(
  'submitDelayMs: 0, receiptDelayMs: 20',
  'throughput: 200, receiptDelayMs: 20',
);

const loadMs = 3_000;

/** Sends as much as there are connections for, and watches the server meanwhile. */
async function overload(app: WholeApp, options: LoadOptions) {
  const load = new Load(app.baseUrl, alice, options);
  load.start();
  let mostMiB = 0;
  const until = Date.now() + loadMs;
  while (Date.now() < until) {
    mostMiB = Math.max(mostMiB, residentMiB(app.pid as number));
    // Whoever watches over the server must not take it for dead.
    const askedAt = Date.now();
    expect((await fetch(`${app.baseUrl}/healthz`)).status).toBe(200);
    expect(Date.now() - askedAt).toBeLessThan(25_000);
    await delay(100);
  }
  await load.accepting(Math.max(0, 301 - load.accepted.size));
  await load.stop();
  expect(load.unanswered).toBe(0);
  for (const { status, retryAfter, code } of load.refusals) {
    expect([status, code]).toEqual([503, 'overloaded']);
    expect(Number(retryAfter)).toBeGreaterThan(0);
  }
  // What was acknowledged is there, and nothing else was counted.
  const [stored] = await query(app, 'SELECT COUNT(*) AS messages FROM messages');
  expect(Number(stored?.messages)).toBe(load.accepted.size);
  expect(load.accepted.size).toBeGreaterThan(300);
  return { load, mostMiB, slowestMs: load.latencies.reduce((slowest, ms) => Math.max(slowest, ms), 0) };
}

async function expectNormality(app: WholeApp, pid: number | undefined): Promise<void> {
  expect(app.pid).toBe(pid);
  await expectWithin(4_000, async () => {
    const startedAt = performance.now();
    await sendOne(app.as(alice));
    return performance.now() - startedAt;
  });
}

eachEngine('a server under more load than it can take', (engine) => {
  let app: WholeApp | undefined;
  afterEach(() => app?.close());

  test('[DLV-8] of many callers at once refuses those it cannot answer in time, loses nothing of the others, and is normal at once', async () => {
    app = await startWholeApp({ engine, provisioning: standardProvisioning });
    const { pid } = app;
    const { load, mostMiB, slowestMs } = await overload(app, { connections: 900, recipientsPerRequest: 1 });
    expect(mostMiB).toBeLessThan(450);
    expect(slowestMs).toBeLessThan(25_000);
    await expectNormality(app, pid);
    await untilAllEnded(app, 100_000);
    const messages = await allMessages(app);
    expectNothingLost(messages, load.accepted);
    await expectNothingTwice(app, messages);
    await expectBooksInOrder(app, messages);
  }, 240_000);

  test('[DLV-8] of large requests, faster than the carrier takes them, refuses what it cannot take, and keeps its memory bounded', async () => {
    app = await startWholeApp({ engine, provisioning: slowCarrier });
    const { pid } = app;
    const { load, mostMiB, slowestMs } = await overload(app, {
      connections: 150,
      recipientsPerRequest: 1_000,
      characters: [459],
    });
    // Each takes so long that, quick machine or not, they cannot all be answered in time.
    expect(load.refusals.length).toBeGreaterThan(0);
    expect(mostMiB).toBeLessThan(700);
    expect(slowestMs).toBeLessThan(30_000);
    await expectBooksInOrder(app, await allMessages(app));
    await expectNormality(app, pid);
  }, 240_000);
});
