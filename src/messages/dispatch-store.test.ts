import { expect, test } from 'vitest';
import { deliveryStore, findMessage, idsOf, range } from '../../test/harness/delivery-store.ts';
import {
  analyse,
  listMessages,
  listParked,
  listParts,
  listUsed,
  putMessages,
  putParked,
  putSimulator,
} from '../../test/harness/delivery-verbs.ts';
import { eachStore } from '../../test/harness/stores.ts';
import type { Store } from '../storage/store.ts';
import {
  type Advance,
  type Claim,
  claimMessages,
  type OutcomeRecord,
  readTakenParts,
  recordOutcomes,
  releaseOrphans,
  type TakenPart,
} from './dispatch-store.ts';
import { charge, lane, stage, status } from './message.ts';
import { endNode } from './upkeep-store.ts';

const claim: Claim = { carrierId: 1, nodeId: 7, limit: 10, bulkFloor: 0, now: 5_000 };

eachStore('a claim', (engine) => {
  const given = deliveryStore(engine);

  test('[DLV-1] takes what waits for the carrier, the longest due first, no more than asked, and marks it in flight', async () => {
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
    expect(idsOf(await given.store.write(claimMessages, { ...claim, limit: 2 }))).toEqual([2, 3]);
    expect(idsOf(await given.store.write(claimMessages, claim))).toEqual([1]);
    expect(await given.store.write(claimMessages, claim)).toEqual([]);
    expect(await findMessage(given.store, 2)).toMatchObject({
      stage: stage.inFlight,
      node_id: 7,
      attempts: 1,
      status: status.QUEUED,
      version: 1,
      due_at: 5_000,
    });
  });

  test('[RUN-2] is refused to a node that was taken for dead', async () => {
    await given.store.write(putMessages, [{ id: 1 }]);
    await given.store.write(endNode, { id: 7, beat: 0, ended: 0 });
    expect(await given.store.write(claimMessages, claim)).toEqual([]);
    expect(idsOf(await given.store.write(claimMessages, { ...claim, nodeId: 8 }))).toEqual([1]);
    expect(await given.store.write(claimMessages, { ...claim, nodeId: 99 })).toEqual([]);
  });

  test('[BATCH-9] takes interactive messages first, and leaves its floor to bulk', async () => {
    const bulk = range(1, 30).map((id) => ({ id, lane: lane.bulk, dueAt: 100 }));
    const interactive = range(101, 130).map((id) => ({ id, dueAt: 2_000 }));
    await given.store.write(putMessages, [...bulk, ...interactive]);
    const taken = idsOf(await given.store.write(claimMessages, { ...claim, limit: 10, bulkFloor: 2 }));
    expect(taken).toEqual([...range(101, 108), 1, 2]);
    expect(idsOf(await given.store.write(claimMessages, { ...claim, limit: 10, bulkFloor: 0 }))).toEqual(
      range(109, 118),
    );
  });

  test('[BATCH-9] leaves no room unused: bulk takes what interactive does not need, and the other way round', async () => {
    await given.store.write(putMessages, [
      ...range(1, 20).map((id) => ({ id, lane: lane.bulk })),
      ...range(101, 103).map((id) => ({ id })),
    ]);
    expect(idsOf(await given.store.write(claimMessages, { ...claim, limit: 10, bulkFloor: 1 }))).toEqual([
      ...range(101, 103),
      ...range(1, 7),
    ]);
    await given.store.write(
      putMessages,
      range(201, 230).map((id) => ({ id })),
    );
    expect(idsOf(await given.store.write(claimMessages, { ...claim, limit: 20, bulkFloor: 15 }))).toEqual([
      ...range(201, 207),
      ...range(8, 20),
    ]);
  });

  test('[RUN-2] gives no message to two claimers, on one store or on two', async () => {
    const { fresh } = given;
    const all = range(1, 600);
    await fresh.store.write(
      putMessages,
      all.map((id) => ({ id, lane: id % 2, dueAt: 1_000 + (id % 50) })),
    );
    const other = engine.name === 'postgres' ? await fresh.openAnother() : fresh.store;
    const claimed: number[] = [];
    const worker = async (from: Store, nodeId: number, limit: number) => {
      for (;;) {
        const rows = await from.write(claimMessages, { ...claim, nodeId, limit, bulkFloor: 1 });
        expect(rows.length).toBeLessThanOrEqual(limit);
        if (rows.length === 0) return;
        claimed.push(...idsOf(rows));
      }
    };
    const workers = [1, 7, 20, 33].flatMap((limit) => [
      worker(fresh.store, 7, limit),
      worker(other, 8, limit + 1),
    ]);
    await Promise.all(workers);
    // Rows that another claimer had locked were passed over: they are still there for the next claim.
    await worker(fresh.store, 7, 50);
    expect(claimed.sort((a, b) => a - b)).toEqual(all);
  });

  test('[DLV-8] takes no more than asked whatever plan the engine makes, and is quick however the table has grown', async () => {
    await given.store.write(putMessages, [{ id: 1 }]);
    await given.store.write(analyse, null);
    // Plans are kept from here on, where they are kept at all.
    for (let time = 0; time < 8; time++) await given.store.write(claimMessages, claim);
    await given.store.write(
      putMessages,
      range(2, 22).map((id) => ({ id })),
    );
    expect(await given.store.write(claimMessages, { ...claim, limit: 20 })).toHaveLength(20);
    for (let thousand = 1; thousand <= 30; thousand++) {
      await given.store.write(
        putMessages,
        range(thousand * 1_000, thousand * 1_000 + 999).map((id) => ({ id })),
      );
    }
    const startedAt = performance.now();
    for (let time = 0; time < 20; time++) {
      const rows = await given.store.write(claimMessages, { ...claim, limit: 100 });
      expect(rows).toHaveLength(100);
      await given.store.write(recordOutcomes, {
        ...record(7),
        advances: rows.map(({ id, attempts }) => ({ ...sent(id), attempts })),
        taken: rows.map(({ id }) => part(id)),
      });
    }
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });
});

