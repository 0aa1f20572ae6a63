import { afterEach, beforeEach, expect, test } from 'vitest';
import { pause, until } from '../../../test/harness/awake.ts';
import { deliveryStore, idsOf, range } from '../../../test/harness/delivery-store.ts';
import {
  listMessages,
  listNodes,
  listParts,
  type MessageRow,
  putMessages,
} from '../../../test/harness/delivery-verbs.ts';
import { FaultyStore } from '../../../test/harness/faulty-store.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import type { SimulatorSettings } from '../../carriers/simulator.ts';
import { RoutingTable } from '../../routing/routing-table.ts';
import { Ids } from '../../storage/ids.ts';
import { stage, status } from '../message.ts';
import { endNode, leaveNode } from '../nodes/store.ts';
import { forgetNode } from '../upkeep/store.ts';
import { Delivery } from './delivery.ts';

/** How long a stop waits for a store that answers late, and for one that stays away until the stop is over. */
const [lateMs, awayMs] = [60_000, 500];

const quick: SimulatorSettings = { submitDelayMs: 0, receiptDelayMs: 20, window: 100, throughput: 0 };

function recordOf(settings: Partial<SimulatorSettings> = {}) {
  return { id: 1, name: 'carrier 1', type: 'simulator' as const, settings: { ...quick, ...settings } };
}

