import { expect, onTestFinished, test, vi } from 'vitest';
import { pause, until } from '../../../test/harness/awake.ts';
import { deliveryStore, findMessage, idsOf, range } from '../../../test/harness/delivery-store.ts';
import { listMessages, putMessages, putParts } from '../../../test/harness/delivery-verbs.ts';
import { dispatching, submittedParts } from '../../../test/harness/dispatching.ts';
import { accepted, retryNow } from '../../../test/harness/scripted-carrier.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { lane, stage, status } from '../message.ts';
import { endNode } from '../nodes/store.ts';
import { releaseDue } from '../upkeep/due-store.ts';

const longText = 'x'.repeat(153 * 3);

eachStore('dispatch of what comes again', (engine) => {
  const given = deliveryStore(engine);
  const { begin, statuses, untilStored } = dispatching(given);

  test('[DLV-3] A message that is tried again is submitted only in the parts that the carrier has not taken', async () => {
    const { carrier, dispatch } = begin();
    const rounds = ['accepted', 'retryAt', 'accepted', 'retryAt', 'accepted'] as const;
    let time = 0;
    carrier.rule = (part) => (rounds[time++] === 'accepted' ? accepted(part) : retryNow());
    await given.store.write(putMessages, [{ id: 1, parts: 3, text: longText }]);
    dispatch.wake();
    for (let round = 1; round <= 2; round++) {
      while ((await given.store.write(releaseDue, { now: 20_000, limit: 10 })) === 0) await pause(5);
      expect(await findMessage(given.store, 1)).toMatchObject({ status: status.QUEUED });
      dispatch.wake();
    }
    await untilStored(1, status.SENT);
    expect(submittedParts(carrier)).toEqual(['1/1', '1/2', '1/3', '1/2', '1/2']);
  });

  test('[DLV-6] A message is not handed over again if the carrier has all its parts', async () => {
    const { carrier, dispatch } = begin();
    await given.store.write(putMessages, [{ id: 1, parts: 3, text: longText, attempts: 1, inDoubt: 1 }]);
    await given.store.write(
      putParts,
      range(1, 3).map((part) => ({ messageId: 1, part, parts: 3, carrierMessageId: `c${part}` })),
    );
    dispatch.wake();
    await untilStored(1, status.SENT);
    expect(carrier.submitted).toEqual([]);
  });

  test.each(['retry', 'fail'] as const)(
    '[DLV-3] [STAT-6] A message in doubt is treated by the carrier’s policy: %s',
    async (policy) => {
      const { carrier, dispatch, setClock } = begin({ inDoubtPolicy: policy });
      carrier.rule = () => ({ kind: 'inDoubt', reason: 'no answer in time' });
      await given.store.write(putMessages, [{ id: 1 }]);
      dispatch.wake();
      await until(() => carrier.submitted.length === 1);
      await until(() => dispatch.open === 0);
      expect(await findMessage(given.store, 1)).toMatchObject(
        policy === 'fail'
          ? { status: status.UNKNOWN, stage: null, in_doubt: 1, charge: 1, reason: 'no answer in time' }
          : { status: status.QUEUED, stage: stage.retrying, in_doubt: 1, charge: 1 },
      );
      carrier.rule = accepted;
      setClock(60_000);
      await given.store.write(releaseDue, { now: 60_000, limit: 10 });
      dispatch.wake();
      if (policy === 'retry') await untilStored(1, status.SENT);
      expect(carrier.submitted).toHaveLength(policy === 'retry' ? 2 : 1);
    },
  );

  test('[SEND-13] A message claimed after its validity becomes EXPIRED and is not handed over', async () => {
    const { carrier, dispatch } = begin();
    await given.store.write(putMessages, [
      { id: 1, expiresAt: 10_000 },
      { id: 2, expiresAt: 10_001 },
    ]);
    carrier.rule = accepted;
    dispatch.wake();
    await untilStored(1, status.EXPIRED);
    await untilStored(1, status.SENT);
    expect(submittedParts(carrier)).toEqual(['2/1']);
    expect(await findMessage(given.store, 1)).toMatchObject({ expired_by_timer: 1, charge: 2 });
  });

  test('[DLV-8] Dispatch keeps at most twice the window of parts in hand until it knows the carrier’s pace', async () => {
    const { carrier, dispatch } = begin({ window: 20 });
    await given.store.write(
      putMessages,
      range(1, 300).map((id) => ({ id })),
    );
    dispatch.wake();
    await until(() => carrier.open.length === 40);
    await pause(100);
    expect(dispatch.open).toBe(40);
    carrier.rule = accepted;
    carrier.answerAll(accepted);
    await untilStored(300, status.SENT);
    // Once the pace is known, the number of messages in hand may grow with the pace, up to a bound.
    expect(carrier.maxOpen).toBeLessThanOrEqual(20 + 1_000);
  });

  test.each([1, 10])(
    '[BATCH-9] Bulk and interactive messages do not starve each other at a window of %i',
    async (window) => {
      // No pace is known while no time passes. On a fast machine, claims would grow with the pace, and so would the
      // turns of each lane.
      vi.useFakeTimers({ toFake: ['performance'] });
      onTestFinished(() => void vi.useRealTimers());
      const { carrier, dispatch } = begin({ window });
      const bulk = range(1, 200).map((id) => ({ id, lane: lane.bulk, dueAt: 1 }));
      await given.store.write(putMessages, [...bulk, ...range(1_001, 1_200).map((id) => ({ id, dueAt: 2 }))]);
      carrier.rule = accepted;
      dispatch.wake();
      await untilStored(400, status.SENT);
      const first = carrier.submitted.slice(0, 150);
      const ofBulk = first.filter(({ messageId }) => messageId <= 200).length;
      expect(ofBulk).toBeGreaterThanOrEqual(8);
      expect(ofBulk).toBeLessThanOrEqual(25);
      // Neither lane waits long in between, either.
      for (let from = 0; from + 40 <= 150; from += 10) {
        const some = first.slice(from, from + 40).map(({ messageId }) => messageId <= 200);
        expect(some).toContain(true);
        expect(some).toContain(false);
      }
    },
  );

  test('[BATCH-9] Long bulk messages do not hold up interactive ones, because room and shares count parts', async () => {
    const { carrier, dispatch } = begin({ window: 20 });
    const text = 'x'.repeat(153 * 10);
    await given.store.write(
      putMessages,
      range(1, 60).map((id) => ({ id, parts: 10, text, lane: lane.bulk, dueAt: id })),
    );
    dispatch.wake();
    await until(() => carrier.open.length >= 40);
    await pause(100);
    expect(carrier.open).toHaveLength(40);
    await given.store.write(
      putMessages,
      range(1_001, 1_200).map((id) => ({ id })),
    );
    carrier.rule = accepted;
    carrier.answerAll(accepted);
    dispatch.wake();
    await untilStored(260, status.SENT);
    // Not counting the messages that were there first, bulk gets about its tenth, although each of its messages is ten
    // times as long.
    const beforeLast = carrier.submitted.slice(
      0,
      carrier.submitted.findIndex((one) => one.messageId === 1_200),
    );
    const ofBulk = beforeLast.filter(({ messageId }) => messageId <= 60).length;
    expect(ofBulk).toBeLessThanOrEqual(40 + 60);
    expect(carrier.maxOpen).toBeLessThanOrEqual(20 + 1_000 + 9);
  });

  test('[BATCH-9] Bulk messages have all the room that interactive messages leave', async () => {
    const { carrier, dispatch } = begin({ window: 5 });
    await given.store.write(
      putMessages,
      range(1, 100).map((id) => ({ id, lane: lane.bulk })),
    );
    carrier.rule = accepted;
    dispatch.wake();
    await untilStored(100, status.SENT);
    await given.store.write(putMessages, [{ id: 500 }]);
    dispatch.wake();
    await untilStored(101, status.SENT);
  });

  test('[RUN-4] Dispatch stopped during a claim hands over what the claim brings, and then no more', async () => {
    const { carrier, store, dispatch } = begin();
    carrier.rule = accepted;
    await given.store.write(
      putMessages,
      range(1, 5).map((id) => ({ id })),
    );
    const letGo = store.hold('messages.claim', 1);
    dispatch.wake();
    await until(() => store.calls.includes('messages.claim'));
    const stopped = dispatch.stopClaiming();
    letGo();
    await stopped;
    expect(carrier.submitted).toHaveLength(5);
    await dispatch.idle();
    expect(await statuses()).toEqual(Array(5).fill(status.SENT));
    await given.store.write(putMessages, [{ id: 6 }]);
    dispatch.wake();
    await pause(50);
    expect(carrier.submitted).toHaveLength(5);
  });

  test('[RUN-4] Outcomes that the store does not take are given up at a forced end, and their messages stay in flight', async () => {
    const { carrier, store, dispatch } = begin();
    carrier.rule = accepted;
    await given.store.write(putMessages, [{ id: 1 }]);
    store.refuse('messages.recordOutcomes', 1_000);
    dispatch.wake();
    await until(() => store.calls.includes('messages.recordOutcomes'));
    await dispatch.stopClaiming();
    const idle = dispatch.idle();
    dispatch.giveUp();
    await idle;
    const calls = store.calls.length;
    await pause(1_200);
    expect(store.calls.length).toBeLessThanOrEqual(calls + 1);
    expect(await findMessage(given.store, 1)).toMatchObject({ stage: stage.inFlight, status: status.QUEUED });
  });

  test('[RUN-3] [RUN-4] [DLV-7] At its end dispatch gives back messages of a claim whose answer was lost, once the store allows it', async () => {
    const { carrier, store, dispatch, warnings } = begin();
    await given.store.write(
      putMessages,
      range(1, 5).map((id) => ({ id })),
    );
    store.loseAnswers('messages.claim', 1);
    store.refuse('messages.releaseOrphans', 1);
    dispatch.wake();
    await until(() => warnings.length > 0);
    await dispatch.stopClaiming();
    await dispatch.idle();
    expect(warnings).toHaveLength(2);
    expect(carrier.submitted).toEqual([]);
    for (const message of await given.store.read(listMessages, null))
      expect(message).toMatchObject({ stage: stage.waiting, in_doubt: 0, node_id: null });
  });

  test('[RUN-4] Dispatch that is given up ends at once, even if the store hangs, and hands over nothing more', async () => {
    const { carrier, store, dispatch } = begin();
    await given.store.write(putMessages, [{ id: 1 }]);
    dispatch.wake();
    await until(() => carrier.submitted.length === 1);
    await given.store.write(putMessages, [{ id: 2 }]);
    const answer = store.hold('messages.claim', 1);
    dispatch.wake();
    await until(() => store.calls.filter((name) => name === 'messages.claim').length > 1);
    // The store hangs until the test releases it, so these calls can only end if they do not wait for the store.
    dispatch.giveUp();
    await dispatch.stopClaiming();
    await dispatch.idle();
    answer();
    // The delayed claim still completes.
    await expect
      .poll(async () => (await findMessage(given.store, 2)).stage, { timeout: 100_000 })
      .toBe(stage.inFlight);
    await pause(50);
    await given.store.write(putMessages, [{ id: 3 }]);
    dispatch.wake();
    await pause(50);
    expect(submittedParts(carrier)).toEqual(['1/1']);
    const stages = (await given.store.read(listMessages, null)).map((row) => row.stage);
    expect(stages).toEqual([stage.inFlight, stage.inFlight, stage.waiting]);
  });

  test('[RUN-2] Dispatch of a node that was taken for dead claims nothing', async () => {
    const { carrier, dispatch } = begin();
    await given.store.write(putMessages, [{ id: 1 }]);
    await given.store.write(endNode, { id: 7, beat: 0, ended: 0 });
    dispatch.wake();
    await pause(100);
    expect(carrier.submitted).toEqual([]);
    expect(
      idsOf((await given.store.read(listMessages, null)).filter((row) => row.stage === stage.waiting)),
    ).toEqual([1]);
  });
});
