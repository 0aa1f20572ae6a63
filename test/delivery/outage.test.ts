import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
import { describePostgres } from '../harness/engines.ts';
import { Load } from '../harness/load.ts';
import { createDatabase, startPostgres } from '../harness/postgres.ts';

const provisioning = standardProvisioning.replace(
  'submitDelayMs: 0, receiptDelayMs: 20',
  'submitDelayMs: 10, receiptDelayMs: 60, window: 200',
);

let app: WholeApp | undefined;
afterEach(async () => {
  await app?.close();
  app = undefined;
});

/** Writes until there is no room left. */
function fill(file: string): void {
  try {
    for (;;) appendFileSync(file, Buffer.alloc(100_000));
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOSPC') throw error;
  }
}

/** Refused with an answer that tells the caller to come again. */
function expectRefusals(load: Load): void {
  expect(load.refusals.length).toBeGreaterThan(0);
  for (const { status, retryAfter, code } of load.refusals) {
    expect(status).toBe(503);
    expect(Number(retryAfter)).toBeGreaterThan(0);
    expect(['store_unavailable', 'overloaded', 'not_ready']).toContain(code);
  }
}

/** After an outage all that was acknowledged is delivered, nothing twice, by the same process. */
async function expectRecovery(of: WholeApp, pid: number | undefined, accepted: ReadonlyMap<string, string>) {
  const load = new Load(of.baseUrl, alice, { connections: 2 });
  load.start();
  const deadline = Date.now() + 10_000;
  while (load.accepted.size === 0) {
    if (Date.now() > deadline) throw new Error(`no recovery:\n${of.stdout.slice(-3_000)}`);
    await delay(20);
  }
  await load.stop();
  expect(of.pid).toBe(pid);
  await untilAllEnded(of, 30_000);
  const messages = await allMessages(of);
  expectNothingLost(messages, new Map([...accepted, ...load.accepted]));
  await expectEachPartOnce(of, messages);
  expect(messages.filter(({ inDoubt }) => inDoubt === 1)).toEqual([]);
  await expectBooksInOrder(of, messages);
}

describePostgres('a PostgreSQL that stops and starts under load', () => {
  test('[DLV-7] 503 meanwhile, never a false 200; then all goes on by itself, and nothing was lost or sent twice', async () => {
    const postgres = await startPostgres();
    try {
      const env = { DATABASE_URL: await createDatabase(postgres.url) };
      app = await startWholeApp({ engine: 'sqlite', env, provisioning });
      const { pid } = app;
      const load = new Load(app.baseUrl, alice, { connections: 10 });
      load.start();
      for (const how of ['immediate', 'fast', 'immediate'] as const) {
        await delay(700);
        await postgres.stop(how);
        await delay(how === 'fast' ? 1_500 : 300);
        await postgres.start();
      }
      await delay(700);
      await load.stop();
      expect(load.accepted.size).toBeGreaterThan(200);
      expect(load.unanswered).toBe(0);
      expectRefusals(load);
      await expectRecovery(app, pid, load.accepted);
    } finally {
      await app?.close();
      app = undefined;
      await postgres.close();
    }
  }, 90_000);
});

describe('a disk that is full under SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-full-'));
  const mounted = (() => {
    try {
      // A file system of its own can be mounted by root only, and not in every container.
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'carillon-test', folder], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  })();
  afterEach(() => {
    if (mounted) execFileSync('umount', ['--lazy', folder]);
    rmSync(folder, { recursive: true, force: true });
  });

  test.skipIf(!mounted)(
    '[DLV-7] 503 meanwhile, never a false 200; with room again all goes on by itself, and nothing was lost or sent twice',
    async () => {
      app = await startWholeApp({ engine: 'sqlite', env: { CARILLON_DATA: folder }, provisioning });
      const { pid } = app;
      const load = new Load(app.baseUrl, alice, { connections: 8 });
      load.start();
      await delay(500);
      const ballast = join(folder, 'ballast');
      fill(ballast);
      const deadline = Date.now() + 10_000;
      while (load.refusals.length < 50 && Date.now() < deadline) await delay(50);
      await delay(700);
      rmSync(ballast);
      await delay(700);
      await load.stop();
      expect(load.unanswered).toBe(0);
      expectRefusals(load);
      await expectRecovery(app, pid, load.accepted);
      await expectSoundFile(app);
      expect(await app.stop()).toBe(0);
    },
    60_000,
  );
});