eachStore('delivery', (engine) => {
  const given = deliveryStore(engine);
  const running: Delivery[] = [];

  beforeEach(async () => {
    // In these tests nodes register themselves.
    for (const nodeId of [7, 8]) await given.store.write(forgetNode, nodeId);
  });
  afterEach(async () => {
    for (const delivery of running.splice(0)) await delivery.stop(0);
  });

  function make(storeOutcomesMs = lateMs) {
    const store = new FaultyStore(given.store);
    const warnings: string[] = [];
    const delivery = new Delivery({
      store,
      clock: { now: () => Date.now() },
      nodeIds: new Ids(store, 'node', 1),
      receiving: {
        store,
        clock: { now: () => Date.now() },
        ids: new Ids(store, 'incoming', 1),
        personSecret: '00',
      },
      observer: {
        accepted: () => undefined,
        outcome: () => undefined,
        receipts: () => undefined,
        unmatchedReceipts: () => undefined,
        unreadableReceipt: () => undefined,
        incoming: () => undefined,
      },
      routes: () => new RoutingTable([], []),
      outdated: () => undefined,
      storeOutcomesMs,
      log: {
        warn: (_, message) => warnings.push(message),
        error: (_, message) => warnings.push(message),
        info: () => undefined,
      },
    });
    running.push(delivery);
    return { delivery, store, warnings };
  }

  /** Messages that are valid for an hour from now. */
  async function put(from: number, to: number): Promise<void> {
    const now = Date.now();
    await given.store.write(
      putMessages,
      range(from, to).map((id) => ({ id, createdAt: now, dueAt: now, expiresAt: now + 3_600_000 })),
    );
  }

  const all = () => given.store.read(listMessages, null);

  async function untilAll(is: (message: MessageRow) => boolean): Promise<void> {
    await until(async () => (await all()).every(is));
  }

  /** Waits until this many messages are claimed and handed over. */
  async function untilInFlight(count: number): Promise<void> {
    await until(async () => (await all()).filter(isInFlight).length >= count);
    await pause(10);
  }

  const isDelivered = (message: MessageRow) => message.status === status.DELIVERED;
  const isSent = (message: MessageRow) => message.status === status.SENT;
  const isInFlight = (message: MessageRow) => message.stage === stage.inFlight;

  test('[DLV-1] [RUN-4] Delivery sends everything that waits, and leaves nothing open at its end', async () => {
    await put(1, 300);
    const { delivery } = make();
    await delivery.start([recordOf()]);
    await untilAll(isDelivered);
    expect(delivery.inFlight()).toEqual([{ carrier: 'carrier 1', messages: 0 }]);
    await delivery.stop(1_000);
    const ended = (await given.store.read(listNodes, null)).filter((node) => node.ended === 1);
    expect(ended).toHaveLength(1);
    expect(delivery.carriers).toEqual([]);
  });

  test('[DLV-7] A carrier is down while the store refuses its outcomes, and up again once they can be stored', async () => {
    await put(1, 5);
    const { delivery, store } = make();
    store.reject('messages.recordOutcomes', Number.POSITIVE_INFINITY);
    await delivery.start([recordOf()]);
    await until(() => delivery.statusOf(1)?.state === 'down');
    expect(delivery.statusOf(1)?.reason).toBe("what it answers can't be stored: see the log");
    store.mend();
    await until(() => delivery.statusOf(1)?.state === 'up');
  });

  test('[RUN-4] Stopping delivery waits for the carrier’s responses, and puts nothing in doubt', async () => {
    await put(1, 100);
    const { delivery } = make();
    await delivery.start([recordOf({ submitDelayMs: 300, window: 20 })]);
    await untilInFlight(20);
    await delivery.stop(30_000);
    const messages = await all();
    expect(messages.filter(isInFlight)).toEqual([]);
    expect(messages.every((message) => message.in_doubt === 0)).toBe(true);
    expect(messages.filter(isSent).length).toBeGreaterThanOrEqual(20);
    expect(new Set(messages.map((message) => message.status))).toEqual(new Set([status.SENT, status.QUEUED]));
    // Messages that were given back are sent in the next life, each for the first time.
    const next = make();
    await next.delivery.start([recordOf()]);
    await untilAll(isDelivered);
    expect((await all()).every((message) => message.in_doubt === 0)).toBe(true);
    expect(await given.store.read(listParts, null)).toHaveLength(100);
  });

  test('[RUN-4] [DLV-6] A carrier that does not respond by the deadline leaves messages in doubt, but does not hang the stop', async () => {
    await put(1, 30);
    const { delivery } = make();
    await delivery.start([recordOf({ submitDelayMs: 3_600_000, window: 10 })]);
    await untilInFlight(10);
    await delivery.stop(200);
    const messages = await all();
    expect(messages.filter(isInFlight)).toEqual([]);
    expect(messages.filter((message) => message.in_doubt > 0)).toHaveLength(10);
    expect(messages.every((message) => message.status === status.QUEUED)).toBe(true);
  });

  test('[RUN-4] [DLV-7] Stopping delivery ends even if the store is away, and the next run finds what was left', async () => {
    await put(1, 30);
    const { delivery, store } = make(awayMs);
    // However soon the responses arrive, none is stored.
    store.refuse('messages.recordOutcomes', Number.POSITIVE_INFINITY);
    await delivery.start([recordOf({ submitDelayMs: 400, window: 100 })]);
    await untilAll(isInFlight);
    // The store stays away, so the stop can only end if it does not wait for the store.
    store.refuse(undefined, Number.POSITIVE_INFINITY);
    await delivery.stop(1_000);
    expect((await all()).every(isInFlight)).toBe(true);
    store.mend();
    // The node could not report its end, so only its silence would reveal that it has ended. This test does not wait
    // for that.
    for (const node of await given.store.read(listNodes, null)) await given.store.write(leaveNode, node.id);
    await make().delivery.start([recordOf()]);
    await untilAll(isDelivered);
    expect((await all()).every((message) => message.in_doubt > 0)).toBe(true);
  });

  test('[DLV-6] Receipts still outstanding when delivery stops are reported in its next run', async () => {
    await put(1, 50);
    const first = make();
    await first.delivery.start([recordOf({ receiptDelayMs: 3_600_000 })]);
    await untilAll(isSent);
    await first.delivery.stop(1_000);
    await make().delivery.start([recordOf({ receiptDelayMs: 50 })]);
    await untilAll(isDelivered);
    expect((await all()).every((message) => message.attempts === 1)).toBe(true);
  });

  test('[DLV-1] [RUN-3] When a carrier’s settings change during delivery, nothing is lost, sent twice or in doubt, and receipts still come', async () => {
    await put(1, 400);
    const { delivery } = make();
    await delivery.start([recordOf({ submitDelayMs: 30, receiptDelayMs: 3_600_000, window: 10 })]);
    await pause(150);
    await delivery.update([recordOf({ submitDelayMs: 20, receiptDelayMs: 3_600_000, window: 20 })]);
    await pause(150);
    await put(401, 500);
    await delivery.update([recordOf({ receiptDelayMs: 30 })]);
    await untilAll(isDelivered);
    expect((await all()).every((message) => message.in_doubt === 0)).toBe(true);
    const parts = await given.store.read(listParts, null);
    expect(parts).toHaveLength(500);
    expect(new Set(parts.map((part) => part.carrier_message_id)).size).toBe(500);
  });

  test('[RUN-3] [DLV-7] A carrier changed while the store is away does not stay closed, but opens when the store is back', async () => {
    const { delivery, store, warnings } = make();
    await delivery.start([recordOf()]);
    store.refuse(undefined, 1_000_000);
    const changed = delivery.update([recordOf({ window: 20 })]);
    const warning = 'the change of carriers could not be applied; trying again';
    await until(() => warnings.includes(warning));
    store.mend();
    await changed;
    expect(delivery.carriers.map(({ window }) => window)).toEqual([20]);
    await put(1, 50);
    delivery.wakeAll();
    await untilAll(isDelivered);
  });

  test('[RUN-4] [DLV-7] A change of carriers that waits for the store does not hold up the stop', async () => {
    await put(1, 30);
    const { delivery, store } = make(awayMs);
    await delivery.start([recordOf({ submitDelayMs: 400, window: 100 })]);
    await untilAll(isInFlight);
    store.refuse(undefined, Number.POSITIVE_INFINITY);
    const changed = delivery.update([recordOf({ window: 20 })]);
    await pause(700);
    await Promise.all([delivery.stop(0), changed]);
  });

  test('[RUN-4] [DLV-7] Stopping delivery ends in time even if the store does not answer', async () => {
    await put(1, 30);
    const { delivery, store } = make(awayMs);
    await delivery.start([recordOf({ submitDelayMs: 400, window: 100 })]);
    await untilAll(isInFlight);
    // Until the stop is over, a sweep, a claim, outcomes and the node's departure wait for the store's answers.
    const answer = store.hold(undefined, Number.POSITIVE_INFINITY);
    await put(31, 40);
    delivery.wake(1);
    await pause(700);
    await delivery.stop(0);
    store.mend();
    answer();
  });

  test('[RUN-3] An update of the carriers leaves alone those that did not change', async () => {
    const { delivery } = make();
    await delivery.start([recordOf()]);
    const [before] = delivery.carriers;
    await delivery.update([recordOf(), { ...recordOf(), id: 2, name: 'another' }]);
    expect(delivery.carriers).toHaveLength(2);
    expect(delivery.carriers[0]).toBe(before);
    await delivery.update([recordOf()]);
    expect(delivery.carriers).toEqual([before]);
  });

  test('[RUN-2] [DLV-6] A node that is taken for dead while it lives restarts delivery under a new id, and all is delivered', async () => {
    await put(1, 60);
    const { delivery, store, warnings } = make();
    await delivery.start([recordOf({ submitDelayMs: 2_500, window: 20 })]);
    await untilInFlight(40);
    const [nodeId] = idsOf(await given.store.read(listNodes, null));
    let beat = 0;
    while (!(await given.store.write(endNode, { id: nodeId as number, beat, ended: 0 }))) beat += 1;
    // Other nodes would have taken over meanwhile. The node's first attempt to restart fails, too.
    store.refuse('messages.enterNode', 2);
    await put(61, 80);
    await until(() => warnings.some((warning) => warning.includes('restarting under a new id')));
    await delivery.update([recordOf()]);
    await untilAll(isDelivered);
    const doubtful = (await all()).filter((message) => message.in_doubt > 0);
    expect(doubtful.length).toBeLessThanOrEqual(40);
    expect(warnings).toContain('delivery could not begin; trying again');
    const alive = (await given.store.read(listNodes, null)).filter(({ ended }) => ended === 0);
    expect(alive).toHaveLength(1);
  });

  test('[DLV-7] While the store comes and goes, all messages are delivered, and only once unless they are in doubt', async () => {
    const { delivery, store } = make();
    await delivery.start([recordOf({ submitDelayMs: 5, window: 50 })]);
    const verbs = [
      'messages.claim',
      'messages.recordOutcomes',
      'messages.recordReceipts',
      'messages.readTakenParts',
      'messages.releaseDue',
      'messages.releaseOrphans',
    ];
    for (let round = 0; round < 30; round++) {
      await put(round * 20 + 1, round * 20 + 20);
      delivery.wake(1);
      const verb = verbs[round % verbs.length] as string;
      if (round % 4 < 2) store.loseAnswers(verb, 1);
      else store.refuse(verb, 1);
      await pause(30);
    }
    await untilAll(isDelivered);
    const messages = await all();
    expect(messages).toHaveLength(600);
    expect(messages.every((message) => message.in_doubt === 0)).toBe(true);
    expect(await given.store.read(listParts, null)).toHaveLength(600);
  });
});
