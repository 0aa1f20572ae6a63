import { beforeEach, expect, test } from 'vitest';
import { fillStore } from '../../../test/harness/delivery-store.ts';
import { provisioningOf } from '../../../test/harness/provisioning.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { disableEndpoint, listQueued, moveQueue, tellOfJob } from '../../../test/harness/webhook-verbs.ts';
import type { Store } from '../../storage/store.ts';
import { listEndpoints } from '../management/administration-store.ts';
import { listPurgeable, purgeQueues } from './purge.ts';

const day = 86_400_000;
const now = 100 * day;
const maxEvents = 6;

eachStore('what is purged of the queues of webhooks', (engine) => {
  let store: Store;
  beforeEach(async () => {
    store = (await engine.openFreshStore()).store;
    await fillStore(store);
    await provision('{ id: desk, url: "https://a.example", events: [job.start] }');
  });

  const provision = (hook: string) =>
    provisioningOf(() => store).linesOf(`companies: [{ name: Company, webhooks: [${hook}] }]`);
  const tell = (count: number, at: number) =>
    store.write(tellOfJob, {
      events: Array.from({ length: count }, (_, place) => ({
        companyId: 1,
        systemUserId: 900,
        name: 'JOB_START' as const,
        runtimeId: place,
        at,
        body: {},
      })),
      now: at,
    });
  const purge = async () => {
    const logged: object[] = [];
    let lost = 0;
    const log = { error: (details: object) => logged.push(details) };
    await purgeQueues({
      store,
      log,
      clock: { now: () => now },
      maxEvents,
      lost: (count) => {
        lost += count;
      },
    });
    return { logged, lost };
  };
  const seqs = async () => (await store.read(listQueued, null)).map(({ seq }) => seq);
  const desk = async () => (await store.read(listEndpoints, { company: null, name: 'desk' }))[0];

  test('[HOOK-5] The purge removes webhook events posted a week ago, and none that are newer or were not posted', async () => {
    await tell(3, now - 8 * day);
    await tell(2, now - 6 * day);
    await store.write(moveQueue, { name: 'desk', doneSeq: 2, lastSeq: 5 });
    expect(await purge()).toEqual({ logged: [], lost: 0 });
    expect(await seqs()).toEqual([3, 4, 5]);
    expect(await store.read(listPurgeable, { before: now - 7 * day, maxEvents })).toEqual([]);
    await store.write(moveQueue, { name: 'desk', doneSeq: 5, lastSeq: 5 });
    await purge();
    expect(await seqs()).toEqual([4, 5]);
  });

  test('[HOOK-4] A webhook’s queue keeps a limited number of events that are not taken, and counts and reports the events it loses', async () => {
    await tell(10, now);
    await store.write(moveQueue, { name: 'desk', doneSeq: 1, lastSeq: 10 });
    const { logged, lost } = await purge();
    expect(await seqs()).toEqual([5, 6, 7, 8, 9, 10]);
    // The first event was accepted, so it is not lost.
    expect(lost).toBe(3);
    expect(logged).toEqual([{ endpointId: (await desk())?.id, lost: 3 }]);
    expect(await desk()).toMatchObject({ lost: 3, doneSeq: 4 });
    expect(await purge()).toEqual({ logged: [], lost: 0 });
  });

  test('[HOOK-4] Events missed while a webhook was disabled take no room from those that are kept', async () => {
    await tell(5, now);
    await store.write(disableEndpoint, 'desk');
    await tell(20, now);
    expect(await desk()).toMatchObject({ lastSeq: 25, lost: 20 });
    expect(await purge()).toEqual({ logged: [], lost: 0 });
    expect(await seqs()).toEqual([1, 2, 3, 4, 5]);
  });

  test('[HOOK-5] The purge leaves no rows of a webhook endpoint that was removed', async () => {
    await tell(2_500, now);
    await provision('{ id: desk, remove: true }');
    expect(await store.read(listPurgeable, { before: 0, maxEvents })).toMatchObject([{ isGone: true }]);
    expect(await purge()).toEqual({ logged: [], lost: 0 });
    expect(await store.read(listPurgeable, { before: now, maxEvents })).toEqual([]);
  });
});
