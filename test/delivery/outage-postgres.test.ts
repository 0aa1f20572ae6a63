import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { alice, startWholeApp, type WholeApp } from '../harness/app.ts';
import {
  allMessages,
  expectBooksInOrder,
  expectNothingLost,
  untilAllEnded,
} from '../harness/delivery-books.ts';
import { describePostgres } from '../harness/engines.ts';
import { Load } from '../harness/load.ts';
import { query } from '../harness/messaging.ts';
import { endure, type Fault, outageProvisioning as provisioning } from '../harness/outage.ts';
import { createDatabase, type PostgresServer, startPostgres } from '../harness/postgres.ts';

/** A silent server is given up after 10 s, and a request may meet one in its authentication and in its transaction. */
const silentAnswerMs = 15_000;

describePostgres('a PostgreSQL that fails under load', () => {
  let postgres: PostgresServer;
  const apps: WholeApp[] = [];

  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterEach(async () => {
    for (const app of apps.splice(0)) await app.close();
  });
  afterAll(() => postgres?.close());

  async function start(besides?: WholeApp): Promise<WholeApp> {
    const env = besides === undefined ? { DATABASE_URL: await createDatabase(postgres.url) } : {};
    const app = await startWholeApp({
      engine: 'sqlite',
      env,
      provisioning,
      ...(besides === undefined ? {} : { besides }),
    });
    apps.push(app);
    return app;
  }

  const stopped = (how: 'fast' | 'immediate', lastsMs: number): Fault => ({
    begin: () => postgres.stop(how),
    end: () => postgres.start(),
    lastsMs,
    maxAnswerMs: 7_000,
  });

  test('[DLV-7] stopped and started again, in order or by a crash: 503 meanwhile, never a false 200, and all goes on by itself', async () => {
    await endure(await start(), [
      stopped('immediate', 1_000),
      stopped('fast', 2_000),
      stopped('immediate', 1_000),
    ]);
  }, 90_000);

  test('[DLV-7] connections that are cut: 503 for those at work, and the next ones open by themselves', async () => {
    const app = await start();
    const cut =
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'carillon%'";
    const fault: Fault = {
      async begin() {
        for (let time = 0; time < 20; time++) {
          await query(app, cut);
          await delay(30);
        }
      },
      end: () => undefined,
      lastsMs: 0,
      maxAnswerMs: 3_000,
      isNoticed: false,
    };
    await endure(app, [fault, fault]);
  }, 60_000);

  test('[DLV-7] a table that another session locks for 10 s: 503 within the time-out of statements, and not ready', async () => {
    const app = await start();
    const other = new pg.Client({ connectionString: app.env.DATABASE_URL });
    await other.connect();
    const fault: Fault = {
      async begin() {
        await other.query('BEGIN; LOCK TABLE messages IN ACCESS EXCLUSIVE MODE');
      },
      end: () => other.end(),
      lastsMs: 10_000,
      maxAnswerMs: 10_000,
    };
    await endure(app, [fault]);
  }, 60_000);

  test('[DLV-7] [RUN-4] a table that only later steps need, locked longer than a statement may wait: messages are taken, and the server is ready', async () => {
    const app = await start();
    const other = new pg.Client({ connectionString: app.env.DATABASE_URL });
    await other.connect();
    await other.query('BEGIN; LOCK TABLE parked_receipts IN ACCESS EXCLUSIVE MODE');
    const load = new Load(app.baseUrl, alice, { connections: 2 });
    load.start();
    const answers = new Set<number>();
    const deadline = Date.now() + 9_000;
    while (Date.now() < deadline) {
      answers.add((await fetch(`${app.baseUrl}/readyz`)).status);
      await delay(50);
    }
    await other.end();
    await load.stop();
    expect([...answers]).toEqual([200]);
    expect(load.refusals).toEqual([]);
    await untilAllEnded(app, 30_000);
    expectNothingLost(await allMessages(app), load.accepted);
  }, 60_000);

  test('[DLV-7] a server that stands still with its connections open is given up: no request waits for it for ever', async () => {
    const fault: Fault = {
      begin: () => postgres.freeze(),
      end: () => postgres.thaw(),
      lastsMs: 14_000,
      maxAnswerMs: silentAnswerMs,
    };
    await endure(await start(), [fault]);
  }, 90_000);

  test('[DLV-7] [RUN-2] a node that stands still in a transaction loses its locks, so that the other nodes go on', async () => {
    const frozen = await start();
    const other = await start(frozen);
    const load = new Load(frozen.baseUrl, alice, { connections: 10 });
    load.start();
    await delay(500);
    await freezeInTransaction(frozen);
    try {
      const askedAt = performance.now();
      const second = new Load(other.baseUrl, alice, { connections: 2 });
      second.start();
      while (second.accepted.size === 0 && performance.now() - askedAt < 20_000) await delay(20);
      const tookMs = performance.now() - askedAt;
      await second.stop();
      expect(second.refusals).toEqual([]);
      expect(tookMs).toBeLessThan(7_500);
      for (const [id, to] of second.accepted) load.accepted.set(id, to);
    } finally {
      process.kill(frozen.pid as number, 'SIGCONT');
    }
    const before = load.accepted.size;
    const deadline = Date.now() + 10_000;
    while (load.accepted.size === before && Date.now() < deadline) await delay(20);
    await load.stop();
    expect(load.accepted.size).toBeGreaterThan(before);
    for (const { status, code } of load.refusals) expect([status, code]).toEqual([503, 'store_unavailable']);
    await untilAllEnded(other, 30_000);
    const messages = await allMessages(other);
    expectNothingLost(messages, load.accepted);
    await expectBooksInOrder(other, messages);
  }, 90_000);
});

/** Stops the process again and again until it happens to hold a lock that others need. */
async function freezeInTransaction(app: WholeApp): Promise<void> {
  const pid = app.pid as number;
  for (let time = 0; time < 200; time++) {
    process.kill(pid, 'SIGSTOP');
    await delay(50);
    const [row] = await query(
      app,
      `SELECT COUNT(*) AS waiting FROM pg_stat_activity JOIN pg_locks USING (pid)
       WHERE state = 'idle in transaction' AND relation = 'users'::regclass AND mode = 'RowExclusiveLock'
         AND state_change < clock_timestamp() - interval '30 milliseconds'`,
    );
    if (Number(row?.waiting) > 0) return;
    process.kill(pid, 'SIGCONT');
    await delay(10 + Math.random() * 20);
  }
  throw new Error('the process was never caught in a transaction');
}
