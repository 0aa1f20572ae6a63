import { beforeAll, beforeEach, expect, test } from 'vitest';
import { fillStore } from '../../../test/harness/delivery-store.ts';
import { clearDelivery, grantQuota, listUsed } from '../../../test/harness/delivery-verbs.ts';
import { giveToJobs, listLeases, listSenders, putPool } from '../../../test/harness/lease-verbs.ts';
import { callerOf } from '../../../test/harness/messaging-room.ts';
import { purgeOnce } from '../../../test/harness/purge-once.ts';
import { sendingOn } from '../../../test/harness/sending-node.ts';
import { eachStore, type FreshStore } from '../../../test/harness/stores.ts';
import { ServiceError } from '../../foundation/errors.ts';
import type { Route } from '../../routing/route.ts';
import { RoutingTable } from '../../routing/routing-table.ts';
import { Ids } from '../../storage/ids.ts';
import type { Store } from '../../storage/store.ts';
import { type IncomingServices, readIncoming, receive } from '../incoming/incoming.ts';
import { cancel } from '../operator/cancel.ts';
import { plainRequest, type SendRequest } from '../sending/parameters.ts';
import { type Sending, type Sent, send } from '../sending/send.ts';
import { agedMessages } from '../upkeep/purge.ts';

const start = Date.parse('2026-06-15T12:00:00Z');
const hourMs = 3_600_000;
const pool = ['4610001', '4610002', '4610003', '4610004'];
const plain: SendRequest = { ...plainRequest, message: 'Hello', validminutes: 60, twoway: true };

