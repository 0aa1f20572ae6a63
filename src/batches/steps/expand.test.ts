import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { putUser } from '../../../test/harness/account-verbs.ts';
import { pause, until } from '../../../test/harness/awake.ts';
import {
  clearBatches,
  listBatchMessages,
  listBatchRows,
  spoilChunk,
} from '../../../test/harness/batch-verbs.ts';
import { batchRow, putBatch } from '../../../test/harness/batches.ts';
import { deliveryStore } from '../../../test/harness/delivery-store.ts';
import { listUsed } from '../../../test/harness/delivery-verbs.ts';
import { FaultyStore } from '../../../test/harness/faulty-store.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { readReason } from '../../foundation/sentences.ts';
import type { Store } from '../../storage/store.ts';
import { Expansion } from './expand.ts';

interface Line {
  readonly level: string;
  readonly message: string;
  readonly details: object;
}

eachStore('the expansion of batches', (engine) => {
  const given = deliveryStore(engine);
  const clock = { now: () => 5_000 };
  let running: Expansion[] = [];
  let lines: Line[] = [];
  let woken: number[] = [];
  let counted: (readonly [number, number])[] = [];

  beforeEach(async () => {
    lines = [];
    woken = [];
    counted = [];
    await given.store.write(clearBatches, null);
    await given.store.write(putUser, { id: 10, companyId: 1, username: 'first', roles: ['send'] });
  });
  afterEach(async () => {
    for (const expansion of running) await expansion.stop();
    running = [];
  });

  function start(store: Store = given.store, pollMs?: number): Expansion {
    const tell = (level: string) => (details: object, message: string) =>
      void lines.push({ level, details, message });
    const expansion = new Expansion({
      store,
      clock,
      log: { warn: tell('warn'), error: tell('error') },
      wakeCarrier: (id) => void woken.push(id),
      observer: { accepted: (messages, parts) => void counted.push([messages, parts]) },
      patienceMs: 0,
      ...(pollMs === undefined ? {} : { pollMs }),
    });
    expansion.start();
    running.push(expansion);
    return expansion;
  }

  const becomes = (id: number, code: number) =>
    vi.waitFor(async () => expect(await batchRow(given.store, id)).toMatchObject({ code, clearing: 0 }), {
      timeout: 100_000,
      interval: 20,
    });

  test('[BATCH-2] [BATCH-3] A starting node takes up batches of an earlier run, and wakes carriers after each chunk', async () => {
    await putBatch(given.store, { id: 1, carrierIds: [1, 2] });
    start();
    await becomes(1, 0);
    expect(woken.sort()).toEqual([1, 1, 1, 2, 2]);
    expect(lines).toEqual([]);
  });

  test('[RUN-4] Messages and parts of a batch are counted as they are made, each once', async () => {
    await putBatch(given.store, { id: 1, carrierIds: [1, 2], partsOfEach: 3 });
    const expansion = start();
    await becomes(1, 0);
    // By the time the expansion stops, it has reported everything that it stored.
    await expansion.stop();
    expect(counted.sort()).toEqual([
      [1, 3],
      [2, 6],
      [2, 6],
    ]);
  });

  test('[BATCH-2] Expansion of a batch begins at once when it is woken, and after a while when it is not', async () => {
    const store = new FaultyStore(given.store);
    const expansion = start(store, 3_600_000);
    // By then it has checked, found nothing, and waits for its next check.
    await until(() => store.calls.length > 0);
    await pause(100);
    await putBatch(given.store, { id: 1 });
    expansion.wake();
    await becomes(1, 0);
    await expansion.stop();
    start();
    await putBatch(given.store, { id: 2 });
    await becomes(2, 0);
  });

  test('[BATCH-3] Several nodes expand many batches at once, and each message is made once', async () => {
    const ids = Array.from({ length: 8 }, (_, index) => index + 1);
    for (const id of ids) await putBatch(given.store, { id, count: 9 });
    start();
    start(engine.name === 'postgres' ? await given.fresh.openAnother() : given.store);
    for (const id of ids) {
      await becomes(id, 0);
      expect(await given.store.read(listBatchMessages, id)).toHaveLength(9);
    }
    expect(lines).toEqual([]);
  });

  test('[BATCH-2] A stream of small batches does not keep a large one waiting, and the large one does not delay them', async () => {
    await putBatch(given.store, { id: 1, count: 40, chunkSize: 1 });
    start();
    let last = 1;
    let isDone = false;
    // Arrivals outpace the work, so there is always a batch that is less advanced than the large one.
    const stream = async () => {
      while (!isDone && last < 1_000) await putBatch(given.store, { id: ++last, count: 2, chunkSize: 1 });
    };
    const streams = Promise.all(Array.from({ length: 3 }, stream));
    await becomes(1, 0).finally(() => {
      isDone = true;
    });
    await streams;
    expect(last).toBeLessThan(1_000);
    const done = (await given.store.read(listBatchRows, null)).filter(({ id, code }) => id > 1 && code === 0);
    expect(done).not.toEqual([]);
  });

  test('[BATCH-5] A batch whose steps keep failing ends with code 10 and holds up no other', async () => {
    await putBatch(given.store, { id: 1 });
    await putBatch(given.store, { id: 2, count: 40 });
    await given.store.write(spoilChunk, { batchId: 1, chunk: 1 });
    start();
    await becomes(2, 0);
    await becomes(1, 10);
    const { reason } = await batchRow(given.store, 1);
    expect(readReason(reason ?? '').text).toMatch(/^a step failed 5 times: chunk 1 of 3 /);
    expect((await given.store.read(listBatchMessages, 1)).map(({ status }) => status)).toEqual([3, 3]);
    expect(lines.map(({ level }) => level)).toEqual(['warn', 'warn', 'warn', 'warn', 'error']);
    expect(lines.at(-1)).toMatchObject({
      details: { batch: 1 },
      message: expect.stringMatching(/unexpected/),
    });
    // The cost of the spoilt chunk is no longer known.
    expect((await given.store.read(listUsed, null))[0]?.used).toBe(42);
  });

  test('[BATCH-3] [DLV-7] In a store outage all batches wait and then go on, and none fails because of it', async () => {
    const faulty = new FaultyStore(given.store);
    await putBatch(given.store, { id: 1 });
    faulty.refuse('batches.advance', 3);
    faulty.loseAnswers('batches.advance', 2);
    faulty.refuse('batches.listUnderWay', 2);
    const expansion = start(faulty);
    const nudge = setInterval(() => expansion.wake(), 20);
    await becomes(1, 0).finally(() => clearInterval(nudge));
    expect(await given.store.read(listBatchMessages, 1)).toHaveLength(5);
    expect(new Set(lines.map(({ message }) => message))).toEqual(new Set(['batches wait for the store']));
  });

  test('[BATCH-3] [RUN-4] A stop ends expansion after the current step, and the next run goes on from there', async () => {
    await putBatch(given.store, { id: 1, count: 200, chunkSize: 1 });
    const expansion = start();
    await until(async () => (await given.store.read(listBatchMessages, 1)).length > 2);
    await expansion.stop();
    const made = (await given.store.read(listBatchMessages, 1)).length;
    expect(made).toBeLessThan(200);
    expect(await batchRow(given.store, 1)).toMatchObject({ code: 2, expanded: made });
    start();
    await becomes(1, 0);
    expect(await given.store.read(listBatchMessages, 1)).toHaveLength(200);
  });
});
