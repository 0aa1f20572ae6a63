import { expect, test } from 'vitest';
import { deliveryStore, findMessage, idsOf, range } from '../../../test/harness/delivery-store.ts';
import {
  analyse,
  claimWatched,
  listMessages,
  putMessages,
  putSimulator,
} from '../../../test/harness/delivery-verbs.ts';
import { claim, part, record, sent } from '../../../test/harness/outcomes.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import type { Store } from '../../storage/store.ts';
import { lane, stage, status } from '../message.ts';
import { endNode } from '../nodes/store.ts';
import { type ClaimInput, claimMessages } from './claim.ts';
import { releaseOrphans } from './orphans.ts';
import { recordOutcomes } from './store.ts';

eachStore('a claim', (engine) => {
  const given = deliveryStore(engine);
  const take = async (more: Partial<ClaimInput> = {}) =>
    (await given.store.write(claimMessages, { ...claim, ...more })).messages;

  test('[DLV-1] A claim takes what waits for the carrier, the longest due first, no more than requested, and marks it as in flight', async () => {
    await given.store.write(putMessages, [
      { id: 1, dueAt: 3_000 },
      { id: 2, dueAt: 1_000 },
      { id: 3, dueAt: 2_000 },
      { id: 4, carrierId: 2 },
      { id: 5, stage: stage.scheduled, dueAt: 1 },
      { id: 6, stage: stage.retrying, dueAt: 1 },
      { id: 7, stage: stage.awaitingReceipt, status: status.SENT },
      { id: 8, stage: null, status: status.DELIVERED },
      { id: 9, stage: stage.inFlight, nodeId: 8 },
    ]);
    expect(idsOf(await take({ room: 2 }))).toEqual([2, 3]);
    expect(idsOf(await take())).toEqual([1]);
    expect(await take()).toEqual([]);
    expect(await findMessage(given.store, 2)).toMatchObject({
      stage: stage.inFlight,
      node_id: 7,
      attempts: 1,
      status: status.QUEUED,
      version: 1,
      due_at: 5_000,
    });
  });

  test('[RUN-2] A claim by a node that was taken for dead gets nothing', async () => {
    await given.store.write(putMessages, [{ id: 1 }]);
    await given.store.write(endNode, { id: 7, beat: 0, ended: 0 });
    expect(await take()).toEqual([]);
    expect(idsOf(await take({ nodeId: 8 }))).toEqual([1]);
    expect(await take({ nodeId: 99 })).toEqual([]);
  });

  test('[BATCH-9] A claim takes interactive messages first, and leaves bulk its minimum share', async () => {
    const bulk = range(1, 30).map((id) => ({ id, lane: lane.bulk, dueAt: 100 + id }));
    const interactive = range(101, 130).map((id) => ({ id, dueAt: 2_000 + id }));
    await given.store.write(putMessages, [...bulk, ...interactive]);
    const taken = idsOf(await take({ room: 10, bulkFloor: 2 }));
    expect(taken).toEqual([...range(101, 108), 1, 2]);
    expect(idsOf(await take({ room: 10, bulkFloor: 0 }))).toEqual(range(109, 118));
  });

  test('[BATCH-9] A claim leaves no room unused: bulk takes what interactive messages do not need, and the other way round', async () => {
    await given.store.write(putMessages, [
      ...range(1, 20).map((id) => ({ id, lane: lane.bulk, dueAt: 1_000 + id })),
      ...range(101, 103).map((id) => ({ id, dueAt: 1_000 + id })),
    ]);
    expect(idsOf(await take({ room: 10, bulkFloor: 1 }))).toEqual([...range(101, 103), ...range(1, 7)]);
    await given.store.write(
      putMessages,
      range(201, 230).map((id) => ({ id, dueAt: 1_000 + id })),
    );
    expect(idsOf(await take({ room: 20, bulkFloor: 15 }))).toEqual([...range(201, 207), ...range(8, 20)]);
  });

  test('[BATCH-9] [DLV-1] A claim counts parts, ends with the message that fills its room, and leaves the others as they are', async () => {
    const parts = [2, 3, 4, 1, 1, 200, 1];
    await given.store.write(
      putMessages,
      parts.map((count, index) => ({ id: index + 1, parts: count, dueAt: 1_000 + index })),
    );
    expect(idsOf(await take({ room: 6 }))).toEqual([1, 2, 3]);
    for (const id of [4, 5, 6, 7])
      expect(await findMessage(given.store, id)).toMatchObject({
        stage: stage.waiting,
        attempts: 0,
        node_id: null,
      });
    // The room is exactly filled, so nothing more is claimed even if many are due at the same moment.
    expect(idsOf(await take({ room: 2 }))).toEqual([4, 5]);
    // The message is larger than the largest possible room, so it goes alone.
    expect(idsOf(await take({ room: 1 }))).toEqual([6]);
    expect(idsOf(await take({ room: 1 }))).toEqual([7]);
    await given.store.write(
      putMessages,
      range(11, 40).map((id) => ({ id, parts: 5 })),
    );
    expect(await take({ room: 100 })).toHaveLength(20);
    expect(await take({ room: 100 })).toHaveLength(10);
  });

  test('[BATCH-9] A claim counts the minimum share of bulk in parts, and returns what bulk got through it', async () => {
    const bulk = range(1, 30).map((id) => ({ id, lane: lane.bulk, parts: 4, dueAt: 100 + id }));
    await given.store.write(putMessages, [
      ...bulk,
      ...range(101, 130).map((id) => ({ id, parts: 2, dueAt: 2_000 + id })),
    ]);
    const answer = await given.store.write(claimMessages, { ...claim, room: 20, bulkFloor: 5 });
    expect(idsOf(answer.messages)).toEqual([...range(101, 106), 1, 2]);
    expect(answer.floorParts).toBe(8);
    // A floor that uses up all the room leaves none to interactive messages this time.
    expect(idsOf(await take({ room: 3, bulkFloor: 1 }))).toEqual([3]);
    expect(idsOf(await take({ room: 60 }))).toEqual([...range(107, 130), 4, 5, 6]);
  });

  test('[DLV-2] [DLV-4] A claim counts texts taken whole as one message, and their SMS too if the throughput is limited', async () => {
    await given.store.write(putMessages, [
      ...range(1, 30).map((id) => ({ id, lane: lane.bulk, parts: 4, dueAt: 100 + id })),
      ...range(101, 103).map((id) => ({ id, parts: 10, dueAt: 2_000 + id })),
    ]);
    const whole = { countsMessages: true, bulkFloor: 1 };
    // The floor gives bulk message 1; message 102, the last one taken, exceeds the SMS that are left.
    expect(idsOf(await take({ ...whole, room: 20, maxParts: 15 }))).toEqual([101, 102, 1]);
    expect(idsOf(await take({ ...whole, room: 20, maxParts: 4 }))).toEqual([2]);
    expect(idsOf(await take({ ...whole, room: 4, maxParts: 100 }))).toEqual([103, 3, 4, 5]);
    expect(idsOf(await take({ ...whole, room: 20, maxParts: 12, bulkFloor: 0 }))).toEqual([6, 7, 8]);
    expect(idsOf(await take({ ...whole, room: 3 }))).toEqual([9, 10, 11]);
  });

  test('[RUN-2] Claims give no message to two claimers, on one store or on two', async () => {
    const { fresh } = given;
    const all = range(1, 600);
    await fresh.store.write(
      putMessages,
      all.map((id) => ({ id, lane: id % 2, dueAt: 1_000 + (id % 50) })),
    );
    const other = engine.name === 'postgres' ? await fresh.openAnother() : fresh.store;
    const claimed: number[] = [];
    const worker = async (from: Store, nodeId: number, room: number) => {
      for (;;) {
        const { messages: rows } = await from.write(claimMessages, { ...claim, nodeId, room, bulkFloor: 1 });
        expect(rows.length).toBeLessThanOrEqual(room);
        if (rows.length === 0) return;
        claimed.push(...idsOf(rows));
      }
    };
    const workers = [1, 7, 20, 33].flatMap((room) => [
      worker(fresh.store, 7, room),
      worker(other, 8, room + 1),
    ]);
    await Promise.all(workers);
    // Rows locked by another claimer were skipped, and are still there for the next claim.
    await worker(fresh.store, 7, 50);
    expect(claimed.sort((a, b) => a - b)).toEqual(all);
  });

  test('[DLV-8] A claim takes no more than requested under any query plan, and does not reread rows as the table grows', async () => {
    await given.store.write(putMessages, [{ id: 1 }]);
    await given.store.write(analyse, null);
    // From here on, the plans are cached if the engine caches them.
    for (let time = 0; time < 8; time++) await take();
    await given.store.write(
      putMessages,
      range(2, 22).map((id) => ({ id })),
    );
    expect(await take({ room: 20 })).toHaveLength(20);
    for (let thousand = 1; thousand <= 20; thousand++) {
      await given.store.write(
        putMessages,
        range(thousand * 1_000, thousand * 1_000 + 999).map((id) => ({ id })),
      );
    }
    for (let time = 0; time < 5; time++) {
      const { messages: rows, visited } = await given.store.write(claimWatched, { ...claim, room: 100 });
      expect(rows).toHaveLength(100);
      // The statistics are from a time when one message was stored.
      expect(visited).toBeLessThan(1_000);
      await given.store.write(recordOutcomes, {
        ...record(7),
        advances: rows.map(({ id, attempts }) => ({ ...sent(id), attempts })),
        taken: rows.map(({ id }) => part(id)),
      });
    }
  });
});

