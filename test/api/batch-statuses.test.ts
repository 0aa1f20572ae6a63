/** Tests what became of the messages of batches: statuses by batch and by message, and counts. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../harness/api-client.ts';
import { alice, bob, carol, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { finalCode, jsonPath, to } from '../harness/batch-calls.ts';
import { type StatusItem, statusPath } from '../harness/messaging.ts';

const statusesPath = '/restsms/svcrest/batchmessagestatus';
const countPath = '/restsms/svcrest/batchstatuscount';

interface BatchStatusItem extends StatusItem {
  readonly batchid: string;
  readonly batchconversation: string;
}

const names = [
  ...['QUEUED', 'SENT', 'DELIVERED', 'DELETED', 'EXPIRED', 'REJECTED', 'UNDELIVERABLE', 'ACCEPTED'],
  ...['ABSENTSUBSCRIBER', 'UNKNOWNSUBSCRIBER', 'INVALIDDESTINATION', 'SUBSCRIBERERROR', 'UNKNOWN', 'ERROR'],
];

describe('what became of batches', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning: standardProvisioning });
  });
  afterAll(() => app?.close());

  const user = () => app.as(alice);
  const itemsOf = (answer: Answer): readonly BatchStatusItem[] => {
    expect(answer, answer.text).toMatchObject({ status: 200 });
    return answer.body.statuses;
  };

  async function counts(parameters: Readonly<Record<string, string>>) {
    return (await user().get(countPath, parameters)).body.statuses;
  }

  /** Returns the id of a batch of this many messages, all of them delivered; their conversations are `c0`, `c1` and so on. */
  async function delivered(batchconversation: string, count: number): Promise<string> {
    const batch = Array.from({ length: count }, (_, n) => ({ t: to(n), i: `c${n}` }));
    const answer = await user().post(jsonPath, { message: 'Hello', batchconversation, batch });
    expect(await finalCode(user(), answer)).toBe(0);
    const batchid: string = answer.body.batchid;
    await until(async () => (await counts({ BI: batchid }))[0].counts.DELIVERED === count);
    return batchid;
  }

  test('[BATCH-8] [CONV-2] Statuses and counts of batches have the documented fields and types, by GET and by POST', async () => {
    const batchid = await delivered('May, ö', 3);
    const byPost = itemsOf(await user().post(statusesPath, { batchid, markasread: false }));
    expect(byPost).toHaveLength(3);
    const first = byPost.find(({ conversation }) => conversation === 'c0');
    expect(first).toEqual({
      to: to(0),
      from: 'NordicCare',
      id: expect.stringMatching(/^[0-9]+$/),
      status: 'DELIVERED',
      statuscode: '2',
      conversation: 'c0',
      time: expect.stringMatching(/^[0-9]{13}$/),
      batchid,
      batchconversation: 'May, ö',
    });
    const byGet = await user().get(statusesPath, { BX: 'May, ö', R: 'NO', N: '20000' });
    expect(itemsOf(byGet)).toEqual(byPost);
    const count = { batchid, batchconversation: 'May, ö' };
    const expected = { ...count, counts: Object.fromEntries(names.map((name) => [name, 0])) };
    expected.counts.DELIVERED = 3;
    expect((await user().post(countPath, count)).body).toEqual({ statuses: [expected] });
    expect((await user().get(countPath, { BI: batchid, BX: 'May, ö' })).body).toEqual({
      statuses: [expected],
    });
    // Statuses of batch messages are not among the others, and none of them has been marked as read.
    expect((await user().get(statusPath)).body.statuses).toEqual([]);
    expect(itemsOf(await user().get(statusesPath, { BI: batchid }))).toHaveLength(3);
    expect(itemsOf(await user().get(statusesPath, { BI: batchid }))).toEqual([]);
  });

  test('[BATCH-8] Statuses of batch messages can be requested by message ids and by conversations, by GET and by POST', async () => {
    const batchid = await delivered('June', 4);
    const [a, b] = itemsOf(await user().get(statusesPath, { BI: batchid })) as [
      BatchStatusItem,
      BatchStatusItem,
    ];
    const asked = { messageids: [b.id, a.id], messageconversations: [], maxnum: 0, batchid: 'x' };
    expect(itemsOf(await user().post(statusesPath, asked))).toEqual([b, a]);
    expect(itemsOf(await user().get(statusesPath, { I: `${b.id},${a.id}` }))).toEqual([b, a]);
    const byConversation = itemsOf(await user().get(statusesPath, `X=c3,c2,none&BI=${batchid}`));
    const mine = byConversation.filter((item) => item.batchid === batchid);
    expect(mine.map(({ conversation }) => conversation)).toEqual(['c3', 'c2']);
    expect(itemsOf(await user().post(statusesPath, { messageconversations: ['c3', 'c2'] }))).toEqual(
      byConversation,
    );
  });

  test('[BATCH-8] Statuses can be requested for many conversations at once, and each message comes once, in the order of the conversations', async () => {
    const batch = Array.from({ length: 1_500 }, (_, n) => ({ t: to(n), i: `many-${n < 1_200 ? 0 : n}` }));
    expect(await finalCode(user(), await user().post(jsonPath, { message: 'Hello', batch }))).toBe(0);
    const asked = Array.from({ length: 1_600 }, (_, index) => `many-${1_599 - index}`);
    const items = itemsOf(await user().post(statusesPath, { messageconversations: asked }));
    expect(items).toHaveLength(1_500);
    expect(new Set(items.map(({ id }) => id)).size).toBe(1_500);
    const wanted = [
      ...asked.slice(0, 400).filter((one) => Number(one.slice(5)) < 1_500),
      ...Array(1_200).fill('many-0'),
    ];
    expect(items.map(({ conversation }) => conversation)).toEqual(wanted);
  });

  test('[CONV-6] [BATCH-8] An empty list of messages returns no statuses, even with a batch id, and marks none as read', async () => {
    const batchid = await delivered('Eve', 2);
    for (const empty of [
      { messageids: [] },
      { messageconversations: [], batchid },
      { messageids: [], batchid },
    ])
      expect((await user().post(statusesPath, { ...empty, markasread: true })).body).toEqual({
        statuses: [],
      });
    expect((await user().get(statusesPath, `I=,&BI=${batchid}`)).body).toEqual({ statuses: [] });
    expect(itemsOf(await user().get(statusesPath, `I=&X=&BI=${batchid}`))).toHaveLength(2);
  });

  test('[BATCH-8] [STAT-1] A page of batch statuses has at most maxnum items, and a maxnum below 1 is refused', async () => {
    const batchid = await delivered('July', 5);
    for (const maxnum of [0, -1, '0', 'many']) {
      expect(await user().post(statusesPath, { batchid, maxnum })).toMatchObject({
        status: 400,
        body: { code: 'invalid_value' },
      });
    }
    const sizes: number[] = [];
    for (let page = 0; page < 4; page++) {
      sizes.push(itemsOf(await user().get(statusesPath, { BI: batchid, N: '2' })).length);
    }
    expect(sizes).toEqual([2, 2, 1, 0]);
  });

  test('[BATCH-8] Batch status calls answer 400 if they name no batch or messages, and an empty list if those are unknown or belong to others', async () => {
    const batchid = await delivered('August', 2);
    for (const path of [statusesPath, countPath]) {
      for (const answer of [
        await user().get(path),
        await user().post(path, { batchid: '', markasread: true }),
      ]) {
        expect(answer).toMatchObject({ status: 400, body: { result: 'ERROR', code: 'missing_parameter' } });
      }
      expect((await user().get(path, { BI: '999', BX: 'nobody' })).body).toEqual({ statuses: [] });
      expect((await app.as(bob).get(path, { BI: batchid, BX: 'August' })).body).toEqual({ statuses: [] });
      expect(await app.as(carol).get(path, { BI: batchid })).toMatchObject({ status: 403 });
    }
    expect((await app.as(bob).get(statusesPath, { X: 'c0,c1' })).body).toEqual({ statuses: [] });
    expect(itemsOf(await user().get(statusesPath, { BI: batchid }))).toHaveLength(2);
  });
});
