/** Tests dispatch with an SMSC that is always late, and with the store and SMPP as in production. */
import { expect, test } from 'vitest';
import { type DispatchedSmpp, dispatchedSmpp } from '../../../test/carriers/dispatched-smpp.ts';
import { command } from '../../../test/carriers/raw-smsc.ts';
import { until } from '../../../test/harness/awake.ts';
import { deliveryStore, findMessage } from '../../../test/harness/delivery-store.ts';
import { listParts, listUsed, putMessages } from '../../../test/harness/delivery-verbs.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { charge, stage, status } from '../message.ts';
import { inspectMessage } from '../operator/inspect.ts';
import { releaseDue } from '../upkeep/due-store.ts';

const responseTimeoutMs = 1_000;
const expiresAt = Date.now() + 3_600_000;

eachStore('an SMSC that always answers late', (engine) => {
  const given = deliveryStore(engine);
  const begin = dispatchedSmpp(() => given.store);

  /** Makes the SMSC stay alive but respond only after the response time-out, and only if `answers` is true. */
  function lateSmsc({ smsc, carrier }: DispatchedSmpp, answers: boolean): () => void {
    let isLate = 0;
    smsc.rules.set(command.submitSm, (session, pdu) => {
      const timer = setInterval(() => {
        // The wait ends once the carrier has counted the time-out, however slow this machine is.
        if ((carrier.status().figures.timeouts ?? 0) <= isLate) return;
        isLate += 1;
        clearInterval(timer);
        if (answers) session.answer(pdu, 0, `id${pdu.sequence}\0`);
      }, 5);
    });
    const alive = setInterval(() => smsc.session.request(command.enquireLink), 50);
    return () => clearInterval(alive);
  }

  test('[DLV-3] An SMSC that responds late, but within twice the response timeout, is sent each SMS once', async () => {
    const link = await begin({ responseTimeoutMs, window: 1 });
    const end = lateSmsc(link, true);
    await given.store.write(putMessages, [
      { id: 1, expiresAt },
      { id: 2, expiresAt },
    ]);
    link.dispatch.wake();
    await until(async () => (await findMessage(given.store, 2)).status === status.SENT);
    end();
    for (const id of [1, 2]) {
      expect(await findMessage(given.store, id)).toMatchObject({
        status: status.SENT,
        stage: stage.awaitingReceipt,
        in_doubt: 0,
        attempts: 1,
      });
    }
    expect(link.smsc.submissions).toHaveLength(2);
    expect(await given.store.read(listParts, null)).toHaveLength(2);
    expect(link.counts).toEqual({ accepted: 2 });
  });

  test('[DLV-3] An SMSC that leaves a window of 1 and as much ahead unanswered gets no more until an SMS is in doubt', async () => {
    const link = await begin({ responseTimeoutMs: 300, window: 1 });
    const end = lateSmsc(link, false);
    await given.store.write(
      putMessages,
      [1, 2, 3].map((id) => ({ id, parts: 1, expiresAt })),
    );
    link.dispatch.wake();
    await until(() => link.smsc.submissions.length === 3);
    end();
    expect((await findMessage(given.store, 1)).in_doubt).toBe(1);
  });

  test('[DLV-3] [STAT-6] An SMSC that never responds is sent each SMS three times, at growing intervals, until it is given up', async () => {
    const link = await begin({ responseTimeoutMs: 100 });
    const end = lateSmsc(link, false);
    await given.store.write(putMessages, [{ id: 1, parts: 1, expiresAt }]);
    const dueAgain: number[] = [];
    for (let doubts = 1; doubts <= 3; doubts++) {
      link.dispatch.wake();
      await until(async () => (await findMessage(given.store, 1)).in_doubt === doubts);
      const { due_at } = await findMessage(given.store, 1);
      if (due_at !== null) dueAgain.push(due_at);
      await given.store.write(releaseDue, { now: Date.now() + 60_000, limit: 10 });
    }
    end();
    expect(link.smsc.submissions).toHaveLength(3);
    expect(dueAgain).toHaveLength(2);
    const message = await findMessage(given.store, 1);
    expect(message).toMatchObject({ status: status.UNKNOWN, stage: null, charge: charge.due });
    // The SMS may have been sent, so it is charged once.
    expect((await given.store.read(listUsed, null)).map(({ used }) => used)).toEqual([0, 0, 0]);
    const inspected = await given.store.read(inspectMessage, 1);
    const doubts = inspected?.timeline.entries.filter(({ what }) => what === 'in doubt') ?? [];
    const pauses = dueAgain.map((at, index) => at - (doubts[index]?.at ?? 0));
    expect(pauses[1]).toBeGreaterThan(pauses[0] as number);
    expect(doubts.map((entry) => [entry.attempt, entry.status])).toEqual([
      [1, undefined],
      [2, undefined],
      [3, 'UNKNOWN'],
    ]);
    expect(doubts.at(-1)?.reason).toBe(
      'the SMSC did not answer submit_sm within 500 ms; it was in doubt 3 times',
    );
  });
});