function record(nodeId: number): OutcomeRecord {
  return { nodeId, carrierId: 1, now: 6_000, advances: [], taken: [] };
}

function sent(id: number): Advance {
  return {
    companyId: 1,
    id,
    attempts: 1,
    status: status.SENT,
    stage: stage.awaitingReceipt,
    dueAt: 99_000,
    handedOver: true,
    inDoubt: false,
    expiredByTimer: false,
    reason: null,
  };
}

function retrying(id: number): Advance {
  return { ...sent(id), status: status.QUEUED, stage: stage.retrying, dueAt: 7_000, handedOver: false };
}

function ended(id: number, code: number): Advance {
  return { ...sent(id), status: code, stage: null, dueAt: null, handedOver: false };
}

function part(
  messageId: number,
  number = 1,
  parts = 1,
  carrierMessageId = `c${messageId}/${number}`,
): TakenPart {
  return { companyId: 1, messageId, part: number, parts, carrierMessageId };
}

eachStore('the record of outcomes', (engine) => {
  const given = deliveryStore(engine);

  test('[STAT-6] moves messages on with the parts that were taken, as one', async () => {
    await given.store.write(putMessages, [{ id: 1 }, { id: 2, parts: 2 }, { id: 3 }]);
    await given.store.write(claimMessages, claim);
    await given.store.write(recordOutcomes, {
      ...record(7),
      advances: [sent(1), { ...retrying(2), handedOver: true, reason: 'busy' }, ended(3, status.REJECTED)],
      taken: [part(1), part(2, 1, 2)],
    });
    expect(await findMessage(given.store, 1)).toMatchObject({
      status: status.SENT,
      stage: stage.awaitingReceipt,
      due_at: 99_000,
      charge: charge.due,
      version: 2,
      unread: 1,
      changed_at: 6_000,
    });
    // Its status has not changed, so neither has what readers compare.
    expect(await findMessage(given.store, 2)).toMatchObject({
      status: status.QUEUED,
      stage: stage.retrying,
      due_at: 7_000,
      charge: charge.due,
      version: 1,
      changed_at: 1_000,
      reason: 'busy',
    });
    expect(await findMessage(given.store, 3)).toMatchObject({
      status: status.REJECTED,
      stage: null,
      charge: charge.refunded,
    });
    expect((await given.store.read(listParts, null)).map((row) => row.carrier_message_id)).toEqual([
      'c1/1',
      'c2/1',
    ]);
    expect(
      await given.store.read(readTakenParts, [
        [1, 2],
        [1, 3],
      ]),
    ).toEqual([{ messageId: 2, part: 1 }]);
  });

  test('[DLV-6] [RUN-2] changes nothing when it comes from a node that lost its claim', async () => {
    await given.store.write(putMessages, [{ id: 1, parts: 2 }]);
    await given.store.write(claimMessages, claim);
    const late: OutcomeRecord = { ...record(8), advances: [sent(1)], taken: [part(1, 1, 2), part(1, 2, 2)] };
    const before = await findMessage(given.store, 1);
    await given.store.write(recordOutcomes, late);
    expect(await findMessage(given.store, 1)).toEqual(before);
    // Nor do its parts take the place of those of whoever sends it now.
    expect(await given.store.read(listParts, null)).toEqual([]);
    await given.store.write(recordOutcomes, {
      ...record(7),
      advances: [sent(1)],
      taken: [part(1, 1, 2, 'mine')],
    });
    await given.store.write(recordOutcomes, late);
    expect((await given.store.read(listParts, null)).map((row) => row.carrier_message_id)).toEqual(['mine']);
  });

  test('[DLV-6] [DLV-7] stored twice, because the first answer was lost, it does not touch the claim that came between', async () => {
    await given.store.write(putMessages, [{ id: 1 }]);
    await given.store.write(claimMessages, claim);
    const first = { ...record(7), advances: [{ ...retrying(1), stage: stage.waiting }] };
    await given.store.write(recordOutcomes, first);
    const [again] = await given.store.write(claimMessages, { ...claim, now: 8_000 });
    expect(again?.attempts).toBe(2);
    await given.store.write(recordOutcomes, first);
    expect(await findMessage(given.store, 1)).toMatchObject({
      stage: stage.inFlight,
      node_id: 7,
      attempts: 2,
    });
    await given.store.write(recordOutcomes, {
      ...record(7),
      advances: [{ ...sent(1), attempts: 2 }],
      taken: [part(1)],
    });
    expect(await findMessage(given.store, 1)).toMatchObject({ status: status.SENT });
  });

  test('[STAT-6] changes nothing that has come to its end in the meantime', async () => {
    await given.store.write(putMessages, [
      { id: 1, stage: null, status: status.DELIVERED, nodeId: 7, attempts: 1, charge: charge.due },
      {
        id: 2,
        stage: stage.awaitingReceipt,
        status: status.SENT,
        nodeId: 7,
        attempts: 1,
        charge: charge.due,
      },
    ]);
    const before = await given.store.read(listMessages, null);
    await given.store.write(recordOutcomes, {
      ...record(7),
      advances: [sent(1), ended(2, status.REJECTED)],
      taken: [],
    });
    expect(await given.store.read(listMessages, null)).toEqual(before);
  });

  test('[SEND-19] refunds once what ended without having been handed over, and nothing else', async () => {
    await given.store.write(putMessages, [
      { id: 1, parts: 3 },
      { id: 2, parts: 4 },
      { id: 3, parts: 5, charge: charge.due },
    ]);
    await given.store.write(claimMessages, claim);
    const ends = {
      ...record(7),
      advances: [
        ended(1, status.REJECTED),
        { ...ended(2, status.REJECTED), handedOver: true },
        // Parts of it were handed over by an earlier claim.
        { ...ended(3, status.REJECTED), attempts: 1 },
      ],
    };
    await given.store.write(recordOutcomes, ends);
    await given.store.write(recordOutcomes, ends);
    expect(await given.store.read(listUsed, null)).toEqual([
      { holder: 'company', id: 1, used: -3 },
      { holder: 'user', id: 10, used: -3 },
      { holder: 'user', id: 11, used: 0 },
    ]);
    expect((await given.store.read(listMessages, null)).map((row) => row.charge)).toEqual([
      charge.refunded,
      charge.due,
      charge.due,
    ]);
  });

  test('[DLV-6] keeps the mark of doubt once it is set', async () => {
    await given.store.write(putMessages, [{ id: 1 }]);
    await given.store.write(claimMessages, claim);
    await given.store.write(recordOutcomes, {
      ...record(7),
      advances: [{ ...retrying(1), stage: stage.waiting, inDoubt: true, handedOver: true }],
    });
    await given.store.write(claimMessages, claim);
    await given.store.write(recordOutcomes, {
      ...record(7),
      advances: [{ ...sent(1), attempts: 2 }],
      taken: [part(1)],
    });
    expect(await findMessage(given.store, 1)).toMatchObject({
      status: status.SENT,
      in_doubt: 1,
      attempts: 2,
    });
  });

  test('[DLV-5] a receipt that came before is applied with it, however often it came, in its order', async () => {
    await given.store.write(putMessages, [{ id: 1 }, { id: 2 }]);
    await given.store.write(claimMessages, claim);
    await given.store.write(putParked, { id: 'c1/1', status: status.DELIVERED, at: 5_900 });
    await given.store.write(putParked, { id: 'c1/1', status: status.ACCEPTED, at: 5_800 });
    await given.store.write(putParked, { id: 'c2/1', status: status.ABSENTSUBSCRIBER, at: 5_700 });
    await given.store.write(putParked, { id: 'c3/1', status: status.DELIVERED, at: 5_700 });
    await given.store.write(recordOutcomes, {
      ...record(7),
      advances: [sent(1), sent(2)],
      taken: [part(1), part(2)],
    });
    expect(await findMessage(given.store, 1)).toMatchObject({
      status: status.DELIVERED,
      stage: null,
      version: 4,
    });
    expect(await findMessage(given.store, 2)).toMatchObject({
      status: status.ABSENTSUBSCRIBER,
      changed_at: 5_700,
    });
    expect(await given.store.read(listParked, null)).toEqual([
      { id: 'c3/1', status: status.DELIVERED, at: 5_700 },
    ]);
  });

  test('[DLV-5] a receipt parked long ago meant another message: carriers use ids again', async () => {
    const hourMs = 60 * 60 * 1_000;
    await given.store.write(putMessages, [{ id: 1 }]);
    await given.store.write(claimMessages, claim);
    await given.store.write(putParked, { id: 'c1/1', status: status.UNDELIVERABLE, at: 1_000 });
    await given.store.write(recordOutcomes, {
      ...record(7),
      now: 10 * hourMs,
      advances: [sent(1)],
      taken: [part(1)],
    });
    expect(await findMessage(given.store, 1)).toMatchObject({ status: status.SENT });
    expect(await given.store.read(listParked, null)).toHaveLength(1);
  });
});

eachStore('orphans', (engine) => {
  const given = deliveryStore(engine);
  test('[DLV-7] what was claimed here and is in nobody’s hand waits again; what others claimed, or is in hand, stays', async () => {
    await given.store.write(putSimulator, { id: 2 });
    await given.store.write(putMessages, [
      { id: 1, stage: stage.inFlight, nodeId: 7, attempts: 1 },
      { id: 2, stage: stage.inFlight, nodeId: 7, attempts: 1, lane: lane.bulk },
      { id: 3, stage: stage.inFlight, nodeId: 7, attempts: 1 },
      { id: 4, stage: stage.inFlight, nodeId: 8, attempts: 1 },
      { id: 5, stage: stage.inFlight, nodeId: 7, attempts: 1, carrierId: 2 },
      { id: 6, stage: stage.awaitingReceipt, status: status.SENT, nodeId: 7, attempts: 1 },
    ]);
    await given.store.write(releaseOrphans, { carrierId: 1, nodeId: 7, knownIds: [3] });
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
    await given.store.write(releaseOrphans, { carrierId: 1, nodeId: 7, knownIds: [] });
    expect(await findMessage(given.store, 3)).toMatchObject({ stage: stage.waiting });
  });
});
