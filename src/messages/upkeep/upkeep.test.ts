import { expect, test } from 'vitest';
import { until } from '../../../test/harness/awake.ts';
import {
  countAssigned,
  leaveConversations,
  putConversations,
} from '../../../test/harness/conversation-verbs.ts';
import { deliveryStore, findMessage, idsOf, range } from '../../../test/harness/delivery-store.ts';
import {
  listMessages,
  listNodes,
  putMessages,
  putParts,
  putSimulator,
} from '../../../test/harness/delivery-verbs.ts';
import { FaultyStore } from '../../../test/harness/faulty-store.ts';
import { expectLinearTime } from '../../../test/harness/linear-time.ts';
import { ScriptedCarrier } from '../../../test/harness/scripted-carrier.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import type { AwaitingPart } from '../../carriers/carrier.ts';
import { RoutingTable } from '../../routing/routing-table.ts';
import { lane, stage, status } from '../message.ts';
import { DeadNodes } from '../nodes/dead-nodes.ts';
import { enterNode, leaveNode } from '../nodes/store.ts';
import { Upkeep } from './upkeep.ts';

class ResumableCarrier extends ScriptedCarrier {
  readonly resumed: AwaitingPart[] = [];

  resume(parts: readonly AwaitingPart[]): void {
    this.resumed.push(...parts);
  }
}

