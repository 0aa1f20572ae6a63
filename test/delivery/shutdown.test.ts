import { writeFileSync } from 'node:fs';
import { describe, expect, type TestContext, test } from 'vitest';
import {
  alice,
  standardProvisioning,
  startWholeApp,
  type WholeApp,
  type WholeAppOptions,
} from '../harness/app.ts';
import { CarrierLedger } from '../harness/carrier-ledger.ts';
import {
  allMessages,
  expectBooksInOrder,
  expectEachPartOnce,
  expectHandedOnce,
  expectNothingLost,
  expectSoundFile,
  untilAllEnded,
} from '../harness/delivery-books.ts';
import { describePostgres, eachEngine } from '../harness/engines.ts';
import { HeldTime } from '../harness/held-server-time.ts';
import { Load } from '../harness/load.ts';
import { query } from '../harness/messaging.ts';
import { createDatabase, startPostgres } from '../harness/postgres.ts';

const provisioning = (settings: string) =>
  standardProvisioning.replace('submitDelayMs: 0, receiptDelayMs: 20', settings);

/** Disables the deadlines of a server's shutdown, so that the shutdown ends only when everything it waits for has ended. */
function endlessPatience({ onTestFinished }: TestContext): Readonly<Record<string, string>> {
  const time = new HeldTime([10_000, 60_000]);
  onTestFinished(() => time.remove());
  return time.env;
}

/** Starts a server for one test only. */
async function start({ onTestFinished }: TestContext, options: WholeAppOptions): Promise<WholeApp> {
  const app = await startWholeApp(options);
  onTestFinished(() => app.close());
  return app;
}

eachEngine('a server told to stop under load', (engine) => {
  test('[RUN-4] [DLV-6] A server stopped under load drains, loses nothing, leaves nothing in doubt, and delivers the rest after a restart', async (context) => {
    const app = await start(context, {
      engine,
      env: endlessPatience(context),
      provisioning: provisioning('submitDelayMs: 50, receiptDelayMs: 80, window: 500'),
    });
    const accepted = new Map<string, string>();
    for (const least of [200, 150]) {
      const load = new Load(app.baseUrl, alice);
      load.start();
      await load.accepting(least);
      expect(await app.stop()).toBe(0);
      await load.stop();
      for (const [id, to] of load.accepted) accepted.set(id, to);
      for (const { status, retryAfter } of load.refusals) {
        expect(status).toBe(503);
        expect(Number(retryAfter)).toBeGreaterThan(0);
      }
      expect(await query(app, 'SELECT id FROM messages WHERE stage = 1 OR in_doubt > 0')).toEqual([]);
      expect(await query(app, 'SELECT id FROM nodes WHERE ended = 0')).toEqual([]);
      await app.restart();
    }
    await untilAllEnded(app, 180_000);
    const messages = await allMessages(app);
    expect(accepted.size).toBeGreaterThan(300);
    expectNothingLost(messages, accepted);
    // Every stored message belongs to a call whose response arrived in full.
    expect(messages.filter(({ id }) => !accepted.has(id))).toEqual([]);
    await expectEachPartOnce(app, messages);
    expect(messages.filter(({ inDoubt }) => inDoubt > 0)).toEqual([]);
    await expectBooksInOrder(app, messages);
    await expectSoundFile(app);
  }, 300_000);
});

test('[RUN-4] A server told to stop does not wait for a carrier’s rate, and what is not yet sent goes back', async (context) => {
  const app = await start(context, {
    engine: 'sqlite',
    env: endlessPatience(context),
    // Sending all messages that wait at the stop below would take five minutes.
    provisioning: provisioning('throughput: 1, receiptDelayMs: 20'),
  });
  const load = new Load(app.baseUrl, alice, { connections: 4 });
  load.start();
  await load.accepting(300);
  await load.stop();
  expect(await app.stop()).toBe(0);
  expect(await query(app, 'SELECT id FROM messages WHERE stage = 1 OR in_doubt > 0')).toEqual([]);
  expect(await query(app, 'SELECT id FROM messages WHERE stage = 0 LIMIT 1')).toHaveLength(1);
});

describe('a server told to stop while its carrier is silent', { concurrent: true }, () => {
  test('[RUN-4] [DLV-6] A server stopped while its carrier is silent ends in time, with only what the carrier had in doubt', async (context) => {
    const ledger = new CarrierLedger();
    context.onTestFinished(() => ledger.remove());
    const app = await start(context, {
      engine: 'sqlite',
      env: ledger.env,
      // The carrier responds so late that a server that waited for the response would be killed first.
      provisioning: provisioning('submitDelayMs: 60000, receiptDelayMs: 20, window: 20'),
    });
    const load = new Load(app.baseUrl, alice, { connections: 8 });
    load.start();
    await load.accepting(100);
    const stopping = app.stop();
    await load.stop();
    expect(await stopping).toBe(0);
    for (const { status } of load.refusals) expect(status).toBe(503);
    const before = await allMessages(app);
    const doubtful = before.filter(({ inDoubt }) => inDoubt > 0);
    expect(doubtful.length).toBeGreaterThan(0);
    expect(doubtful.length).toBeLessThanOrEqual(20);
    expect(before.length).toBeGreaterThan(doubtful.length);
    expect(before.filter(({ status }) => status !== 0)).toEqual([]);
    // The server left nothing in an unknown state for others to resolve.
    expect(await query(app, 'SELECT id FROM messages WHERE stage = 1')).toEqual([]);

    writeFileSync(app.env.CARILLON_PROVISION as string, provisioning('submitDelayMs: 5, receiptDelayMs: 20'));
    await app.restart();
    await untilAllEnded(app, 180_000);
    const messages = await allMessages(app);
    expectNothingLost(messages, load.accepted);
    expect(messages.filter(({ id }) => !load.accepted.has(id))).toEqual([]);
    expectHandedOnce(messages, ledger);
    const ids = (some: typeof messages) => some.map(({ id }) => id).sort();
    expect(ids(messages.filter(({ inDoubt }) => inDoubt > 0))).toEqual(ids(doubtful));
    await expectBooksInOrder(app, messages);
  }, 300_000);
});

const whileAway = () => {
  test('[RUN-4] [DLV-7] A server told to stop while its store is away ends in time', async (context) => {
    const postgres = await startPostgres();
    context.onTestFinished(() => postgres.close());
    const env = { DATABASE_URL: await createDatabase(postgres.url) };
    const app = await start(context, {
      engine: 'sqlite',
      env,
      provisioning: provisioning('submitDelayMs: 300'),
    });
    const load = new Load(app.baseUrl, alice, { connections: 4 });
    load.start();
    await load.accepting(50);
    await postgres.stop('immediate');
    await load.stop();
    await app.stop();
    // The server stopped by itself, although its store was still unavailable.
    expect(app.stderr).not.toContain('the test killed the server');
  }, 300_000);
};
describePostgres('a server told to stop while its store is away', whileAway, { concurrent: true });
