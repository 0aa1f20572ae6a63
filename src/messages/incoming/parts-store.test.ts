import { beforeAll, beforeEach, expect, test } from 'vitest';
import { moveNumber, putCompany, putNumber, putUser } from '../../../test/harness/account-verbs.ts';
import { fillStore } from '../../../test/harness/delivery-store.ts';
import { clearDelivery } from '../../../test/harness/delivery-verbs.ts';
import { callerOf } from '../../../test/harness/messaging-room.ts';
import { eachStore, type FreshStore } from '../../../test/harness/stores.ts';
import type { Concatenation } from '../../carriers/carrier.ts';
import { Ids } from '../../storage/ids.ts';
import type { Store } from '../../storage/store.ts';
import { listUnroutedOfCompany } from '../conversations/numbers.ts';
import { type IncomingServices, readIncoming, receive } from './incoming.ts';
import { endAssemblies } from './parts.ts';

const start = Date.parse('2026-06-15T12:00:00Z');
const minuteMs = 60_000;
const number = '46731230010';

eachStore('parts of incoming SMS in the store', (engine) => {
  let fresh: FreshStore;
  let nodes: IncomingServices[];
  const clock = { time: start, now: () => clock.time };

  beforeAll(async () => {
    fresh = await engine.openFreshStore();
    await fillStore(fresh.store);
    await fresh.store.write(putCompany, { id: 2, name: 'Other' });
    await fresh.store.write(putUser, { id: 20, companyId: 2, username: 'third' });
    await fresh.store.write(putNumber, { number, userId: 10 });
    const other = engine.name === 'sqlite' ? fresh.store : await fresh.openAnother();
    nodes = [fresh.store, other].map(receivingWith);
  });
  beforeEach(async () => {
    clock.time = start;
    await fresh.store.write(clearDelivery, null);
  });

  function receivingWith(store: Store): IncomingServices {
    return { store, clock, ids: new Ids(store, 'incoming', 10), personSecret: '00' };
  }

  interface Where {
    readonly node?: number;
    readonly carrierId?: number;
    readonly sender?: string;
    readonly reference?: number;
  }

  function arrive(text: string, place: string, where: Where = {}) {
    const { node = 0, carrierId = 1, sender = '46700000001', reference = 7 } = where;
    const [part, parts] = place.split('/').map(Number) as [number, number];
    const concatenation: Concatenation = { reference, part, parts };
    return receive(nodes[node] as IncomingServices, carrierId, {
      sender,
      recipient: number,
      text,
      concatenation,
    });
  }

  async function arrived(userId = 10): Promise<readonly string[]> {
    const query = { id: undefined, maxnum: 1_000, markasread: true, getoriginal: false, latest: false };
    return (await readIncoming(fresh.store, callerOf(userId), query)).incoming.map(({ message }) => message);
  }

  const unrouted = async (companyId: number) =>
    (await fresh.store.read(listUnroutedOfCompany, { companyId, after: undefined, limit: 10 })).found.map(
      ({ text }) => text,
    );

  const move = (renterId: number | null, companyId: number | null) =>
    fresh.store.write(moveNumber, { number, renterId, companyId });

  const sweep = async () =>
    (await fresh.store.write(endAssemblies, { now: clock.time, limit: 10 })).delivered.length;

  test('[INC-4] Parts in any order make one incoming SMS, which is there when the last part has come', async () => {
    const third = await arrive('c', '3/3');
    expect(third).toMatchObject({ routed: false, awaitsParts: true });
    expect(await arrive('a', '1/3', { node: 1 })).toEqual(third);
    expect(await arrived()).toEqual([]);
    expect(await arrive('b', '2/3')).toEqual({ id: third.id, routed: true });
    expect(await arrived()).toEqual(['abc']);
  });

  test('[INC-4] Parts of an incoming SMS that come twice change nothing, even when all are stored', async () => {
    const first = await arrive('a', '1/2');
    expect(await arrive('a', '1/2', { node: 1 })).toEqual(first);
    const whole = await arrive('b', '2/2');
    expect(await arrive('a', '1/2')).toEqual(whole);
    expect(await arrive('b', '2/2', { node: 1 })).toEqual(whole);
    clock.time += 9 * minuteMs;
    await sweep();
    expect(await arrive('b', '2/2')).toEqual(whole);
    expect(await arrived()).toEqual(['ab']);
    // Much later it counts as the same text sent once more.
    clock.time += 2 * minuteMs;
    await arrive('a', '1/2');
    await arrive('b', '2/2');
    expect(await arrived()).toEqual(['ab']);
  });

  test('[INC-4] Parts missing after an hour are marked, and the rest of the incoming SMS is delivered once', async () => {
    const { id } = await arrive('one ', '1/3');
    clock.time += 30 * minuteMs;
    await arrive(' three', '3/3');
    clock.time = start + 60 * minuteMs - 1;
    expect(await sweep()).toBe(0);
    clock.time += 1;
    expect(await sweep()).toBe(1);
    expect(await sweep()).toBe(0);
    expect(await arrived()).toEqual(['one […] three']);
    expect(await arrive('one ', '1/3')).toEqual({ id, routed: true });
    await arrive('two', '2/3');
    clock.time += 60 * minuteMs;
    expect(await sweep()).toBe(1);
    expect(await arrived()).toEqual(['[…]two[…]']);
  });

  test('[INC-4] A reference that comes up again belongs to another incoming SMS', async () => {
    await arrive('a1', '1/2');
    await arrive('b1', '1/2');
    await arrive('b2', '2/2');
    expect([...(await arrived())].sort()).toEqual(['a1[…]', 'b1b2']);
    await arrive('c2', '2/2');
    await arrive('c1', '1/2');
    expect(await arrived()).toEqual(['c1c2']);
    clock.time += 61 * minuteMs;
    await arrive('c1', '1/2');
    await arrive('c2', '2/2');
    expect(await arrived()).toEqual(['c1c2']);
  });

  test('[INC-4] [CONV-12] An incoming SMS belongs to the user who had the number when its first part came, even if the number was moved since', async () => {
    await arrive('a1', '1/2');
    await arrive('b1', '1/2', { reference: 8 });
    await move(20, null);
    await arrive('a2', '2/2');
    clock.time += 60 * minuteMs;
    await sweep();
    expect([await arrived(), await arrived(20)]).toEqual([['a1a2', 'b1[…]'], []]);
    // The same reference is used again after the move.
    await arrive('c1', '1/2', { reference: 8 });
    await arrive('c2', '2/2', { reference: 8 });
    await move(10, null);
    expect([await arrived(), await arrived(20)]).toEqual([[], ['c1c2']]);
  });

  test('[INC-4] [INC-3] [CONV-12] An incoming SMS to a pool number belongs to the company that had it when its first part came', async () => {
    await move(null, 1);
    await arrive('a1', '1/2');
    await arrive('b1', '1/2', { reference: 8 });
    await move(null, 2);
    await arrive('a2', '2/2');
    await move(20, null);
    clock.time += 60 * minuteMs;
    await sweep();
    expect([await unrouted(1), await unrouted(2)]).toEqual([['b1[…]', 'a1a2'], []]);
    expect(await arrived(20)).toEqual([]);
    await move(10, null);
  });

  test('[INC-4] Different carriers, phones, references and part counts keep incoming SMS apart', async () => {
    const others: Where[] = [{}, { carrierId: 2 }, { sender: '46700000002' }, { reference: 8 }];
    for (const [index, where] of others.entries()) await arrive(`${index}a`, '1/2', where);
    await arrive('4a', '1/3');
    expect(await arrived()).toEqual([]);
    for (const [index, where] of others.entries()) await arrive(`${index}b`, '2/2', where);
    expect(await arrived()).toEqual(['0a0b', '1a1b', '2a2b', '3a3b']);
  });

  test('[INC-4] Half a character at the edge of a part survives, and characters that no store holds do no harm', async () => {
    await arrive('smile \ud83d', '1/3');
    await arrive('\u001b', '3/3');
    await arrive('\ude00\0 ', '2/3');
    expect(await arrived()).toEqual(['smile 😀 ']);
    await arrive('\ud83d', '1/2', { reference: 9 });
    clock.time += 60 * minuteMs;
    await sweep();
    expect(await arrived()).toEqual(['\ufffd[…]']);
  });

  test('[INC-4] An incoming SMS of one part, or with an impossible part number, is complete at once', async () => {
    for (const [index, place] of ['1/1', '0/2', '3/2'].entries()) {
      expect(await arrive(`${index}`, place)).toMatchObject({ routed: true });
    }
    expect(await arrived()).toEqual(['0', '1', '2']);
  });

  test('[INC-4] Parts that come twice, and at two nodes at once, make every incoming SMS exactly once', async () => {
    const parts = Array.from({ length: 20 }, (_, reference) =>
      ['1/3', '2/3', '3/3'].flatMap((place) =>
        [0, 1].map((node) => ({ place, reference, node, text: `${reference}:${place} ` })),
      ),
    ).flat();
    const order = parts.map((part, index) => ({ part, rank: (index * 7_919) % 121 }));
    order.sort((a, b) => a.rank - b.rank);
    const stored = await Promise.all(
      order.map(({ part }) => arrive(part.text, part.place, { node: part.node, reference: part.reference })),
    );
    expect(new Set(stored.map(({ id }) => id)).size).toBe(20);
    const texts = Array.from({ length: 20 }, (_, one) => `${one}:1/3 ${one}:2/3 ${one}:3/3 `);
    expect([...(await arrived())].sort()).toEqual(texts.sort());
  });

  test('[INC-4] Parts of incoming SMS survive a restart', async () => {
    await arrive('before ', '1/2');
    nodes[0] = receivingWith(await fresh.reopen());
    await arrive('after', '2/2');
    expect(await arrived()).toEqual(['before after']);
  });
});