eachStore('upkeep', (engine) => {
  const given = deliveryStore(engine);

  function upkeep(now = 5_000) {
    const clock = { now: () => now };
    const store = new FaultyStore(given.store);
    const carrier = new ResumableCarrier();
    const woken: number[] = [];
    const records = [{ id: 1, name: 'carrier 1', type: 'simulator' as const, settings: {} }];
    const routes = new RoutingTable([{ name: 'some', prefix: '46', carriers: ['carrier 1'] }], records);
    const keeper = new Upkeep({
      store,
      clock,
      nodeId: 7,
      carriers: () => [carrier],
      allOpen: () => true,
      routes: () => routes,
      wake: (carrierId) => woken.push(carrierId),
      deadNodes: new DeadNodes(store, 7, 60_000),
      seekOrphans: () => undefined,
      unmatchedReceipts: () => undefined,
      log: { warn: () => undefined, info: () => undefined },
    });
    return { keeper, store, carrier, woken };
  }

  const ids = async (wanted: number | null) =>
    idsOf((await given.store.read(listMessages, null)).filter((row) => row.stage === wanted));

  test('[PORT-4] Conversations left by a removed user are released, set by set', async () => {
    const { keeper, store } = upkeep();
    await given.store.write(putConversations, { first: 1, count: 1_200, userId: 10, assigneeId: 77 });
    await given.store.write(leaveConversations, { id: 77, username: 'gone' });
    expect(await given.store.read(countAssigned, null)).toEqual(['77 of 10: 1100']);
    await keeper.releaseConversations();
    expect(await given.store.read(countAssigned, null)).toEqual([]);
    const steps = () => store.calls.filter((verb) => verb === 'messages.releaseNext').length;
    expect(steps()).toBe(12);
    await keeper.releaseConversations();
    expect(steps()).toBe(12);
  });

  test('[SEND-12] Messages that come due wake the carriers that they wait for, and no others', async () => {
    await given.store.write(putSimulator, { id: 2 });
    const scheduled = { status: status.SCHEDULED, stage: stage.scheduled };
    await given.store.write(putMessages, [
      { id: 1, ...scheduled, dueAt: 4_000 },
      { id: 2, ...scheduled, dueAt: 9_000, carrierId: 2 },
    ]);
    const { keeper, woken } = upkeep();
    await keeper.wakeDue();
    expect(woken).toEqual([1]);
    expect(await ids(stage.waiting)).toEqual([1]);
  });

  test('[SEND-12] Carriers are woken after each set of released messages, so that the first need not wait for the last', async () => {
    const scheduled = { status: status.SCHEDULED, stage: stage.scheduled, dueAt: 4_000 };
    await given.store.write(
      putMessages,
      range(1, 1_200).map((id) => ({ id, ...scheduled })),
    );
    const { keeper, store, woken } = upkeep();
    const letGo = store.hold('messages.releaseDue', 1, 1);
    const waking = keeper.wakeDue();
    await until(() => store.calls.filter((verb) => verb === 'messages.releaseDue').length === 2);
    expect(woken).toEqual([1]);
    letGo();
    await waking;
    expect(await ids(stage.waiting)).toHaveLength(1_200);
  });

  test('[DLV-6] [RUN-2] All that a dead node had in flight is taken over, however many sets it takes, and the node is then forgotten', async () => {
    await given.store.write(
      putMessages,
      range(1, 1_200).map((id) => ({ id, stage: stage.inFlight, nodeId: 8, attempts: 1, lane: id % 2 })),
    );
    await given.store.write(leaveNode, 8);
    const { keeper, woken } = upkeep();
    await keeper.replaceDeadNodes();
    expect(await ids(stage.waiting)).toHaveLength(1_200);
    expect(idsOf(await given.store.read(listNodes, null))).toEqual([7]);
    expect(woken).toEqual([1]);
  });

  test('[DLV-6] A takeover from a dead node that is stopped midway leaves the rest to be found', async () => {
    await given.store.write(
      putMessages,
      range(1, 1_200).map((id) => ({ id, stage: stage.inFlight, nodeId: 8, attempts: 1 })),
    );
    await given.store.write(leaveNode, 8);
    const { keeper, store } = upkeep();
    const letGo = store.hold('messages.takeOverInFlight', 1);
    const replacing = keeper.replaceDeadNodes();
    await until(() => store.calls.includes('messages.takeOverInFlight'));
    const stopped = keeper.stop();
    letGo();
    await Promise.all([stopped, replacing]);
    expect((await ids(stage.inFlight)).length).toBeGreaterThan(0);
    expect(idsOf(await given.store.read(listNodes, null))).toEqual([7, 8]);
    await upkeep().keeper.replaceDeadNodes();
    expect(await ids(stage.inFlight)).toEqual([]);
    expect(idsOf(await given.store.read(listNodes, null))).toEqual([7]);
  });

  test('[DLV-6] [DLV-7] A takeover from a dead node goes on at the next check when the store has failed midway', async () => {
    await given.store.write(
      putMessages,
      range(1, 1_200).map((id) => ({ id, stage: stage.inFlight, nodeId: 8, attempts: 1 })),
    );
    await given.store.write(leaveNode, 8);
    const { keeper, store } = upkeep();
    store.loseAnswers('messages.takeOverInFlight', 1);
    store.refuse('messages.forgetNode', 1);
    await expect(keeper.replaceDeadNodes()).rejects.toThrow();
    await expect(keeper.replaceDeadNodes()).rejects.toThrow();
    await keeper.replaceDeadNodes();
    expect(await ids(stage.inFlight)).toEqual([]);
    expect(idsOf(await given.store.read(listNodes, null))).toEqual([7]);
  });

  test('[DLV-6] A dead node is not forgotten while it has messages at a carrier that is not open here', async () => {
    await given.store.write(putSimulator, { id: 2 });
    await given.store.write(putMessages, [
      { id: 1, stage: stage.inFlight, nodeId: 8, attempts: 1, carrierId: 2 },
      { id: 2, stage: stage.inFlight, nodeId: 8, attempts: 1 },
    ]);
    await given.store.write(leaveNode, 8);
    await upkeep().keeper.replaceDeadNodes();
    expect(await ids(stage.waiting)).toEqual([2]);
    expect(idsOf(await given.store.read(listNodes, null))).toEqual([7, 8]);
  });

  test('[DLV-6] The carrier is asked once for each receipt that a dead node was waiting for', async () => {
    const awaiting = { stage: stage.awaitingReceipt, status: status.SENT, nodeId: 8, attempts: 1 };
    await given.store.write(putMessages, [
      // Many messages are due in the same millisecond, like those of one request.
      ...range(1, 1_300).map((id) => ({ id, ...awaiting, dueAt: 9_000 })),
      ...range(1_301, 1_400).map((id) => ({ id, ...awaiting, dueAt: 9_000 + id, lane: lane.bulk, parts: 2 })),
      { id: 2_001, ...awaiting, nodeId: 7 },
      { id: 2_002, ...awaiting, carrierId: 2 },
    ]);
    await given.store.write(putParts, [
      ...range(1, 1_300).map((id) => ({ messageId: id, carrierMessageId: `${id}/1` })),
      ...range(1_301, 1_400).flatMap((id) =>
        [1, 2].map((part) => ({ messageId: id, part, parts: 2, carrierMessageId: `${id}/${part}` })),
      ),
      { messageId: 2_001, carrierMessageId: '2001/1' },
      { messageId: 2_002, carrierMessageId: '2002/1', carrierId: 2 },
    ]);
    await given.store.write(leaveNode, 8);
    const { keeper, carrier } = upkeep();
    await keeper.replaceDeadNodes();
    expect(carrier.resumed).toHaveLength(1_500);
    expect(new Set(carrier.resumed.map((part) => part.carrierMessageId)).size).toBe(1_500);
    expect(carrier.resumed.map((part) => part.carrierMessageId)).not.toContain('2001/1');
    expect(carrier.resumed[0]).toMatchObject({ recipient: '46701740600' });
    // The receipts belong to this node now, so its own end would have them requested once more.
    for (const id of [1, 1_400]) expect((await findMessage(given.store, id)).node_id).toBe(7);
  });

  test('[DLV-6] Asking for many receipts of a dead node takes about the same time per receipt', async () => {
    let last = 0;
    let nodeId = 100;
    const askFor = async (count: number) => {
      nodeId += 1;
      const awaiting = { stage: stage.awaitingReceipt, status: status.SENT, nodeId, attempts: 1 };
      const ids = range(last + 1, last + count);
      last += count;
      await given.store.write(enterNode, { nodeId, now: 1_000 });
      await given.store.write(
        putMessages,
        ids.map((id) => ({ id, ...awaiting, dueAt: 9_000 + (id % 100) })),
      );
      await given.store.write(
        putParts,
        ids.map((id) => ({ messageId: id, carrierMessageId: `${id}` })),
      );
      await given.store.write(leaveNode, nodeId);
      const { keeper, carrier } = upkeep();
      await keeper.replaceDeadNodes();
      expect(carrier.resumed).toHaveLength(count);
    };
    // PostgreSQL works in another process, so on PostgreSQL this only shows that the receipts are requested.
    await expectLinearTime(askFor, { from: 400, times: 10 });
  });
});
