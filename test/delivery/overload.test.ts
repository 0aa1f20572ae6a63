import { afterEach, expect, test } from 'vitest';
import { apiClient } from '../harness/api-client.ts';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { pause, until } from '../harness/awake.ts';
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
import { residentMiB } from '../harness/outage.ts';

/** Much slower than the incoming traffic: the store is the queue and may grow, but the process may not. */
const slowCarrier = standardProvisioning.replace(
  'submitDelayMs: 0, receiptDelayMs: 20',
  'throughput: 200, receiptDelayMs: 20',
);

/** Sends on all connections until enough has happened, and watches the server meanwhile. */
async function overload(app: WholeApp, options: LoadOptions, isEnough: (load: Load) => boolean = () => true) {
  const load = new Load(app.baseUrl, alice, options);
  const isAnswered = load.everyoneHeard('an answer');
  load.start();
  let maxMiB = 0;
  await until(async () => {
    maxMiB = Math.max(maxMiB, residentMiB(app.pid as number));
    // A monitor must not take the server for dead.
    expect((await fetch(`${app.baseUrl}/healthz`)).status).toBe(200);
    await pause(50);
    return load.accepted.size > 300 && isAnswered() && isEnough(load);
  }, 300_000);
  await load.stop();
  expect(load.unanswered).toBe(0);
  for (const { status, retryAfter, code } of load.refusals) {
    expect([status, code]).toEqual([503, 'overloaded']);
    expect(Number(retryAfter)).toBeGreaterThan(0);
  }
  // Every acknowledged message is stored, and no others are.
  const [stored] = await query(app, 'SELECT COUNT(*) AS messages FROM messages');
  expect(Number(stored?.messages)).toBe(load.accepted.size);
  return { load, maxMiB };
}

/** Calls made one at a time are accepted on the first try. */
async function expectNormality(app: WholeApp, pid: number | undefined): Promise<void> {
  expect(app.pid).toBe(pid);
  for (let count = 0; count < 5; count++) await sendOne(apiClient(app.baseUrl, alice));
}

eachEngine('a server under more load than it can take', (engine) => {
  let app: WholeApp | undefined;
  afterEach(() => app?.close());

  test('[DLV-8] Under too many calls the server refuses those it cannot answer in time, loses none of the others and recovers at once', async () => {
    app = await startWholeApp({ engine, provisioning: standardProvisioning });
    const { pid } = app;
    const crowd = { connections: 900, recipientsPerRequest: 1 };
    const { load, maxMiB } = await overload(app, crowd);
    expect(maxMiB).toBeLessThan(450);
    await expectNormality(app, pid);
    await untilAllEnded(app, 180_000);
    const messages = await allMessages(app);
    expectNothingLost(messages, load.accepted);
    await expectNothingTwice(app, messages);
    await expectBooksInOrder(app, messages);
  }, 300_000);

  test('[DLV-8] Under too many large requests the server refuses what it cannot take, and keeps its memory bounded', async () => {
    app = await startWholeApp({ engine, provisioning: slowCarrier });
    const { pid } = app;
    const large = { connections: 150, recipientsPerRequest: 1_000, characters: [459] };
    // Each call takes so long that even a fast machine cannot respond to all of them in time.
    const { maxMiB } = await overload(app, large, ({ refusals }) => refusals.length > 0);
    expect(maxMiB).toBeLessThan(700);
    await expectBooksInOrder(app, await allMessages(app));
    await expectNormality(app, pid);
  }, 300_000);
});
