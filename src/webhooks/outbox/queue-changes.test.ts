import { beforeEach, expect, test } from 'vitest';
import { fillStore } from '../../../test/harness/delivery-store.ts';
import { putMessages, type TestMessage } from '../../../test/harness/delivery-verbs.ts';
import { claim, record, sent } from '../../../test/harness/outcomes.ts';
import { checkedData } from '../../../test/harness/posted-schemas.ts';
import { provisioningOf } from '../../../test/harness/provisioning.ts';
import { eachStore, type FreshStore } from '../../../test/harness/stores.ts';
import {
  byOperator,
  disableEndpoint,
  listListenersAndReaders,
  listQueued,
  putIncoming,
} from '../../../test/harness/webhook-verbs.ts';
import { holdReader } from '../../changes/held-reader.ts';
import { claimMessages } from '../../messages/dispatch/claim.ts';
import { recordOutcomes } from '../../messages/dispatch/store.ts';
import { storeIncoming } from '../../messages/incoming/store.ts';
import { endNode } from '../../messages/nodes/store.ts';
import type { Store } from '../../storage/store.ts';
import { webhookReader } from '../endpoint-records.ts';
import { enableEndpoint, listEndpoints } from '../management/administration-store.ts';
import { queueChanges } from './queue-changes.ts';

const hook = (id: string, more: string) => `{ id: ${id}, url: "https://a.example", ${more} }`;
const end = Number.MAX_SAFE_INTEGER;

