import { expect, test } from 'vitest';
import { deliveryStore, findMessage, range } from '../../../test/harness/delivery-store.ts';
import {
  listMessages,
  listNodes,
  listUsed,
  putMessages,
  putSimulator,
} from '../../../test/harness/delivery-verbs.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { moveWaiting } from '../failover/reassignment.ts';
import { charge, lane, maxRetryMs, stage, status } from '../message.ts';
import { endNode, leaveNode } from '../nodes/store.ts';
import { retryParkedReceipts } from '../receipts/retry-store.ts';
import { expireWaiting, giveUpReceipts, releaseDue } from './due-store.ts';
import { purgeMessages } from './purge.ts';
import { carriersWithWaiting, forgetNode, takeOverInFlight } from './store.ts';

const sweep = { now: 5_000, limit: 100 };
const sent = { status: status.SENT, stage: stage.awaitingReceipt, charge: charge.due, attempts: 1 };
const scheduled = { status: status.SCHEDULED, stage: stage.scheduled };

eachStore('what time does', (engine) => {
  const given = deliveryStore(engine);

  test('[SEND-12] A scheduled message becomes QUEUED at its time, not before, and is unread again', async () => {
    await given.store.write(putMessages, [
      { id: 1, ...scheduled, dueAt: 5_000 },
      { id: 2, ...scheduled, dueAt: 5_001 },
      { id: 3, ...scheduled, dueAt: 4_000, lane: lane.bulk },
    ]);
    expect(await given.store.write(releaseDue, sweep)).toBe(2);
    for (const id of [1, 3]) {
      expect(await findMessage(given.store, id)).toMatchObject({
        status: status.QUEUED,
        stage: stage.waiting,
        changed_at: 5_000,
        version: 2,
        unread: 1,
      });
    }
    expect(await findMessage(given.store, 2)).toMatchObject({ status: status.SCHEDULED, version: 1 });
    expect(await given.store.write(releaseDue, sweep)).toBe(0);
    expect(await given.store.read(carriersWithWaiting, null)).toEqual([{ id: 1 }]);
  });

  test('[DLV-3] A message to be retried waits again at its time, and its readers see no change', async () => {
    await given.store.write(putMessages, [
      { id: 1, stage: stage.retrying, dueAt: 5_000 },
      { id: 2, stage: stage.retrying, dueAt: 5_001 },
    ]);
    expect(await given.store.read(carriersWithWaiting, null)).toEqual([]);
    expect(await given.store.write(releaseDue, sweep)).toBe(1);
    expect(await findMessage(given.store, 1)).toMatchObject({
      stage: stage.waiting,
      version: 1,
      changed_at: 1_000,
    });
    expect(await findMessage(given.store, 2)).toMatchObject({ stage: stage.retrying });
  });

  test('[DLV-3] A clock that is set back does not hold up a retry that lies further ahead than any retry can', async () => {
    const now = 100 * 86_400_000;
    await given.store.write(putMessages, [
      { id: 1, stage: stage.retrying, dueAt: now + maxRetryMs, expiresAt: 2 * now },
      { id: 2, stage: stage.retrying, dueAt: now + maxRetryMs + 1, expiresAt: 2 * now },
      { id: 3, ...scheduled, dueAt: now + maxRetryMs + 1, expiresAt: 2 * now },
    ]);
    expect(await given.store.write(releaseDue, { now, limit: 100 })).toBe(1);
    expect(await findMessage(given.store, 2)).toMatchObject({ stage: stage.waiting, version: 1 });
    expect(await given.store.write(releaseDue, { now, limit: 100 })).toBe(0);
  });

  test('[SEND-12] Many scheduled messages that come due at once are released in sets', async () => {
    await given.store.write(
      putMessages,
      range(1, 250).map((id) => ({ id, ...scheduled, dueAt: 4_000 })),
    );
    const counts: number[] = [];
    for (let count = 1; count > 0; ) {
      count = await given.store.write(releaseDue, { now: 5_000, limit: 100 });
      counts.push(count);
    }
    expect(counts).toEqual([100, 100, 50, 0]);
  });

  test('[SEND-12] [BATCH-9] [DLV-3] Interactive messages are released first, however many batch messages come due with them', async () => {
    const bulk = range(1, 150).map((id) => ({
      id,
      lane: lane.bulk,
      stage: id % 2 === 0 ? stage.scheduled : stage.retrying,
      dueAt: 4_000 - id,
    }));
    await given.store.write(putSimulator, { id: 2 });
    await given.store.write(putMessages, [
      ...bulk,
      { id: 201, ...scheduled, dueAt: 5_000 },
      { id: 202, ...scheduled, dueAt: 5_000, carrierId: 2 },
      { id: 203, stage: stage.retrying, dueAt: 5_000 },
      { id: 204, stage: stage.retrying, dueAt: 5_001 + maxRetryMs },
    ]);
    expect(await given.store.write(releaseDue, { now: 5_000, limit: 10 })).toBe(10);
    for (const id of [201, 202, 203, 204])
      expect(await findMessage(given.store, id)).toMatchObject({ stage: stage.waiting });
    expect(await given.store.write(releaseDue, { now: 5_000, limit: 500 })).toBe(144);
  });

  test('[SEND-13] [SEND-19] A message that no carrier takes within its validity is EXPIRED, and is refunded once unless parts of it went out', async () => {
    await given.store.write(putMessages, [
      { id: 1, expiresAt: 5_000, parts: 2 },
      { id: 2, expiresAt: 5_001, parts: 10 },
      { id: 3, expiresAt: 4_000, parts: 3, charge: charge.due, attempts: 1 },
      { id: 4, expiresAt: 4_000, parts: 5, userId: 11, lane: lane.bulk },
      { id: 5, expiresAt: 4_000, parts: 7, stage: stage.inFlight, nodeId: 7, attempts: 1 },
      { id: 6, expiresAt: 4_000, parts: 7, ...sent },
    ]);
    expect(await given.store.write(expireWaiting, sweep)).toBe(3);
    expect(await given.store.write(expireWaiting, sweep)).toBe(0);
    const rows = await given.store.read(listMessages, null);
    expect(rows.map((row) => row.status)).toEqual([
      status.EXPIRED,
      status.QUEUED,
      status.EXPIRED,
      status.EXPIRED,
      status.QUEUED,
      status.SENT,
    ]);
    expect(rows.map((row) => row.charge)).toEqual([
      charge.refunded,
      charge.reserved,
      charge.due,
      charge.refunded,
      charge.reserved,
      charge.due,
    ]);
    expect(rows[0]).toMatchObject({
      stage: null,
      due_at: null,
      expired_by_timer: 1,
      changed_at: 5_000,
      version: 2,
    });
    expect(await given.store.read(listUsed, null)).toEqual([
      { holder: 'company', id: 1, used: -7 },
      { holder: 'user', id: 10, used: -2 },
      { holder: 'user', id: 11, used: -5 },
    ]);
  });

  test('[STAT-6] Without a receipt SENT becomes EXPIRED, while an unclear status stays and is no longer waited for', async () => {
    await given.store.write(putMessages, [
      { id: 1, ...sent, dueAt: 5_000 },
      { id: 2, ...sent, dueAt: 5_000, status: status.ACCEPTED },
      { id: 3, ...sent, dueAt: 5_000, status: status.UNKNOWN, lane: lane.bulk },
      { id: 4, ...sent, dueAt: 5_001 },
    ]);
    expect(await given.store.write(giveUpReceipts, sweep)).toBe(3);
    const rows = await given.store.read(listMessages, null);
    expect(rows.map((row) => row.status)).toEqual([
      status.EXPIRED,
      status.ACCEPTED,
      status.UNKNOWN,
      status.SENT,
    ]);
    expect(rows.map((row) => row.version)).toEqual([2, 1, 1, 1]);
    expect(rows.map((row) => row.expired_by_timer)).toEqual([1, 0, 0, 0]);
    expect(rows.map((row) => row.stage)).toEqual([null, null, null, stage.awaitingReceipt]);
    // The message was handed over, so it stays on the bill.
    expect(rows.map((row) => row.charge)).toEqual(Array(4).fill(charge.due));
    expect(await given.store.write(giveUpReceipts, sweep)).toBe(0);
  });
});

