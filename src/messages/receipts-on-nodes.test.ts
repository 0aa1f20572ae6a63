import pg from 'pg';
import { expect, test } from 'vitest';
import { fillStore, findMessage, range } from '../../test/harness/delivery-store.ts';
import { listParked, putMessages, putParts } from '../../test/harness/delivery-verbs.ts';
import { describePostgres } from '../../test/harness/engines.ts';
import { openFreshStore } from '../../test/harness/stores.ts';
import type { Store } from '../storage/store.ts';
import { type Advance, claimMessages, recordOutcomes } from './dispatch-store.ts';
import { stage, status } from './message.ts';
import type { StoredReceipt } from './receipt-match-store.ts';
import { recordReceipts } from './receipt-store.ts';
import { retryParkedReceipts } from './retry-receipts-store.ts';

function receipt(carrierMessageId: string, code: number, receivedAt = 2_000): StoredReceipt {
  return { carrierId: 1, carrierMessageId, status: code, errorCode: null, receivedAt };
}

const awaiting = { stage: stage.awaitingReceipt, status: status.SENT, dueAt: 9_000, attempts: 1 };
const sweep = { now: 3_000, limit: 100 };

/** Message 1 of so many parts is in flight at node 7: what its record would be when all of them are taken. */
async function inFlight(store: Store, parts: number) {
  await store.write(putMessages, [{ id: 1, parts }]);
  await store.write(claimMessages, { carrierId: 1, nodeId: 7, room: 1, bulkFloor: 0, now: 1_500 });
  const advance: Advance = {
    companyId: 1,
    id: 1,
    attempts: 1,
    status: status.SENT,
    stage: stage.awaitingReceipt,
    dueAt: 9_000,
    handedOver: true,
    inDoubt: false,
    expiredByTimer: false,
    reason: null,
  };
  const taken = range(1, parts).map((part) => ({
    companyId: 1,
    messageId: 1,
    part,
    parts,
    carrierMessageId: `c${part}`,
    submittedAt: null,
    answeredAt: 2_000,
  }));
  return { nodeId: 7, carrierId: 1, now: 2_000, advances: [advance], taken };
}

describePostgres('receipts on two nodes at once', () => {
  test('[STAT-7] [RUN-2] for the parts of one message: the last one completes it, though neither saw the other', async () => {
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

  test('[DLV-5] [RUN-2] one that is tried again and the answer that it waits for never wait for each other', async () => {
    const fresh = await openFreshStore('postgres');
    const trying = new pg.Client({ connectionString: fresh.place });
    try {
      await fillStore(fresh.store);
      await trying.connect();
      const outcome = await inFlight(fresh.store, 1);
      await fresh.store.write(recordReceipts, [receipt('c1', status.DELIVERED)]);
      // What a sweep holds while it looks for the message, and then needs.
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
  }, 10_000);
});
