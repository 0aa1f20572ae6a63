import { expect, test } from 'vitest';
import { putNumber } from '../../test/harness/account-verbs.ts';
import { deliveryStore } from '../../test/harness/delivery-store.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { operator } from '../audit/audit-log.ts';
import { listConversations } from './conversations/conversation.ts';
import { assignUnrouted } from './conversations/number-store.ts';
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

  test('[INC-3] [PORT-4] stay at their latest when an old SMS is given to their user, and count each SMS once', async () => {
    const { store } = opened;
    const old = { ...sms, id: 1, text: 'Long ago', receivedAt: dayMs };
    expect(await store.write(storeIncoming, old)).toBeNull();
    await store.write(putNumber, { number: recipient, userId: 10 });
    const latest = { ...sms, id: 2, text: 'Just now', receivedAt: 80 * dayMs };
    for (const times of [1, 2])
      expect([times, await store.write(storeIncoming, latest)]).toEqual([times, 10]);
    expect(await list()).toMatchObject([{ lastAt: 80 * dayMs, lastText: 'Just now', unread: 1 }]);
    const given = { companyId: 1, id: 1, username: 'first', by: operator, now: 81 * dayMs };
    expect(await store.write(assignUnrouted, given)).toBe('assigned');
    // Its write was repeated, since nobody knew whether it had been stored.
    expect(await store.write(storeIncoming, latest)).toBe(10);
    expect(await list()).toMatchObject([{ lastAt: 80 * dayMs, lastText: 'Just now', unread: 2 }]);
  });
});