eachStore('the queues of webhooks', (engine) => {
  let fresh: FreshStore;
  let store: Store;
  beforeEach(async () => {
    fresh = await engine.openFreshStore();
    store = fresh.store;
    await fillStore(store);
  });

  const provision = (...hooks: readonly string[]) =>
    provisioningOf(() => store).linesOf(`companies: [{ name: Company, webhooks: [${hooks.join(', ')}] }]`);
  const hold = (nodeId: number) => store.write(holdReader, { name: webhookReader, nodeId });
  const queue = (limit = 1_000, nodeId = 7, on = store) =>
    on.write(queueChanges, { nodeId, to: end, now: 9_000, limit });
  const rows = () => store.read(listQueued, null);
  const queuedEvents = async () =>
    (await rows()).map(({ endpoint, data }) => {
      const { id, status } = JSON.parse(data) as { id: string; status: string };
      return `${endpoint} ${id} ${status}`;
    });

  test('[HOOK-1] [HOOK-2] The queue of each webhook has the events that the webhook asks for, and nothing else', async () => {
    await provision(
      hook('a-all', 'events: [message.status], text: full'),
      hook('b-queued', 'events: [message.status], filter: { statuses: [QUEUED] }'),
      hook('c-second', 'events: [message.status], user: second'),
      hook('d-cost', 'events: [message.status], filter: { costCenter: "7" }'),
      hook('e-incoming', 'events: [message.incoming, batch.status]'),
      hook('f-batch', 'events: [message.status], filter: { batch: "100" }'),
      hook('g-off', 'events: [message.status], active: false'),
      hook('h-disabled', 'events: [message.status]'),
      hook('i-prefix', 'events: [message.status], filter: { conversationPrefix: "w7-" }'),
    );
    await store.write(disableEndpoint, 'h-disabled');
    const text = 'Say "yes"\\\n\tor ✓ 🎉 – \u0001';
    await store.write(putMessages, [
      { id: 1, listened: true, text },
      { id: 2, listened: true, userId: 11, costCenter: '7' },
      { id: 3 },
    ]);
    await store.write(claimMessages, claim);
    await store.write(recordOutcomes, { ...record(7), advances: [sent(1), sent(2), sent(3)] });
    expect(await hold(7)).toBe(true);
    const queued = await queue();
    expect(queued).toMatchObject({ advanced: { isMore: false } });
    expect(await queuedEvents()).toEqual([
      'a-all 1 SENT',
      'a-all 2 SENT',
      'b-queued 1 QUEUED',
      'b-queued 2 QUEUED',
      'c-second 2 SENT',
      'd-cost 2 SENT',
    ]);
    const [first, second] = await rows();
    expect(JSON.parse(first?.data ?? '')).toEqual({
      id: '1',
      status: 'SENT',
      statuscode: '1',
      to: '46701740600',
      from: 'Sender',
      conversation: '',
      costcenter: '',
      time: '6000',
      message: text,
    });
    expect([first?.seq, second?.seq, first?.subject_id]).toEqual([1, 2, 1]);
    expect(await queue()).toMatchObject({ advanced: { isMore: false }, endpointIds: [] });
  });

  test('[OPT-3] [HOOK-2] Webhooks of a company hear who opts out and in again, and nothing is kept where nobody listens', async () => {
    const number = '46731230001';
    const phone = '46701740699';
    const provisionAll = (hooks: string) =>
      provisioningOf(() => store).linesOf(`
companies: [{ name: Company, optOuts: honour, webhooks: [${hooks}] }]
numbers: [{ number: "${number}", rentedBy: first }]`);
    const hear = (id: number, text: string) =>
      store.write(storeIncoming, {
        id,
        sender: phone,
        recipient: number,
        text,
        receivedAt: 5_000 + id,
        personSecret: '00',
      });
    await provisionAll('');
    await hear(1, 'STOP');
    await hear(2, 'START');
    const asked = 'events: [contact.opted_out, contact.opted_in]';
    await provisionAll(`${hook('desk', asked)}, ${hook('own', `${asked}, user: first`)}`);
    await hold(7);
    await hear(3, 'Stopp');
    await hear(4, 'STOP');
    await hear(5, 'start');
    await queue();
    const queued = await rows();
    const told = queued.map(({ endpoint, data }) => [endpoint, JSON.parse(data) as object]);
    const [out, back] = queued.map(({ data }) => data) as [string, string];
    expect(checkedData('contact.opted_out', out)).toBe('contact.opted_out');
    expect(checkedData('contact.opted_in', back)).toBe('contact.opted_in');
    expect(checkedData('contact.opted_out', back)).toContain('does not fit');
    expect(told).toEqual([
      ['desk', { number: phone, category: 'all', to: number, id: '3', time: '5003' }],
      ['desk', { number: phone, to: number, id: '5', time: '5005' }],
    ]);
  });

  test('[HOOK-3] [HOOK-4] The events that a disabled webhook misses are counted, so that the gap shows in its sequence numbers', async () => {
    await provision(
      hook('desk', 'events: [message.status], filter: { statuses: [QUEUED] }'),
      hook('other', 'events: [message.status], filter: { statuses: [QUEUED], costCenter: "7" }'),
    );
    const put = (...messages: readonly TestMessage[]) =>
      store.write(
        putMessages,
        messages.map((message) => ({ ...message, listened: true })),
      );
    await hold(7);
    await put({ id: 1 });
    await queue();
    await store.write(disableEndpoint, 'desk');
    await store.write(disableEndpoint, 'other');
    await put({ id: 2 }, { id: 3 }, { id: 4, costCenter: '7' });
    expect(await queue()).toMatchObject({ endpointIds: [] });
    const [desk, other] = await store.read(listEndpoints, { company: null, name: null });
    // The first event has not been posted yet, but still will be.
    expect(desk).toMatchObject({ name: 'desk', lost: 3, lastSeq: 4, doneSeq: 0 });
    expect(other).toMatchObject({ name: 'other', lost: 1, lastSeq: 1, doneSeq: 1 });
    await store.write(enableEndpoint, byOperator(desk?.id ?? 0));
    await put({ id: 5 });
    await queue();
    expect((await rows()).map(({ endpoint, seq, subject_id }) => [endpoint, seq, subject_id])).toEqual([
      ['desk', 1, 1],
      ['desk', 5, 5],
    ]);
  });

  test('[HOOK-1] Webhook filters see an incoming SMS with the cost centre and the batch of the message that it answers', async () => {
    await provision(
      hook('all', 'events: [message.incoming]'),
      hook('cost', 'events: [message.incoming], filter: { costCenter: "7" }'),
      hook('batch', 'events: [message.incoming], filter: { batch: "100" }'),
    );
    await store.write(putMessages, [{ id: 1, costCenter: '7' }, { id: 2 }]);
    await store.write(putIncoming, [
      { id: 11, responseTo: 1 },
      { id: 12, responseTo: 2 },
      { id: 13, responseTo: null },
    ]);
    await hold(7);
    await queue();
    const queued = await rows();
    const subjects = queued.map(({ endpoint, subject_id }) => `${endpoint} ${subject_id}`);
    expect(subjects).toEqual(['all 11', 'all 12', 'all 13', 'cost 11']);
    for (const { data } of queued) expect(checkedData('message.incoming', data)).toBe('message.incoming');
  });

  test('[HOOK-2] [HOOK-3] Webhook events are numbered without a gap, page by page, whichever node reads and however often', async () => {
    await provision(hook('all', 'events: [message.status], filter: { statuses: [QUEUED] }'));
    const ids = Array.from({ length: 250 }, (_, place) => place + 1);
    await store.write(
      putMessages,
      ids.map((id) => ({ id, listened: true })),
    );
    await hold(7);
    const other = engine.name === 'postgres' ? await fresh.openAnother() : store;
    let isMore = true;
    while (isMore) {
      // Each call reads its own page, whatever the others do.
      const pages = await Promise.all([queue(40), queue(30, 7, other), queue(20, 8)]);
      expect(pages[2]).toEqual({ advanced: 'notHeld', endpointIds: [] });
      isMore = pages.some(({ advanced }) => typeof advanced === 'object' && advanced.isMore);
    }
    const all = await rows();
    expect(all.map(({ seq }) => seq)).toEqual(ids);
    expect(new Set(all.map(({ subject_id }) => subject_id)).size).toBe(250);
  });

  test('[HOOK-2] The queues of webhooks are filled by one node, and by another when that node has ended', async () => {
    await provision(hook('all', 'events: [message.status]'));
    expect(await hold(7)).toBe(true);
    expect(await hold(8)).toBe(false);
    expect(await hold(7)).toBe(true);
    expect(await queue(10, 8)).toEqual({ advanced: 'notHeld', endpointIds: [] });
    await store.write(endNode, { id: 7, beat: 0, ended: 0 });
    expect(await hold(8)).toBe(true);
    expect(await queue(10, 7)).toEqual({ advanced: 'notHeld', endpointIds: [] });
    expect(await queue(10, 8)).toMatchObject({ advanced: { isMore: false } });
  });

  test('[HOOK-2] The queues of webhooks are filled in the transaction that moves the reader, so that neither happens alone', async () => {
    await provision(hook('all', 'events: [message.status], filter: { statuses: [QUEUED] }'));
    await store.write(putMessages, [{ id: 1, listened: true }]);
    await hold(7);
    const place = async () => (await store.read(listListenersAndReaders, null)).readers[0]?.place;
    const before = await place();
    // Such a time cannot be stored, so nothing is stored.
    const failing = store.write(queueChanges, { nodeId: 7, to: end, now: 0.5, limit: 10 });
    await expect(failing).rejects.toThrow();
    expect([await place(), await rows()]).toEqual([before, []]);
    await queue();
    expect(await queuedEvents()).toEqual(['all 1 QUEUED']);
    const reopened = await fresh.reopen();
    store = reopened;
    expect(await queue()).toMatchObject({ advanced: { isMore: false }, endpointIds: [] });
    expect(await queuedEvents()).toEqual(['all 1 QUEUED']);
  });
});
