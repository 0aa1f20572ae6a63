import { beforeEach, expect, test } from 'vitest';
import { pause, until } from '../../../test/harness/awake.ts';
import { deliveryStore, findMessage } from '../../../test/harness/delivery-store.ts';
import {
  grantQuota,
  listUsed,
  putMessages,
  putParts,
  putSimulator,
} from '../../../test/harness/delivery-verbs.ts';
import { FaultyStore } from '../../../test/harness/faulty-store.ts';
import { runningDispatches } from '../../../test/harness/running-dispatches.ts';
import { accepted, ScriptedCarrier } from '../../../test/harness/scripted-carrier.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import type { Outcome } from '../../carriers/carrier.ts';
import { RoutingTable } from '../../routing/routing-table.ts';
import { Dispatch } from '../dispatch/dispatch.ts';
import { charge, stage, status } from '../message.ts';
import { inspectMessage } from '../operator/inspect.ts';
import { releaseDue } from '../upkeep/due-store.ts';
import { passingOn } from './pass-on.ts';

const longText = 'x'.repeat(153 * 3);

function passOn(reason = 'not my network'): Outcome {
  return { kind: 'passOn', status: 6, reason };
}

eachStore('what a carrier passes on', (engine) => {
  const given = deliveryStore(engine);
  const running = runningDispatches();

  beforeEach(() => given.store.write(putSimulator, { id: 2 }));

  /** All messages go to the first carrier; the second gets those that the first passes on. */
  function begin() {
    const store = new FaultyStore(given.store);
    const clock = { now: () => 10_000 };
    const dispatches = new Map<number, Dispatch>();
    const routes = new RoutingTable(
      [
        { name: 'main', prefix: '', carriers: ['carrier 1'], priority: 1 },
        { name: 'spare', prefix: '', carriers: ['carrier 2'] },
      ],
      [1, 2].map((id) => ({ id, name: `carrier ${id}`, type: 'simulator' as const, settings: {} })),
    );
    const wake = (id: number) => dispatches.get(id)?.wake();
    const pass = passingOn({ store, clock, routes: () => routes, wake });
    const [first, second] = [1, 2].map((id) => {
      const carrier = new ScriptedCarrier({ id });
      const dispatch = new Dispatch({
        store,
        clock,
        nodeId: 7,
        carrier,
        passOn: pass,
        log: { warn: () => undefined, error: () => undefined },
        mayClaim: () => true,
      });
      carrier.outcome = (part, outcome) => dispatch.outcome(part, outcome);
      running.push(dispatch);
      dispatches.set(id, dispatch);
      return carrier;
    }) as [ScriptedCarrier, ScriptedCarrier];
    const open = () => [...dispatches.values()].reduce((sum, dispatch) => sum + dispatch.open, 0);
    return { store, first, second, wake, open };
  }

  async function untilItIs(wanted: number): Promise<void> {
    await until(async () => (await findMessage(given.store, 1)).status === wanted);
  }

  test('[DLV-2] [DLV-3] A message that a carrier passes on goes to the next carrier of its routes at once, and is charged once', async () => {
    const { first, second, wake, open } = begin();
    await given.store.write(putMessages, [{ id: 1, parts: 3, text: longText }]);
    first.rule = () => passOn();
    second.rule = accepted;
    wake(1);
    await untilItIs(status.SENT);
    await until(() => open() === 0);
    expect(await findMessage(given.store, 1)).toMatchObject({
      carrier_id: 2,
      stage: stage.awaitingReceipt,
      charge: charge.due,
      attempts: 2,
      in_doubt: 0,
    });
    expect([first.submitted.length, second.submitted.length]).toEqual([3, 3]);
    const inspected = await given.store.read(inspectMessage, 1);
    expect(inspected?.timeline.entries.find(({ what }) => what === 'passed on')).toMatchObject({
      at: 10_000,
      carrier: 'carrier 1',
      toCarrier: 'carrier 2',
      attempt: 1,
      reason: 'not my network',
    });
  });

  test('[DLV-2] [SEND-19] A message that all carriers refuse ends with the status of the last refusal, and its quota is refunded', async () => {
    const { first, second, wake, open } = begin();
    await given.store.write(grantQuota, { 'user 10': 100, 'company 1': 100 });
    await given.store.write(putMessages, [{ id: 1 }]);
    first.rule = () => ({ ...passOn(), status: 10 }) as Outcome;
    second.rule = () => passOn('nor mine');
    wake(1);
    await untilItIs(status.UNDELIVERABLE);
    await until(() => open() === 0);
    expect(await findMessage(given.store, 1)).toMatchObject({
      stage: null,
      charge: charge.refunded,
      reason: 'nor mine',
      carrier_id: 2,
    });
    expect([first.submitted.length, second.submitted.length]).toEqual([1, 1]);
    expect(await given.store.read(listUsed, null)).toEqual(
      expect.arrayContaining([
        { holder: 'company', id: 1, used: -1 },
        { holder: 'user', id: 10, used: -1 },
      ]),
    );
  });

  test('[DLV-2] [DLV-6] A refused message that the carrier has in part, or may have, is not passed on, and is charged', async () => {
    const { first, second, wake, open } = begin();
    first.rule = (part) => (part.part === 2 ? accepted(part) : passOn());
    await given.store.write(putMessages, [{ id: 1, parts: 3, text: longText }]);
    wake(1);
    await untilItIs(status.UNDELIVERABLE);
    expect(await findMessage(given.store, 1)).toMatchObject({ carrier_id: 1, charge: charge.due });

    first.rule = () => passOn();
    // In an earlier claim, the carrier took a part of message 2, and perhaps message 3.
    await given.store.write(putMessages, [
      { id: 2, parts: 3, text: longText, attempts: 1, charge: charge.due },
      { id: 3, attempts: 1, charge: charge.due, inDoubt: 1 },
    ]);
    await given.store.write(putParts, [{ messageId: 2, part: 1, parts: 3, carrierMessageId: 'c1' }]);
    wake(1);
    await until(() => first.submitted.length === 6 && open() === 0);
    for (const id of [2, 3]) {
      expect(await findMessage(given.store, id)).toMatchObject({
        status: status.UNDELIVERABLE,
        carrier_id: 1,
        charge: charge.due,
      });
    }
    expect(second.submitted).toEqual([]);
  });

  test.each([
    ['the store could not be asked', 'refuse', 'messages.readRefused'],
    ['the store could not be told', 'refuse', 'messages.passOn'],
  ] as const)(
    '[DLV-2] [DLV-7] If %s, a message to be passed on is tried again later',
    async (_, kind, verb) => {
      const { first, second, store, wake, open } = begin();
      await given.store.write(putMessages, [{ id: 1 }]);
      first.rule = () => passOn();
      second.rule = accepted;
      store[kind](verb, 1);
      wake(1);
      await until(() => first.submitted.length === 1 && open() === 0);
      expect(await findMessage(given.store, 1)).toMatchObject({
        status: status.QUEUED,
        stage: stage.retrying,
        due_at: 11_000,
        carrier_id: 1,
        charge: charge.reserved,
      });
      await given.store.write(releaseDue, { now: 11_000, limit: 10 });
      wake(1);
      await untilItIs(status.SENT);
      expect([first.submitted.length, second.submitted.length]).toEqual([2, 1]);
    },
  );

  test('[DLV-2] [DLV-7] If the store’s answer is lost, a message is still passed on, and only once', async () => {
    const { first, second, store, wake, open } = begin();
    await given.store.write(putMessages, [{ id: 1 }]);
    first.rule = () => passOn();
    second.rule = accepted;
    store.loseAnswers('messages.passOn', 1);
    wake(1);
    await until(() => first.submitted.length === 1 && open() === 0);
    expect(await findMessage(given.store, 1)).toMatchObject({ carrier_id: 2, stage: stage.waiting });
    wake(1);
    wake(2);
    await untilItIs(status.SENT);
    expect([first.submitted.length, second.submitted.length]).toEqual([1, 1]);
  });

  test('[DLV-2] A carrier that is not up is given nothing, and gets what waits once it is up', async () => {
    const { first, wake } = begin();
    await given.store.write(putMessages, [{ id: 1 }]);
    first.rule = accepted;
    for (const state of ['down', 'starting'] as const) {
      first.state = state;
      wake(1);
      await pause(50);
      expect(first.submitted).toEqual([]);
      expect(await findMessage(given.store, 1)).toMatchObject({ stage: stage.waiting });
    }
    first.state = 'up';
    wake(1);
    await untilItIs(status.SENT);
  });
});
