import pg from 'pg';
import { expect, test } from 'vitest';
import { until } from '../../test/harness/awake.ts';
import { listMessages, putMessages, putParts } from '../../test/harness/delivery-verbs.ts';
import { describePostgres } from '../../test/harness/engines.ts';
import { type Engine, eachStore, openFreshStore } from '../../test/harness/stores.ts';
import type { Store } from '../storage/store.ts';
import { stage, status } from './message.ts';
import { recordReceipts } from './receipts/store.ts';
import { readUnreadStatuses, type StatusRow, takeStatusesById, takeUnreadStatuses } from './status.ts';

const ids = Array.from({ length: 200 }, (_, index) => index + 1);
const userId = 10;

/** Opens two processes on one store if the engine supports that, otherwise one. */
async function openTwo(engine: Engine): Promise<readonly [Store, Store]> {
  const fresh = await engine.openFreshStore();
  const messages = ids.map((id) => ({ id, status: status.SENT, stage: stage.awaitingReceipt }));
  await fresh.store.write(putMessages, messages);
  await fresh.store.write(
    putParts,
    ids.map((id) => ({ messageId: id, carrierMessageId: String(id) })),
  );
  return [fresh.store, engine.name === 'postgres' ? await fresh.openAnother() : fresh.store];
}

function deliver(store: Store, id: number): Promise<unknown> {
  const receipt = { carrierId: 1, carrierMessageId: String(id), status: status.DELIVERED, errorCode: null };
  return store.write(recordReceipts, [{ ...receipt, receivedAt: 3_000 }]);
}

/** Checks that each message's final status was read or is still unread. */
async function expectNothingSwallowed(store: Store, read: readonly StatusRow[]): Promise<void> {
  const seen = new Set(read.filter((row) => row.status === status.DELIVERED).map(({ id }) => id));
  for (const row of await store.read(listMessages, null)) {
    expect(row.status).toBe(status.DELIVERED);
    expect(row.unread, `message ${row.id}`).toBe(seen.has(row.id) ? row.unread : 1);
  }
}

eachStore('reading statuses', (engine) => {
  test('[STAT-3] A status change between reading by id and marking as read is not lost', async () => {
    const [reader, changer] = await openTwo(engine);
    const read: StatusRow[] = [];
    const reading = ids.map(async (id) => {
      read.push(...(await reader.write(takeStatusesById, { companyId: 1, userId, ids: [id] })));
    });
    await Promise.all([...reading, ...ids.map((id) => deliver(changer, id))]);
    expect(read).toHaveLength(ids.length);
    await expectNothingSwallowed(reader, read);
  });

  test('[STAT-3] [STAT-4] Two clients that read and mark unread statuses at once lose no status change', async () => {
    const [one, other] = await openTwo(engine);
    const read: StatusRow[] = [];
    const take = async (store: Store) => {
      for (let round = 0; round < 20; round++) {
        read.push(...(await store.write(takeUnreadStatuses, { companyId: 1, userId, limit: 7 })));
      }
    };
    await Promise.all([take(one), take(other), ...ids.map((id) => deliver(one, id))]);
    await expectNothingSwallowed(one, read);
    for (const row of await one.read(readUnreadStatuses, { companyId: 1, userId, limit: 1_000 }))
      read.push(row);
    const ended = read.filter((row) => row.status === status.DELIVERED).map(({ id }) => id);
    expect(new Set(ended)).toEqual(new Set(ids));
  });

  test('[STAT-1] Unread statuses come oldest change first, and reading without marking changes nothing', async () => {
    const [store] = await openTwo(engine);
    for (const id of [5, 3, 9]) await deliver(store, id);
    const unread = { companyId: 1, userId, limit: ids.length };
    const rows = await store.read(readUnreadStatuses, unread);
    expect(rows.map(({ id }) => id)).toEqual([...ids.filter((id) => ![3, 5, 9].includes(id)), 3, 5, 9]);
    expect(await store.read(readUnreadStatuses, unread)).toEqual(rows);
    expect(await store.write(takeUnreadStatuses, unread)).toEqual(rows);
    expect(await store.read(readUnreadStatuses, unread)).toEqual([]);
    expect(await store.read(readUnreadStatuses, { companyId: 1, userId: userId + 1, limit: 10 })).toEqual([]);
  });
});

describePostgres('reading statuses while another transaction changes one', () => {
  test('[STAT-3] [STAT-4] A status change that commits while the message is being read stays unread for the next reader', async () => {
    const { store, place, dispose } = await openFreshStore('postgres');
    const other = new pg.Client({ connectionString: place });
    await other.connect();
    try {
      await store.write(putMessages, [{ id: 1, status: status.SENT }]);
      const change = 'UPDATE messages SET status = 2, version = version + 1, unread = 1';
      await other.query('BEGIN');
      await other.query(change);
      // Reading by id sees the old status, and its mark waits for the change to end.
      const byId = store.write(takeStatusesById, { companyId: 1, userId, ids: [1] });
      const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await until(async () => (await other.query(waiting)).rows.length > 0);
      expect(await store.write(takeUnreadStatuses, { companyId: 1, userId, limit: 10 })).toEqual([]);
      await other.query('COMMIT');
      expect(await byId).toMatchObject([{ id: 1, status: status.SENT }]);
      const changed = { id: 1, status: status.DELIVERED, unread: 1 };
      expect(await store.write(takeUnreadStatuses, { companyId: 1, userId, limit: 10 })).toMatchObject([
        changed,
      ]);
      expect(await store.read(listMessages, null)).toMatchObject([{ ...changed, unread: 0 }]);
    } finally {
      await other.end();
      await dispose();
    }
  });
});
