import { expect, test } from 'vitest';
import { pause, until } from '../../../test/harness/awake.ts';
import { deliveryStore, findMessage, range } from '../../../test/harness/delivery-store.ts';
import { listMessages, listParts, putMessages, putParts } from '../../../test/harness/delivery-verbs.ts';
import { dispatching, submittedParts } from '../../../test/harness/dispatching.ts';
import { accepted, retryNow } from '../../../test/harness/scripted-carrier.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { stage, status } from '../message.ts';
import { releaseDue } from '../upkeep/due-store.ts';

const longText = 'x'.repeat(153 * 3);

eachStore('dispatch', (engine) => {
  const given = deliveryStore(engine);
  const { begin, untilStored } = dispatching(given);

  test('[DLV-1] a wake is enough: claim, hand over, record', async () => {
    const { carrier, dispatch } = begin();
    await given.store.write(putMessages, [{ id: 1 }, { id: 2, parts: 3, text: longText }]);
    carrier.rule = accepted;
    dispatch.wake();
    await untilStored(2, status.SENT);
    expect(submittedParts(carrier)).toEqual(['1/1', '2/1', '2/2', '2/3']);
    expect(
      carrier.submitted
        .map(({ text }) => text)
        .slice(1)
        .join(''),
    ).toBe(longText);
    // The answer of the store may come behind what others read of it.
    await until(() => dispatch.open === 0);
    expect((await given.store.read(listParts, null)).map((part) => part.carrier_message_id)).toEqual(
      submittedParts(carrier),
    );
  });

  test('[DLV-1] wakes in plenty, at any moment, hand nothing over twice', async () => {
    const { carrier, dispatch } = begin({ window: 7 });
    carrier.rule = accepted;
    const ids = range(1, 400);
    const waking = setInterval(() => dispatch.wake(), 1);
    for (const id of ids) {
      void given.store.write(putMessages, [{ id }]).then(() => dispatch.wake());
      if (id % 20 === 0) await pause(3);
    }
    await untilStored(400, status.SENT);
    clearInterval(waking);
    expect(carrier.submitted).toHaveLength(400);
  });

  test('[DLV-7] a claim whose answer is lost: its messages are found again and sent once, without doubt', async () => {
    const { carrier, store, dispatch } = begin();
    carrier.rule = accepted;
    await given.store.write(
      putMessages,
      range(1, 5).map((id) => ({ id })),
    );
    store.loseAnswers('messages.claim', 2);
    dispatch.wake();
    await untilStored(5, status.SENT);
    expect(submittedParts(carrier)).toEqual(range(1, 5).map((id) => `${id}/1`));
    for (const message of await given.store.read(listMessages, null)) {
      expect(message).toMatchObject({ in_doubt: 0, attempts: 3 });
    }
  });

  test('[DLV-7] a claim that the store carries out long after the connection broke is found in time', async () => {
    const { carrier, dispatch } = begin();
    carrier.rule = accepted;
    await given.store.write(putMessages, [
      { id: 1, stage: stage.inFlight, nodeId: 7, attempts: 1 },
      { id: 2 },
    ]);
    dispatch.wake();
    await untilStored(1, status.SENT);
    dispatch.seekOrphans();
    await untilStored(2, status.SENT);
    expect(submittedParts(carrier)).toEqual(['2/1', '1/1']);
  });

  test('[DLV-7] a search that is asked for during a search finds what that one was too early for', async () => {
    const { carrier, store, dispatch } = begin();
    carrier.rule = accepted;
    const letGo = store.holdAnswers('messages.releaseOrphans', 1);
    dispatch.seekOrphans();
    await pause(100);
    await given.store.write(putMessages, [{ id: 1, stage: stage.inFlight, nodeId: 7, attempts: 1 }]);
    dispatch.seekOrphans();
    letGo();
    await untilStored(1, status.SENT);
    expect(submittedParts(carrier)).toEqual(['1/1']);
  });

  test('[DLV-7] the search for such claims leaves what is in hand', async () => {
    const { carrier, dispatch } = begin();
    await given.store.write(
      putMessages,
      range(1, 3).map((id) => ({ id })),
    );
    dispatch.wake();
    await until(() => carrier.open.length === 3);
    dispatch.seekOrphans();
    await pause(100);
    expect(carrier.submitted).toHaveLength(3);
    carrier.answerAll(accepted);
    await untilStored(3, status.SENT);
    expect(carrier.submitted).toHaveLength(3);
  });

  test('[DLV-7] parts taken earlier that can’t be read: the messages wait, are not lost and not sent twice', async () => {
    const { carrier, store, dispatch } = begin();
    carrier.rule = accepted;
    await given.store.write(putMessages, [{ id: 1, parts: 3, text: longText, attempts: 1 }, { id: 2 }]);
    await given.store.write(putParts, [{ messageId: 1, part: 2, parts: 3, carrierMessageId: 'before' }]);
    store.refuse('messages.readTakenParts', 2);
    dispatch.wake();
    await untilStored(2, status.SENT);
    expect(submittedParts(carrier).sort()).toEqual(['1/1', '1/3', '2/1']);
  });

  test('[DLV-7] outcomes that can’t be stored are kept and stored later; their messages are not claimed meanwhile', async () => {
    const { carrier, store, dispatch, warnings } = begin();
    carrier.rule = accepted;
    await given.store.write(
      putMessages,
      range(1, 5).map((id) => ({ id })),
    );
    store.refuse('messages.recordOutcomes', 2);
    dispatch.wake();
    await until(() => warnings.length === 2);
    expect(dispatch.open).toBe(5);
    await untilStored(5, status.SENT);
    await until(() => dispatch.open === 0);
    expect(carrier.submitted).toHaveLength(5);
  });

  test('[DLV-7] an outcome whose storing was not answered: the claim after it is not mistaken for the one before', async () => {
    const { carrier, store, dispatch } = begin();
    await given.store.write(putMessages, [{ id: 1 }]);
    store.loseAnswers('messages.recordOutcomes', 1);
    dispatch.wake();
    await until(() => carrier.open.length === 1);
    carrier.answerAll(retryNow);
    await until(() => store.calls.includes('messages.recordOutcomes'));
    // Before the second try, half a second later, the message is released and claimed once more.
    while ((await given.store.write(releaseDue, { now: 20_000, limit: 10 })) === 0) await pause(5);
    dispatch.wake();
    await until(() => carrier.open.length === 1);
    await until(() => store.calls.filter((name) => name === 'messages.recordOutcomes').length === 2);
    await pause(50);
    expect(await findMessage(given.store, 1)).toMatchObject({ stage: stage.inFlight, attempts: 2 });
    expect(dispatch.open).toBe(1);
    carrier.answerAll(accepted);
    await untilStored(1, status.SENT);
    expect(carrier.submitted).toHaveLength(2);
    await until(() => dispatch.open === 0);
  });
});
