import { beforeAll, expect, test } from 'vitest';
import { testRow } from '../../../test/harness/accepted-rows.ts';
import { putNumber } from '../../../test/harness/account-verbs.ts';
import { deliveryStore, range } from '../../../test/harness/delivery-store.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import type { Store } from '../../storage/store.ts';
import { storeIncoming } from '../incoming/store.ts';
import { stage, status } from '../message.ts';
import { idsInBlock } from '../message-log.ts';
import { cancelMessage } from '../operator/cancel.ts';
import { type Acceptance, acceptMessages } from '../sending/accept.ts';
import { maxRecipients } from '../sending/parameters.ts';
import { purgeMessages } from '../upkeep/purge.ts';
import { canceledPerStep, cancelOfSending, rescheduleSending } from './acts.ts';
import { readPeopleOfSending } from './people.ts';
import { purgeSendings } from './purge.ts';
import { listSendings, readSending } from './sending.ts';

const rented = '46731230001';
const phoneOf = (id: number) => `4670174${String(id).padStart(4, '0')}`;
const hourMs = 3_600_000;
const all = { companyId: 1, userId: null };
const by = { ...all, username: 'first', session: undefined };

/** A call to several people, whose messages have the ids from `id` on. */
function call(
  id: number,
  count: number,
  more: Partial<Acceptance> & { scheduledAt?: number } = {},
): Acceptance {
  const { scheduledAt = null, ...rest } = more;
  const rows = range(id, id + count - 1).map((one) =>
    testRow({
      id: one,
      recipient: phoneOf(one),
      sender: rented,
      ...(scheduledAt === null
        ? {}
        : {
            status: status.SCHEDULED,
            stage: stage.scheduled,
            due_at: scheduledAt,
            expires_at: scheduledAt + hourMs,
          }),
    }),
  );
  return {
    companyId: 1,
    userId: 10,
    rows,
    parts: count,
    costCenter: '',
    now: 1_000,
    month: '1970-01',
    idempotency: null,
    nodeId: null,
    sending: {
      companyId: 1,
      id,
      userId: 10,
      messages: count,
      parts: count,
      templateId: null,
      text: 'Can you come?',
      whom: { groups: ['Ward 7'], filters: [], tags: '', numbers: 0 },
      sender: rented,
      answersUntil: 100 * hourMs,
      createdAt: 1_000,
      scheduledAt,
    },
    ...rest,
  };
}

