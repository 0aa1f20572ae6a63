/** Batches of a company that sends at certain hours only, as its users and the operator see them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { finalCode, jsonPath } from '../harness/batch-calls.ts';
import { eachEngine } from '../harness/engines.ts';
import { query } from '../harness/messaging.ts';

const countPath = '/restsms/svcrest/batchstatuscount';
const slowly = standardProvisioning.replace(
  'receiptDelayMs: 20 }',
  'receiptDelayMs: 20, throughput: 10, window: 10 }',
);

const time = (hour: number) => `"${String(hour % 24).padStart(2, '0')}:00"`;

/** Hours that are over, and whose next begin in an hour at the least. */
function closed(batch: 'delay' | 'drop'): string {
  const hour = new Date().getUTCHours();
  return withHours(`{ from: ${time(hour + 2)}, to: ${time(hour + 3)}, zone: UTC, batch: ${batch} }`);
}

function withHours(hours: string): string {
  return slowly.replace('defaultSender: NordicCare', `defaultSender: NordicCare\n    sendHours: ${hours}`);
}

eachEngine('a batch in line when the send hours end', (engine) => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine, provisioning: slowly });
  });
  afterAll(() => app?.close());

  const numbers = Array.from({ length: 300 }, (_, index) => ({ t: `4673${String(100_000 + index)}20` }));
  const inLine = async () => {
    expect((await app.apply(slowly)).exitCode).toBe(0);
    const sent = await app.as(alice).post(jsonPath, { message: 'Hello', batch: numbers });
    expect(await finalCode(app.as(alice), sent)).toBe(0);
    return sent.body.batchid as string;
  };
  const counts = async (batchid: string) =>
    (await app.as(alice).post(countPath, { batchid })).body.statuses[0].counts as Record<string, number>;
  const at = async (batchid: string, stages: string) => {
    const asked = `SELECT count(*) AS messages FROM messages WHERE batch_id = ${batchid} AND stage IN (${stages})`;
    return Number((await query(app, asked))[0]?.messages);
  };
  const waitingOrWithCarrier = '0, 1, 4';

  test('[BATCH-5] with `delay` none goes any more, until they begin; the operator sees until when', async () => {
    const id = await inLine();
    expect((await app.apply(closed('delay'))).exitCode).toBe(0);
    // What the carrier had by then is a few seconds’ worth.
    await expect.poll(() => at(id, waitingOrWithCarrier), { timeout: 40_000 }).toBe(0);
    const held = await counts(id);
    expect(held.QUEUED).toBeGreaterThan(50);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect((await counts(id)).QUEUED).toBe(held.QUEUED);
    expect((await app.run('batch', id)).stdout).toMatch(
      /^waits +until 20.*:00:00Z: its company sends from then on$/m,
    );
    expect((await app.apply(slowly)).exitCode).toBe(0);
    await expect
      .poll(async () => (await counts(id)).QUEUED, { timeout: 40_000 })
      .toBeLessThan(held.QUEUED ?? 0);
    expect((await app.run('batch', id)).stdout).not.toContain('waits');
    expect((await app.run('batch', 'abort', id)).exitCode).toBe(0);
  });

  test('[BATCH-5] with `drop` what no carrier has is DELETED', async () => {
    const id = await inLine();
    expect((await app.apply(closed('drop'))).exitCode).toBe(0);
    await expect.poll(() => at(id, `${waitingOrWithCarrier}, 3`), { timeout: 40_000 }).toBe(0);
    const { QUEUED, DELETED = 0, DELIVERED = 0, SENT = 0 } = await counts(id);
    expect([QUEUED, DELETED + DELIVERED + SENT]).toEqual([0, 300]);
    expect(DELETED).toBeGreaterThan(50);
    const late = await app.as(alice).post(jsonPath, { message: 'Hello', batch: numbers });
    expect(await finalCode(app.as(alice), late)).toBe(15);
  });
});
