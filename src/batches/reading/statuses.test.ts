import pg from 'pg';
import { beforeEach, expect, test } from 'vitest';
import { putUser } from '../../../test/harness/account-verbs.ts';
import {
  changeStatuses,
  explainStatusCounts,
  explainStatusesAskedFor,
  explainUnreadOfBatches,
  multiplyMessages,
} from '../../../test/harness/batch-reading-verbs.ts';
import { clearBatches } from '../../../test/harness/batch-verbs.ts';
import { advanceAll, batchRow, putBatch } from '../../../test/harness/batches.ts';
import { deliveryStore, fillStore } from '../../../test/harness/delivery-store.ts';
import { listMessages, putMessages } from '../../../test/harness/delivery-verbs.ts';
import { describePostgres } from '../../../test/harness/engines.ts';
import { callerOf } from '../../../test/harness/messaging-room.ts';
import { eachStore, openFreshStore } from '../../../test/harness/stores.ts';
import { status } from '../../messages/message.ts';
import type { Store } from '../../storage/store.ts';
import { beginBatch } from '../intake/accept-store.ts';
import {
  type BatchStatusCount,
  type BatchStatusQuery,
  type BatchStatusRecord,
  beforeAllUnread,
  readBatchCounts,
  readBatchStatuses,
  takeUnreadOfBatches,
} from './statuses.ts';

const nothing: BatchStatusQuery = {
  batchid: undefined,
  batchconversation: undefined,
  messageids: undefined,
  messageconversations: undefined,
  maxnum: 1_000,
  markasread: undefined,
};
const caller = callerOf(10);

async function read(
  store: Store,
  query: Partial<BatchStatusQuery>,
  reader = caller,
): Promise<readonly BatchStatusRecord[]> {
  const records: BatchStatusRecord[] = [];
  for await (const page of readBatchStatuses(store, reader, { ...nothing, ...query })) records.push(...page);
  return records;
}

async function count(
  store: Store,
  query: { readonly batchid?: string; readonly batchconversation?: string },
  reader = caller,
): Promise<readonly BatchStatusCount[]> {
  const items: BatchStatusCount[] = [];
  const asked = { batchid: undefined, batchconversation: undefined, ...query };
  for await (const page of readBatchCounts(store, reader, asked)) items.push(...page);
  return items;
}

