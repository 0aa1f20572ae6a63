import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import {
  allMessages,
  expectBooksInOrder,
  expectEachPartOnce,
  expectNothingLost,
  expectSoundFile,
  untilAllEnded,
} from '../harness/delivery-books.ts';
import { describePostgres, eachEngine } from '../harness/engines.ts';
import { Load } from '../harness/load.ts';
import { query, sendOne } from '../harness/messaging.ts';
import { createDatabase, startPostgres } from '../harness/postgres.ts';

const provisioning = (settings: string) =>
  standardProvisioning.replace('submitDelayMs: 0, receiptDelayMs: 20', settings);

let app: WholeApp | undefined;
afterEach(async () => {
  await app?.close();
  app = undefined;
});

eachEngine('a server told to stop under load', (engine) => {
  test('[RUN-4] [DLV-6] drains in time, loses nothing, leaves nothing in doubt, and the next start delivers the rest', async () => {
    app = await startWholeApp({
      engine,
      provisioning: provisioning('submitDelayMs: 50, receiptDelayMs: 80, window: 500'),
    });
    const accepted = new Map<string, string>();
    for (const lifeMs of [1_200, 700]) {
      const load = new Load(app.baseUrl, alice);
      load.start();
      await delay(lifeMs);
      const startedAt = Date.now();
      expect(await app.stop()).toBe(0);
      expect(Date.now() - startedAt).toBeLessThan(10_000);
      await load.stop();
      for (const [id, to] of load.accepted) accepted.set(id, to);
      for (const { status, retryAfter } of load.refusals) {
        expect(status).toBe(503);
        expect(Number(retryAfter)).toBeGreaterThan(0);
      }
      expect(await query(app, 'SELECT id FROM messages WHERE stage = 1 OR in_doubt = 1')).toEqual([]);
      expect(await query(app, 'SELECT id FROM nodes WHERE ended = 0')).toEqual([]);
      await app.restart();
    }
    await untilAllEnded(app, 30_000);
    const messages = await allMessages(app);
    expect(accepted.size).toBeGreaterThan(300);
    expectNothingLost(messages, accepted);
    await expectEachPartOnce(app, messages);
    expect(messages.filter(({ inDoubt }) => inDoubt === 1)).toEqual([]);
    await expectBooksInOrder(app, messages);
    await expectSoundFile(app);
  }, 70_000);

  test('[RUN-4] does not wait for a rate: what the carrier has not sent yet goes back', async () => {
    app = await startWholeApp({ engine, provisioning: provisioning('throughput: 5, receiptDelayMs: 20') });
    const load = new Load(app.baseUrl, alice, { connections: 4 });
    load.start();
    await delay(700);
    await load.stop();
    const startedAt = Date.now();
    expect(await app.stop()).toBe(0);
    expect(Date.now() - startedAt).toBeLessThan(4_000);
    expect(await query(app, 'SELECT id FROM messages WHERE stage = 1 OR in_doubt = 1')).toEqual([]);
  });
});

describe('a server told to stop while its carrier is silent', () => {
  test('[RUN-4] [DLV-6] ends though its carrier is silent: what it had is in doubt and is sent again', async () => {
    app = await startWholeApp({
      engine: 'sqlite',
      provisioning: provisioning('submitDelayMs: 60000, receiptDelayMs: 20'),
    });
    const id = await sendOne(app.as(alice));
    await delay(200);
    const startedAt = Date.now();
    expect(await app.stop()).toBe(0);
    expect(Date.now() - startedAt).toBeLessThan(20_000);
    expect(await query(app, `SELECT status, in_doubt FROM messages WHERE id = ${id}`)).toEqual([
      { status: 0, in_doubt: 1 },
    ]);
  }, 40_000);
});

describePostgres('a server told to stop while its store is away', () => {
  test('[RUN-4] [DLV-7] ends in time', async () => {
    const postgres = await startPostgres();
    try {
      const env = { DATABASE_URL: await createDatabase(postgres.url) };
      app = await startWholeApp({ engine: 'sqlite', env, provisioning: provisioning('submitDelayMs: 300') });
      const load = new Load(app.baseUrl, alice, { connections: 4 });
      load.start();
      await delay(500);
      await postgres.stop('immediate');
      await load.stop();
      const startedAt = Date.now();
      await app.stop();
      expect(Date.now() - startedAt).toBeLessThan(25_000);
      expect(app.stderr).not.toContain('the test killed the server');
    } finally {
      await app?.close();
      app = undefined;
      await postgres.close();
    }
  }, 60_000);
});
