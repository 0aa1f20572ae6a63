import { afterEach, expect, test } from 'vitest';
import { deliveryStore } from '../../../test/harness/delivery-store.ts';
import { giveReason, putMessages, putSimulator } from '../../../test/harness/delivery-verbs.ts';
import { FaultyStore } from '../../../test/harness/faulty-store.ts';
import { ScriptedCarrier } from '../../../test/harness/scripted-carrier.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { stage } from '../message.ts';
import { forgetNode } from '../upkeep/store.ts';
import {
  bestOf,
  CarrierStates,
  countBacklogs,
  listCarrierStates,
  listRetryReasons,
  tellCarrierStates,
} from './carrier-states.ts';
import { endNode, leaveNode } from './store.ts';

test('[DLV-2] [RUN-2] The state of a carrier is its best state at any node', () => {
  const best = (...states: readonly ('up' | 'starting' | 'down')[]) =>
    bestOf(
      states.map((state) => ({ state, since: 1_000 })),
      2_000,
    );
  expect(best()).toBeUndefined();
  expect(best('down', 'down')).toBe('down');
  expect(best('down', 'starting')).toBe('starting');
  expect(best('up', 'starting', 'down')).toBe('up');
  const starting = { state: 'starting' as const, since: 1_000 };
  expect(bestOf([starting], 6_000)).toBe('starting');
  expect(bestOf([starting], 6_001)).toBe('down');
});

