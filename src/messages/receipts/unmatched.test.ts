/** Tests the pages and sums of receipts that belong to no message. */
import { beforeEach, expect, test } from 'vitest';
import { deliveryStore } from '../../../test/harness/delivery-store.ts';
import { putSimulator } from '../../../test/harness/delivery-verbs.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { keepUnreadable, listUnmatched, maxSummed, sumUnmatched, type UnmatchedPlace } from './unmatched.ts';

eachStore('receipts that belong to no message', (engine) => {
  const given = deliveryStore(engine);
  beforeEach(async () => {
    await given.store.write(putSimulator, { id: 2 });
  });

  const keep = (carrierId: number, text: string, receivedAt: number) =>
    given.store.write(keepUnreadable, { carrierId, text, receivedAt });

  async function pages(carrier: string | undefined, limit: number) {
    const found: string[] = [];
    let after: UnmatchedPlace | undefined;
    for (let more = true; more; ) {
      const { receipts, next } = await given.store.read(listUnmatched, { carrier, after, limit });
      expect(receipts.length).toBeLessThanOrEqual(limit);
      found.push(...receipts.map((one) => `${one.receivedAt} ${one.carrier} ${one.text}`));
      more = next !== null;
      after = next ?? undefined;
    }
    return found;
  }

  test('[PORT-11] [DLV-5] Operators page through receipts that match no message, latest first, even if many came in one millisecond', async () => {
    for (const text of ['a', 'b', 'c', 'd', 'e']) await keep(1, text, 5_000);
    await keep(2, 'x', 5_000);
    await keep(2, 'y', 9_000);
    await keep(1, 'z', 1_000);
    for (const limit of [1, 2, 3, 100]) {
      const found = await pages(undefined, limit);
      expect([limit, found.length, new Set(found).size]).toEqual([limit, 8, 8]);
      expect([found[0], found.at(-1)]).toEqual(['9000 carrier 2 y', '1000 carrier 1 z']);
      expect(await pages('carrier 2', limit)).toEqual(['9000 carrier 2 y', '5000 carrier 2 x']);
    }
    expect(await pages('carrier 9', 10)).toEqual([]);
  });

  test('[PORT-11] [DLV-5] Receipts that match no message are counted for each carrier that has any', async () => {
    expect(await given.store.read(sumUnmatched, null)).toEqual([]);
    await Promise.all(Array.from({ length: maxSummed + 5 }, (_, at) => keep(2, `${at}`, at)));
    await keep(1, 'z', 1_000);
    expect(await given.store.read(sumUnmatched, null)).toEqual([
      { carrier: 'carrier 1', receipts: 1, idRule: undefined },
      { carrier: 'carrier 2', receipts: maxSummed, idRule: undefined },
    ]);
  });
});
