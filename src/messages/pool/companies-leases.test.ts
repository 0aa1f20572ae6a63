/** Tests companies that share a pool: the first one to ask gets the answer while the lease is live. */

import fc from 'fast-check';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { putCompany, putUser } from '../../../test/harness/account-verbs.ts';
import { fillStore } from '../../../test/harness/delivery-store.ts';
import { clearDelivery } from '../../../test/harness/delivery-verbs.ts';
import {
  giveToJobs,
  keepNumberFor,
  type ListedLease,
  listLeases,
  listSenders,
  putPool,
  whoseAnswer,
} from '../../../test/harness/lease-verbs.ts';
import { callerOf } from '../../../test/harness/messaging-room.ts';
import { assertRuns } from '../../../test/harness/runs.ts';
import { sendingOn } from '../../../test/harness/sending-node.ts';
import { eachStore, type FreshStore } from '../../../test/harness/stores.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { Ids } from '../../storage/ids.ts';
import type { Store } from '../../storage/store.ts';
import { reschedule } from '../management/scheduled.ts';
import { plainRequest, type SendRequest } from '../sending/parameters.ts';
import { type Sending, type Sent, send } from '../sending/send.ts';

const start = Date.parse('2026-06-15T12:00:00Z');
const hourMs = 3_600_000;
const common = ['4610001', '4610002'];
const ofSecond = '4620001';
const phones = ['46700000001', '46700000002'];
/** Company ids by user id. */
const companies: Readonly<Record<number, number>> = { 10: 1, 11: 1, 20: 2, 30: 3 };

const plain: SendRequest = { ...plainRequest, message: 'Hello', validminutes: 60, twoway: true };

