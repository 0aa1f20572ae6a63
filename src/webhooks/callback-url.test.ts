import { beforeEach, expect, test } from 'vitest';
import { testRow } from '../../test/harness/accepted-rows.ts';
import { putCompany, putUser } from '../../test/harness/account-verbs.ts';
import { fillStore, range } from '../../test/harness/delivery-store.ts';
import { claim, record, sent } from '../../test/harness/outcomes.ts';
import { provisioningOf } from '../../test/harness/provisioning.ts';
import { eachStore, type FreshStore } from '../../test/harness/stores.ts';
import { disableEndpoint, listListenersAndReaders, listQueued } from '../../test/harness/webhook-verbs.ts';
import { listAudit } from '../audit/audit-log.ts';
import { holdReader } from '../changes/held-reader.ts';
import { claimMessages } from '../messages/dispatch/claim.ts';
import { recordOutcomes } from '../messages/dispatch/store.ts';
import { rescheduleMessage } from '../messages/management/scheduled.ts';
import { stage, status } from '../messages/message.ts';
import { type Acceptance, acceptMessages } from '../messages/sending/accept.ts';
import type { Store } from '../storage/store.ts';
import {
  findCallback,
  maxCallbackUrls,
  maxOwnCallbackUrls,
  openCallback,
  rotateCallbackSecret,
} from './callback-url.ts';
import { webhookReader } from './endpoint-records.ts';
import { listEndpoints } from './management/administration-store.ts';
import { purgeQueues } from './outbox/purge.ts';
import { queueChanges } from './outbox/queue-changes.ts';
import { listActiveEndpoints } from './sending/sending-store.ts';

const dayMs = 86_400_000;
const validUntil = 1_000_000;
const secret = 'sealed';

interface Asked {
  readonly url?: string;
  readonly userId?: number;
  readonly companyId?: number;
  readonly until?: number;
}

function wanted({ url = 'https://a.example/', userId = 10, companyId = 1, until = validUntil }: Asked = {}) {
  return { url, userId, companyId, until };
}

function openingOf(asked: Asked = {}) {
  return { ...wanted(asked), username: 'first', session: undefined, now: 1_000, secret };
}

/** Queued messages from the user, whose call names the callback URL of this id. */
function acceptance(ids: readonly number[], more: Partial<Acceptance> = {}): Acceptance {
  const { companyId = 1, userId = 10 } = more;
  return {
    companyId,
    userId,
    parts: ids.length,
    costCenter: '',
    now: 1_000,
    month: '1970-01',
    idempotency: null,
    nodeId: null,
    listened: true,
    rows: ids.map((id) => testRow({ id, company_id: companyId, user_id: userId })),
    ...more,
  };
}

