import { expect, test } from 'vitest';
import { deliveryStore } from '../../../test/harness/delivery-store.ts';
import { putMessages, putSimulator } from '../../../test/harness/delivery-verbs.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { lane, stage } from '../../messages/message.ts';
import {
  type BulkPage,
  type BulkPlace,
  beforeAllBulk,
  findWaitingBulk,
  type HeldMessages,
  listHeld,
} from './hold-store.ts';

eachStore('what waits in the bulk lane', (engine) => {
  const given = deliveryStore(engine);

  /** 90 messages of three companies on two carriers, many of them due at the same time. */
  const bulk = Array.from({ length: 90 }, (_, place) => ({
    id: 1 + ((place * 37) % 90),
    companyId: 1 + (place % 3),
    carrierId: 1 + (place % 2),
    lane: lane.bulk,
    dueAt: 1_000 * (1 + (place % 4)),
  }));

  test.each([1, 2, 7, 100])(
    '[BATCH-5] Waiting bulk messages are found in slices of %i, each message once',
    async (limit) => {
      await given.store.write(putSimulator, { id: 2 });
      await given.store.write(putMessages, [
        ...bulk,
        { id: 1_001, lane: lane.interactive },
        { id: 1_002, lane: lane.bulk, stage: stage.retrying },
      ]);
      const ids: number[] = [];
      let slices = 0;
      for (let after: BulkPlace | null = beforeAllBulk; after !== null; slices++) {
        const { found, next }: BulkPage = await given.store.read(findWaitingBulk, {
          companyIds: [1, 3],
          after,
          limit,
        });
        expect(found.length).toBeLessThanOrEqual(limit);
        ids.push(...found.map(({ id }) => id));
        after = next;
      }
      const wanted = bulk.filter(({ companyId }) => companyId !== 2).map(({ id }) => id);
      expect(ids.sort((a, b) => a - b)).toEqual(wanted.sort((a, b) => a - b));
      expect(slices).toBe(Math.floor(90 / limit) + 1);
    },
  );

  test('[BATCH-5] Held bulk messages are listed by carrier, time and company', async () => {
    await given.store.write(putSimulator, { id: 2 });
    await given.store.write(
      putMessages,
      bulk.map((message) => ({ ...message, stage: stage.scheduled })),
    );
    const listed = await given.store.read(listHeld, { after: null, limit: 100 });
    const keys = new Set(bulk.map(({ carrierId, dueAt, companyId }) => `${carrierId} ${dueAt} ${companyId}`));
    expect(listed.map(({ carrierId, dueAt, companyId }) => `${carrierId} ${dueAt} ${companyId}`)).toEqual(
      [...keys].sort(),
    );
    const inSlices: HeldMessages[] = [];
    for (let slice: readonly HeldMessages[] = listed; slice.length > 0; inSlices.push(...slice))
      slice = await given.store.read(listHeld, { after: inSlices.at(-1) ?? null, limit: 5 });
    expect(inSlices).toEqual(listed);
  });
});