eachStore('companies that share a pool', (engine) => {
  let fresh: FreshStore;
  let nodes: readonly Sending[];
  const clock = { time: start, now: () => clock.time };

  beforeAll(async () => {
    fresh = await engine.openFreshStore();
    await fillStore(fresh.store);
    for (const id of [2, 3]) {
      await fresh.store.write(putCompany, { id, name: `Company ${id}` });
      await fresh.store.write(putUser, { id: 10 * id, companyId: id, username: `user of ${id}` });
    }
    await fresh.store.write(putPool, [...common, ofSecond]);
    await fresh.store.write(keepNumberFor, { number: ofSecond, companyId: 2 });
    // SQLite has one process, whose callers share its store.
    const other = engine.name === 'sqlite' ? fresh.store : await fresh.openAnother();
    nodes = [fresh.store, other].map(sendingWith);
  });
  beforeEach(async () => {
    clock.time = start;
    await fresh.store.write(clearDelivery, null);
  });

  function sendingWith(store: Store): Sending {
    return sendingOn(store, clock, { ids: new Ids(store, 'message', 1_000) });
  }

  async function ask(
    node: number,
    userId: number,
    change: Partial<SendRequest>,
  ): Promise<Sent | ServiceError> {
    const caller = { ...callerOf(userId), companyId: companies[userId] as number };
    try {
      return await send(nodes[node] as Sending, caller, { ...plain, ...change }, undefined);
    } catch (error) {
      if (error instanceof ServiceError) return error;
      throw error;
    }
  }
  const leases = () => fresh.store.read(listLeases, null);
  const liveOf = (all: readonly ListedLease[]) =>
    all.filter(({ startsAt, endsAt }) => startsAt <= clock.time && clock.time < endsAt);

  test('[SEND-16] If another company has the numbers for a recipient, that recipient alone is rejected', async () => {
    for (const conversation of ['a', 'b']) await ask(0, 10, { to: [phones[0] as string], conversation });
    const some = await ask(1, 30, { to: phones });
    expect(some).toMatchObject({ accepted: [{ to: phones[1] }], rejected: [phones[0]] });
    const alone = await ask(0, 30, { to: [`+${phones[0]}`] });
    expect(alone).toMatchObject({
      code: 'nothing_queued',
      errors: [{ field: 'to[0]', code: 'no_pool_number' }],
    });
    // A company's own oldest lease is replaced, and its own number is used first.
    expect(await ask(0, 11, { to: [phones[0] as string] })).toMatchObject({ rejected: [] });
    expect(await ask(0, 20, { to: [phones[0] as string] })).toMatchObject({ rejected: [] });
    expect((await leases()).filter(({ companyId }) => companyId === 2)).toMatchObject([{ number: ofSecond }]);
    clock.time += 73 * hourMs;
    expect(await ask(0, 30, { to: [phones[0] as string] })).toMatchObject({ rejected: [] });
  });

  test('[SEND-16] Concurrent calls on two nodes give each number for a recipient to one company', async () => {
    const calls = Array.from({ length: 48 }, (_, index) => {
      const userId = [10, 20, 30][index % 3] as number;
      return ask(index % 2, userId, { to: phones, conversation: `c${index % 5}` });
    });
    const answers = await Promise.all(calls);
    const refused = answers.filter((answer) => answer instanceof ServiceError);
    expect(refused.filter(({ code }) => code !== 'nothing_queued')).toEqual([]);
    const owners = new Map<string, Set<number>>();
    for (const { sender, recipient, companyId } of await fresh.store.read(listSenders, null)) {
      const key = `${sender} to ${recipient}`;
      owners.set(key, (owners.get(key) ?? new Set()).add(companyId));
    }
    expect([...owners.keys()].sort()).toEqual(
      [...common, ofSecond].flatMap((number) => phones.map((phone) => `${number} to ${phone}`)),
    );
    for (const [key, own] of owners) expect({ key, companies: own.size }).toEqual({ key, companies: 1 });
    for (const phone of phones) expect(owners.get(`${ofSecond} to ${phone}`)).toEqual(new Set([2]));
  });

  test('[SEND-12] [INC-2] Rescheduling a message moves the lease of its number, and is refused if the number is taken at that time', async () => {
    const phone = phones[0] as string;
    const inHours = (hours: number) => new Date(start + hours * hourMs).toISOString();
    const ids = new Map<string, string>();
    for (const conversation of ['a', 'b']) {
      const sent = await ask(0, 10, { to: [phone], conversation, scheduletime: inHours(200) });
      for (const { id } of (sent as Sent).accepted) ids.set(conversation, id);
    }
    await ask(0, 30, { to: [phone] });
    const [third] = (await leases()).filter(({ companyId }) => companyId === 3);
    const number = third?.number as string;
    const own = async () =>
      (await leases()).find((lease) => lease.companyId === 1 && lease.number === number);
    const id = ids.get((await own())?.conversation as string) as string;
    const move = (hours: number) =>
      reschedule(
        { store: fresh.store, clock },
        callerOf(10),
        { id, scheduleTime: inHours(hours) },
        undefined,
      );
    const whose = (hours: number) =>
      fresh.store.read(whoseAnswer, { number, phone, at: start + hours * hourMs });

    const before = await own();
    await expect(move(72)).rejects.toMatchObject({ code: 'no_pool_number' });
    expect(await own()).toEqual(before);
    for (const hours of [100, 300]) {
      await move(hours);
      expect(await own()).toMatchObject({
        startsAt: start + hours * hourMs,
        endsAt: start + (hours + 73) * hourMs,
      });
      expect(await whose(hours - 1)).toBe(3);
      expect(await whose(hours + 1)).toBe(1);
    }
    await fresh.store.write(giveToJobs, null);
    await expect(move(310)).rejects.toMatchObject({ code: 'no_pool_number' });
  });

  const act = fc.record({
    userId: fc.constantFrom(...Object.keys(companies).map(Number)),
    to: fc.subarray(phones, { minLength: 1 }),
    conversation: fc.constantFrom(undefined, 'a', 'b'),
    validminutes: fc.constantFrom(1, 60, 6_000),
    inHours: fc.constantFrom(0, 0, 0, 2, 80),
    after: fc.constantFrom(1, 1_000, hourMs, 30 * hourMs, 74 * hourMs),
    together: fc.boolean(),
  });

  test('[SEND-16] [INC-2] A live lease never goes to another company, and its answers go to the company that has it', async () => {
    const property = fc.asyncProperty(fc.array(act, { minLength: 2, maxLength: 25 }), async (acts) => {
      await fresh.store.write(clearDelivery, null);
      clock.time = start;
      for (const [index, { userId, inHours, after, together, ...change }] of acts.entries()) {
        clock.time += after;
        const before = liveOf(await leases());
        const scheduletime = new Date(clock.time + inHours * hourMs).toISOString();
        const request = { ...change, scheduletime: inHours === 0 ? undefined : scheduletime };
        // Another company's call may share the transaction.
        const others = together ? [ask(0, acts[index - 1]?.userId ?? 30, request)] : [];
        await Promise.all([ask(0, userId, request), ...others]);
        const now = await leases();
        const askers = new Set([userId, acts[index - 1]?.userId ?? 30].map((asker) => companies[asker]));
        for (const lease of before) if (!askers.has(lease.companyId)) expect(now).toContainEqual(lease);
        // Checks this moment and those at which a lease begins or ends.
        const moments = now.flatMap(({ startsAt, endsAt }) => [startsAt, endsAt - 1, endsAt]);
        for (const at of [clock.time, ...moments.filter((moment) => moment > clock.time)]) {
          for (const { number, recipient, companyId, startsAt, endsAt } of now) {
            if (startsAt > at || endsAt <= at) continue;
            const owner = await fresh.store.read(whoseAnswer, { number, phone: recipient, at });
            expect({ at, number, recipient, owner }).toEqual({ at, number, recipient, owner: companyId });
          }
        }
      }
    });
    await assertRuns(property, 25);
  });
});
