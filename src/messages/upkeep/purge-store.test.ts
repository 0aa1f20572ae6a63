import { expect, test } from 'vitest';
import { deliveryStore, range } from '../../../test/harness/delivery-store.ts';
import { listMessages, listParts, putMessages, putParts } from '../../../test/harness/delivery-verbs.ts';
import { purgeOnce } from '../../../test/harness/purge-once.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { charge, stage, status } from '../message.ts';
import { keepUnreadable } from '../receipts/unmatched.ts';
import { agedMessages, type PurgeStep, purgeMessages } from './purge.ts';

eachStore('the purge', (engine) => {
  const given = deliveryStore(engine);
  const day = 24 * 60 * 60 * 1_000;
  const ended = { status: status.DELIVERED, stage: null, charge: charge.due, attempts: 1 };

  async function purgeAll(limit: number): Promise<number> {
    let step: PurgeStep = { purged: 0, idsSinceOld: 0, nextAfterId: 0 };
    let purged = 0;
    while (step.nextAfterId !== null) {
      step = await given.store.write(purgeMessages, {
        companyId: 1,
        afterId: step.nextAfterId,
        idsSinceOld: step.idsSinceOld,
        createdBefore: 100 * day,
        limit,
      });
      purged += step.purged;
    }
    return purged;
  }

  async function idsLeft(): Promise<number[]> {
    return (await given.store.read(listMessages, null)).map(({ id }) => id);
  }

  test('[RUN-6] The purge removes messages that have ended and are older than the retention, with their parts', async () => {
    await given.store.write(putMessages, [
      ...range(1, 7).map((id) => ({ id, ...ended, createdAt: 99 * day })),
      ...range(8, 10).map((id) => ({ id, ...ended, createdAt: 100 * day })),
      { id: 11, ...ended, createdAt: 99 * day, companyId: 2 },
    ]);
    await given.store.write(
      putParts,
      range(1, 10).map((messageId) => ({ messageId, carrierMessageId: `c${messageId}` })),
    );
    expect(await purgeAll(3)).toBe(7);
    expect(await idsLeft()).toEqual([8, 9, 10, 11]);
    expect((await given.store.read(listParts, null)).map((part) => part.message_id)).toEqual([8, 9, 10]);
  });

  test('[RUN-6] The purge never removes a message that has not ended, however old it is', async () => {
    const stages = [stage.waiting, stage.inFlight, stage.awaitingReceipt, stage.scheduled, stage.retrying];
    await given.store.write(putMessages, [
      ...stages.map((one, index) => ({ id: index + 1, stage: one, createdAt: 1 * day })),
      { id: 6, ...ended, createdAt: 1 * day },
    ]);
    expect(await purgeAll(2)).toBe(1);
    expect(await idsLeft()).toEqual([1, 2, 3, 4, 5]);
  });

  test('[RUN-6] The purge finds old messages behind young ones, as when a slow node uses an old block of ids', async () => {
    await given.store.write(putMessages, [
      ...range(1, 20).map((id) => ({ id, ...ended, createdAt: 200 * day })),
      ...range(10_001, 10_030).map((id) => ({ id, ...ended, createdAt: 50 * day })),
      ...range(20_001, 20_010).map((id) => ({ id, ...ended, createdAt: 200 * day })),
      ...range(30_001, 30_005).map((id) => ({ id, ...ended, createdAt: 50 * day })),
    ]);
    expect(await purgeAll(5)).toBe(35);
    expect(await idsLeft()).toEqual([...range(1, 20), ...range(20_001, 20_010)]);
  });

  test('[RUN-6] The purge finds old messages behind the ids of removed batches, with young ones in between', async () => {
    const young = { ...ended, createdAt: 200 * day };
    const islands = range(1, 12).flatMap((island) =>
      range(1, 3).map((id) => ({ id: island * 500_000 + id, ...young })),
    );
    await given.store.write(putMessages, [
      ...islands,
      { id: 7_000_000, ...ended, createdAt: 50 * day },
      { id: 7_500_000, ...young },
      { id: 8_000_001, ...ended, createdAt: 50 * day },
    ]);
    expect(await purgeAll(2)).toBe(2);
    expect(await idsLeft()).toEqual([...islands.map(({ id }) => id), 7_500_000]);
  });

  test('[RUN-6] The purge does not walk through all young messages', async () => {
    const far = range(0, 300).map((step) => 1 + step * 50_000);
    await given.store.write(
      putMessages,
      far.map((id) => ({ id, ...ended, createdAt: 200 * day })),
    );
    let steps = 0;
    let step: PurgeStep = { purged: 0, idsSinceOld: 0, nextAfterId: 0 };
    while (step.nextAfterId !== null) {
      steps += 1;
      const { nextAfterId: afterId, idsSinceOld } = step;
      step = await given.store.write(purgeMessages, {
        companyId: 1,
        afterId,
        idsSinceOld,
        createdBefore: 100 * day,
        limit: 1,
      });
    }
    expect(steps).toBeLessThan(110);
    expect(await idsLeft()).toHaveLength(far.length);
  });

  test('[RUN-6] The purge also removes old unmatched and unreadable receipts', async () => {
    for (const receivedAt of [99 * day, 101 * day]) {
      await given.store.write(keepUnreadable, { carrierId: 1, text: 'It is there.', receivedAt });
    }
    const times = { before: 100 * day, now: 120 * day };
    expect(await purgeOnce(given.store, agedMessages, times)).toBe(1);
    expect(await purgeOnce(given.store, agedMessages, times)).toBe(0);
  });

  test('[RUN-6] [PORT-7] The purge keeps unmatched and unreadable receipts for a month at most, however long messages are kept', async () => {
    for (const receivedAt of [169 * day, 171 * day])
      await given.store.write(keepUnreadable, { carrierId: 1, text: 'It is there.', receivedAt });
    const times = { before: 100 * day, now: 200 * day };
    expect(await purgeOnce(given.store, agedMessages, times)).toBe(1);
  });
});