eachStore('sendings in the store', (engine) => {
  const opened = deliveryStore(engine);
  beforeAll(async () => {
    for (const number of [rented, '46731230002']) await opened.store.write(putNumber, { number, userId: 10 });
  });
  const read = (id: number) => opened.store.read(readSending, { ...all, id });
  const cancelAll = async (store: Store, id: number): Promise<number> => {
    let canceled = 0;
    for (let step: number | null = canceledPerStep; step === canceledPerStep; ) {
      step = await store.write(cancelOfSending, { ...by, id, now: 5_000 });
      canceled += step ?? 0;
    }
    return canceled;
  };

  test('[PORT-4] A sending is stored with its messages, or neither is', async () => {
    const { store } = opened;
    expect((await store.write(acceptMessages, call(101, 3))).kind).toBe('accepted');
    // The second message has an id that is taken, so the whole transaction fails.
    const broken = { ...call(201, 3), rows: [...call(201, 3).rows.slice(0, 2), ...call(103, 1).rows] };
    await expect(store.write(acceptMessages, broken)).rejects.toThrow();
    expect(await read(201)).toBeNull();
    expect(await read(102)).toMatchObject({
      id: 101,
      username: 'first',
      whom: { groups: ['Ward 7'] },
      totals: { underWay: 3, removed: 0 },
    });
    expect(await read(104)).toBeNull();
    expect(await store.read(readSending, { companyId: 1, userId: 11, id: 101 })).toBeNull();
  });

  test('[PORT-4] Sendings that are canceled at two nodes and message by message are canceled once, and add up', async () => {
    const { store, fresh } = opened;
    const count = canceledPerStep + 120;
    await store.write(acceptMessages, call(1_001, count, { scheduledAt: 9 * hourMs }));
    const other = engine.name === 'postgres' ? await fresh.openAnother() : store;
    const single = range(1_001, 1_040).map((id) =>
      other.write(cancelMessage, { id, now: 5_000, user: { ...by } }),
    );
    const [here, there, ...ones] = await Promise.all([
      cancelAll(store, 1_001),
      cancelAll(other, 1_010),
      ...single,
    ]);
    const alone = ones.filter(({ kind }) => kind === 'cancelled').length;
    expect(here + there + alone).toBe(count);
    expect((await read(1_001))?.totals).toMatchObject({ canceled: count, scheduled: 0, removed: 0 });
  });

  test('[PORT-4] Answers from many people at once, and changed ones, are counted once for each person', async () => {
    const { store, fresh } = opened;
    await store.write(acceptMessages, call(2_001, 60));
    const other = engine.name === 'postgres' ? await fresh.openAnother() : store;
    const said = (id: number, text: string, at: number, place: number) =>
      (place % 2 === 0 ? store : other).write(storeIncoming, {
        id,
        sender: phoneOf(2_001 + place),
        recipient: rented,
        text,
        receivedAt: at,
      });
    const places = range(0, 39);
    // The ids of later answers are lower, as they may be at several nodes.
    await Promise.all([
      ...places.map((place) => said(900 + place, place < 20 ? 'Yes' : 'No', 2_000, place)),
      ...places.slice(0, 10).map((place) => said(800 + place, 'No, sorry', 3_000, place)),
      ...places.slice(0, 5).map((place) => said(700 + place, 'When?', 4_000, place)),
      ...range(50, 54).map((place) => said(600 + place, 'Who is this?', 2_000, place)),
    ]);
    // The same SMS once more counts no further.
    await said(900, 'Yes', 2_000, 0);
    expect((await read(2_001))?.answers).toEqual({ yes: 10, no: 30, other: 5, silent: 15 });
    const query = { companyId: 1, callerId: 10, afterId: 0, lastId: 2_060, limit: 100 };
    const people = (meaning: 'yes' | 'no' | 'other' | 'silent') =>
      store.read(readPeopleOfSending, { ...query, state: undefined, meaning });
    expect([(await people('yes')).length, (await people('no')).length]).toEqual([10, 30]);
    expect([(await people('other')).length, (await people('silent')).length]).toEqual([5, 15]);
    expect((await people('no'))[0]).toMatchObject({
      meaning: 'no',
      answers: 3,
      text: 'When?',
      answeredAt: 4_000,
    });
  });

  test('[PORT-4] Nobody answers a sending before its time, after its time, or from another number', async () => {
    const { store } = opened;
    await store.write(acceptMessages, call(3_001, 2, { scheduledAt: 9 * hourMs }));
    const sms = { sender: phoneOf(3_001), recipient: rented, text: 'Yes' };
    await store.write(storeIncoming, { ...sms, id: 1, receivedAt: 8 * hourMs });
    await store.write(storeIncoming, { ...sms, id: 2, receivedAt: 101 * hourMs });
    await store.write(storeIncoming, { ...sms, id: 3, recipient: '46731230002', receivedAt: 10 * hourMs });
    expect((await read(3_001))?.answers).toMatchObject({ silent: 2 });
    await store.write(storeIncoming, { ...sms, id: 4, receivedAt: 10 * hourMs });
    expect((await read(3_001))?.answers).toMatchObject({ yes: 1, silent: 1 });
  });

  test('[PORT-4] Answers are found for all people of the largest sending, which lies in several blocks of the log', async () => {
    const { store } = opened;
    const first = idsInBlock - 2;
    const last = first + maxRecipients - 1;
    await store.write(acceptMessages, call(first, maxRecipients));
    for (const [place, id] of [first, idsInBlock, 3 * idsInBlock, last].entries()) {
      const sms = { id: 1 + place, sender: phoneOf(id), recipient: rented, text: 'Yes', receivedAt: 2_000 };
      await store.write(storeIncoming, sms);
    }
    expect((await read(first))?.answers).toEqual({ yes: 4, no: 0, other: 0, silent: maxRecipients - 4 });
  });

  test('[PORT-4] Another time moves all that waits with its validity, and nothing once the time has come', async () => {
    const { store } = opened;
    await store.write(acceptMessages, call(4_001, 3, { scheduledAt: 9 * hourMs }));
    const to = (time: number, now: number) => store.write(rescheduleSending, { ...by, id: 4_002, time, now });
    expect(await to(20 * hourMs, 5_000)).toBe('rescheduled');
    expect(await to(20 * hourMs, 5_000)).toBe('rescheduled');
    expect(await read(4_001)).toMatchObject({ scheduledAt: 20 * hourMs, answersUntil: 111 * hourMs });
    expect(await to(30 * hourMs, 20 * hourMs)).toBe('tooLate');
    expect(await store.write(rescheduleSending, { ...by, id: 9_999, time: 1, now: 0 })).toBe('notFound');
  });

  test('[PORT-4] A sending goes with the last of its messages, and so do the rows of its answers', async () => {
    const { store } = opened;
    await store.write(acceptMessages, call(5_001, 2));
    await store.write(storeIncoming, {
      id: 1,
      sender: phoneOf(5_001),
      recipient: rented,
      text: 'Yes',
      receivedAt: 2_000,
    });
    await store.write(cancelMessage, { id: 5_001, now: 5_000 });
    const times = { createdBefore: hourMs, limit: 100 };
    const purge = async () => {
      await store.write(purgeMessages, { companyId: 1, afterId: 0, idsSinceOld: 0, ...times });
      const start = { createdAt: 0, companyId: 0, id: 0 };
      return (await store.write(purgeSendings, { after: start, ...times })).purged;
    };
    expect(await purge()).toBe(0);
    expect(await read(5_002)).toMatchObject({
      totals: { underWay: 1, removed: 1 },
      answers: { yes: 0, no: 0, other: 0, silent: 1 },
    });
    await store.write(cancelMessage, { id: 5_002, now: 5_000 });
    expect(await purge()).toBe(1);
    expect(await read(5_002)).toBeNull();
  });

  test('[PORT-4] A page of sendings ends when they have very many messages, and goes on behind', async () => {
    const { store } = opened;
    const large = (id: number) => ({ ...call(id, 1), sending: { ...call(id, 1).sending, messages: 9_000 } });
    for (const id of [10_001, 20_001, 30_001]) await store.write(acceptMessages, large(id) as Acceptance);
    const query = { ...all, callerId: 10, after: undefined, limit: 10 };
    const page = await store.read(listSendings, query);
    expect(page).toMatchObject({ sendings: [{ id: 30_001 }, { id: 20_001 }], hasMore: true });
    const rest = await store.read(listSendings, { ...query, after: { time: 1_000, id: 20_001 } });
    expect(rest).toMatchObject({ sendings: [{ id: 10_001 }], hasMore: false });
  });
});
