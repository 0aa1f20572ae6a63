import { expect, test } from 'vitest';
import { until } from '../../../test/harness/awake.ts';
import { deliveryStore, idsOf, range } from '../../../test/harness/delivery-store.ts';
import { listMessages, putMessages, putParts, putSimulator } from '../../../test/harness/delivery-verbs.ts';
import { FaultyStore } from '../../../test/harness/faulty-store.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { RoutingTable } from '../../routing/routing-table.ts';
import { charge, lane, stage, status } from '../message.ts';
import { expireWaiting } from '../upkeep/due-store.ts';
import { passMessageOn } from './pass-on.ts';
import { fromRemovedCarriers, Reassignment } from './reassignment.ts';

eachStore('what waits for a carrier that was removed', (engine) => {
  const given = deliveryStore(engine);

  function begin() {
    const store = new FaultyStore(given.store);
    const records = [{ id: 1, name: 'carrier 1', type: 'simulator' as const, settings: {} }];
    const tableFor = (...prefixes: string[]) =>
      new RoutingTable(
        prefixes.map((prefix) => ({ name: prefix, prefix, carriers: ['carrier 1'] })),
        records,
      );
    let routes = tableFor('46');
    const moving = { store, clock: { now: () => 5_000 }, routes: () => routes, wake: () => undefined };
    const reassignment = new Reassignment(
      { ...moving, log: { info: () => undefined } },
      fromRemovedCarriers(moving),
    );
    return {
      store,
      sweep: () => reassignment.sweep(new AbortController().signal),
      /** The number of sets examined since the last call. */
      setsExamined: () => store.calls.splice(0).filter((name) => name === 'messages.listWaiting').length,
      route: (...prefixes: string[]) => {
        routes = tableFor(...prefixes);
      },
    };
  }

  test('[RUN-3] Messages for a removed carrier go by today’s routes, and those that no route serves stay waiting', async () => {
    await given.store.write(putSimulator, { id: 3, removed: true });
    const removed = { carrierId: 3 };
    await given.store.write(putMessages, [
      ...range(1, 600).map((id) => ({ id, ...removed, recipient: '4712345678' })),
      ...range(601, 1_300).map((id) => ({ id, ...removed, recipient: '46701740600' })),
      { id: 2_001, ...removed, status: status.SCHEDULED, stage: stage.scheduled },
      { id: 2_002, ...removed, stage: stage.retrying },
      { id: 2_003, ...removed, status: status.SENT, stage: stage.awaitingReceipt },
    ]);
    await begin().sweep();
    const rows = await given.store.read(listMessages, null);
    const left = idsOf(rows.filter((row) => row.carrier_id === 3));
    expect(left).toEqual([...range(1, 600), 2_003]);
  });

  test('[DLV-2] [DLV-6] Messages for a removed carrier stay if they may have been sent, were sent in part, or would return to a carrier that refused them', async () => {
    await given.store.write(putSimulator, { id: 3, removed: true });
    const begun = { carrierId: 3, attempts: 1, charge: charge.due };
    await given.store.write(putMessages, [
      { id: 1, ...begun, inDoubt: 1 },
      { id: 2, ...begun, stage: stage.retrying, parts: 3 },
      { id: 3, stage: stage.inFlight, nodeId: 7, attempts: 1 },
      { id: 4, carrierId: 3 },
    ]);
    await given.store.write(putParts, [{ messageId: 2, parts: 3, carrierId: 3, carrierMessageId: 'a' }]);
    await given.store.write(passMessageOn, {
      companyId: 1,
      id: 3,
      nodeId: 7,
      attempts: 1,
      fromCarrierId: 1,
      toCarrierId: 3,
      now: 4_000,
      reason: 'not my network',
    });
    const { sweep } = begin();
    await sweep();
    const rows = await given.store.read(listMessages, null);
    expect(idsOf(rows.filter((row) => row.carrier_id === 3))).toEqual([1, 2, 3]);
    expect(rows.find(({ id }) => id === 4)).toMatchObject({ carrier_id: 1, stage: stage.waiting });
    // These messages wait for their carrier, which may come back.
    expect(rows.filter(({ id }) => id <= 3)).toMatchObject([
      { stage: stage.waiting, in_doubt: 1 },
      { stage: stage.retrying, charge: charge.due },
      { stage: stage.waiting, charge: charge.reserved },
    ]);
  });

  test('[RUN-3] No message that waits for a removed carrier is passed over when others end during the sweep', async () => {
    await given.store.write(putSimulator, { id: 3, removed: true });
    await given.store.write(putSimulator, { id: 4, removed: true });
    const lines = [
      {},
      { lane: lane.bulk },
      { stage: stage.retrying },
      { stage: stage.scheduled, status: status.SCHEDULED },
    ];
    await given.store.write(putMessages, [
      ...range(1, 600).map((id) => ({ id, carrierId: 3, recipient: '4712345678', expiresAt: 4_000 })),
      ...range(601, 1_800).map((id) => ({ id, carrierId: 3 + (id % 2), dueAt: 2_000, ...lines[id % 4] })),
    ]);
    const { store, sweep } = begin();
    const letGo = store.hold('messages.listWaiting', 1, 1);
    const moving = sweep();
    await until(() => store.calls.filter((verb) => verb === 'messages.listWaiting').length === 2);
    await given.store.write(expireWaiting, { now: 4_000, limit: 500 });
    letGo();
    await moving;
    const rows = await given.store.read(listMessages, null);
    expect(idsOf(rows.filter((row) => row.carrier_id === 1))).toEqual(range(601, 1_800));
  });

  test('[RUN-3] Each sweep reads some of the messages that no route serves, and those with a route are moved in time', async () => {
    await given.store.write(putSimulator, { id: 3, removed: true });
    await given.store.write(putSimulator, { id: 4 });
    const put = (ids: readonly number[], recipient: string) =>
      given.store.write(
        putMessages,
        ids.map((id) => ({ id, carrierId: 3, recipient, dueAt: 1_000 + id })),
      );
    for (let from = 1; from <= 22_500; from += 2_500) await put(range(from, from + 2_499), '4712345678');
    await put([50_000], '46701740600');
    const { sweep, setsExamined, route } = begin();
    const left = async () =>
      (await given.store.read(listMessages, null)).filter((row) => row.carrier_id === 3);
    await sweep();
    expect(setsExamined()).toBe(40);
    await sweep();
    expect(setsExamined()).toBeLessThanOrEqual(6);
    expect((await left()).map(({ id }) => id)).not.toContain(50_000);
    // After a whole round without success, a sweep examines only a few messages at a time until the routes change.
    await sweep();
    await sweep();
    setsExamined();
    await sweep();
    expect(setsExamined()).toBe(1);
    await put([60_000], '46701740600');
    for (let time = 0; time < 46; time++) await sweep();
    expect(setsExamined()).toBe(46);
    expect((await left()).map(({ id }) => id)).not.toContain(60_000);
    route('46', '47');
    await sweep();
    await sweep();
    expect(await left()).toEqual([]);
  });
});
