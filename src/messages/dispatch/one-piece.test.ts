import { expect, test } from 'vitest';
import { dispatchedSmpp } from '../../../test/carriers/dispatched-smpp.ts';
import { command } from '../../../test/carriers/raw-smsc.ts';
import { pause, until } from '../../../test/harness/awake.ts';
import { deliveryStore, findMessage, range } from '../../../test/harness/delivery-store.ts';
import { listParts, putMessages, putParts } from '../../../test/harness/delivery-verbs.ts';
import { runningDispatches } from '../../../test/harness/running-dispatches.ts';
import { accepted, retryNow, ScriptedCarrier } from '../../../test/harness/scripted-carrier.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { charge, lane, stage, status } from '../message.ts';
import { inspectMessage } from '../operator/inspect.ts';
import { recordReceipts } from '../receipts/store.ts';
import { releaseDue } from '../upkeep/due-store.ts';
import { Dispatch } from './dispatch.ts';

const longText = 'Møtet er flyttet. '.repeat(20);

eachStore('a carrier that takes long texts in one piece', (engine) => {
  const given = deliveryStore(engine);
  const running = runningDispatches();

  function begin(options: ConstructorParameters<typeof ScriptedCarrier>[0] = {}) {
    const carrier = new ScriptedCarrier(options);
    const passedOn: number[] = [];
    carrier.takesWhole = true;
    const dispatch = new Dispatch({
      store: given.store,
      clock: { now: () => 10_000 },
      nodeId: 7,
      carrier,
      log: { warn: () => undefined, error: () => undefined },
      mayClaim: () => true,
      passOn: async (end) => {
        passedOn.push(end.id);
        return end;
      },
    });
    carrier.outcome = (part, outcome) => dispatch.outcome(part, outcome);
    running.push(dispatch);
    return { carrier, dispatch, passedOn };
  }

  const becomes = (wanted: number, at: number | null = stage.awaitingReceipt) =>
    expect
      .poll(() => findMessage(given.store, 1), { timeout: 100_000 })
      .toMatchObject({ status: wanted, stage: at });

  test('[DLV-4] [STAT-7] A carrier that takes long texts whole gets each text once, and its one receipt counts for the message', async () => {
    const { carrier, dispatch } = begin();
    carrier.rule = accepted;
    await given.store.write(putMessages, [{ id: 1, parts: 3, text: longText }]);
    dispatch.wake();
    await becomes(status.SENT);
    expect(carrier.submitted).toMatchObject([{ part: 1, parts: 1, smsParts: 3, text: longText }]);
    const receipt = { carrierId: 1, carrierMessageId: '1/1', status: status.DELIVERED, errorCode: '000' };
    await given.store.write(recordReceipts, [{ ...receipt, receivedAt: 11_000 }]);
    await becomes(status.DELIVERED, null);
    const inspected = await given.store.read(inspectMessage, 1);
    expect(inspected?.taken).toMatchObject([
      {
        part: 1,
        parts: 1,
        carrierMessageId: '1/1',
        status: status.DELIVERED,
        changedAt: 11_000,
        // The carrier's 000 is not an error.
        errorCode: null,
      },
    ]);
    expect(inspected?.reason).toBeNull();
    const { entries = [] } = inspected?.timeline ?? {};
    expect(entries.map(({ what, part, parts }) => [what, part, parts])).toEqual([
      ['accepted', undefined, undefined],
      ['claimed', undefined, undefined],
      ['taken', 1, 1],
      ['receipt', 1, 1],
    ]);
  });

  test('[DLV-4] A text that a carrier took whole is not given to it again, even if it now wants parts', async () => {
    const { carrier, dispatch } = begin();
    carrier.takesWhole = false;
    await given.store.write(putMessages, [{ id: 1, parts: 3, text: longText, attempts: 1 }]);
    await given.store.write(putParts, [{ messageId: 1, part: 1, parts: 1, carrierMessageId: 'whole' }]);
    dispatch.wake();
    await becomes(status.SENT);
    expect(carrier.submitted).toEqual([]);
  });

  test('[DLV-4] A carrier that takes long texts whole gets the missing parts of a message that was begun in parts', async () => {
    const { carrier, dispatch } = begin();
    carrier.rule = accepted;
    await given.store.write(putMessages, [{ id: 1, parts: 3, text: longText, attempts: 1 }]);
    await given.store.write(putParts, [{ messageId: 1, part: 2, parts: 3, carrierMessageId: 'before' }]);
    dispatch.wake();
    await becomes(status.SENT);
    expect(carrier.submitted).toMatchObject([
      { part: 1, parts: 3, smsParts: 1 },
      { part: 3, parts: 3, smsParts: 1 },
    ]);
    expect(await given.store.read(listParts, null)).toHaveLength(3);
  });

  test('[DLV-3] [DLV-4] A carrier that takes long texts whole has its window full of messages, however long they are', async () => {
    const { carrier, dispatch } = begin({ window: 4 });
    await given.store.write(
      putMessages,
      range(1, 12).map((id) => ({ id, parts: 3, text: longText })),
    );
    dispatch.wake();
    // Twice the window: one window in progress and one ahead.
    await until(() => carrier.open.length === 8);
    const row = { company_id: 1, id: 99, recipient: '46701740600', sender: 'x', text: longText, flash: 0 };
    expect(
      dispatch.expect([{ ...row, parts: 3, expires_at: 1e6, attempts: 1, in_doubt: 0, reference: 1 }]),
    ).toBeUndefined();
    await pause(50);
    expect(carrier.submitted).toHaveLength(8);
    carrier.rule = accepted;
    carrier.answerAll(accepted);
    await until(() => carrier.submitted.length === 12);
    await until(() => dispatch.open === 0);
    expect(new Set(carrier.submitted.map(({ messageId }) => messageId)).size).toBe(12);
    // All room is free again.
    expect(
      dispatch.expect(
        range(101, 108).map((id) => ({
          ...row,
          id,
          parts: 3,
          expires_at: 1e6,
          attempts: 1,
          in_doubt: 0,
          reference: 1,
        })),
      ),
    ).toBeDefined();
  });

  test('[DLV-2] [DLV-4] A carrier with a throughput limit that takes texts whole has the SMS of a second or two, whatever its window', async () => {
    const { carrier, dispatch } = begin({ window: 10 });
    carrier.smsWindow = 6;
    await given.store.write(
      putMessages,
      range(1, 12).map((id) => ({
        id,
        parts: 3,
        text: longText,
        lane: id > 9 ? lane.interactive : lane.bulk,
      })),
    );
    dispatch.wake();
    await until(() => carrier.open.length === 4);
    await pause(50);
    expect(carrier.submitted.map(({ messageId }) => messageId)).toEqual([10, 11, 12, 1]);
    carrier.rule = accepted;
    carrier.answerAll(accepted);
    await until(() => carrier.submitted.length === 12);
    await until(() => dispatch.open === 0);
  });

  test('[DLV-2] [DLV-4] A carrier that takes long texts whole may pass on a text that it refuses', async () => {
    const { carrier, dispatch, passedOn } = begin();
    carrier.rule = () => ({ kind: 'passOn', status: 5, reason: 'not my network' });
    await given.store.write(putMessages, [{ id: 1, parts: 3, text: longText }]);
    dispatch.wake();
    await becomes(status.REJECTED, null);
    expect(passedOn).toEqual([1]);
    expect(await findMessage(given.store, 1)).toMatchObject({ charge: charge.refunded });
  });

  test('[DLV-3] [DLV-4] A carrier that takes long texts whole gets all of a text again after it was too busy', async () => {
    const { carrier, dispatch } = begin();
    carrier.rule = (part) => (carrier.submitted.length === 1 ? retryNow() : accepted(part));
    await given.store.write(putMessages, [{ id: 1, parts: 3, text: longText }]);
    dispatch.wake();
    await until(() => carrier.submitted.length === 1);
    while ((await given.store.write(releaseDue, { now: 20_000, limit: 10 })) === 0) await pause(5);
    dispatch.wake();
    await becomes(status.SENT);
    expect(carrier.submitted.map(({ text }) => text)).toEqual([longText, longText]);
  });
});

