import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testRow } from '../../../test/harness/accepted-rows.ts';
import { deliveryStore, enterNodes, fillStore, range } from '../../../test/harness/delivery-store.ts';
import { clearDelivery, putMessages } from '../../../test/harness/delivery-verbs.ts';
import { describePostgres } from '../../../test/harness/engines.ts';
import { eachStore, openFreshStore } from '../../../test/harness/stores.ts';
import type { Store } from '../../storage/store.ts';
import { claimMessages } from '../dispatch/claim.ts';
import { toParts } from '../dispatch/in-flight.ts';
import { releaseOrphans } from '../dispatch/orphans.ts';
import type { Claimed } from '../handover.ts';
import { stage } from '../message.ts';
import { acceptMessages } from './accept.ts';

const long = 'x'.repeat(153 * 3);
const anna = '46701740601';

async function claim(store: Store, nodeId = 7, room = 1_000): Promise<readonly Claimed[]> {
  const answer = await store.write(claimMessages, { carrierId: 1, nodeId, room, bulkFloor: 0, now: 2_000 });
  return answer.messages;
}

/** Waiting messages without a reference. */
function waiting(ids: readonly number[], recipient = anna) {
  return ids.map((id) => ({ id, recipient, parts: 3, text: long }));
}

const referencesOf = (rows: readonly Claimed[]) =>
  new Map(rows.map((row) => [row.id, new Set(toParts(row).map(({ reference }) => reference))]));

eachStore('references of messages of several parts', (engine) => {
  const given = deliveryStore(engine);

  test('[DLV-4] All parts of a message have the same reference, whenever and wherever they are tried again', async () => {
    // If references were derived from ids alone, these two messages would have the same reference.
    await given.store.write(putMessages, waiting([1_000, 1_256]));
    const first = referencesOf(await claim(given.store));
    await given.store.write(releaseOrphans, { carrierId: 1, nodeId: 7, knownIds: [1_000], now: 3_000 });
    const store = await given.fresh.reopen();
    const again = referencesOf(await claim(store));
    expect(first.get(1_256)?.size).toBe(1);
    expect(again.get(1_256)).toEqual(first.get(1_256));
    expect(first.get(1_000)).not.toEqual(first.get(1_256));
  });

  test('[DLV-4] References differ in an octet for up to 256 messages to one phone, however these are sent', async () => {
    const steps = fc.array(
      fc.record({
        count: fc.integer({ min: 1, max: 60 }),
        gap: fc.constantFrom(0, 196, 256, 65_536),
        nodeId: fc.constantFrom(7, 8),
        shortWay: fc.boolean(),
      }),
      { minLength: 1, maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (some) => {
        await given.store.write(clearDelivery, null);
        await enterNodes(given.store);
        let nextId = 1_000;
        const seen = new Set<number>();
        let count = 0;
        for (const step of some) {
          const ids = range(nextId, nextId + step.count - 1);
          nextId += step.count + step.gap;
          count += step.count;
          const references = step.shortWay
            ? await acceptInFlight(ids, step.nodeId)
            : await claimed(ids, step.nodeId);
          for (const reference of references) seen.add(reference % 256);
        }
        expect(seen.size).toBe(count);
      }),
      { numRuns: 15 },
    );
  });

  async function claimed(ids: readonly number[], nodeId: number): Promise<readonly number[]> {
    await given.store.write(putMessages, waiting(ids));
    return (await claim(given.store, nodeId)).map(({ reference }) => reference as number);
  }

  /** Stores messages as `send` does when they skip the queue. */
  async function acceptInFlight(ids: readonly number[], nodeId: number): Promise<readonly number[]> {
    const outcome = await given.store.write(acceptMessages, {
      companyId: 1,
      userId: 10,
      parts: 3 * ids.length,
      costCenter: '',
      now: 1_000,
      month: '1970-01',
      idempotency: null,
      nodeId,
      rows: ids.map((id) =>
        testRow({
          id,
          recipient: anna,
          text: long,
          parts: 3,
          stage: stage.inFlight,
          attempts: 1,
          node_id: nodeId,
        }),
      ),
    });
    if (outcome.kind !== 'accepted') throw new Error(outcome.kind);
    return ids.map((id) => outcome.references?.get(id) as number);
  }

  test('[DLV-4] A message of one part has no reference', async () => {
    await given.store.write(putMessages, [{ id: 1 }]);
    expect(await claim(given.store)).toMatchObject([{ id: 1, reference: null }]);
  });
});

describePostgres('references of messages that go out from two nodes at once', () => {
  test('[DLV-4] [RUN-2] References of messages that two nodes send at once differ too, and the nodes do not deadlock', async () => {
    const fresh = await openFreshStore('postgres');
    try {
      await fillStore(fresh.store);
      const other = await fresh.openAnother();
      const phones = range(0, 39).map((index) => `467017406${String(index).padStart(2, '0')}`);
      await fresh.store.write(
        putMessages,
        phones.flatMap((phone, index) =>
          waiting(
            range(1, 20).map((n) => index + n * 256),
            phone,
          ),
        ),
      );
      const rows: (readonly Claimed[])[] = [];
      for (let last = 1; last > 0; ) {
        const both = await Promise.all([claim(fresh.store, 7, 90), claim(other, 8, 90)]);
        rows.push(...both);
        last = both.flat().length;
      }
      const byPhone = new Map(phones.map((phone) => [phone, new Set<number>()]));
      for (const { recipient, reference } of rows.flat())
        byPhone.get(recipient)?.add((reference as number) % 256);
      expect([...byPhone.values()].map(({ size }) => size)).toEqual(phones.map(() => 20));
    } finally {
      await fresh.dispose();
    }
  });
});
