import { expect, test } from 'vitest';
import { pause, until } from '../../test/harness/awake.ts';
import { deliveryStore, findMessage, idsOf, range } from '../../test/harness/delivery-store.ts';
import { listMessages, putMessages } from '../../test/harness/delivery-verbs.ts';
import { FaultyStore } from '../../test/harness/faulty-store.ts';
import { runningDispatches } from '../../test/harness/running-dispatches.ts';
import { accepted, ScriptedCarrier } from '../../test/harness/scripted-carrier.ts';
import { eachStore } from '../../test/harness/stores.ts';
import type { Caller } from '../accounts/caller.ts';
import { Turns } from '../foundation/turns.ts';
import { RoutingTable } from '../routing/routing-table.ts';
import { Ids } from '../storage/ids.ts';
import { News } from '../storage/news.ts';
import { SavedTemplates } from '../templates/saved-templates.ts';
import { Dispatch } from './dispatch/dispatch.ts';
import { stage, status } from './message.ts';
import { endNode } from './nodes/store.ts';
import { plainRequest, type SendRequest } from './sending/parameters.ts';
import { type Sending, send } from './sending/send.ts';

const request: SendRequest = {
  ...plainRequest,
  to: ['46701740600'],
  from: 'Clinic',
  message: 'Hello',
  validminutes: 60,
};

const caller: Caller = {
  companyId: 1,
  userId: 10,
  username: 'first',
  roles: new Set(['send']),
  defaultSender: undefined,
  allowedSenders: undefined,
  replaceCharacters: false,
  maxBatch: undefined,
  allowedCountries: undefined,
  session: undefined,
};

