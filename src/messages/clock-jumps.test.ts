import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { putNumber } from '../../test/harness/account-verbs.ts';
import { fillStore } from '../../test/harness/delivery-store.ts';
import { clearDelivery, listUsed } from '../../test/harness/delivery-verbs.ts';
import { callerOf, MessagingRoom } from '../../test/harness/messaging-room.ts';
import { eachStore, type FreshStore } from '../../test/harness/stores.ts';
import { readIncoming } from './incoming/incoming.ts';
import type { SendRequest } from './sending/parameters.ts';
import { readStatuses } from './status.ts';

const start = Date.parse('2026-06-15T12:00:00Z');
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

eachStore('a clock that is set', (engine) => {
  let fresh: FreshStore;
  let room: MessagingRoom;
  beforeAll(async () => {
    fresh = await engine.openFreshStore();
    await fillStore(fresh.store);
    await fresh.store.write(putNumber, { number: '46731230010', userId: 10 });
  });
  beforeEach(async () => {
    await fresh.store.write(clearDelivery, null);
    room = new MessagingRoom(fresh, 'retry', start);
    await room.begin();
  });
  afterEach(() => room.settled());

  const caller = callerOf(10);

  async function send(change: Partial<SendRequest> = {}, key?: string): Promise<string> {
    const sent = await room.send(10, { to: ['46701740600'], message: 'Hello', ...change }, key);
    if (typeof sent === 'string') throw new Error(sent);
    await room.settled();
    return sent.accepted[0]?.id as string;
  }

  const at = (time: number) => ({ scheduletime: new Date(time).toISOString() });

  /** Sets the clock this far from the start, and runs a sweep. */
  async function setClock(ms: number): Promise<void> {
    room.clock.time = start + ms;
    await room.sweep();
  }

  async function answerAll(): Promise<void> {
    for (const name of room.openParts()) room.answer(name, { kind: 'accepted' });
    await room.settled();
  }

  async function statusOf(id: string): Promise<string | undefined> {
    const query = { id: [id], maxnum: 1, markasread: false };
    return (await readStatuses(room.store, caller, query)).statuses[0]?.status;
  }

  const handovers = (id: string) => room.handovers.get(`${id}/1`) ?? 0;

  test('[SEND-12] A clock set back after a scheduled SMS has gone out does not send it again', async () => {
    const id = await send(at(start + hourMs));
    await setClock(hourMs);
    expect(handovers(id)).toBe(1);
    await setClock(-3 * hourMs);
    await answerAll();
    for (let hour = -3; hour <= 4; hour++) await setClock(hour * hourMs);
    expect(handovers(id)).toBe(1);
    expect(await statusOf(id)).toBe('SENT');
  });

  test('[SEND-12] A clock set back before a scheduled SMS goes out leaves its time unchanged', async () => {
    const id = await send(at(start + hourMs));
    await setClock(-5 * hourMs);
    expect(await statusOf(id)).toBe('SCHEDULED');
    await setClock(hourMs - 1);
    expect(handovers(id)).toBe(0);
    await setClock(hourMs);
    expect(handovers(id)).toBe(1);
  });

  test('[SEND-12] [SEND-13] [SEND-19] A clock set ahead by days sends each scheduled SMS due meanwhile once, or ends it if its validity is over', async () => {
    const stale = await send({ ...at(start + hourMs), validminutes: 10 });
    const valid = await send({ ...at(start + dayMs), validminutes: 3 * 1_440 });
    const later = await send(at(start + 4 * dayMs));
    await setClock(3 * dayMs);
    await setClock(3 * dayMs + 1);
    expect([stale, valid, later].map(handovers)).toEqual([0, 1, 0]);
    expect(await Promise.all([stale, valid, later].map(statusOf))).toEqual([
      'EXPIRED',
      'QUEUED',
      'SCHEDULED',
    ]);
    expect((await room.store.read(listUsed, null)).map(({ used }) => used)).toEqual([2, 2, 0]);
    await answerAll();
    await setClock(0);
    await setClock(4 * dayMs);
    expect([stale, valid, later].map(handovers)).toEqual([0, 1, 1]);
  });

  test('[SEND-13] SMS sent before and after the clock is set back by hours expire at the end of their own validity', async () => {
    room.openCarrier(false);
    const before = await send({ validminutes: 10 });
    await setClock(-5 * hourMs);
    const after = await send({ validminutes: 10 });
    await setClock(-5 * hourMs + 10 * minuteMs - 1);
    expect(await Promise.all([before, after].map(statusOf))).toEqual(['QUEUED', 'QUEUED']);
    await setClock(-5 * hourMs + 10 * minuteMs);
    expect(await Promise.all([before, after].map(statusOf))).toEqual(['QUEUED', 'EXPIRED']);
    await setClock(10 * minuteMs);
    expect(await statusOf(before)).toBe('EXPIRED');
  });

  test('[STAT-6] After the clock is set back by hours, an SMS without a receipt is given up according to its own validity', async () => {
    await setClock(-5 * hourMs);
    const id = await send({ validminutes: 10 });
    await answerAll();
    await setClock(-5 * hourMs + hourMs + 10 * minuteMs - 1);
    expect(await statusOf(id)).toBe('SENT');
    await setClock(-5 * hourMs + hourMs + 10 * minuteMs);
    expect(await statusOf(id)).toBe('EXPIRED');
    await setClock(-9 * hourMs);
    await room.tell([{ id: `${id}/1/1`, status: 2 }]);
    expect(await statusOf(id)).toBe('DELIVERED');
  });

  test('[DLV-3] [DLV-6] A clock set back by hours holds up neither waiting messages nor retries', async () => {
    const [busy, doubtful] = [await send(), await send()];
    room.answer(`${busy}/1/1`, { kind: 'retryAt', time: start + 30_000 });
    room.answer(`${doubtful}/1/1`, { kind: 'inDoubt' });
    await room.settled();
    room.openCarrier(false);
    const waiting = await send();
    await setClock(-5 * hourMs);
    room.openCarrier(true);
    await room.settled();
    expect([busy, doubtful, waiting].map(handovers)).toEqual([2, 2, 1]);
    await answerAll();
    await setClock(hourMs);
    expect([busy, doubtful, waiting].map(handovers)).toEqual([2, 2, 1]);
  });

  test('[DLV-5] A receipt that comes before the carrier’s answer is not lost when the clock is set back by hours in between', async () => {
    const id = await send();
    await room.tell([{ id: `${id}/1/1`, status: 2 }]);
    room.clock.time -= 5 * hourMs;
    await answerAll();
    expect(await statusOf(id)).toBe('DELIVERED');
  });

  test('[DLV-6] Setting the clock between a crash and the next start loses no message, and repeats none that the carrier took', async () => {
    const [inHand, sent] = [await send(), await send()];
    room.answer(`${sent}/1/1`, { kind: 'accepted' });
    await room.settled();
    for (const ms of [-7 * hourMs, 9 * hourMs]) {
      room.clock.time = start + ms;
      await room.crash();
    }
    expect([inHand, sent].map(handovers)).toEqual([3, 1]);
    await answerAll();
    expect(await Promise.all([inHand, sent].map(statusOf))).toEqual(['SENT', 'SENT']);
  });

  test('[SEND-5] [DLV-6] No message id is given twice, even if the clock jumps and the server restarts', async () => {
    const ids: number[] = [];
    for (const hours of [0, -5, 30, -100, 1]) {
      room.clock.time = start + hours * hourMs;
      ids.push(Number(await send()), Number(await send()));
      if (hours === 30) await room.crash();
    }
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
  });

  test('[STAT-1] [STAT-3] Pages of unread statuses miss no change and repeat none, even if the clock is set back and forth', async () => {
    const ids: string[] = [];
    const seen = new Map<string, string[]>();
    const readPage = async () => {
      const query = { id: undefined, maxnum: 4, markasread: true };
      const { statuses } = await readStatuses(room.store, caller, query);
      const times = statuses.map(({ time }) => Number(time));
      expect(times).toEqual([...times].sort((a, b) => a - b));
      for (const { id, status } of statuses) seen.set(id, [...(seen.get(id) ?? []), status]);
      return statuses.length;
    };
    const readAll = async () => {
      while ((await readPage()) > 0);
    };
    const jumps = [0, -5, 2, -26, 50].map((hours) => hours * hourMs);
    for (const ms of jumps) {
      room.clock.time = start + ms;
      for (let count = 0; count < 5; count++) ids.push(await send({ validminutes: 10_080 }));
      await readPage();
    }
    await readAll();
    for (const [index, name] of room.openParts().entries()) {
      room.clock.time = start + (jumps[index % jumps.length] as number);
      room.answer(name, { kind: 'accepted' });
      await room.settled();
      if (index % 3 === 0) await readPage();
    }
    await readAll();
    for (const [index, id] of [...ids].reverse().entries()) {
      room.clock.time = start + (jumps[index % jumps.length] as number);
      await room.tell([{ id: `${id}/1/1`, status: index % 2 === 0 ? 2 : 6 }]);
      if (index % 4 === 0) await readPage();
    }
    await readAll();
    expect([...seen.keys()].sort()).toEqual([...ids].sort());
    for (const [index, id] of [...ids].reverse().entries())
      expect(seen.get(id)).toEqual(['QUEUED', 'SENT', index % 2 === 0 ? 'DELIVERED' : 'UNDELIVERABLE']);
  });

  test('[INC-1] Every incoming SMS is read once, in the order of its time, even if the clock is set back and forth', async () => {
    const stored: string[] = [];
    for (const hours of [0, -5, 3, -30, 1]) {
      room.clock.time = start + hours * hourMs;
      const sms = { sender: '46709999999', recipient: '46731230010', text: `At ${hours}` };
      stored.push((await room.receive(sms)).id);
    }
    const query = { id: undefined, maxnum: 2, markasread: true, getoriginal: false };
    const page = async (latest: boolean) => {
      const { incoming } = await readIncoming(room.store, caller, { ...query, latest });
      return incoming.map(({ id }) => stored.indexOf(id));
    };
    expect(await page(false)).toEqual([3, 1]);
    expect(await page(true)).toEqual([4, 2]);
    expect(await page(false)).toEqual([0]);
  });

  test('[SEND-20] A call made with an idempotency key is not repeated if the clock goes back, or ahead by less than a day', async () => {
    const first = await send({}, 'key');
    for (const hours of [-5, -30, 23]) {
      await setClock(hours * hourMs);
      expect(await send({}, 'key')).toBe(first);
    }
    expect(room.handovers.size).toBe(1);
  });
});
