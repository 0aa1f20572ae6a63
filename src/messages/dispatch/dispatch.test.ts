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

  test('[DLV-1] One wake is enough for dispatch to claim, hand over and record messages', async () => {
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
    // What dispatch has stored can be read before the store's answer has reached dispatch.
    await until(() => dispatch.open === 0);
    expect((await given.store.read(listParts, null)).map((part) => part.carrier_message_id)).toEqual(
      submittedParts(carrier),
    );
  });

  test('[DLV-1] However often and whenever dispatch is woken, it hands nothing over twice', async () => {
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

  test('[DLV-7] Messages of a claim whose answer was lost are found again and sent once, without doubt', async () => {
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

  test('[DLV-7] Messages of a claim that the store carries out long after the connection broke are found and sent', async () => {
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

  test('[DLV-7] A search for lost claims requested during another search finds what the other search was too early for', async () => {
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

  test('[DLV-7] The search for lost claims leaves alone the messages that are in hand', async () => {
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

  test('[DLV-7] While parts taken earlier cannot be read, their messages wait, and are neither lost nor sent twice', async () => {
    const { carrier, store, dispatch } = begin();
    carrier.rule = accepted;
    await given.store.write(putMessages, [{ id: 1, parts: 3, text: longText, attempts: 1 }, { id: 2 }]);
    await given.store.write(putParts, [{ messageId: 1, part: 2, parts: 3, carrierMessageId: 'before' }]);
    store.refuse('messages.readTakenParts', 2);
    dispatch.wake();
    await untilStored(2, status.SENT);
    expect(submittedParts(carrier).sort()).toEqual(['1/1', '1/3', '2/1']);
  });

  test('[DLV-7] Outcomes that cannot be stored are kept and stored later, and their messages are not claimed meanwhile', async () => {
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

  test('[DLV-7] An outcome stored again because its answer was lost does not affect the claim that came after it', async () => {
    const { carrier, store, dispatch } = begin();
    await given.store.write(putMessages, [{ id: 1 }]);
    store.loseAnswers('messages.recordOutcomes', 1);
    dispatch.wake();
    await until(() => carrier.open.length === 1);
    carrier.answerAll(retryNow);
    await until(() => store.calls.includes('messages.recordOutcomes'));
    // The message is released and claimed once more before the second attempt, which comes half a second later.
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