eachStore('an SMSC that takes long texts in one piece', (engine) => {
  const given = deliveryStore(engine);
  const begin = dispatchedSmpp(() => given.store);

  test('[DLV-2] [DLV-3] [DLV-4] An SMSC that takes long texts whole has a small window full of them, whatever the throughput', async () => {
    const { smsc, carrier, dispatch, counts } = await begin({
      window: 10,
      throughput: 1_000,
      concatenation: 'payload',
    });
    expect(carrier).toMatchObject({ window: 10, takesWhole: true, smsWindow: 1_000 });
    smsc.rules.set(command.submitSm, () => undefined);
    const text = 'x'.repeat(153 * 10);
    const row = { parts: 10, text, expiresAt: Date.now() + 3_600_000 };
    await given.store.write(
      putMessages,
      range(1, 40).map((id) => ({ ...row, id })),
    );
    dispatch.wake();
    await until(() => smsc.submissions.length === 10);
    await pause(50);
    expect(smsc.submissions).toHaveLength(10);
    smsc.rules.delete(command.submitSm);
    for (const pdu of smsc.submissions) smsc.session.answer(pdu, 0, `${smsc.nextId()}\0`);
    await until(() => counts.accepted === 40);
    expect(smsc.submissions).toHaveLength(40);
  });
});
