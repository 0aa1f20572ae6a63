import { expect, test } from 'vitest';
import { deliveryStore, findMessage, idsOf, range } from '../../../test/harness/delivery-store.ts';
import {
  listMessages,
  putMessages,
  putSimulator,
  type TestMessage,
} from '../../../test/harness/delivery-verbs.ts';
import { FaultyStore } from '../../../test/harness/faulty-store.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { RoutingTable } from '../../routing/routing-table.ts';
import { claimMessages } from '../dispatch/claim.ts';
import { charge, lane, stage, status } from '../message.ts';
import { passMessageOn, readRefused } from './pass-on.ts';
import { fromDownCarriers, Reassignment } from './reassignment.ts';

const carriers = [1, 2, 3].map((id) => ({
  id,
  name: `carrier ${id}`,
  type: 'simulator' as const,
  settings: {},
}));

eachStore('what waits for a carrier that is down', (engine) => {
  const given = deliveryStore(engine);
  const swedish = { name: 'se', prefix: '46', carriers: ['carrier 1'], priority: 1 };
  const spare = { name: 'spare', prefix: '46', carriers: ['carrier 2'] };
  const firsts = { name: 'firsts', prefix: '46', carriers: ['carrier 3'], users: ['first'], priority: -1 };

  function begin(served = [swedish, spare]) {
    const store = new FaultyStore(given.store);
    const woken: number[] = [];
    const states = {
      down: [1],
      up: [2, 3],
      downFor: () => states.down,
      isUp: (id: number) => states.up.includes(id),
    };
    const table = new RoutingTable(served, carriers);
    const routes = () => table;
    const options = { store, routes, wake: (id: number) => woken.push(id), clock: { now: () => 10_000 } };
    const failover = new Reassignment(
      { ...options, log: { info: () => undefined } },
      fromDownCarriers({ routes, states, afterMs: 10_000 }),
    );
    return { store, woken, states, sweep: () => failover.sweep(new AbortController().signal) };
  }

  const put = (messages: readonly TestMessage[]) => given.store.write(putMessages, messages);
  const atCarrier = async (id: number) =>
    idsOf((await given.store.read(listMessages, null)).filter((row) => row.carrier_id === id));

  test('[DLV-2] All messages that wait for a carrier that is down move to one that is up, however many sets it takes', async () => {
    await put(range(1, 1_400).map((id) => ({ id, lane: id % 2, dueAt: 1_000 + (id % 7) })));
    await put([{ id: 2_000, stage: stage.retrying, dueAt: 60_000, attempts: 3 }]);
    const { sweep, woken } = begin();
    await sweep();
    expect(await atCarrier(2)).toEqual([...range(1, 1_400), 2_000]);
    expect(new Set(woken)).toEqual(new Set([2]));
    expect(await findMessage(given.store, 2_000)).toMatchObject({
      stage: stage.waiting,
      status: status.QUEUED,
      charge: charge.reserved,
    });
  });

  test('[DLV-2] [DLV-6] Messages that a carrier has or may have, in whole or in part, or gets later are not moved when that carrier is down', async () => {
    await put([
      { id: 1, stage: stage.inFlight, nodeId: 7, attempts: 1 },
      { id: 2, stage: stage.retrying, charge: charge.due, attempts: 1 },
      { id: 3, charge: charge.due, inDoubt: 1, attempts: 1 },
      { id: 4, stage: stage.awaitingReceipt, status: status.SENT, charge: charge.due },
      { id: 5, stage: stage.scheduled, status: status.SCHEDULED },
      { id: 6, stage: null, status: status.EXPIRED, charge: charge.refunded },
      { id: 7, recipient: '4712345678' },
      { id: 8 },
    ]);
    const { sweep } = begin();
    await sweep();
    expect(await atCarrier(2)).toEqual([8]);
  });

  test('[DLV-2] Waiting messages do not move if no carrier of their routes is up, or if their own is not down', async () => {
    await put([{ id: 1 }, { id: 2, carrierId: 2 }]);
    const { sweep, states } = begin();
    states.up = [3];
    await sweep();
    states.up = [2];
    states.down = [];
    await sweep();
    expect(await atCarrier(1)).toEqual([1]);
  });

  test('[DLV-2] Messages move from a carrier that is down by the routes of their sender and user', async () => {
    await put([
      { id: 1, userId: 10 },
      { id: 2, userId: 11 },
      { id: 3, userId: 99 },
    ]);
    const { sweep } = begin([swedish, firsts]);
    await sweep();
    expect(await atCarrier(3)).toEqual([1]);
    expect(await atCarrier(1)).toEqual([2, 3]);
  });

  test('[DLV-2] Messages behind many that no other carrier serves are moved too, without reading all at once', async () => {
    await put(range(1, 6_000).map((id) => ({ id, recipient: '4712345678' })));
    await put([{ id: 7_000, dueAt: 2_000 }]);
    const { sweep, store } = begin();
    await sweep();
    expect(await atCarrier(2)).toEqual([]);
    expect(store.calls.filter((name) => name === 'messages.listWaiting')).toHaveLength(10);
    await sweep();
    expect(await atCarrier(2)).toEqual([7_000]);
  });

  test('[DLV-2] Moving messages follows routes that were changed meanwhile, and reads little if no route leads elsewhere', async () => {
    await put(range(1, 1_200).map((id) => ({ id })));
    const nowhere = begin([swedish]);
    await nowhere.sweep();
    expect(nowhere.store.calls).toEqual(['messages.listWaiting']);
    const { sweep } = begin([spare]);
    await sweep();
    expect(await atCarrier(2)).toHaveLength(1_200);
  });

  test('[DLV-2] A message that is meanwhile claimed, or moved by another node, stays where it is', async () => {
    await put(range(1, 10).map((id) => ({ id })));
    const first = begin();
    const second = begin();
    const claim = { carrierId: 1, nodeId: 7, room: 5, bulkFloor: 0, now: 5_000 };
    const [claimed] = await Promise.all([
      given.store.write(claimMessages, claim),
      first.sweep(),
      second.sweep(),
    ]);
    const moved = await atCarrier(2);
    expect(moved.length + claimed.messages.length).toBe(10);
    expect(moved.filter((id) => idsOf(claimed.messages).includes(id))).toEqual([]);
  });

  test('[DLV-2] A message is not moved back to a carrier that refused it', async () => {
    await put([{ id: 1, stage: stage.inFlight, nodeId: 7, attempts: 1, carrierId: 2 }]);
    const passing = {
      companyId: 1,
      id: 1,
      nodeId: 7,
      attempts: 1,
      fromCarrierId: 2,
      toCarrierId: 1,
      now: 9_000,
      reason: 'not my network',
    };
    expect(await given.store.write(passMessageOn, { ...passing, attempts: 2 })).toBe(false);
    expect(await given.store.write(passMessageOn, { ...passing, nodeId: 8 })).toBe(false);
    expect(await given.store.write(passMessageOn, passing)).toBe(true);
    // Repeating an action whose answer was lost changes nothing.
    expect(await given.store.write(passMessageOn, passing)).toBe(false);
    expect(await findMessage(given.store, 1)).toMatchObject({
      carrier_id: 1,
      stage: stage.waiting,
      node_id: null,
    });
    expect(await given.store.read(readRefused, { companyId: 1, id: 1 })).toEqual({
      recipient: '46701740600',
      sender: 'Sender',
      username: 'first',
      isWhole: true,
      refusedBy: [2],
    });
    const { sweep, states } = begin();
    await sweep();
    expect(await atCarrier(1)).toEqual([1]);
    states.down = [2];
    await sweep();
    expect(await atCarrier(1)).toEqual([1]);
  });

  test('[DLV-2] [DLV-7] Moving messages from a carrier that is down goes on after the store has failed midway', async () => {
    await given.store.write(putSimulator, { id: 2 });
    await put(range(1, 1_200).map((id) => ({ id, lane: lane.bulk })));
    const { sweep, store } = begin();
    store.loseAnswers('messages.moveWaiting', 1);
    await expect(sweep()).rejects.toThrow();
    await sweep();
    expect(await atCarrier(2)).toHaveLength(1_200);
  });
});