eachStore('a node that is gone', (engine) => {
  const given = deliveryStore(engine);
  const takeOver = { deadNodeId: 8, carrierId: 1, now: 5_000, limit: 100 } as const;
  const inFlight = { stage: stage.inFlight, nodeId: 8, attempts: 1 };

  test('[DLV-6] [RUN-2] In-flight messages of a dead node are in doubt, and are sent again if the carrier’s policy is to retry', async () => {
    await given.store.write(putMessages, [
      { id: 1, ...inFlight },
      { id: 2, ...inFlight, lane: lane.bulk },
      { id: 3, ...inFlight, nodeId: 7 },
      { id: 4, ...inFlight, carrierId: 2 },
      { id: 5, ...sent, nodeId: 8 },
      { id: 6 },
    ]);
    expect(await given.store.write(takeOverInFlight, { ...takeOver, policy: 'retry' })).toBe(2);
    for (const id of [1, 2]) {
      expect(await findMessage(given.store, id)).toMatchObject({
        status: status.QUEUED,
        stage: stage.waiting,
        in_doubt: 1,
        charge: charge.due,
        node_id: null,
        version: 1,
      });
    }
    for (const id of [3, 4, 5, 6]) expect(await findMessage(given.store, id)).toMatchObject({ in_doubt: 0 });
    expect(await given.store.write(takeOverInFlight, { ...takeOver, policy: 'retry' })).toBe(0);
  });

  test('[DLV-6] [STAT-6] An in-flight message of a dead node becomes UNKNOWN if the policy is to give up, counts as changed, and is charged', async () => {
    await given.store.write(putMessages, [{ id: 1, ...inFlight }]);
    expect(await given.store.write(takeOverInFlight, { ...takeOver, policy: 'fail' })).toBe(1);
    expect(await findMessage(given.store, 1)).toMatchObject({
      status: status.UNKNOWN,
      stage: null,
      due_at: null,
      in_doubt: 1,
      charge: charge.due,
      version: 2,
      unread: 1,
      changed_at: 5_000,
    });
  });

  test('[DLV-6] A dead node is not forgotten while messages can be found only by it', async () => {
    await given.store.write(putSimulator, { id: 2 });
    await given.store.write(putMessages, [{ id: 1, ...inFlight, carrierId: 2 }]);
    await given.store.write(leaveNode, 8);
    expect(await given.store.write(forgetNode, 8)).toBe(false);
    expect(await given.store.read(listNodes, null)).toContainEqual({ id: 8, beat: 0, ended: 1 });
    await given.store.write(takeOverInFlight, { ...takeOver, carrierId: 2, policy: 'retry' });
    expect(await given.store.write(forgetNode, 8)).toBe(true);
    expect((await given.store.read(listNodes, null)).map(({ id }) => id)).toEqual([7]);
  });

  test('[RUN-2] A node is declared dead only while its heartbeat is still the last one seen', async () => {
    expect(await given.store.write(endNode, { id: 8, beat: 3, ended: 0 })).toBe(false);
    expect(await given.store.write(endNode, { id: 8, beat: 0, ended: 0 })).toBe(true);
    expect(await given.store.read(listNodes, null)).toContainEqual({ id: 8, beat: 0, ended: 1 });
  });
});

