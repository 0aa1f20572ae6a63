import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deliveryStore, enterNodes, findMessage, range } from '../../../test/harness/delivery-store.ts';
import {
  clearDelivery,
  listMessages,
  listParked,
  listParts,
  listUnmatched,
  putMessages,
  putParts,
} from '../../../test/harness/delivery-verbs.ts';
import { expectLinearTime } from '../../../test/harness/linear-time.ts';
import { awaiting, inFlight, receipt, sweep } from '../../../test/harness/numbered-receipts.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { recordOutcomes } from '../dispatch/store.ts';
import { combineParts, status } from '../message.ts';
import { giveUpReceipts } from '../upkeep/due-store.ts';
import { parkedWorthMs, type StoredReceipt } from './receipt.ts';
import { retryParkedReceipts } from './retry-store.ts';
import { recordReceipts } from './store.ts';

eachStore('receipts that carriers number', (engine) => {
  const given = deliveryStore(engine);
  const tell = (...receipts: readonly StoredReceipt[]) => given.store.write(recordReceipts, receipts);

  test('[DLV-5] A receipt whose id the carrier gave several times is for the newest message', async () => {
    await given.store.write(putMessages, [
      { id: 5, ...awaiting },
      { id: 3, ...awaiting },
      { id: 4, ...awaiting },
    ]);
    await given.store.write(putParts, [
      { messageId: 5, carrierMessageId: 'again' },
      { messageId: 3, carrierMessageId: 'again' },
      { messageId: 4, carrierMessageId: 'again' },
    ]);
    await tell(receipt('again', status.DELIVERED));
    expect((await findMessage(given.store, 5)).status).toBe(status.DELIVERED);
    expect((await findMessage(given.store, 4)).status).toBe(status.SENT);
    expect((await findMessage(given.store, 3)).status).toBe(status.SENT);
  });

  test('[DLV-5] Receipts with the same id are told apart by their carriers', async () => {
    await given.store.write(putMessages, [
      { id: 1, ...awaiting },
      { id: 2, ...awaiting, carrierId: 2 },
    ]);
    await given.store.write(putParts, [
      { messageId: 1, carrierMessageId: 'same' },
      { messageId: 2, carrierMessageId: 'same', carrierId: 2 },
    ]);
    await tell(receipt('same', status.UNDELIVERABLE));
    expect((await findMessage(given.store, 1)).status).toBe(status.UNDELIVERABLE);
    expect((await findMessage(given.store, 2)).status).toBe(status.SENT);
  });

  test('[DLV-5] A receipt that was parked several times changes its message once', async () => {
    const early = receipt('c1', status.DELIVERED);
    const outcome = await inFlight(given.store, 1);
    await tell(early, early);
    await tell(early);
    await given.store.write(recordOutcomes, outcome);
    expect(await findMessage(given.store, 1)).toMatchObject({ status: status.DELIVERED, version: 3 });
    await given.store.write(retryParkedReceipts, { now: 2_000 + parkedWorthMs, limit: 100 });
    expect(await given.store.read(listParked, null)).toEqual([]);
    expect(await given.store.read(listUnmatched, null)).toEqual([]);
  });

  test('[DLV-5] Early receipts that say the same of two parts with one id count as two', async () => {
    const outcome = await inFlight(given.store, 2);
    const early = receipt('same', status.DELIVERED);
    await tell(early, early);
    const taken = outcome.taken.map((part) => ({ ...part, carrierMessageId: 'same' }));
    await given.store.write(recordOutcomes, { ...outcome, taken });
    expect((await findMessage(given.store, 1)).status).toBe(status.DELIVERED);
  });

  test('[DLV-5] Several receipts for each of many messages, of one part or many, are recorded in one set', async () => {
    const singles = range(1, 60);
    const multiparts = range(101, 140);
    await given.store.write(putMessages, [
      ...singles.map((id) => ({ id, ...awaiting })),
      ...multiparts.map((id) => ({ id, ...awaiting, parts: 3 })),
    ]);
    await given.store.write(putParts, [
      ...singles.map((id) => ({ messageId: id, carrierMessageId: `${id}/1` })),
      ...multiparts.flatMap((id) =>
        range(1, 3).map((part) => ({ messageId: id, part, parts: 3, carrierMessageId: `${id}/${part}` })),
      ),
    ]);
    const receipts = range(1, 3).flatMap((part) => [
      ...multiparts.map((id) => receipt(`${id}/${part}`, status.ACCEPTED)),
      ...multiparts.map((id) => receipt(`${id}/${part}`, id === 120 && part === 2 ? 6 : status.DELIVERED)),
      ...singles.map((id) =>
        receipt(`${id}/1`, part === 1 ? status.ACCEPTED : status.DELIVERED, 2_000 + part),
      ),
    ]);
    await tell(...receipts);
    for (const id of singles) {
      expect(await findMessage(given.store, id)).toMatchObject({
        status: status.DELIVERED,
        version: 3,
        changed_at: 2_002,
      });
    }
    for (const id of multiparts) {
      const end = id === 120 ? status.UNDELIVERABLE : status.DELIVERED;
      expect((await findMessage(given.store, id)).status).toBe(end);
    }
  });

  test('[DLV-8] Recording one set for the longest messages takes a time that grows only with their parts', async () => {
    let id = 0;
    const tellAll = async (parts: number) => {
      const longest = range(id + 1, id + 10);
      id += 10;
      await given.store.write(
        putMessages,
        longest.map((one) => ({ id: one, ...awaiting, parts })),
      );
      const all = longest.flatMap((messageId) =>
        range(1, parts).map((part) => ({ messageId, part, parts, carrierMessageId: `${messageId}/${part}` })),
      );
      await given.store.write(putParts, all);
      await tell(...all.map(({ carrierMessageId }) => receipt(carrierMessageId, status.DELIVERED)));
      const rows = await given.store.read(listMessages, null);
      expect(rows.filter((row) => row.status === status.DELIVERED)).toHaveLength(id);
    };
    // PostgreSQL works in another process, so on PostgreSQL this only shows that the receipts are processed.
    await expectLinearTime(tellAll, { from: 25, times: 10 });
  });
});