eachStore('orphans', (engine) => {
  const given = deliveryStore(engine);
  test('[DLV-7] A message claimed here but unknown to the node waits again; one that the node handles, or another claimed, stays', async () => {
    await given.store.write(putSimulator, { id: 2 });
    await given.store.write(putMessages, [
      { id: 1, stage: stage.inFlight, nodeId: 7, attempts: 1 },
      { id: 2, stage: stage.inFlight, nodeId: 7, attempts: 1, lane: lane.bulk },
      { id: 3, stage: stage.inFlight, nodeId: 7, attempts: 1 },
      { id: 4, stage: stage.inFlight, nodeId: 8, attempts: 1 },
      { id: 5, stage: stage.inFlight, nodeId: 7, attempts: 1, carrierId: 2 },
      { id: 6, stage: stage.awaitingReceipt, status: status.SENT, nodeId: 7, attempts: 1 },
    ]);
    await given.store.write(releaseOrphans, { carrierId: 1, nodeId: 7, knownIds: [3], now: 6_000 });
    const stages = (await given.store.read(listMessages, null)).map((row) => row.stage);
    expect(stages).toEqual([
      stage.waiting,
      stage.waiting,
      stage.inFlight,
      stage.inFlight,
      stage.inFlight,
      stage.awaitingReceipt,
    ]);
    expect(await findMessage(given.store, 1)).toMatchObject({ in_doubt: 0, node_id: null });
    await given.store.write(releaseOrphans, { carrierId: 1, nodeId: 7, knownIds: [], now: 6_000 });
    expect(await findMessage(given.store, 3)).toMatchObject({ stage: stage.waiting });
  });
});