eachStore('a sweep', (engine) => {
  const given = deliveryStore(engine);

  test('[SEND-12] A sweep releases no more messages than its limit, of whatever kind', async () => {
    const scheduled = { status: status.SCHEDULED, stage: stage.scheduled, dueAt: 4_000 };
    await given.store.write(putMessages, [
      ...[1, 2, 3].map((id) => ({ id, ...scheduled })),
      ...[4, 5, 6].map((id) => ({ id, stage: stage.retrying, dueAt: 4_000 })),
      ...[7, 8].map((id) => ({ id, stage: stage.retrying, dueAt: 900_000_000 })),
    ]);
    const released: number[] = [];
    for (let time = 0; time < 4; time++) {
      released.push(await given.store.write(releaseDue, { now: 5_000, limit: 4 }));
    }
    expect(released).toEqual([4, 4, 0, 0]);
  });
});

test('[DLV-8] A sweep’s weight covers everything that it may touch, so that no sweep overfills a transaction that it shares', () => {
  const input = { now: 5_000, limit: 500 };
  for (const verb of [releaseDue, expireWaiting, giveUpReceipts, retryParkedReceipts])
    expect(verb.weight(input)).toBe(500);
  expect(takeOverInFlight.weight({ deadNodeId: 8, carrierId: 1, policy: 'retry', ...input })).toBe(500);
  expect(moveWaiting.weight({ fromCarrierId: 1, moves: [[1, 2, 3]], reason: 'x', now: 0 })).toBe(1);
  const purge = { companyId: 1, afterId: 0, idsSinceOld: 0, createdBefore: 0, limit: 500 };
  expect(purgeMessages.weight(purge)).toBe(500);
});
