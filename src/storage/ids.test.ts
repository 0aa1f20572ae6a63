import { beforeAll, expect, test } from 'vitest';
import { eachStore, type FreshStore } from '../../test/harness/stores.ts';
import { Ids, leaseIds, oldestBlockMs } from './ids.ts';
import type { Store } from './store.ts';

async function drawMany(ids: Ids, counts: readonly number[]): Promise<number[]> {
  const drawn = await Promise.all(counts.map(async (count) => ({ count, first: await ids.draw(count) })));
  return drawn.flatMap(({ count, first }) => Array.from({ length: count }, (_, index) => first + index));
}

/** Numbers of ids as callers request them: mostly few, sometimes more than a block holds. */
function counts(howMany: number): number[] {
  return Array.from({ length: howMany }, (_, index) => (index % 50 === 49 ? 250 : 1 + (index % 7)));
}

eachStore('ids', (engine) => {
  let fresh: FreshStore;
  beforeAll(async () => {
    fresh = await engine.openFreshStore();
  });

  test('[CONV-9] Ids begin where their kind begins, and each block follows the one before it', async () => {
    const { store } = fresh;
    expect(await store.write(leaseIds, { kind: 'company', size: 10 })).toBe(1_001);
    expect(await store.write(leaseIds, { kind: 'company', size: 1 })).toBe(1_011);
    expect(await store.write(leaseIds, { kind: 'company', size: 1 })).toBe(1_012);
    expect(await store.write(leaseIds, { kind: 'apiKey', size: 3 })).toBe(1);
  });

  test('[CONV-9] Many callers that draw few ids or more than a block at once get no id twice, and all are JSON numbers', async () => {
    const { store } = fresh;
    const ids = new Ids(store, 'message', 100);
    const asked = counts(400);
    const drawn = await drawMany(ids, asked);
    expect(drawn.length).toBe(asked.reduce((sum, count) => sum + count, 0));
    expect(new Set(drawn).size).toBe(drawn.length);
    expect(Math.min(...drawn)).toBeGreaterThanOrEqual(1_000_000_001);
    expect(drawn.every(Number.isSafeInteger)).toBe(true);
  });

  test('[CONV-9] [RUN-2] Two nodes, with a restart in between, draw no id twice', async () => {
    const { openAnother, reopen, store } = fresh;
    const another = await openAnother();
    const draw = (from: Store) => drawMany(new Ids(from, 'incoming', 64), counts(120));
    const drawn = (await Promise.all([draw(store), draw(another), draw(another)])).flat();
    drawn.push(...(await draw(await reopen())));
    expect(new Set(drawn).size).toBe(drawn.length);
  });

  test('[CONV-9] Within a block ids come at once and ascend, and the next block is leased before it is needed', async () => {
    const { store } = fresh;
    const ids = new Ids(store, 'carrier', 100);
    const first = await ids.draw(1);
    for (let index = 1; index < 80; index++) expect(ids.draw(1)).toBe(first + index);
    await store.write(leaseIds, { kind: 'node', size: 1 });
    for (let index = 80; index < 100; index++) expect(ids.draw(1)).toBe(first + index);
    expect(await ids.draw(1)).toBe(first + 100);
  });

  test('[PORT-4] A block of ids is given up when it is too old, even one leased in advance, so that ids are in the order of days', async () => {
    const { store } = fresh;
    let now = 0;
    const ids = new Ids(store, 'batch', 100, { now: () => now });
    const first = await ids.draw(1);
    for (let index = 1; index < 80; index++) expect(ids.draw(1)).toBe(first + index);
    now = oldestBlockMs;
    expect(ids.draw(1)).toBe(first + 80);
    const ofOthers = await store.write(leaseIds, { kind: 'batch', size: 1 });
    now += 1;
    expect(await ids.draw(1)).toBeGreaterThan(ofOthers);
  });

  test('[CONV-12] A caller that draws very many ids leaves the block to those that draw few', async () => {
    const { store } = fresh;
    const ids = new Ids(store, 'tag', 160);
    const first = await ids.draw(1);
    const [many, more] = await Promise.all([ids.draw(100), ids.draw(1_000)]);
    expect([many, more].every((start) => start >= first + 160)).toBe(true);
    for (let index = 1; index <= 100; index++) expect(ids.draw(1)).toBe(first + index);
  });

  test('[DLV-7] A failed lease of ids is reported to those who waited, and the next draw leases again', async () => {
    const { openAnother } = fresh;
    const closed = await openAnother();
    const reliable = await openAnother();
    let store = closed;
    // Not a mock, but a switch that leads first to a closed store and then to an open one.
    const door = { write: (verb, input) => store.write(verb, input) } as Pick<Store, 'write'> as Store;
    const ids = new Ids(door, 'user', 10);
    await closed.close();
    await expect((async () => ids.draw(1))()).rejects.toMatchObject({ code: 'store_unavailable' });
    store = reliable;
    expect(await ids.draw(1)).toBeGreaterThanOrEqual(10_001);
  });
});