eachStore('what nodes know of carriers', (engine) => {
  const given = deliveryStore(engine);
  const started: CarrierStates[] = [];
  afterEach(() => {
    for (const states of started.splice(0)) states.stop();
  });

  /** A node with one carrier; the test controls the carrier's state and the time. */
  function node(nodeId: number | undefined) {
    const store = new FaultyStore(given.store);
    const carrier = new ScriptedCarrier();
    const time = { now: 1_000 };
    const stopwatch = { elapsed: () => time.now };
    const states = new CarrierStates({ store, clock: { now: () => 5_000 + time.now }, stopwatch });
    const isHere = (id: number) => nodeId !== undefined && id === carrier.id;
    states.follow({
      nodeId,
      reported: nodeId === undefined ? [] : [carrier],
      statusOf: (id) => (isHere(id) ? carrier.status() : undefined),
    });
    started.push(states);
    const look = async (afterMs = 0) => {
      time.now += afterMs;
      await states.look();
    };
    return { states, carrier, store, look };
  }

  const rows = () => given.store.read(listCarrierStates, null);

  test('[DLV-2] Each node reports its carriers’ states at once when one changes, and otherwise every few seconds', async () => {
    const { look, carrier, store } = node(7);
    const reports = () => store.calls.filter((name) => name === 'messages.tellCarrierStates').length;
    await look();
    expect(await rows()).toEqual([{ ...carrier.status(), nodeId: 7, carrierId: 1, updatedAt: 6_000 }]);
    for (let time = 0; time < 7; time++) await look(500);
    expect(reports()).toBe(1);
    await look(500);
    expect(reports()).toBe(2);
    carrier.state = 'down';
    await look(500);
    expect(reports()).toBe(3);
    expect(await rows()).toMatchObject([{ state: 'down', updatedAt: 10_500 }]);
  });

  test('[DLV-2] A carrier that is starting, or about which nothing is reported, may be used but does not count as up', async () => {
    const { states, carrier } = node(7);
    expect([states.isUsable(2), states.isUp(2)]).toEqual([true, false]);
    carrier.state = 'starting';
    carrier.since = 6_000;
    expect([states.isUsable(1), states.isUp(1)]).toEqual([true, false]);
    // A carrier whose start never ends does not count as starting.
    carrier.since = 0;
    expect([states.isUsable(1), states.isUp(1)]).toEqual([false, false]);
    carrier.state = 'up';
    expect([states.isUsable(1), states.isUp(1)]).toEqual([true, true]);
    carrier.state = 'down';
    expect([states.isUsable(1), states.isUp(1)]).toEqual([false, false]);
  });

  test('[DLV-2] The time a carrier is down counts from when it was seen down, and starts over after it was up', async () => {
    const { states, carrier, look } = node(7);
    carrier.state = 'down';
    await look();
    await look(9_000);
    expect(states.downFor(9_001)).toEqual([]);
    expect(states.downFor(9_000)).toEqual([1]);
    carrier.state = 'up';
    await look(500);
    carrier.state = 'down';
    await look(500);
    expect(states.downFor(1)).toEqual([]);
    expect(states.downFor(0)).toEqual([1]);
  });

  test('[DLV-2] [DLV-7] A store out of reach does not keep a node from knowing its own carriers', async () => {
    const { states, carrier, look, store } = node(7);
    carrier.state = 'down';
    store.refuse('messages.tellCarrierStates', 1);
    await expect(look()).rejects.toThrow();
    await look(2_000);
    expect(states.downFor(2_000)).toEqual([1]);
    expect(await rows()).toMatchObject([{ state: 'down' }]);
  });

  test('[DLV-2] [RUN-2] A node that is gone reports nothing more, and its reports are gone with it', async () => {
    const states = [{ carrierId: 1, state: 'up' as const, since: 1, reason: null, figures: { binds: 2 } }];
    const tell = (nodeId: number) => given.store.write(tellCarrierStates, { nodeId, now: 9_000, states });
    await tell(7);
    await tell(8);
    expect((await rows()).map(({ nodeId }) => nodeId)).toEqual([7, 8]);
    await given.store.write(leaveNode, 7);
    await tell(7);
    expect((await rows()).map(({ nodeId }) => nodeId)).toEqual([8]);
    await given.store.write(endNode, { id: 8, beat: 0, ended: 0 });
    expect(await rows()).toEqual([]);
    for (const nodeId of [7, 8]) expect(await given.store.write(forgetNode, nodeId)).toBe(true);
  });

  test('[DLV-2] [RUN-4] The messages that wait for each carrier, and those in flight, are counted', async () => {
    await given.store.write(putSimulator, { id: 2 });
    await given.store.write(putMessages, [
      { id: 1 },
      { id: 2, lane: 1 },
      { id: 3, stage: stage.retrying },
      { id: 4, stage: stage.inFlight, nodeId: 7 },
      { id: 5, stage: stage.awaitingReceipt },
      { id: 6, carrierId: 2, stage: stage.scheduled },
      { id: 7, stage: null },
    ]);
    expect(await given.store.read(countBacklogs, { upTo: 100 })).toEqual(
      expect.arrayContaining([
        { carrierId: 1, waiting: 3, inFlight: 1 },
        { carrierId: 2, waiting: 0, inFlight: 0 },
      ]),
    );
  });

  test('[PORT-11] The reasons why a carrier did not take messages are counted, the most frequent first', async () => {
    await given.store.write(putMessages, [
      { id: 1, stage: stage.retrying },
      { id: 2, stage: stage.retrying, lane: 1 },
      { id: 3, stage: stage.retrying },
      { id: 4, stage: stage.retrying, carrierId: 2 },
      { id: 5, stage: stage.awaitingReceipt },
    ]);
    for (const [at, reason] of ['busy', 'busy', 'late', 'other', 'busy'].entries())
      await given.store.write(giveReason, { id: at + 1, reason });
    expect(await given.store.read(listRetryReasons, 1)).toEqual([
      { reason: 'busy', messages: 2 },
      { reason: 'late', messages: 1 },
    ]);
    expect(await given.store.read(listRetryReasons, 3)).toEqual([]);
  });

  test.skipIf(engine.name === 'sqlite')(
    '[DLV-2] [RUN-2] A carrier counts as down only when it is down at every node that has it',
    async () => {
      const [first, second, front] = [node(7), node(8), node(undefined)];
      const [a, b] = [first.carrier, second.carrier];
      const everywhere = async () => {
        for (const { look } of [first, second, front, first, second]) await look(2_000);
        return [first, second, front].map(({ states }) => states.isUsable(1));
      };
      a.state = 'down';
      expect(await everywhere()).toEqual([true, true, true]);
      expect(first.states.downFor(0)).toEqual([]);
      b.state = 'down';
      expect(await everywhere()).toEqual([false, false, false]);
      expect(front.states.downFor(0)).toEqual([1]);
      await given.store.write(leaveNode, 8);
      a.state = 'up';
      expect(await everywhere()).toEqual([true, true, true]);
    },
  );
});
