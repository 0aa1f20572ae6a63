import pg from 'pg';
import { expect, test } from 'vitest';
import { putUser } from '../../../test/harness/account-verbs.ts';
import {
  explainStatusCounts,
  explainStatusesAskedFor,
  explainUnreadOfBatches,
  multiplyMessages,
} from '../../../test/harness/batch-reading-verbs.ts';
import { advanceAll, batchRow, putBatch } from '../../../test/harness/batches.ts';
import { deliveryStore, fillStore } from '../../../test/harness/delivery-store.ts';
import { describePostgres } from '../../../test/harness/engines.ts';
import { eachStore, openFreshStore } from '../../../test/harness/stores.ts';
import type { Store } from '../../storage/store.ts';
import { beforeAllUnread, takeUnreadOfBatches } from './status-store.ts';

async function putThree(store: Store): Promise<void> {
  await store.write(putUser, { id: 10, companyId: 1, username: 'first', roles: ['send'] });
  await putBatch(store, { id: 1, conversation: 'a' });
  for (const id of [2, 3]) await putBatch(store, { id, conversation: 'b' });
  await advanceAll(store, 5_000);
}

eachStore('reading statuses of batches', (engine) => {
  const given = deliveryStore(engine);

  test('[BATCH-8] a page costs the same whatever there is: nothing is sorted, nothing is read that is not returned', async () => {
    const { store } = given;
    await putThree(store);
    await store.write(multiplyMessages, { batchId: 1, times: 400 });
    await store.write(multiplyMessages, { batchId: 2, times: 400 });
    const own = { companyId: 1, userId: 10 };
    for (const batchId of [1, null]) {
      const plans = await store.read(explainUnreadOfBatches, {
        ...own,
        batchId,
        conversation: 'b',
        after: beforeAllUnread,
        limit: 5,
      });
      expect(plans.at(-1)).toMatch(/messages_batch_unread/);
      expect(plans.at(-1)).not.toMatch(/temp b-tree|sort|seq scan|scan messages/i);
    }
    const asked = { ...own, conversation: 'c0', afterId: 0, limit: 5 };
    const [byConversation] = await store.read(explainStatusesAskedFor, asked);
    expect(byConversation).toMatch(/messages_batch_conversation/);
    expect(byConversation).not.toMatch(/temp b-tree|sort|seq scan|scan messages/i);
    const several = { ...own, conversations: ['c0', 'c1'], limit: 5 };
    const [byConversations] = await store.read(explainStatusesAskedFor, several);
    expect(byConversations).toMatch(/messages_batch_conversation/);
    expect(byConversations).not.toMatch(/temp b-tree|sort|seq scan|scan messages/i);
    const [byIds] = await store.read(explainStatusesAskedFor, { ...own, ids: [5, 6] });
    expect(byIds).toMatch(/messages_pkey|PRIMARY KEY/);
    const counted = await store.read(explainStatusCounts, {
      ...own,
      batchId: 1,
      conversation: 'b',
      afterId: 0,
      limit: 5,
    });
    expect(counted.join()).not.toMatch(/ messages_|on messages/i);
  });
});

describePostgres('statuses of a batch that another transaction holds', () => {
  test('[STAT-4] [BATCH-8] a reader passes over them, and they are not lost', async () => {
    const { store, place, dispose } = await openFreshStore('postgres');
    const other = new pg.Client({ connectionString: place });
    await other.connect();
    try {
      await fillStore(store);
      await store.write(putUser, { id: 10, companyId: 1, username: 'first', roles: ['send'] });
      await putBatch(store, { id: 1 });
      await advanceAll(store, 5_000);
      const first = (await batchRow(store, 1)).first_message_id as number;
      const own = { companyId: 1, userId: 10, batchId: 1, conversation: null };
      const unread = { ...own, after: beforeAllUnread, limit: 10 };
      const take = async () =>
        (await store.write(takeUnreadOfBatches, unread)).rows.map(({ id }) => id - first);
      await other.query('BEGIN');
      await other.query('SELECT id FROM messages WHERE id = $1 FOR UPDATE', [first]);
      expect(await take()).toEqual([1, 2, 3, 4]);
      await other.query('ROLLBACK');
      expect(await take()).toEqual([0]);
    } finally {
      await other.end();
      await dispose();
    }
  });
});
