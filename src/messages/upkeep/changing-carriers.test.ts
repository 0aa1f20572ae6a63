import { beforeEach, expect, test } from 'vitest';
import { until } from '../../../test/harness/awake.ts';
import { deliveryStore, idsOf, range } from '../../../test/harness/delivery-store.ts';
import { listNodes, putMessages, putParts } from '../../../test/harness/delivery-verbs.ts';
import { FaultyStore } from '../../../test/harness/faulty-store.ts';
import { ScriptedCarrier } from '../../../test/harness/scripted-carrier.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import type { AwaitingPart } from '../../carriers/carrier.ts';
import { RoutingTable } from '../../routing/routing-table.ts';
import { stage, status } from '../message.ts';
import { DeadNodes } from '../nodes/dead-nodes.ts';
import { leaveNode } from '../nodes/store.ts';
import { Upkeep } from './upkeep.ts';

class ResumableCarrier extends ScriptedCarrier {
  readonly resumed: AwaitingPart[] = [];

  resume(parts: readonly AwaitingPart[]): void {
    this.resumed.push(...parts);
  }
}

eachStore('a node that is gone while the carriers change here', (engine) => {
  const given = deliveryStore(engine);

  beforeEach(async () => {
    const awaiting = { stage: stage.awaitingReceipt, status: status.SENT, nodeId: 8, attempts: 1 };
    await given.store.write(
      putMessages,
      range(1, 10).map((id) => ({ id, ...awaiting, dueAt: 9_000 })),
    );
    await given.store.write(
      putParts,
      range(1, 10).map((id) => ({ messageId: id, carrierMessageId: `${id}/1` })),
    );
    await given.store.write(leaveNode, 8);
  });

  function upkeep(open: readonly ResumableCarrier[]) {
    const store = new FaultyStore(given.store);
    const opened = { carriers: open };
    const keeper = new Upkeep({
      store,
      clock: { now: () => 5_000 },
      nodeId: 7,
      carriers: () => opened.carriers,
      allOpen: () => opened.carriers.length > 0,
      routes: () => new RoutingTable([], []),
      wake: () => undefined,
      deadNodes: new DeadNodes(store, 7, 60_000),
      seekOrphans: () => undefined,
      unmatchedReceipts: () => undefined,
      log: { warn: () => undefined, info: () => undefined },
    });
    return { keeper, store, opened };
  }

  const nodes = async () => idsOf(await given.store.read(listNodes, null));

  test('[DLV-6] [RUN-3] A dead node is kept until its carrier is open here, and its receipts are requested then', async () => {
    const { keeper, opened } = upkeep([]);
    await keeper.replaceDeadNodes();
    expect(await nodes()).toEqual([7, 8]);
    const carrier = new ResumableCarrier();
    opened.carriers = [carrier];
    await keeper.replaceDeadNodes();
    expect(carrier.resumed).toHaveLength(10);
    expect(await nodes()).toEqual([7]);
  });

  test('[DLV-6] [RUN-3] A dead node is kept for the next check when its carrier is replaced during the takeover', async () => {
    const { keeper, store, opened } = upkeep([new ResumableCarrier()]);
    const letGo = store.hold('messages.adoptAwaiting', 1);
    const replacing = keeper.replaceDeadNodes();
    await until(() => store.calls.includes('messages.adoptAwaiting'));
    opened.carriers = [new ResumableCarrier()];
    letGo();
    await replacing;
    expect(await nodes()).toEqual([7, 8]);
    await keeper.replaceDeadNodes();
    expect(await nodes()).toEqual([7]);
  });
});