eachStore('receipts and the record of what they are for', (engine) => {
  const given = deliveryStore(engine);
  const tell = (...receipts: readonly StoredReceipt[]) => given.store.write(recordReceipts, receipts);

  test('[DLV-5] [STAT-7] In whatever order and sets receipts and outcomes come, the final status is that of the parts', async () => {
    const codes = fc.constantFrom(status.DELIVERED, status.ACCEPTED, status.UNKNOWN, status.UNDELIVERABLE);
    const scene = fc.record({
      codes: fc.array(codes, { minLength: 1, maxLength: 4 }),
      /** For each part, whether its receipt arrives before the submission is recorded. */
      early: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
      together: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(scene, async ({ codes: reported, early, together }) => {
        await given.store.write(clearDelivery, null);
        await enterNodes(given.store);
        const record = await inFlight(given.store, reported.length);
        const receipts = reported.map((code, index) => receipt(`c${index + 1}`, code, 2_000 + index));
        for (const one of receipts.filter((_, index) => early[index])) await tell(one);
        const late = receipts.filter((_, index) => !early[index]);
        // Whether both run at the same time, and may share a transaction or not.
        if (together)
          await Promise.all([given.store.write(recordOutcomes, record), ...late.map((one) => tell(one))]);
        else {
          await given.store.write(recordOutcomes, record);
          for (const one of late) await tell(one);
        }
        while ((await given.store.write(retryParkedReceipts, sweep)).tried > 0);
        expect((await findMessage(given.store, 1)).status).toBe(combineParts(reported));
        expect(await given.store.read(listParked, null)).toEqual([]);
        const parts = await given.store.read(listParts, null);
        // The only part of a message has no separate status.
        if (reported.length > 1) expect(parts.map((part) => part.status)).toEqual(reported);
      }),
      { numRuns: 40 },
    );
  });

  test('[DLV-5] The sweep finds receipts and answers that missed each other in concurrent transactions', async () => {
    await given.store.write(putMessages, [{ id: 1, ...awaiting }]);
    await tell(receipt('c1', status.ACCEPTED, 2_001), receipt('c1', status.DELIVERED, 2_002));
    await tell(receipt('c9', status.DELIVERED));
    await given.store.write(putParts, [{ messageId: 1, carrierMessageId: 'c1' }]);
    await given.store.write(retryParkedReceipts, sweep);
    expect(await findMessage(given.store, 1)).toMatchObject({
      status: status.DELIVERED,
      changed_at: 2_002,
      version: 3,
    });
    expect((await given.store.read(listParked, null)).map(({ id }) => id)).toEqual(['c9']);
    expect(await given.store.write(retryParkedReceipts, sweep)).toMatchObject({ tried: 0 });
  });

  test('[DLV-5] The sweep does not apply receipts parked long ago, as a reused id could lead to the wrong message', async () => {
    await given.store.write(putMessages, [{ id: 1, ...awaiting }]);
    await tell(receipt('c1', status.UNDELIVERABLE, 1_000));
    await given.store.write(putParts, [{ messageId: 1, carrierMessageId: 'c1' }]);
    await given.store.write(retryParkedReceipts, { now: 24 * 60 * 60 * 1_000, limit: 100 });
    expect((await findMessage(given.store, 1)).status).toBe(status.SENT);
  });

  test('[STAT-6] A message that our timer made EXPIRED may still become DELIVERED, even one of several parts', async () => {
    await given.store.write(putMessages, [
      { id: 1, ...awaiting },
      { id: 2, ...awaiting, parts: 2 },
    ]);
    await given.store.write(putParts, [
      { messageId: 1, carrierMessageId: 'one' },
      { messageId: 2, part: 1, parts: 2, carrierMessageId: 'two/1' },
      { messageId: 2, part: 2, parts: 2, carrierMessageId: 'two/2' },
    ]);
    await given.store.write(giveUpReceipts, { now: 9_500, limit: 10 });
    for (const id of [1, 2]) {
      expect(await findMessage(given.store, id)).toMatchObject({
        status: status.EXPIRED,
        expired_by_timer: 1,
        stage: null,
        changed_at: 9_500,
      });
    }
    await tell(receipt('one', status.DELIVERED, 9_600), receipt('two/1', status.DELIVERED, 9_600));
    expect(await findMessage(given.store, 1)).toMatchObject({
      status: status.DELIVERED,
      expired_by_timer: 0,
    });
    expect((await findMessage(given.store, 2)).status).toBe(status.EXPIRED);
    await tell(receipt('two/2', status.DELIVERED, 9_700));
    expect(await findMessage(given.store, 2)).toMatchObject({ status: status.DELIVERED, changed_at: 9_700 });
    await tell(receipt('one', status.UNDELIVERABLE), receipt('one', status.EXPIRED));
    expect((await findMessage(given.store, 1)).status).toBe(status.DELIVERED);
  });
});
