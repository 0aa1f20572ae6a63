import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { alice, startWholeApp, type WholeApp } from '../harness/app.ts';
import { pause, until } from '../harness/awake.ts';
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

describePostgres('a PostgreSQL that fails under load', () => {
  let postgres: PostgresServer;
  /** The server that one of the tests freezes; the tests run concurrently. */
  let freezing: PostgresServer;

  beforeAll(async () => {
    postgres = await startPostgres();
    freezing = await startPostgres();
  });
  afterAll(async () => {
    await postgres?.close();
    await freezing?.close();
  });

  async function start(
    { onTestFinished }: TestContext,
    { server = postgres, besides }: { readonly server?: PostgresServer; readonly besides?: WholeApp } = {},
  ): Promise<WholeApp> {
    const app = await startWholeApp({
      engine: 'sqlite',
      env: besides === undefined ? { DATABASE_URL: await createDatabase(server.url) } : {},
      provisioning,
      ...(besides && { besides }),
    });
    onTestFinished(() => app.close());
    return app;
  }

  const stopped = (how: 'fast' | 'immediate'): Fault => ({
    begin: () => postgres.stop(how),
    end: () => postgres.start(),
  });

  test('[DLV-7] When PostgreSQL stops and starts again, calls get 503 meanwhile, never a false 200, and all resumes without help', async (context) => {
    await endure(await start(context), [stopped('immediate'), stopped('fast'), stopped('immediate')]);
  }, 300_000);

  test('[DLV-7] When connections to PostgreSQL are cut, calls in progress get 503, and new connections open without help', async (context) => {
    const app = await start(context);
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
      isShort: true,
    };
    await endure(app, [fault, fault]);
  }, 300_000);

  describe('and mostly waits', { concurrent: true }, () => {
    test('[DLV-7] While a table is locked for longer than a statement may wait, waiting calls get 503 and the server is not ready', async (context) => {
      const app = await start(context);
      const other = new pg.Client({ connectionString: app.env.DATABASE_URL });
      await other.connect();
      const fault: Fault = {
        async begin() {
          await other.query('BEGIN; LOCK TABLE messages IN ACCESS EXCLUSIVE MODE');
        },
        end: () => other.end(),
      };
      await endure(app, [fault]);
    }, 300_000);

    test('[DLV-7] [RUN-4] While a table that only later steps need is locked, messages are accepted and the server is ready', async (context) => {
      const app = await start(context);
      const other = new pg.Client({ connectionString: app.env.DATABASE_URL });
      await other.connect();
      await other.query('BEGIN; LOCK TABLE parked_receipts IN ACCESS EXCLUSIVE MODE');
      const load = new Load(app.baseUrl, alice, { connections: 2 });
      load.start();
      await until(() => app.stderr.includes('canceling statement due to statement timeout'));
      // Failures are remembered for seconds. If the machine stalls, every store looks unavailable for a moment.
      const answers: number[] = [];
      for (let look = 0; look < 20; look++) {
        answers.push((await fetch(`${app.baseUrl}/readyz`)).status);
        await pause(100);
      }
      expect(answers).toContain(200);
      // Both lanes keep working for longer than the statement timeout.
      await load.accepting(20);
      await other.end();
      await load.stop();
      await untilAllEnded(app, 180_000);
      expectNothingLost(await allMessages(app), load.accepted);
    }, 300_000);

    test('[DLV-7] A PostgreSQL server that stands still with its connections open is given up, and no request waits for it endlessly', async (context) => {
      const fault: Fault = {
        begin: () => freezing.freeze(),
        end: () => freezing.thaw(),
      };
      await endure(await start(context, { server: freezing }), [fault]);
    }, 300_000);

    test('[DLV-7] [RUN-2] A node that stands still in a transaction loses its locks, so that the other nodes go on', async (context) => {
      const frozen = await start(context);
      const other = await start(context, { besides: frozen });
      const load = new Load(frozen.baseUrl, alice, { connections: 10 });
      load.start();
      await load.accepting(50);
      await freezeInTransaction(frozen);
      try {
        // The database itself ends the frozen node's transaction; declaring the node dead would not end it.
        const second = new Load(other.baseUrl, alice, { connections: 2 });
        second.start();
        await second.accepting(1);
        await second.stop();
        for (const [id, to] of second.accepted) load.accepted.set(id, to);
      } finally {
        process.kill(frozen.pid as number, 'SIGCONT');
      }
      await load.accepting(1);
      await load.stop();
      for (const { status } of load.refusals) expect(status).toBe(503);
      await untilAllEnded(other, 180_000);
      const messages = await allMessages(other);
      expectNothingLost(messages, load.accepted);
      await expectBooksInOrder(other, messages);
    }, 300_000);
  });
});

/** Freezes the process repeatedly until it happens to hold a lock that others need. */
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
