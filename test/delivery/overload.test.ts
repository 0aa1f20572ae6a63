import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { allMessages, expectBooksInOrder } from '../harness/delivery-books.ts';
import { eachEngine } from '../harness/engines.ts';
import { Load } from '../harness/load.ts';
import { query, sendOne } from '../harness/messaging.ts';

/** Slower by far than what comes in. */
const provisioning = standardProvisioning.replace(
  'submitDelayMs: 0, receiptDelayMs: 20',
  'throughput: 200, receiptDelayMs: 20',
);

function residentMiB(pid: number): number {
  const [, kibibytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) / 1_024;
}

eachEngine('a server under more load than it can take', (engine) => {
  let app: WholeApp | undefined;
  afterEach(() => app?.close());

  test('[DLV-8] refuses what it cannot take, keeps its memory bounded, answers in time, and goes on as if nothing had been', async () => {
    app = await startWholeApp({ engine, provisioning });
    const pid = app.pid as number;
    const load = new Load(app.baseUrl, alice, {
      connections: 150,
      recipientsPerRequest: 1_000,
      characters: [459],
    });
    load.start();
    let mostMiB = 0;
    const until = Date.now() + 3_000;
    while (Date.now() < until) {
      mostMiB = Math.max(mostMiB, residentMiB(pid));
      // Whoever watches over the server must not take it for dead.
      const askedAt = Date.now();
      expect((await fetch(`${app.baseUrl}/healthz`)).status).toBe(200);
      expect(Date.now() - askedAt).toBeLessThan(4_000);
      await delay(100);
    }
    await load.stop();
    expect(load.unanswered).toBe(0);
    for (const { status, retryAfter, code } of load.refusals) {
      expect(status).toBe(503);
      expect(code).toBe('overloaded');
      expect(Number(retryAfter)).toBeGreaterThan(0);
    }
    expect(mostMiB).toBeLessThan(900);
    load.latencies.sort((a, b) => a - b);
    expect(load.latencies.at(-1)).toBeLessThan(15_000);

    // What was acknowledged is there, and nothing else was counted.
    const [stored] = await query(app, 'SELECT COUNT(*) AS messages FROM messages');
    expect(Number(stored?.messages)).toBe(load.accepted.size);
    expect(load.accepted.size).toBeGreaterThan(2_000);
    await expectBooksInOrder(app, await allMessages(app));
    expect(app.pid).toBe(pid);
    const startedAt = Date.now();
    await sendOne(app.as(alice));
    expect(Date.now() - startedAt).toBeLessThan(1_000);
  }, 60_000);
});