eachStore('callback URLs of calls', (engine) => {
  let fresh: FreshStore;
  let store: Store;
  beforeEach(async () => {
    fresh = await engine.openFreshStore();
    store = fresh.store;
    await fillStore(store);
    await store.write(putCompany, { id: 2, name: 'Other' });
    await store.write(putUser, { id: 20, companyId: 2, username: 'third' });
  });

  const open = async (asked: Asked = {}) => {
    const opened = await store.write(openCallback, openingOf(asked));
    return 'id' in opened ? opened.id : opened.refused.code;
  };
  const opened = async (asked: Asked = {}) => {
    const id = await open(asked);
    if (typeof id === 'string') throw new Error(id);
    return id;
  };
  const queue = async () => {
    await store.write(holdReader, { name: webhookReader, nodeId: 7 });
    await store.write(queueChanges, { nodeId: 7, to: Number.MAX_SAFE_INTEGER, now: 9_000, limit: 1_000 });
    return (await store.read(listQueued, null)).map(({ endpoint, data }) => {
      const { id, status } = JSON.parse(data) as { id: string; status: string };
      return `${endpoint} ${id} ${status}`;
    });
  };
  const allSent = async (...ids: readonly number[]) => {
    await store.write(claimMessages, claim);
    await store.write(recordOutcomes, { ...record(7), advances: ids.map((id) => sent(id)) });
  };
  const urls = async () => (await store.read(listActiveEndpoints, null)).map(({ url }) => url);
  const purge = (now: number) =>
    purgeQueues({ store, clock: { now: () => now }, log: { error: () => undefined }, lost: () => undefined });

  test('[HOOK-1] [HOOK-2] Each change of a message is queued for the callback URL of its own call, and of no other message', async () => {
    const mine = await opened();
    const elsewhere = await opened({ url: 'https://b.example/' });
    const second = await opened({ userId: 11 });
    await store.write(acceptMessages, acceptance([1, 2], { callbackId: mine }));
    await store.write(acceptMessages, acceptance([3], { callbackId: elsewhere, category: 2 }));
    await store.write(acceptMessages, acceptance([4]));
    await store.write(acceptMessages, acceptance([5], { userId: 11, callbackId: second }));
    // Ids of others tell nothing, whatever a row says.
    await store.write(acceptMessages, acceptance([6], { userId: 11, callbackId: mine }));
    await store.write(acceptMessages, acceptance([7], { companyId: 2, userId: 20, callbackId: mine }));
    await allSent(1, 2, 3, 4, 5, 6);
    expect(await queue()).toEqual([
      `callback ${mine} 1 SENT`,
      `callback ${mine} 2 SENT`,
      `callback ${elsewhere} 3 SENT`,
      `callback ${second} 5 SENT`,
    ]);
    // The company is not listened to as a whole, so other messages cost nothing.
    expect(await store.read(listListenersAndReaders, null)).toMatchObject({
      listeners: [],
      readers: [{ name: webhookReader }],
    });
  });

  test('[HOOK-1] [HOOK-4] A webhook of the company hears of the same messages, and a callback URL that is disabled misses them', async () => {
    const id = await opened();
    await provisioningOf(() => store).linesOf(
      'companies: [{ name: Company, webhooks: [{ id: all, url: "https://c.example", events: [message.status] }] }]',
    );
    await store.write(acceptMessages, acceptance([1], { callbackId: id }));
    await store.write(disableEndpoint, `callback ${id}`);
    await allSent(1);
    expect(await queue()).toEqual(['all 1 SENT']);
    const [missed] = await store.read(listEndpoints, { company: null, name: `callback ${id}` });
    expect(missed).toMatchObject({ lastSeq: 1, doneSeq: 1, lost: 1, username: 'first' });
  });

  test('[HOOK-1] A user’s calls with the same URL share one webhook, and there is a limit to the URLs of a user and a company', async () => {
    const first = await opened();
    expect(await open()).toBe(first);
    const another = engine.name === 'postgres' ? await fresh.openAnother() : store;
    const together = await Promise.all(
      range(1, 6).map((one) =>
        (one % 2 === 0 ? another : store).write(openCallback, openingOf({ url: 'https://new.example/' })),
      ),
    );
    expect(new Set(together.map((one) => ('id' in one ? one.id : one.refused.code))).size).toBe(1);
    const more = range(3, maxOwnCallbackUrls).map((one) => ({ url: `https://a.example/${one}` }));
    for (const one of more) await opened(one);
    expect(await open({ url: 'https://a.example/full' })).toBe('too_many_webhooks');
    expect(await store.read(findCallback, wanted({ url: 'https://a.example/full' }))).toMatchObject({
      refused: { code: 'too_many_webhooks' },
    });
    // Known URLs go on.
    expect(await open()).toBe(first);
    for (const user of range(1, maxCallbackUrls / maxOwnCallbackUrls - 1)) {
      await store.write(putUser, { id: 100 + user, companyId: 1, username: `user${user}` });
      for (const one of range(1, maxOwnCallbackUrls))
        await opened({ userId: 100 + user, url: `https://u.example/${one}` });
    }
    expect(await open({ userId: 11 })).toBe('too_many_webhooks');
    expect(await opened({ companyId: 2, userId: 20 })).toBeGreaterThan(first);
    expect(await store.write(openCallback, openingOf({ companyId: 2, userId: 999 }))).toMatchObject({
      refused: { code: 'not_found' },
    });
    const made = await store.read(listAudit, { companyId: 1, before: null, limit: 100 });
    expect(made.filter(({ act }) => act === 'webhook.make')).toHaveLength(maxCallbackUrls);
  });

  test('[HOOK-1] A callback URL is kept while messages can change, even if they are put off, and then removed with its queue', async () => {
    const used = await opened({ url: 'https://used.example/', until: 100 * dayMs });
    const awaited = await opened({ url: 'https://awaited.example/' });
    await opened({ url: 'https://unused.example/' });
    expect(
      await store.read(findCallback, wanted({ url: 'https://used.example/', until: 100 * dayMs })),
    ).toEqual({
      id: used,
      isKept: true,
    });
    expect(
      await store.read(findCallback, wanted({ url: 'https://used.example/', until: 102 * dayMs })),
    ).toEqual({
      id: used,
      isKept: false,
    });
    const scheduled = {
      status: status.SCHEDULED,
      stage: stage.scheduled,
      due_at: validUntil - 1,
      node_id: null,
    };
    await store.write(acceptMessages, {
      ...acceptance([1], { callbackId: awaited }),
      rows: [testRow({ id: 1, ...scheduled, expires_at: validUntil })],
    });
    const [id, companyId, userId] = [1, 1, 10];
    const by = { username: 'first', session: undefined, ifMatch: undefined, now: 2_000 };
    const put = { ...by, id, companyId, userId, time: 100 * dayMs };
    expect(await store.write(rescheduleMessage, put)).toMatchObject({ kind: 'rescheduled' });
    await purge(validUntil + 30 * dayMs);
    expect(await urls()).toHaveLength(3);
    await purge(40 * dayMs);
    expect(await urls()).toEqual(['https://used.example/', 'https://awaited.example/']);
    await purge(129 * dayMs);
    expect(await urls()).toEqual(['https://used.example/', 'https://awaited.example/']);
    // A call names one of them again.
    await opened({ url: 'https://used.example/', until: 200 * dayMs });
    await purge(200 * dayMs);
    expect(await urls()).toEqual(['https://used.example/']);
    await purge(300 * dayMs);
    expect(await urls()).toEqual([]);
    expect(await store.read(listListenersAndReaders, null)).toEqual({ listeners: [], readers: [] });
  });

  test('[HOOK-3] All callback URLs of a user are signed with one secret, which outlives them, and two while it is changed', async () => {
    const secrets = async () =>
      (await store.read(listActiveEndpoints, null)).map(({ secrets }) => JSON.parse(secrets));
    const rotate = (secret: string | null, userId = 10) =>
      store.write(rotateCallbackSecret, {
        companyId: 1,
        userId,
        username: 'first',
        session: undefined,
        now: 2_000,
        secret,
      });
    await opened();
    await opened({ userId: 11 });
    expect(await secrets()).toEqual([[secret], [secret]]);
    expect(await rotate('new')).toBe(2);
    await opened({ url: 'https://b.example/' });
    expect(await secrets()).toEqual([['new', secret], [secret], ['new', secret]]);
    expect(await rotate(null)).toBe(1);
    expect(await rotate(null)).toBe(1);
    expect(await secrets()).toEqual([['new'], [secret], ['new']]);
    await purge(100 * dayMs);
    expect(await secrets()).toEqual([]);
    await opened();
    expect(await secrets()).toEqual([['new']]);
    await store.write(putUser, { id: 12, companyId: 1, username: 'early' });
    expect(await rotate('first', 12)).toBe(1);
    await opened({ userId: 12 });
    expect((await secrets()).at(-1)).toEqual(['first']);
  });

  test('[HOOK-1] A provisioning file leaves callback URLs alone, and they go with their user', async () => {
    const { linesOf } = provisioningOf(() => store);
    await opened();
    await opened({ userId: 11, url: 'https://b.example/' });
    const hook = '{ id: "callback 1", url: "https://c.example", events: [message.status] }';
    await linesOf(`companies: [{ name: Company, webhooks: [${hook}] }]`);
    await linesOf('companies: [{ name: Company, webhooks: [{ id: "callback 1", remove: true }] }]');
    expect(await urls()).toEqual(['https://a.example/', 'https://b.example/']);
    expect(
      await linesOf('companies: [{ name: Company, users: [{ username: first, remove: true }] }]'),
    ).toEqual([expect.stringContaining('user first')]);
    expect(await urls()).toEqual(['https://b.example/']);
  });
});
