import { expect, test } from 'vitest';
import { deliveryStore, findMessage } from '../../../test/harness/delivery-store.ts';
import {
  listMessages,
  listParked,
  listParts,
  listUsed,
  putMessages,
  putParked,
} from '../../../test/harness/delivery-verbs.ts';
import { claim, ended, part, record, retrying, sent } from '../../../test/harness/outcomes.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { charge, stage, status } from '../message.ts';
import type { OutcomeRecord } from '../outcome.ts';
import { claimMessages } from './claim.ts';
import { recordOutcomes } from './store.ts';
import { readTakenParts } from './taken-parts.ts';

eachStore('the record of outcomes', (engine) => {
  const given = deliveryStore(engine);

  test('[STAT-6] Recording outcomes moves messages on together with the parts that were taken', async () => {
    await given.store.write(putMessages, [{ id: 1 }, { id: 2, parts: 2 }, { id: 3 }]);
    await given.store.write(claimMessages, claim);
    await given.store.write(recordOutcomes, {
      ...record(7),
      advances: [sent(1), { ...retrying(2), handedOver: true, reason: 'busy' }, ended(3, status.REJECTED)],
      taken: [part(1), part(2, 1, 2)],
    });
    expect(await findMessage(given.store, 1)).toMatchObject({
      status: status.SENT,
      stage: stage.awaitingReceipt,
      due_at: 99_000,
      charge: charge.due,
      version: 2,
      unread: 1,
      changed_at: 6_000,
    });
    // The message's status is unchanged, and so is the version that readers compare.
    expect(await findMessage(given.store, 2)).toMatchObject({
      status: status.QUEUED,
      stage: stage.retrying,
      due_at: 7_000,
      charge: charge.due,
      version: 1,
      changed_at: 1_000,
      reason: 'busy',
    });
    expect(await findMessage(given.store, 3)).toMatchObject({
      status: status.REJECTED,
      stage: null,
      charge: charge.refunded,
    });
    expect((await given.store.read(listParts, null)).map((row) => row.carrier_message_id)).toEqual([
      'c1/1',
      'c2/1',
    ]);
    expect(
      await given.store.read(readTakenParts, [
        [1, 2],
        [1, 3],
      ]),
    ).toMatchObject([{ messageId: 2, part: 1 }]);
  });

  test('[DLV-6] [RUN-2] An outcome from a node that lost its claim changes nothing', async () => {
    await given.store.write(putMessages, [{ id: 1, parts: 2 }]);
    await given.store.write(claimMessages, claim);
    const late: OutcomeRecord = { ...record(8), advances: [sent(1)], taken: [part(1, 1, 2), part(1, 2, 2)] };
    const before = await findMessage(given.store, 1);
    await given.store.write(recordOutcomes, late);
    expect(await findMessage(given.store, 1)).toEqual(before);
    // The late node's parts don't replace those of the node that sends the message now, either.
    expect(await given.store.read(listParts, null)).toEqual([]);
    await given.store.write(recordOutcomes, {
      ...record(7),
      advances: [sent(1)],
      taken: [part(1, 1, 2, 'mine')],
    });
    await given.store.write(recordOutcomes, late);
    expect((await given.store.read(listParts, null)).map((row) => row.carrier_message_id)).toEqual(['mine']);
  });

  test('[DLV-6] [DLV-7] An outcome stored twice, because the first answer was lost, does not touch the claim that came between', async () => {
    await given.store.write(putMessages, [{ id: 1 }]);
    await given.store.write(claimMessages, claim);
    const first = { ...record(7), advances: [{ ...retrying(1), stage: stage.waiting }] };
    await given.store.write(recordOutcomes, first);
    const { messages } = await given.store.write(claimMessages, { ...claim, now: 8_000 });
    const again = messages[0];
    expect(again?.attempts).toBe(2);
    await given.store.write(recordOutcomes, first);
    expect(await findMessage(given.store, 1)).toMatchObject({
      stage: stage.inFlight,
      node_id: 7,
      attempts: 2,
    });
    await given.store.write(recordOutcomes, {
      ...record(7),
      advances: [{ ...sent(1), attempts: 2 }],
      taken: [part(1)],
    });
    expect(await findMessage(given.store, 1)).toMatchObject({ status: status.SENT });
  });

  test('[STAT-6] An outcome does not change a message that has ended in the meantime', async () => {
    await given.store.write(putMessages, [
      { id: 1, stage: null, status: status.DELIVERED, nodeId: 7, attempts: 1, charge: charge.due },
      {
        id: 2,
        stage: stage.awaitingReceipt,
        status: status.SENT,
        nodeId: 7,
        attempts: 1,
        charge: charge.due,
      },
    ]);
    const before = await given.store.read(listMessages, null);
    await given.store.write(recordOutcomes, {
      ...record(7),
      advances: [sent(1), ended(2, status.REJECTED)],
      taken: [],
    });
    expect(await given.store.read(listMessages, null)).toEqual(before);
  });

  test('[SEND-19] Recording outcomes refunds, once, what ended without being handed over, and nothing else', async () => {
    await given.store.write(putMessages, [
      { id: 1, parts: 3 },
      { id: 2, parts: 4 },
      { id: 3, parts: 5, charge: charge.due },
    ]);
    await given.store.write(claimMessages, claim);
    const ends = {
      ...record(7),
      advances: [
        ended(1, status.REJECTED),
        { ...ended(2, status.REJECTED), handedOver: true },
        // Parts of this message were handed over in an earlier claim.
        { ...ended(3, status.REJECTED), attempts: 1 },
      ],
    };
    await given.store.write(recordOutcomes, ends);
    await given.store.write(recordOutcomes, ends);
    expect(await given.store.read(listUsed, null)).toEqual([
      { holder: 'company', id: 1, used: -3 },
      { holder: 'user', id: 10, used: -3 },
      { holder: 'user', id: 11, used: 0 },
    ]);
    expect((await given.store.read(listMessages, null)).map((row) => row.charge)).toEqual([
      charge.refunded,
      charge.due,
      charge.due,
    ]);
  });

  test('[DLV-6] Recording outcomes keeps the mark of doubt once it is set', async () => {
    await given.store.write(putMessages, [{ id: 1 }]);
    await given.store.write(claimMessages, claim);
    await given.store.write(recordOutcomes, {
      ...record(7),
      advances: [{ ...retrying(1), stage: stage.waiting, inDoubt: true, handedOver: true }],
    });
    await given.store.write(claimMessages, claim);
    await given.store.write(recordOutcomes, {
      ...record(7),
      advances: [{ ...sent(1), attempts: 2 }],
      taken: [part(1)],
    });
    expect(await findMessage(given.store, 1)).toMatchObject({
      status: status.SENT,
      in_doubt: 1,
      attempts: 2,
    });
  });

  test('[DLV-5] A receipt that came before an outcome is applied with it, in order, however often it came', async () => {
    await given.store.write(putMessages, [{ id: 1 }, { id: 2 }]);
    await given.store.write(claimMessages, claim);
    await given.store.write(putParked, { id: 'c1/1', status: status.DELIVERED, at: 5_900 });
    await given.store.write(putParked, { id: 'c1/1', status: status.ACCEPTED, at: 5_800 });
    await given.store.write(putParked, { id: 'c2/1', status: status.ABSENTSUBSCRIBER, at: 5_700 });
    await given.store.write(putParked, { id: 'c3/1', status: status.DELIVERED, at: 5_700 });
    await given.store.write(recordOutcomes, {
      ...record(7),
      advances: [sent(1), sent(2)],
      taken: [part(1), part(2)],
    });
    expect(await findMessage(given.store, 1)).toMatchObject({
      status: status.DELIVERED,
      stage: null,
      version: 4,
    });
    expect(await findMessage(given.store, 2)).toMatchObject({
      status: status.ABSENTSUBSCRIBER,
      changed_at: 5_700,
    });
    expect(await given.store.read(listParked, null)).toEqual([
      { id: 'c3/1', status: status.DELIVERED, at: 5_700 },
    ]);
  });

  test('[DLV-5] A receipt parked long ago is not applied to a new message with its id, since carriers reuse ids', async () => {
    const hourMs = 60 * 60 * 1_000;
    await given.store.write(putMessages, [{ id: 1 }]);
    await given.store.write(claimMessages, claim);
    await given.store.write(putParked, { id: 'c1/1', status: status.UNDELIVERABLE, at: 1_000 });
    await given.store.write(recordOutcomes, {
      ...record(7),
      now: 10 * hourMs,
      advances: [sent(1)],
      taken: [part(1)],
    });
    expect(await findMessage(given.store, 1)).toMatchObject({ status: status.SENT });
    expect(await given.store.read(listParked, null)).toHaveLength(1);
  });
});
