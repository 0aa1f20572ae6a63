import { expect, test } from 'vitest';
import { putNumber } from '../../test/harness/account-verbs.ts';
import { noteSentOf } from '../../test/harness/conversation-verbs.ts';
import { deliveryStore } from '../../test/harness/delivery-store.ts';
import { logMessages, putMessages } from '../../test/harness/delivery-verbs.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { operator } from '../audit/audit-log.ts';
import { newest } from './conversations/both-ways.ts';
import { listConversations } from './conversations/conversation.ts';
import { assignUnrouted } from './conversations/numbers.ts';
import { readThread } from './conversations/thread-store.ts';
import { storeIncoming } from './incoming/store.ts';

const [sender, recipient] = ['46701740699', '46731230001'];
const dayMs = 86_400_000;
const sms = { sender, recipient };

eachStore('conversations in the store', (engine) => {
  const opened = deliveryStore(engine);

  const list = async () => {
    const { found } = await opened.store.read(listConversations, {
      companyId: 1,
      userId: 10,
      callerId: 10,
      unread: false,
      archived: false,
      assigned: undefined,
      prefix: undefined,
      phones: undefined,
      after: undefined,
      limit: 10,
    });
    return found;
  };

  test('[INC-3] [PORT-4] A conversation stays at its latest SMS when an old one is assigned to its user, and counts each SMS once', async () => {
    const { store } = opened;
    const old = { ...sms, id: 1, text: 'Long ago', receivedAt: dayMs };
    expect(await store.write(storeIncoming, old)).toBeNull();
    await store.write(putNumber, { number: recipient, userId: 10 });
    const latest = { ...sms, id: 2, text: 'Just now', receivedAt: 80 * dayMs };
    for (const times of [1, 2])
      expect([times, await store.write(storeIncoming, latest)]).toEqual([times, 10]);
    expect(await list()).toMatchObject([{ lastAt: 80 * dayMs, lastText: 'Just now', unread: 1 }]);
    const given = {
      companyId: 1,
      id: 1,
      username: 'first',
      by: operator,
      now: 81 * dayMs,
      personSecret: '00',
    };
    expect(await store.write(assignUnrouted, given)).toBe('assigned');
    // The write is repeated because it is unclear whether the SMS was stored.
    expect(await store.write(storeIncoming, latest)).toBe(10);
    expect(await list()).toMatchObject([{ lastAt: 80 * dayMs, lastText: 'Just now', unread: 2 }]);
  });

  test.each([
    ['5215562000017', '525562000017', '46731230002'],
    ['541123456789', '5491123456789', '46731230003'],
  ])(
    '[INC-3] [PORT-4] SMS from a phone written as %s and as %s, and SMS sent to either, make one conversation',
    async (begun, other, number) => {
      const { store } = opened;
      const theirs = async () => (await list()).filter(({ phone }) => [begun, other].includes(phone));
      await store.write(putNumber, { number, userId: 10 });
      await store.write(storeIncoming, {
        sender: begun,
        recipient: number,
        id: 1,
        text: 'Hello',
        receivedAt: 1_000,
      });
      await store.write(putMessages, [
        { id: 2, recipient: other, sender: number, text: 'Here', createdAt: 2_000 },
      ]);
      await store.write(logMessages, { companyId: 1, firstId: 2, count: 1 });
      const ours = { userId: 10, sender: number };
      await store.write(noteSentOf, [
        { ...ours, id: 9, recipient: begun, createdAt: 1_500 },
        { ...ours, id: 2, recipient: other, createdAt: 2_000 },
      ]);
      expect(await theirs()).toMatchObject([{ phone: begun, lastAt: 2_000, lastText: 'Here', isOurs: 1 }]);
      await store.write(storeIncoming, {
        sender: other,
        recipient: number,
        id: 3,
        text: 'Thanks',
        receivedAt: 3_000,
      });
      const [found, ...further] = await theirs();
      expect([found, further]).toMatchObject([{ phone: begun, lastText: 'Thanks', unread: 2 }, []]);
      const about = { companyId: 1, userId: 10, callerId: 10, id: found?.id as number, now: 4_000 };
      const thread = await store.read(readThread, { ...about, after: newest, limit: 10 });
      expect(thread?.messages.map(({ text }) => text)).toEqual(['Thanks', 'Here', 'Hello']);
    },
  );
});