eachStore('statuses of batches', (engine) => {
  const given = deliveryStore(engine);
  /** Ids of the messages of batch 1 (conversation `a`), 2 (`b`) and 3 (`b`), five each. */
  let ids: readonly number[][];

  beforeEach(async () => {
    const { store } = given;
    await store.write(clearBatches, null);
    for (const id of [10, 11])
      await store.write(putUser, { id, companyId: 1, username: `u${id}`, roles: ['send'] });
    for (const [id, conversation] of [
      [1, 'a'],
      [2, 'b'],
      [3, 'b'],
    ] as const) {
      await putBatch(store, { id, conversation, now: 1_000 + id });
    }
    await advanceAll(store, 5_000);
    ids = await Promise.all(
      [1, 2, 3].map(async (id) => {
        const first = (await batchRow(store, id)).first_message_id ?? 0;
        return [0, 1, 2, 3, 4].map((place) => first + place);
      }),
    );
  });

  const idsOf = (records: readonly { readonly id: string }[]) => records.map(({ id }) => Number(id));
  const messages = (batch: number) => ids[batch - 1] as number[];
  const message = (batch: number, place: number) => messages(batch)[place] as number;

  async function change(id: number, code: number, at: number): Promise<void> {
    await given.store.write(changeStatuses, [{ id, status: code, at }]);
  }

  test('[BATCH-8] A batch status record has all the fields of a status record, and its batch', async () => {
    await change(message(1, 0), status.DELIVERED, 6_000);
    expect(await read(given.store, { messageids: [String(message(1, 0))] })).toEqual([
      {
        to: '46701740000',
        from: 'Sender',
        id: String(message(1, 0)),
        status: 'DELIVERED',
        statuscode: '2',
        conversation: 'c0',
        time: '6000',
        batchid: '1',
        batchconversation: 'a',
      },
    ]);
  });

  test('[BATCH-8] Reading by batch gives unread statuses, oldest change first, up to the maximum, until none is left', async () => {
    await change(message(1, 0), status.SENT, 7_000);
    await change(message(1, 3), status.SENT, 6_000);
    const inOrder = [1, 2, 4, 3, 0].map((place) => message(1, place));
    expect(idsOf(await read(given.store, { batchid: '1', maxnum: 2 }))).toEqual(inOrder.slice(0, 2));
    expect(idsOf(await read(given.store, { batchid: '1', maxnum: 2 }))).toEqual(inOrder.slice(2, 4));
    expect(idsOf(await read(given.store, { batchid: '1', maxnum: 2 }))).toEqual(inOrder.slice(4));
    expect(await read(given.store, { batchid: '1' })).toEqual([]);
    // [STAT-3] A change makes the status unread again.
    await change(message(1, 2), status.DELIVERED, 8_000);
    expect(await read(given.store, { batchid: '1' })).toMatchObject([
      { id: String(message(1, 2)), status: 'DELIVERED' },
    ]);
  });

  test('[BATCH-8] Reading by batch and conversation gives the union of both, each status once', async () => {
    const all = await read(given.store, { batchid: '1', batchconversation: 'b', markasread: false });
    expect(idsOf(all)).toEqual([...messages(1), ...messages(2), ...messages(3)]);
    expect(all.map(({ batchid, batchconversation }) => batchid + batchconversation)).toEqual([
      ...Array(5).fill('1a'),
      ...Array(5).fill('2b'),
      ...Array(5).fill('3b'),
    ]);
    const same = await read(given.store, { batchid: '3', batchconversation: 'b', markasread: false });
    expect(idsOf(same)).toEqual([...messages(2), ...messages(3)]);
    expect(idsOf(await read(given.store, { batchconversation: 'b', maxnum: 7 }))).toHaveLength(7);
    expect(idsOf(await read(given.store, { batchconversation: 'b' }))).toEqual(messages(3).slice(2));
  });

  test('[BATCH-8] [STAT-1] Reading by batch marks statuses as read unless told otherwise, and reading by message only if told so', async () => {
    const [one, other] = [String(message(1, 0)), String(message(1, 1))];
    expect(await read(given.store, { batchid: '1', markasread: false })).toHaveLength(5);
    expect(await read(given.store, { messageids: [one] })).toHaveLength(1);
    expect(await read(given.store, { messageconversations: ['c0'] })).toHaveLength(3);
    expect(await read(given.store, { batchid: '1', markasread: false })).toHaveLength(5);
    expect(await read(given.store, { messageids: [one], markasread: true })).toHaveLength(1);
    expect(await read(given.store, { messageconversations: ['c1'], markasread: true })).toHaveLength(3);
    expect(idsOf(await read(given.store, { batchid: '1' }))).toEqual(
      [2, 3, 4].map((place) => message(1, place)),
    );
    // Reading by id returns them whether they were read or not.
    expect(await read(given.store, { messageids: [one, other] })).toHaveLength(2);
    expect(await read(given.store, { messageconversations: ['c0', 'c1'] })).toHaveLength(6);
  });

  test('[BATCH-8] Reading by message ids and conversations gives each status once, in the order asked for, and ignores batch and maxnum', async () => {
    const asked = [message(2, 3), message(1, 1), 999, message(2, 3)].map(String);
    const records = await read(given.store, {
      batchid: '3',
      batchconversation: 'a',
      maxnum: 1,
      messageids: ['nonsense', ...asked],
      messageconversations: ['c1', 'c4', 'none', 'c1'],
    });
    expect(idsOf(records)).toEqual([
      ...[message(2, 3), message(1, 1)],
      ...[message(2, 1), message(3, 1)],
      ...[message(1, 4), message(2, 4), message(3, 4)],
    ]);
  });

  test('[BATCH-8] Reading by conversation gives all its messages, however many, page by page', async () => {
    await given.store.write(multiplyMessages, { batchId: 1, times: 450 });
    const records = await read(given.store, { messageconversations: ['c0', 'c1', 'c2', 'c3', 'c4'] });
    expect(records).toHaveLength(5 * 451 + 10);
    expect(new Set(idsOf(records)).size).toBe(records.length);
    const asked = idsOf(records).map(String);
    expect(idsOf(await read(given.store, { messageids: asked.toReversed() })).map(String)).toEqual(
      asked.toReversed(),
    );
  });

  test('[BATCH-8] A batch that is unknown, another user’s or still being received, or a message of no batch, gives an empty list', async () => {
    const { store } = given;
    await store.write(beginBatch, { companyId: 1, id: 9, userId: 10, now: 1_000 });
    await store.write(putMessages, [{ id: 5 }]);
    const others = callerOf(11);
    const all = { messageids: [...messages(1), 5].map(String), messageconversations: ['c0'] };
    for (const batchid of ['9', '99', 'nonsense', '0', '1e0', '99999999999999999999']) {
      expect(await read(store, { batchid })).toEqual([]);
      expect(await count(store, { batchid })).toEqual([]);
    }
    for (const batchconversation of ['', 'none']) {
      expect(await read(store, { batchconversation })).toEqual([]);
      expect(await count(store, { batchconversation })).toEqual([]);
    }
    expect(await read(store, { messageids: ['5'] })).toEqual([]);
    expect(await read(store, all, others)).toEqual([]);
    expect(await read(store, { batchid: '1', batchconversation: 'b' }, others)).toEqual([]);
    expect(await count(store, { batchid: '1', batchconversation: 'b' }, others)).toEqual([]);
    expect(await read(store, { batchid: '1' }, { ...caller, companyId: 2 })).toEqual([]);
  });

  test('[BATCH-8] Counts give an item for each batch with all status names, including those with zero messages, and mark nothing as read', async () => {
    await change(message(1, 0), status.DELIVERED, 6_000);
    await change(message(1, 1), status.ERROR, 6_000);
    const none = {
      QUEUED: 0,
      SENT: 0,
      DELIVERED: 0,
      DELETED: 0,
      EXPIRED: 0,
      REJECTED: 0,
      UNDELIVERABLE: 0,
      ACCEPTED: 0,
      ABSENTSUBSCRIBER: 0,
      UNKNOWNSUBSCRIBER: 0,
      INVALIDDESTINATION: 0,
      SUBSCRIBERERROR: 0,
      UNKNOWN: 0,
      ERROR: 0,
    };
    const one = {
      batchid: '1',
      batchconversation: 'a',
      counts: { ...none, QUEUED: 3, DELIVERED: 1, ERROR: 1 },
    };
    const two = { batchid: '2', batchconversation: 'b', counts: { ...none, QUEUED: 5 } };
    const three = { ...two, batchid: '3' };
    expect(await count(given.store, { batchid: '1' })).toEqual([one]);
    expect(await count(given.store, { batchconversation: 'b' })).toEqual([two, three]);
    expect(await count(given.store, { batchid: '1', batchconversation: 'b' })).toEqual([one, two, three]);
    expect(await count(given.store, { batchid: '2', batchconversation: 'b' })).toEqual([two, three]);
    expect(await read(given.store, { batchid: '1' })).toHaveLength(5);
    await putBatch(given.store, { id: 4, conversation: 'd', now: 2_000 });
    expect(await count(given.store, { batchid: '4' })).toEqual([
      { batchid: '4', batchconversation: 'd', counts: none },
    ]);
  });

  test('[CONV-12] [BATCH-8] A client that leaves after the first page causes no further store call', async () => {
    await given.store.write(multiplyMessages, { batchId: 1, times: 600 });
    const conversations = ['c0', 'c1', 'c2', 'c3', 'c4'];
    const all = await read(given.store, { messageconversations: conversations });
    const byIds = { messageids: all.map(({ id }) => id) };
    const asked: Partial<BatchStatusQuery>[] = [
      ...[byIds, { ...byIds, markasread: true }],
      ...[{ messageconversations: conversations }, { batchid: '1', maxnum: 5_000, markasread: false }],
      { batchid: '1', maxnum: 5_000 },
    ];
    for (const query of asked) {
      let calls = 0;
      const counted = Object.assign(Object.create(given.store) as Store, {
        read: ((verb, input, options) => {
          if (options?.signal?.aborted !== true) calls += 1;
          return given.store.read(verb, input, options);
        }) satisfies Store['read'],
        write: ((verb, input) => {
          calls += 1;
          return given.store.write(verb, input);
        }) satisfies Store['write'],
      });
      const client = new AbortController();
      const pages = readBatchStatuses(counted, caller, { ...nothing, ...query }, client.signal);
      await pages.next();
      client.abort();
      const before = calls;
      await expect(pages.next()).rejects.toThrow('aborted');
      expect([before > 0, calls]).toEqual([true, before]);
    }
  });

  test('[BATCH-8] A status request that names neither batch nor message is refused', async () => {
    await expect(read(given.store, {})).rejects.toMatchObject({ code: 'missing_parameter', status: 400 });
    await expect(count(given.store, {})).rejects.toMatchObject({ code: 'missing_parameter', status: 400 });
  });

  test('[STAT-3] [STAT-4] [BATCH-8] Concurrent readers lose no status, even when one changes while they mark it as read', async () => {
    const one = given.store;
    const other = engine.name === 'postgres' ? await given.fresh.openAnother() : one;
    await putBatch(one, { id: 5, conversation: 'e', count: 150, chunkSize: 50, now: 3_000 });
    await advanceAll(one, 5_000);
    const first = (await batchRow(one, 5)).first_message_id as number;
    const all = Array.from({ length: 150 }, (_, place) => first + place);
    const seen: BatchStatusRecord[] = [];
    const take = async (store: Store) => {
      for (let round = 0; round < 20; round++) {
        seen.push(...(await read(store, { batchid: '5', maxnum: 7 })));
        seen.push(
          ...(await read(store, {
            messageids: all.slice(round * 7, round * 7 + 7).map(String),
            markasread: true,
          })),
        );
      }
    };
    const deliver = all.map((id) => change(id, status.DELIVERED, 6_000));
    await Promise.all([take(one), take(other), ...deliver]);
    const readDelivered = new Set(idsOf(seen.filter((record) => record.status === 'DELIVERED')));
    for (const row of await one.read(listMessages, null)) {
      if (row.id >= first && row.unread === 0) expect(readDelivered).toContain(row.id);
    }
    const left = idsOf(await read(one, { batchid: '5' }));
    expect(new Set([...readDelivered, ...left])).toEqual(new Set(all));
  });
});

async function putThree(store: Store): Promise<void> {
  await store.write(putUser, { id: 10, companyId: 1, username: 'first', roles: ['send'] });
  await putBatch(store, { id: 1, conversation: 'a' });
  for (const id of [2, 3]) await putBatch(store, { id, conversation: 'b' });
  await advanceAll(store, 5_000);
}

eachStore('reading statuses of batches', (engine) => {
  const given = deliveryStore(engine);

  test('[BATCH-8] A page of batch statuses needs no sort and reads only what it returns, however much is stored', async () => {
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
  test('[STAT-4] [BATCH-8] A reader skips statuses that another transaction holds, and they are not lost', async () => {
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