eachStore('the short way to a carrier', (engine) => {
  const given = deliveryStore(engine);
  const running = runningDispatches();

  function begin(options: ConstructorParameters<typeof ScriptedCarrier>[0] = {}) {
    const carrier = new ScriptedCarrier(options);
    const store = new FaultyStore(given.store);
    const clock = { now: () => 1_000_000 };
    const dispatch = new Dispatch({
      store,
      clock,
      nodeId: 7,
      carrier,
      log: { warn: () => undefined, error: () => undefined },
      mayClaim: () => true,
    });
    carrier.outcome = (part, outcome) => dispatch.outcome(part, outcome);
    carrier.rule = accepted;
    running.push(dispatch);
    const routes = new RoutingTable(
      [{ name: 'all', prefix: '', carriers: ['sim'] }],
      [{ id: 1, name: 'sim' }],
    );
    const sending: Sending = {
      store,
      clock,
      ids: new Ids(given.store, 'message', 1_000),
      routes: () => routes,
      templates: new SavedTemplates(store, new News(store)),
      dispatching: {
        expect: (_, rows) => dispatch.expect(rows),
        wake: () => dispatch.wake(),
      },
      observer: { accepted: () => undefined },
      security: { record: () => undefined },
      turns: new Turns(),
      personSecret: '00',
    };
    const sendTo = async (...to: string[]) =>
      (await send(sending, caller, { ...request, to }, undefined)).accepted.map(({ id }) => Number(id));
    return { carrier, store, dispatch, sendTo };
  }

  const ofStatus = async (wanted: number) =>
    idsOf((await given.store.read(listMessages, null)).filter((row) => row.status === wanted));
  async function untilSent(count: number): Promise<void> {
    await until(async () => (await ofStatus(status.SENT)).length >= count);
    expect(await ofStatus(status.SENT)).toHaveLength(count);
  }

  test('[DLV-1] A message that finds no other waiting goes out without a claim', async () => {
    const { carrier, store, dispatch, sendTo } = begin();
    const ids = await sendTo('46701740600', '46701740601');
    expect(carrier.submitted.map(({ messageId }) => messageId)).toEqual(ids);
    await untilSent(2);
    expect(store.calls).not.toContain('messages.claim');
    expect(await findMessage(given.store, ids[0] as number)).toMatchObject({
      stage: stage.awaitingReceipt,
      attempts: 1,
      node_id: 7,
    });
    await until(() => dispatch.open === 0);
  });

  test('[DLV-1] [BATCH-9] A new message waits behind those already waiting, and none goes out twice', async () => {
    const { carrier, dispatch, sendTo } = begin({ window: 5 });
    await given.store.write(
      putMessages,
      range(900_001, 900_040).map((id) => ({ id, expiresAt: 9_000_000 })),
    );
    dispatch.wake();
    for (let index = 0; index < 40; index++) await sendTo(`4670174${1_000 + index}`);
    await untilSent(80);
    const handedOver = carrier.submitted.map(({ messageId }) => messageId);
    expect(new Set(handedOver).size).toBe(80);
    expect(handedOver).toHaveLength(80);
    expect(handedOver.slice(0, 10)).toEqual(range(900_001, 900_010));
  });

  test('[DLV-8] No more new messages are handed over than there is room for', async () => {
    const { carrier, dispatch, sendTo } = begin({ window: 3 });
    carrier.rule = undefined;
    await Promise.all(range(1, 20).map((index) => sendTo(`46701741${index + 100}`)));
    await until(() => carrier.open.length === 6);
    await pause(100);
    expect([carrier.open.length, dispatch.open]).toEqual([6, 6]);
    while (carrier.submitted.length < 20 || carrier.open.length > 0) {
      carrier.answerAll(accepted);
      await pause(10);
    }
    await untilSent(20);
    expect(carrier.submitted).toHaveLength(20);
  });

  test('[DLV-8] New messages wait while retried messages are looked up, and no more are handed over than there is room for', async () => {
    const { carrier, dispatch, store, sendTo } = begin({ window: 3 });
    carrier.rule = undefined;
    const again = range(900_001, 900_004).map((id) => ({ id, attempts: 1, expiresAt: 9_000_000 }));
    await given.store.write(putMessages, again);
    const letGo = store.holdAnswers('messages.readTakenParts', 1);
    dispatch.wake();
    await until(() => store.calls.includes('messages.readTakenParts'));
    await Promise.all(range(1, 5).map((index) => sendTo(`46701741${index + 100}`)));
    expect(carrier.submitted).toEqual([]);
    letGo();
    while (carrier.submitted.length < 9 || carrier.open.length > 0) {
      await pause(100);
      expect(carrier.open.length).toBeLessThanOrEqual(6);
      carrier.answerAll(accepted);
    }
    await untilSent(9);
    expect(carrier.submitted).toHaveLength(9);
    // Nothing is held back any more, so a new message goes out without a claim.
    const claims = () => store.calls.filter((call) => call === 'messages.claim').length;
    const before = claims();
    await sendTo('46701740600');
    expect([carrier.open.length, claims()]).toEqual([1, before]);
  });

  test('[DLV-6] If the store’s answer to new messages is lost, what it took still goes out once', async () => {
    const { carrier, store, sendTo } = begin();
    store.loseAnswers('messages.accept', 1);
    await expect(sendTo('46701740600')).rejects.toThrow();
    const [second] = await sendTo('46701740601');
    await untilSent(2);
    expect(carrier.submitted).toHaveLength(2);
    expect(carrier.submitted.filter(({ messageId }) => messageId === second)).toHaveLength(1);
  });

  test('[DLV-6] The search for lost claims does not touch messages that are just being stored', async () => {
    const { carrier, store, dispatch, sendTo } = begin();
    const letGo = store.hold('messages.releaseOrphans', 1);
    const storing = sendTo('46701740600');
    dispatch.seekOrphans();
    const meanwhile = Promise.all(range(1, 10).map((index) => sendTo(`46701742${index + 100}`)));
    await until(() => store.calls.includes('messages.releaseOrphans'));
    letGo();
    await Promise.all([storing, meanwhile]);
    await untilSent(11);
    expect(carrier.submitted).toHaveLength(11);
  });

  test('[RUN-2] At a node that others took for dead, a new message waits for a living node', async () => {
    const { carrier, sendTo } = begin();
    await given.store.write(endNode, { id: 7, beat: 0, ended: 0 });
    const [id] = await sendTo('46701740600');
    await pause(50);
    expect(carrier.submitted).toEqual([]);
    expect(await findMessage(given.store, id as number)).toMatchObject({
      stage: stage.waiting,
      status: status.QUEUED,
      attempts: 0,
      node_id: null,
    });
  });

  test('[RUN-4] An orderly stop waits for messages that are just being stored, and hands over none that come later', async () => {
    const { carrier, store, dispatch, sendTo } = begin();
    const letGo = store.hold('messages.accept', 1);
    const sent = sendTo('46701740600');
    await until(() => store.calls.includes('messages.accept'));
    const stopped = dispatch.stopClaiming();
    letGo();
    await stopped;
    expect(carrier.submitted).toHaveLength(1);
    await dispatch.idle();
    expect(await ofStatus(status.SENT)).toEqual(await sent);
    const [late] = await sendTo('46701740601');
    expect(await findMessage(given.store, late as number)).toMatchObject({ stage: stage.waiting });
  });

  test('[DLV-7] Messages that the store refuses leave no trace in dispatch', async () => {
    const { carrier, dispatch, sendTo, store } = begin();
    store.refuse('messages.accept', 1);
    await expect(sendTo('46701740600')).rejects.toThrow();
    await sendTo('46701740602');
    await untilSent(1);
    expect(carrier.submitted).toHaveLength(1);
    // A message may be visible in the store before dispatch has heard of it.
    await until(() => dispatch.open === 0);
  });
});
