import pg from 'pg';
import { expect, test } from 'vitest';
import { fillStore, findMessage, range } from '../../../test/harness/delivery-store.ts';
import { listParked, putMessages, putParts, putSimulator } from '../../../test/harness/delivery-verbs.ts';
import { describePostgres } from '../../../test/harness/engines.ts';
import { ForgetfulSmsc } from '../../../test/harness/forgetful-smsc.ts';
import { awaiting, inFlight, receipt, sweep } from '../../../test/harness/numbered-receipts.ts';
import { part, record, sent } from '../../../test/harness/outcomes.ts';
import { openFreshStore } from '../../../test/harness/stores.ts';
import { recordOutcomes } from '../dispatch/store.ts';
import { stage, status } from '../message.ts';
import { retryParkedReceipts } from './retry-store.ts';
import { recordReceipts } from './store.ts';

describePostgres('receipts on two nodes at once', () => {
  test('[STAT-7] [RUN-2] If two nodes record receipts for the parts of one message at once, the last one completes it', async () => {
    const fresh = await openFreshStore('postgres');
    try {
      await fillStore(fresh.store);
      const other = await fresh.openAnother();
      const messages = range(1, 150);
      await fresh.store.write(
        putMessages,
        messages.map((id) => ({ id, ...awaiting, parts: 2 })),
      );
      const parts = messages.flatMap((messageId) =>
        [1, 2].map((part) => ({ messageId, part, parts: 2, carrierMessageId: `${messageId}/${part}` })),
      );
      await fresh.store.write(putParts, parts);
      for (const id of messages) {
        await Promise.all([
          fresh.store.write(recordReceipts, [receipt(`${id}/1`, status.DELIVERED)]),
          other.write(recordReceipts, [receipt(`${id}/2`, status.DELIVERED)]),
        ]);
      }
      const open: number[] = [];
      for (const id of messages) {
        if ((await findMessage(fresh.store, id)).status !== status.DELIVERED) open.push(id);
      }
      expect(open).toEqual([]);
    } finally {
      await fresh.dispose();
    }
  });

  test('[STAT-7] [RUN-2] A receipt for a whole message counts even if another node records its last part at the same moment', async () => {
    const fresh = await openFreshStore('postgres');
    try {
      await fillStore(fresh.store);
      await fresh.store.write(putSimulator, { id: 1, settings: { receiptsPerMessage: 'one' } });
      const other = await fresh.openAnother();
      const messages = range(1, 60);
      const inFlightAgain = { stage: stage.inFlight, nodeId: 7, attempts: 2, parts: 2 };
      await fresh.store.write(
        putMessages,
        messages.map((id) => ({ id, ...inFlightAgain })),
      );
      await fresh.store.write(
        putParts,
        messages.map((messageId) => ({ messageId, parts: 2, carrierMessageId: `c${messageId}/1` })),
      );
      for (const id of messages) {
        const advances = [{ ...sent(id), attempts: 2 }];
        await Promise.all([
          fresh.store.write(recordReceipts, [receipt(`c${id}/1`, status.DELIVERED)]),
          other.write(recordOutcomes, { ...record(7), advances, taken: [part(id, 2, 2)] }),
        ]);
      }
      const ends = await Promise.all(messages.map((id) => findMessage(fresh.store, id)));
      expect(ends.filter((one) => one.status !== status.DELIVERED).map(({ id }) => id)).toEqual([]);
    } finally {
      await fresh.dispose();
    }
  });

  test('[DLV-5] [RUN-2] A receipt that is tried again and the carrier’s answer that it waits for never deadlock', async () => {
    const fresh = await openFreshStore('postgres');
    const trying = new pg.Client({ connectionString: fresh.place });
    try {
      await fillStore(fresh.store);
      await trying.connect();
      const outcome = await inFlight(fresh.store, 1);
      await fresh.store.write(recordReceipts, [receipt('c1', status.DELIVERED)]);
      // The locks that a sweep holds while it looks for the message, and those that it needs afterwards.
      await trying.query('BEGIN');
      await trying.query('SELECT 1 FROM parked_receipts FOR UPDATE');
      await fresh.store.write(recordOutcomes, outcome);
      await trying.query('UPDATE messages SET due_at = due_at');
      await trying.query('COMMIT');
      expect((await findMessage(fresh.store, 1)).status).toBe(status.SENT);
      await fresh.store.write(retryParkedReceipts, sweep);
      expect((await findMessage(fresh.store, 1)).status).toBe(status.DELIVERED);
      expect(await fresh.store.read(listParked, null)).toEqual([]);
    } finally {
      await trying.end();
      await fresh.dispose();
    }
  }, 300_000);

  test('[STAT-6] [RUN-2] A receipt does not go before an earlier one that a sweep is trying', async () => {
    const fresh = await openFreshStore('postgres');
    const trying = new pg.Client({ connectionString: fresh.place });
    const statusOf = async () => (await findMessage(fresh.store, 1)).status;
    try {
      await fillStore(fresh.store);
      await trying.connect();
      const outcome = await inFlight(fresh.store, 1);
      await fresh.store.write(recordReceipts, [receipt('c1', status.DELIVERED, 2_000)]);
      await trying.query('BEGIN');
      await trying.query('SELECT 1 FROM parked_receipts FOR UPDATE');
      // The locked receipts are not applied with the response.
      await fresh.store.write(recordReceipts, [receipt('c1', status.UNDELIVERABLE, 2_100)]);
      await fresh.store.write(recordOutcomes, outcome);
      expect(await statusOf()).toBe(status.SENT);
      // They are not applied at their own retry either, or when another receipt arrives.
      await fresh.store.write(retryParkedReceipts, sweep);
      expect(await statusOf()).toBe(status.SENT);
      await fresh.store.write(recordReceipts, [receipt('c1', status.REJECTED, 2_200)]);
      expect(await statusOf()).toBe(status.SENT);
      await trying.query('COMMIT');
      await fresh.store.write(retryParkedReceipts, sweep);
      expect(await findMessage(fresh.store, 1)).toMatchObject({
        status: status.DELIVERED,
        changed_at: 2_000,
      });
    } finally {
      await trying.end();
      await fresh.dispose();
    }
  });

  test('[DLV-5] [RUN-2] A receipt that comes while another node stores the carrier’s answer is never for an older message with that id', async () => {
    const fresh = await openFreshStore('postgres');
    try {
      await fillStore(fresh.store);
      const other = await fresh.openAnother();
      const smsc = new ForgetfulSmsc(() => fresh.store);
      const bind = new ForgetfulSmsc(() => other);
      for (const round of range(1, 60)) {
        const recipient = `4670174${1_000 + round}`;
        await smsc.take(2 * round - 1, { recipient });
        smsc.restart(60_000);
        const newer = await smsc.submit(2 * round, { recipient });
        bind.now = smsc.now;
        await Promise.all([smsc.answer(newer), bind.tell(newer)]);
        await smsc.pass(1_000);
        expect(await smsc.statusesOf(2 * round - 1, 2 * round)).toEqual([status.SENT, status.DELIVERED]);
        smsc.restart(60_000);
      }
    } finally {
      await fresh.dispose();
    }
  });
});