eachStore('two-way SMS in the store', (engine) => {
  let fresh: FreshStore;
  let nodes: readonly Sending[];
  const clock = { time: start, now: () => clock.time };

  beforeAll(async () => {
    fresh = await engine.openFreshStore();
    await fillStore(fresh.store);
    // SQLite has one process, whose callers share its store.
    const other = engine.name === 'sqlite' ? fresh.store : await fresh.openAnother();
    nodes = [fresh.store, other].map(sendingWith);
  });
  beforeEach(async () => {
    clock.time = start;
    await fresh.store.write(clearDelivery, null);
    await fresh.store.write(putPool, pool);
  });

  function sendingWith(store: Store): Sending {
    return sendingOn(store, clock);
  }

  const sendFrom = (node: number, change: Partial<SendRequest>, key?: string): Promise<Sent | ServiceError> =>
    send(nodes[node % 2] as Sending, callerOf(10), { ...plain, ...change }, key).catch((error: unknown) => {
      if (error instanceof ServiceError) return error;
      throw error;
    });
  const leases = () => fresh.store.read(listLeases, null);
  const phone = (index: number) => `46700${String(index).padStart(6, '0')}`;
  const receiving = (): IncomingServices => ({
    store: fresh.store,
    clock,
    ids: new Ids(fresh.store, 'incoming', 10),
    personSecret: '00',
  });

  test('[SEND-16] Conversations with one person that start at two nodes at once never share a number', async () => {
    const conversations = ['a', 'b', 'c', 'd'];
    const calls = conversations.flatMap((conversation, node) =>
      [0, 1, 2, 3, 4].map((turn) => sendFrom(node + turn, { to: [phone(1), phone(2)], conversation })),
    );
    for (const sent of await Promise.all(calls)) expect(sent).not.toBeInstanceOf(ServiceError);
    const kept = (await leases()).filter(({ endsAt }) => endsAt > start);
    for (const recipient of [phone(1), phone(2)]) {
      const own = kept.filter((lease) => lease.recipient === recipient);
      expect(own.map(({ number }) => number)).toEqual(pool);
      expect(own.map(({ conversation }) => conversation).sort()).toEqual(conversations);
    }
    const messages = await fresh.store.read(listSenders, null);
    expect(messages).toHaveLength(40);
    for (const { number, recipient, conversation } of kept) {
      const same = messages.filter((one) => one.recipient === recipient && one.conversation === conversation);
      expect(new Set(same.map(({ sender }) => sender))).toEqual(new Set([number]));
    }
  });

  test('[SEND-16] A call to a thousand recipients spreads them evenly over the pool, in the order of use', async () => {
    const to = Array.from({ length: 1_000 }, (_, index) => phone(index));
    const calls = [0, 1, 2].map((node) => sendFrom(node, { to }));
    expect((await Promise.all(calls)).every((sent) => !(sent instanceof ServiceError))).toBe(true);
    const kept = await leases();
    for (const number of pool) expect(kept.filter((lease) => lease.number === number)).toHaveLength(750);
    expect(new Set(kept.map(({ recipient, number }) => `${recipient}/${number}`)).size).toBe(3_000);
  });

  test('[SEND-16] A call that the quota refuses leases no number', async () => {
    await fresh.store.write(grantQuota, { 'user 10': 2 });
    const calls = [1, 2, 3, 4].map((index) => sendFrom(index, { to: [phone(1)], conversation: `c${index}` }));
    const refused = (await Promise.all(calls)).filter((sent) => sent instanceof ServiceError);
    expect(refused.map(({ code }) => code)).toEqual(['quota_exceeded', 'quota_exceeded']);
    expect((await leases()).map(({ number }) => number)).toEqual(pool.slice(0, 2));
  });

  test('[SEND-16] If live jobs have all numbers for a recipient, only that recipient is rejected', async () => {
    for (const _ of pool) await sendFrom(0, { to: [phone(1)] });
    await fresh.store.write(giveToJobs, null);
    const body = { to: [phone(1), '46 70 99', phone(2)], conversation: 'x' };
    const sent = await sendFrom(1, body, 'key 1');
    expect(sent).toMatchObject({ accepted: [{ to: phone(2) }], rejected: ['46 70 99', phone(1)] });
    expect(await sendFrom(0, body, 'key 1')).toEqual(sent);
    const alone = await sendFrom(0, { to: [`+${phone(1)}`] }, 'key 2');
    expect(alone).toMatchObject({
      code: 'nothing_queued',
      errors: [{ field: 'to[0]', code: 'no_pool_number' }],
    });
    const used = await fresh.store.read(listUsed, null);
    expect(used.find(({ holder, id }) => holder === 'user' && id === 10)?.used).toBe(pool.length + 1);
    clock.time = start + 73 * hourMs;
    expect(await sendFrom(0, { to: [`+${phone(1)}`] }, 'key 2')).toMatchObject({ rejected: [] });
  });

  test('[INC-2] When a message that took over a number is cancelled, answers belong to the message before it', async () => {
    await fresh.store.write(putPool, pool.slice(0, 1));
    const ids: string[] = [];
    for (const conversation of ['a', 'b', 'c']) {
      clock.time += 1;
      const { accepted } = (await sendFrom(0, { to: [phone(1)], conversation })) as Sent;
      ids.push(accepted[0]?.id as string);
    }
    const sms = { sender: phone(1), recipient: pool[0] as string, text: 'yes' };
    const query = { id: undefined, maxnum: 9, markasread: true, getoriginal: false, latest: false };
    const answered = async () => {
      await receive(receiving(), 1, sms);
      return (await readIncoming(fresh.store, callerOf(10), query)).incoming.map(({ resptoid }) => resptoid);
    };
    expect(await answered()).toEqual([ids[2]]);
    await cancel(fresh.store, clock, ids[2] as string);
    expect(await answered()).toEqual([ids[1]]);
  });

  test('[INC-2] An answer is still matched by a lease that is over, until the lease is purged', async () => {
    const sent = (await sendFrom(0, { to: [phone(1)], conversation: 'x' })) as Sent;
    const number = (await leases())[0]?.number ?? '';
    clock.time = start + 20 * 24 * hourMs;
    const sms = { sender: phone(1), recipient: number, text: 'late' };
    expect(await receive(receiving(), 1, sms)).toMatchObject({ routed: true });
    const query = { id: undefined, maxnum: 9, markasread: true, getoriginal: true, latest: false };
    expect((await readIncoming(fresh.store, callerOf(10), query)).incoming).toMatchObject([
      { resptoid: sent.accepted[0]?.id, conversation: 'x', origmess: 'Hello' },
    ]);
    const purge = (hours: number) =>
      purgeOnce(fresh.store, agedMessages, { before: start + hours * hourMs, now: clock.time });
    expect(await purge(73)).toBe(0);
    expect(await purge(74)).toBe(1);
    expect(await leases()).toEqual([]);
    expect(await receive(receiving(), 1, sms)).toMatchObject({ routed: false });
  });

  test('[INC-2] A clock that is set back does not separate an answer from its question', async () => {
    await sendFrom(0, { to: [phone(1)], conversation: 'x' });
    const number = (await leases())[0]?.number ?? '';
    clock.time = start - 5 * hourMs;
    const sms = { sender: phone(1), recipient: number, text: 'yes' };
    expect(await receive(receiving(), 1, sms)).toMatchObject({ routed: true });
  });

  test('[SEND-16] [DLV-2] Routes limited to pool numbers take the messages that are sent from these numbers', async () => {
    const carriers = ['sim', 'north', 'shop'].map((name, index) => ({
      id: index + 1,
      name,
      type: 'simulator' as const,
      settings: {},
    }));
    const [first, second] = pool as [string, string];
    const all = { name: 'all', prefix: '', carriers: ['sim'] };
    const north = { name: 'north', prefix: '46', carriers: ['north'], senders: [first] };
    const shop = { name: 'shop', prefix: '467', carriers: ['shop'], senders: ['Shop'] };
    const route = (...routes: readonly Route[]) => {
      const table = new RoutingTable(routes, carriers);
      return { ...(nodes[0] as Sending), routes: () => table };
    };
    const ask = (sending: Sending, to: string, conversation: string) =>
      send(sending, callerOf(10), { ...plain, to: [to], conversation }, undefined);
    const ways = async () =>
      (await fresh.store.read(listSenders, null)).map(({ sender, carrierId }) => [sender, carrierId]);

    for (const conversation of ['a', 'b', 'c', 'd', 'a'])
      await ask(route(all, north, shop), phone(1), conversation);
    const expected = [...pool, first].map((number) => [number, number === first ? 2 : 1]);
    expect(await ways()).toEqual(expected);

    // The only routes are from these numbers. The second number is needed because the first has a live conversation with that
    // phone.
    const only = [first, second].map((number) => ({ ...north, name: number, senders: [number] }));
    await fresh.store.write(clearDelivery, null);
    for (const conversation of ['a', 'b', 'c']) await ask(route(...only), phone(2), conversation);
    expect((await ways()).map(([sender]) => sender).sort()).toEqual([first, first, second].sort());
    await fresh.store.write(putPool, pool.slice(2));
    const refused = await ask(route(...only), phone(3), '').catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'nothing_queued' });
    expect((refused as ServiceError).message).toContain('reply pool has no free number');
  });

  test.each([
    ['525562000017', '5215562000017'],
    ['5215562000018', '525562000018'],
    ['541123456789', '5491123456789'],
    ['5491123456780', '541123456780'],
    ['46700000001', '0046700000001'],
  ])(
    '[INC-2] [SEND-16] An SMS sent to %s is matched by the answer that comes from %s',
    async (asked, answering) => {
      const sent = await sendFrom(0, { to: [asked], conversation: 'rewritten' });
      expect(sent).not.toBeInstanceOf(ServiceError);
      const [lease] = await leases();
      const sms = { sender: answering, recipient: lease?.number as string, text: 'Yes' };
      const { id, routed } = await receive(receiving(), 1, sms);
      expect(routed).toBe(true);
      const query = { id: [id], maxnum: 1, markasread: false, getoriginal: true, latest: false };
      const { incoming } = await readIncoming(fresh.store, callerOf(10), query);
      expect(incoming).toMatchObject([
        { from: asked, to: lease?.number, conversation: 'rewritten', resptoid: String(lease?.messageId) },
      ]);
      const other = await receive(receiving(), 1, { ...sms, sender: `${answering.slice(0, -1)}4` });
      expect(other.routed).toBe(false);
    },
  );
});
