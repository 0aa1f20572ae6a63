import { expect, test } from 'vitest';
import { until } from '../../../test/harness/awake.ts';
import { deliveryStore, findMessage } from '../../../test/harness/delivery-store.ts';
import { putMessages, putSimulator } from '../../../test/harness/delivery-verbs.ts';
import { claim, ended, part, record, retrying, sent } from '../../../test/harness/outcomes.ts';
import { runningDispatches } from '../../../test/harness/running-dispatches.ts';
import { accepted, ScriptedCarrier } from '../../../test/harness/scripted-carrier.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import type { Outcome, OutgoingPart } from '../../carriers/carrier.ts';
import { claimMessages } from '../dispatch/claim.ts';
import { Dispatch } from '../dispatch/dispatch.ts';
import { releaseOrphans } from '../dispatch/orphans.ts';
import { recordOutcomes } from '../dispatch/store.ts';
import { passMessageOn } from '../failover/pass-on.ts';
import { moveWaiting } from '../failover/reassignment.ts';
import { stage, status } from '../message.ts';
import { recordReceipts } from '../receipts/store.ts';
import { firstKept, latestKept } from '../timeline-store.ts';
import { expireWaiting, giveUpReceipts, releaseDue } from '../upkeep/due-store.ts';
import { purgeMessages } from '../upkeep/purge.ts';
import { takeOverInFlight } from '../upkeep/store.ts';
import { cancelMessage } from './cancel.ts';
import { detailOf, inspectMessage, type TimelineEntry } from './inspect.ts';

