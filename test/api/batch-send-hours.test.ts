/** Tests batches of a company that sends at certain hours only, as its users and the operator see them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { finalCode, jsonPath } from '../harness/batch-calls.ts';
import { query, recipient, sendOne, whenAllAre } from '../harness/messaging.ts';

const countPath = '/restsms/svcrest/batchstatuscount';
/** A batch of 300 takes this carrier longer than a test may take. */
const slowly = standardProvisioning.replace(
  'receiptDelayMs: 20 }',
  'receiptDelayMs: 20, throughput: 2, window: 1 }',
);

const time = (hour: number) => `"${String(hour % 24).padStart(2, '0')}:00"`;

/** Send hours that are over, and begin again in an hour at the earliest. */
function closed(batch: 'delay' | 'drop'): string {
  const hour = new Date().getUTCHours();
  return withHours(`{ from: ${time(hour + 2)}, to: ${time(hour + 3)}, zone: UTC, batch: ${batch} }`);
}

function withHours(hours: string): string {
  return slowly.replace('defaultSender: NordicCare', `defaultSender: NordicCare\n    sendHours: ${hours}`);
}

describe('a batch in line when the send hours end', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning: slowly });
  });
  afterAll(() => app?.close());

  const numbers = Array.from({ length: 300 }, (_, index) => ({ t: `4673${String(100_000 + index)}20` }));
  const inLine = async () => {
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

  test('[BATCH-5] With `delay` a batch in line when the send hours end waits for the next send hours, and the operator sees until when', async () => {
    const id = await inLine();
    expect((await app.apply(closed('delay'))).exitCode).toBe(0);
    // Messages that the carrier already has are still sent.
    await until(async () => (await at(id, waitingOrWithCarrier)) === 0);
    const held = await counts(id);
    expect(held.QUEUED).toBeGreaterThan(0);
    const others = [await sendOne(app.as(alice)), await sendOne(app.as(alice), { to: [recipient(1)] })];
    await whenAllAre(app.as(alice), others, 'DELIVERED');
    expect((await counts(id)).QUEUED).toBe(held.QUEUED);
    expect((await app.run('batch', id)).stdout).toMatch(
      /^waits +until 20.*:00:00Z, when its company’s send hours begin$/m,
    );
    expect((await app.apply(slowly)).exitCode).toBe(0);
    await until(async () => Number((await counts(id)).QUEUED) < Number(held.QUEUED));
    expect((await app.run('batch', id)).stdout).not.toContain('waits');
    expect((await app.as(alice).post(`/api/v1/batches/${id}/abort`)).status).toBe(200);
  });

  test('[BATCH-5] With `drop` the messages of a batch that are not with a carrier when the send hours end become DELETED', async () => {
    const id = await inLine();
    expect((await app.apply(closed('drop'))).exitCode).toBe(0);
    await until(async () => (await at(id, `${waitingOrWithCarrier}, 3`)) === 0);
    const { QUEUED, DELETED = 0, DELIVERED = 0, SENT = 0 } = await counts(id);
    expect([QUEUED, DELETED + DELIVERED + SENT]).toEqual([0, 300]);
    expect(DELETED).toBeGreaterThan(0);
    const late = await app.as(alice).post(jsonPath, { message: 'Hello', batch: numbers });
    expect(await finalCode(app.as(alice), late)).toBe(15);
  });
});