eachStore('the timeline of a message', (engine) => {
  const given = deliveryStore(engine);
  const running = runningDispatches();

  const inspect = async (id = 1) => {
    const message = await given.store.read(inspectMessage, id);
    if (message === null) throw new Error(`there is no message ${id}`);
    return message.timeline;
  };
  /**
   * The timeline as printed, but with times in milliseconds and without its first line, which says that the message was
   * accepted.
   */
  const story = async (id = 1) =>
    (await inspect(id)).entries.slice(1).map((entry) => {
      const { at, what, part: number, carrier } = entry;
      return [at, what, number, carrier, detailOf(entry)]
        .filter((value) => value !== undefined && value !== '')
        .join(' ');
    });
  const tell = (
    carrierMessageId: string,
    code: number,
    receivedAt: number,
    errorCode: string | null = null,
  ) =>
    given.store.write(recordReceipts, [
      { carrierId: 1, carrierMessageId, status: code, receivedAt, errorCode },
    ]);

  /** Runs dispatch until the carrier has responded to everything that waits. */
  async function dispatchOnce(rule: (part: OutgoingPart) => Outcome): Promise<void> {
    const carrier = new ScriptedCarrier({ id: 1 });
    const dispatch = new Dispatch({
      store: given.store,
      clock: { now: () => 10_000 },
      nodeId: 7,
      carrier,
      log: { warn: () => undefined, error: () => undefined },
      mayClaim: () => true,
    });
    running.push(dispatch);
    carrier.outcome = (sms, outcome) => dispatch.outcome(sms, outcome);
    carrier.rule = rule;
    dispatch.wake();
    await until(() => carrier.submitted.length > 0 && dispatch.open === 0);
  }

  test('[DLV-3] [STAT-7] The timeline shows a message that was tried again and then delivered', async () => {
    await given.store.write(putMessages, [{ id: 1 }]);
    await given.store.write(claimMessages, claim);
    const again = { ...retrying(1), reason: 'throttled' };
    await given.store.write(recordOutcomes, { ...record(7), advances: [again] });
    await given.store.write(releaseDue, { now: 7_000, limit: 10 });
    await given.store.write(claimMessages, { ...claim, now: 7_100 });
    const taken = { advances: [{ ...sent(1), attempts: 2 }], taken: [{ ...part(1), answeredAt: 7_200 }] };
    await given.store.write(recordOutcomes, { ...record(7), now: 7_200, ...taken });
    await tell('c1/1', status.ACCEPTED, 7_300);
    await tell('c1/1', status.DELIVERED, 7_400);
    await tell('c1/1', status.ACCEPTED, 7_500);
    await tell('c1/1', status.SENT, 7_600);
    expect((await inspect()).entries[0]).toMatchObject({ at: 1_000, what: 'accepted', carrier: 'carrier 1' });
    expect(await story()).toEqual([
      '5000 claimed carrier 1 attempt 1, node 7',
      '6000 retry carrier 1 again at 1970-01-01T00:00:07.000Z: throttled',
      '7100 claimed carrier 1 attempt 2, node 7',
      '7200 taken 1 carrier 1 as c1/1',
      '7300 receipt 1 carrier 1 ACCEPTED',
      '7400 receipt 1 carrier 1 DELIVERED',
      '7500 receipt ignored 1 carrier 1 ACCEPTED',
      '7600 receipt 1 carrier 1 SENT',
    ]);
  });

  test('[DLV-6] The timeline shows that a message’s node ended while it was in flight', async () => {
    await given.store.write(putMessages, [{ id: 1 }]);
    await given.store.write(claimMessages, claim);
    const dead = { deadNodeId: 7, carrierId: 1, policy: 'retry' as const, now: 9_000, limit: 10 };
    await given.store.write(takeOverInFlight, dead);
    await given.store.write(claimMessages, { ...claim, nodeId: 8, now: 9_500 });
    expect(await story()).toEqual([
      '5000 claimed carrier 1 attempt 1, node 7',
      "9000 in doubt carrier 1 node 7 ended before the carrier's answer was stored: it may have been sent",
      '9500 claimed carrier 1 attempt 2, node 8',
    ]);
  });

  test('[DLV-3] [DLV-5] The timeline shows the receipts of two parts, one of which fails', async () => {
    await given.store.write(putMessages, [{ id: 1, parts: 2 }]);
    await given.store.write(claimMessages, claim);
    const taken = [part(1, 1, 2), part(1, 2, 2)];
    await given.store.write(recordOutcomes, { ...record(7), advances: [sent(1)], taken });
    await tell('c1/1', status.DELIVERED, 6_500);
    await tell('c1/2', status.ABSENTSUBSCRIBER, 6_600, '27');
    expect(await story()).toEqual([
      '5000 claimed carrier 1 attempt 1, node 7',
      '6000 taken 1 carrier 1 as c1/1',
      '6000 taken 2 carrier 1 as c1/2',
      '6500 receipt 1 carrier 1 DELIVERED',
      "6600 receipt 2 carrier 1 ABSENTSUBSCRIBER, the carrier's code is 27",
    ]);
  });

  test('[DLV-3] The timeline shows three parts, one of which was busy and another without a response', async () => {
    await given.store.write(putMessages, [{ id: 1, parts: 3, text: 'x'.repeat(400) }]);
    const answers: Record<number, Outcome> = {
      1: { kind: 'accepted', carrierMessageId: 'a', submittedAt: 9_990 },
      2: { kind: 'retryAt', time: 11_000, reason: 'busy' },
      3: { kind: 'inDoubt', reason: 'no answer' },
    };
    await dispatchOnce(({ part: number }) => answers[number] as Outcome);
    await given.store.write(releaseDue, { now: 12_000, limit: 10 });
    await dispatchOnce(({ part: number }) => ({ kind: 'accepted', carrierMessageId: `b${number}` }));
    await tell('b2', status.DELIVERED, 13_000);
    expect(await story()).toEqual([
      '10000 claimed carrier 1 attempt 1, node 7',
      '10000 in doubt carrier 1 again at 1970-01-01T00:00:11.000Z: part 2: busy; part 3: no answer',
      '10000 claimed carrier 1 attempt 2, node 7',
      '10000 taken 1 carrier 1 as a, answered after 10 ms',
      '10000 taken 2 carrier 1 as b2',
      '10000 taken 3 carrier 1 as b3',
      '13000 receipt 2 carrier 1 DELIVERED',
    ]);
  });

  test('[DLV-3] The timeline shows a message that was given back because the carrier was too slow', async () => {
    await given.store.write(putMessages, [{ id: 1 }]);
    const answers: Outcome[] = [{ kind: 'givenBack', reason: 'too slow' }];
    await dispatchOnce(() => answers.pop() ?? { kind: 'accepted', carrierMessageId: 'a' });
    await expect
      .poll(story, { timeout: 100_000 })
      .toEqual([
        '10000 claimed carrier 1 attempt 1, node 7',
        '10000 given back carrier 1 too slow',
        '10000 claimed carrier 1 attempt 2, node 7',
        '10000 taken 1 carrier 1 as a',
      ]);
  });

  test('[DLV-6] The timeline shows a message that a node claimed without ever learning of it', async () => {
    await given.store.write(putMessages, [{ id: 1 }]);
    await given.store.write(claimMessages, claim);
    await given.store.write(releaseOrphans, { carrierId: 1, nodeId: 7, knownIds: [], now: 5_600 });
    await given.store.write(claimMessages, { ...claim, now: 5_700 });
    expect(await story()).toEqual([
      '5000 claimed carrier 1 attempt 1, node 7',
      '5600 given back carrier 1 no part of it had been handed over',
      '5700 claimed carrier 1 attempt 2, node 7',
    ]);
  });

  test('[DLV-6] The timeline shows a message that two nodes sent because the first was taken for dead', async () => {
    await given.store.write(putMessages, [{ id: 1 }]);
    await given.store.write(claimMessages, claim);
    const dead = { deadNodeId: 7, carrierId: 1, policy: 'retry' as const, now: 5_100, limit: 10 };
    await given.store.write(takeOverInFlight, dead);
    await given.store.write(claimMessages, { ...claim, nodeId: 8, now: 5_200 });
    const second = { advances: [{ ...sent(1), attempts: 2 }], taken: [part(1)] };
    await given.store.write(recordOutcomes, { ...record(8), ...second });
    // The record is written twice, because the answer to the first write was lost; its parts are already stored.
    await given.store.write(recordOutcomes, { ...record(8), ...second });
    const late = { ...part(1, 1, 1, 'first'), answeredAt: 5_150 };
    await given.store.write(recordOutcomes, { ...record(7), now: 6_100, advances: [sent(1)], taken: [late] });
    expect(await story()).toEqual([
      '5000 claimed carrier 1 attempt 1, node 7',
      "5100 in doubt carrier 1 node 7 ended before the carrier's answer was stored: it may have been sent",
      '5150 late answer 1 carrier 1 attempt 1, node 7, as first: by then the message had been given to others: it may have been sent twice',
      '5200 claimed carrier 1 attempt 2, node 8',
      '6000 taken 1 carrier 1 as c1/1',
    ]);
  });

  test('[DLV-5] The timeline shows a message whose receipts many transactions record at once', async () => {
    await given.store.write(putMessages, [{ id: 1, parts: 2 }]);
    await given.store.write(claimMessages, claim);
    const taken = [part(1, 1, 2), part(1, 2, 2)];
    await given.store.write(recordOutcomes, { ...record(7), advances: [sent(1)], taken });
    const stores = [given.store];
    if (engine.name === 'postgres') for (let n = 0; n < 5; n++) stores.push(await given.fresh.openAnother());
    const times = Array.from({ length: 24 }, (_, index) => 6_100 + index);
    await Promise.all(
      times.map((receivedAt) =>
        stores[receivedAt % stores.length]?.write(recordReceipts, [
          {
            carrierId: 1,
            carrierMessageId: `c1/${1 + (receivedAt % 2)}`,
            errorCode: null,
            receivedAt,
            status: receivedAt % 3 === 0 ? status.ACCEPTED : status.SENT,
          },
        ]),
      ),
    );
    const receipts = (await inspect()).entries.filter(({ what }) => what.startsWith('receipt'));
    expect(receipts.map(({ at }) => at)).toEqual(times);
  });

  test('[DLV-5] The timeline shows a receipt that came before the carrier’s answer', async () => {
    await given.store.write(putMessages, [{ id: 1 }]);
    await given.store.write(claimMessages, claim);
    await tell('c1/1', status.DELIVERED, 5_500);
    await given.store.write(recordOutcomes, { ...record(7), advances: [sent(1)], taken: [part(1)] });
    expect(await story()).toEqual([
      '5000 claimed carrier 1 attempt 1, node 7',
      '5500 receipt 1 carrier 1 DELIVERED',
      '6000 taken 1 carrier 1 as c1/1',
    ]);
  });

  test('[DLV-3] The timeline shows a message that was moved, passed on, and refused', async () => {
    await given.store.write(putSimulator, { id: 2 });
    await given.store.write(putMessages, [{ id: 1 }]);
    const move = { fromCarrierId: 1, moves: [[1, 1, 2]], reason: 'it was down', now: 4_000 };
    await given.store.write(moveWaiting, move);
    await given.store.write(claimMessages, { ...claim, carrierId: 2 });
    await given.store.write(passMessageOn, {
      companyId: 1,
      id: 1,
      nodeId: 7,
      attempts: 1,
      fromCarrierId: 2,
      toCarrierId: 1,
      now: 5_500,
      reason: 'not my network',
    });
    await given.store.write(claimMessages, { ...claim, now: 5_600 });
    const refused = { ...ended(1, status.REJECTED), attempts: 2, reason: 'nor mine' };
    await given.store.write(recordOutcomes, { ...record(7), advances: [refused] });
    expect(await story()).toEqual([
      '4000 moved carrier 1 to carrier 2: it was down',
      '5000 claimed carrier 2 attempt 1, node 7',
      '5500 passed on carrier 2 to carrier 1: not my network',
      '5600 claimed carrier 1 attempt 2, node 7',
      '6000 refused carrier 1 REJECTED: nor mine',
    ]);
  });

  test('[SEND-21] [STAT-6] The timeline shows messages that were scheduled, cancelled, or expired', async () => {
    const scheduled = { status: status.SCHEDULED, stage: stage.scheduled, dueAt: 5_000 };
    const late = { status: status.SENT, stage: stage.awaitingReceipt, dueAt: 6_000 };
    await given.store.write(putMessages, [
      { id: 1, ...scheduled },
      { id: 2, expiresAt: 5_000 },
      { id: 3, ...late },
    ]);
    expect(detailOf((await inspect()).entries[0] as TimelineEntry)).toBe(
      'scheduled for 1970-01-01T00:00:05.000Z',
    );
    await given.store.write(releaseDue, { now: 5_100, limit: 10 });
    await given.store.write(cancelMessage, { id: 1, now: 5_200 });
    await given.store.write(expireWaiting, { now: 5_300, limit: 10 });
    await given.store.write(giveUpReceipts, { now: 6_000, limit: 10 });
    expect(await story(1)).toEqual(['5100 due', '5200 cancelled DELETED: cancelled by the operator']);
    expect(await story(2)).toEqual(['5300 expired no carrier took it within its validity']);
    expect(await story(3)).toEqual(['6000 expired no receipt came']);
  });

  test('[DLV-3] The timeline keeps the first and the latest events, however often a message is tried, and is purged with it', async () => {
    await given.store.write(putMessages, [{ id: 1 }]);
    const tries = 60;
    for (let attempts = 1; attempts <= tries; attempts++) {
      await given.store.write(claimMessages, { ...claim, now: 5_000 });
      const again = { ...retrying(1), attempts, reason: 'x'.repeat(1_000) };
      await given.store.write(recordOutcomes, { ...record(7), advances: [again] });
      await given.store.write(releaseDue, { now: 7_000, limit: 10 });
    }
    const { entries, leftOut } = await inspect();
    // The end of an attempt and the claim that began it are one event.
    expect(entries).toHaveLength(1 + 2 * (firstKept + latestKept));
    expect(leftOut).toBe(tries - firstKept - latestKept);
    expect(entries.at(-1)).toMatchObject({ what: 'retry', attempt: tries });
    expect(Math.max(...entries.map(({ reason = '' }) => reason.length))).toBe(300);
    await given.store.write(cancelMessage, { id: 1, now: 8_000 });
    const purge = { companyId: 1, afterId: 0, idsSinceOld: 0, createdBefore: 9_000, limit: 10 };
    expect((await given.store.write(purgeMessages, purge)).purged).toBe(1);
    await given.store.write(putMessages, [{ id: 1 }]);
    expect(await story()).toEqual([]);
  });

  test('[DLV-3] [DLV-6] The timeline shows that a carrier was in doubt and took the message the second time', async () => {
    await given.store.write(putMessages, [{ id: 1 }]);
    await dispatchOnce(() => ({ kind: 'inDoubt', reason: 'no answer' }));
    await given.store.write(releaseDue, { now: 12_000, limit: 10 });
    await dispatchOnce(accepted);
    expect((await findMessage(given.store, 1)).status).toBe(status.SENT);
    expect((await inspect()).entries.map(({ what }) => what)).toEqual([
      ...['accepted', 'claimed', 'in doubt', 'claimed', 'taken'],
    ]);
  });
});
