/** Readers of statuses and incoming SMS: alone, two at once, and while a status changes. */
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect } from 'vitest';
import { readIncoming } from '../../src/messages/incoming/incoming.ts';
import { readStatuses, type StatusQuery, type StatusRecord } from '../../src/messages/status.ts';
import { pool } from './lease-model.ts';
import { pick, place, receiptPlaces, receiptsAt, user } from './message-acts.ts';
import {
  type Act,
  byId,
  expectOldestFirst,
  incomingRecord,
  type Model,
  type ModelIncoming,
  recordOf,
  users,
} from './message-agreement.ts';
import type { ModelMessage } from './message-model.ts';
import { callerOf, type MessagingRoom } from './messaging-room.ts';
import { phones } from './sending-acts.ts';

const readersMeanwhile = 4;
const most = fc.constantFrom(1, 2, 3, 100);

function ownOf(model: Model, userId: number): readonly ModelMessage[] {
  return model.sent.messages.filter((message) => message.userId === userId);
}

function unreadOf(model: Model, userId: number): readonly ModelMessage[] {
  return ownOf(model, userId).filter((message) => message.unread);
}

/** Expects the first items by time; of items with the same time, any will do. */
function expectOldest(
  items: readonly { readonly id: string; readonly time: string }[],
  all: readonly { readonly id: string; readonly time: number }[],
  maxnum: number,
): void {
  expect(items).toHaveLength(Math.min(maxnum, all.length));
  expectOldestFirst(items);
  const ids = new Set(items.map(({ id }) => id));
  const latest = Number(items.at(-1)?.time ?? 0);
  for (const left of all.filter(({ id }) => !ids.has(id))) expect(left.time).toBeGreaterThanOrEqual(latest);
}

const pages = fc.record({ userId: user, maxnum: most, markasread: fc.boolean() }).map(
  ({ userId, maxnum, markasread }): Act => ({
    name: `read ${userId} ${maxnum} ${markasread ? 'marking' : ''}`,
    async run(model, room) {
      const all = unreadOf(model, userId);
      const query = { id: undefined, maxnum, markasread };
      const { statuses, notfound } = await readStatuses(room.store, callerOf(userId), query);
      expect(notfound).toEqual([]);
      expectOldest(statuses, all, maxnum);
      for (const record of statuses) {
        const message = all.find(({ id }) => id === record.id) as ModelMessage;
        expect(record).toEqual(recordOf(message));
        if (markasread) message.unread = false;
      }
    },
  }),
);

/** Ids of anyone's messages, unknown ids, and invalid ids. */
function idsAt({ sent }: Model, places: readonly number[]): readonly string[] {
  const ids = [...sent.messages.map(({ id }) => id), '1', 'no id', '007'].reverse();
  return places.map((at) => pick(ids, at) as string);
}

const byIds = fc
  .record({ userId: user, places: fc.array(place, { minLength: 1, maxLength: 5 }), markasread: fc.boolean() })
  .map(
    ({ userId, places, markasread }): Act => ({
      name: `read ${userId} by id [${places}] ${markasread ? 'marking' : ''}`,
      async run(model, room) {
        const id = idsAt(model, places);
        const own = new Map(ownOf(model, userId).map((message) => [message.id, message]));
        const asked = [...new Set(id)];
        const answer = await readStatuses(room.store, callerOf(userId), { id, maxnum: 1, markasread });
        const found = asked.flatMap((one) => own.get(one) ?? []);
        expect(answer.statuses).toEqual(found.map(recordOf));
        expect(answer.notfound).toEqual(asked.filter((one) => !own.has(one)));
        if (markasread) for (const message of found) message.unread = false;
      },
    }),
  );

/**
 * Two concurrent readers of one account: each item goes to at least one of them, and whatever neither has received stays
 * unread.
 */
const twoReaders = fc.tuple(user, fc.tuple(most, fc.boolean()), fc.tuple(most, fc.boolean())).map(
  ([userId, first, second]): Act => ({
    name: `two readers ${userId} ${first} ${second}`,
    async run(model, room) {
      const all = unreadOf(model, userId);
      const readers = [first, second].map(async ([maxnum, markasread], reader) => {
        const store = reader === 0 ? room.store : room.otherStore;
        const query = { id: undefined, maxnum, markasread };
        const { statuses } = await readStatuses(store, callerOf(userId), query);
        expect(statuses.length).toBeLessThanOrEqual(maxnum);
        expectOldestFirst(statuses);
        return { statuses, markasread };
      });
      const answers = await Promise.all(readers);
      const got = answers.flatMap(({ statuses }) => statuses);
      const wanted = Math.min(all.length, Math.max(first[0], second[0]));
      expect(new Set(got.map(({ id }) => id)).size).toBeGreaterThanOrEqual(
        first[1] || second[1] ? 0 : wanted,
      );
      const marked = answers.filter(({ markasread }) => markasread).flatMap(({ statuses }) => statuses);
      const most = Math.max(0, ...[first, second].flatMap(([maxnum, marks]) => (marks ? [maxnum] : [])));
      expect(new Set(marked.map(({ id }) => id)).size).toBeGreaterThanOrEqual(Math.min(all.length, most));
      for (const record of got) {
        const message = all.find(({ id }) => id === record.id);
        expect(record).toEqual(message && recordOf(message));
      }
      for (const { id } of marked) (all.find((message) => message.id === id) as ModelMessage).unread = false;
    },
  }),
);

/** A reader concurrent with receipts: if it got the old status, the new one is still unread. */
const readingDuringChange = fc
  .record({
    userId: user,
    maxnum: most,
    byId: fc.boolean(),
    markasread: fc.constantFrom(true, true, false),
    receiptPlaces,
  })
  .map(
    ({ userId, maxnum, byId: isById, markasread, receiptPlaces: places }): Act => ({
      name: `read ${userId} ${isById ? 'by id' : maxnum} ${markasread ? 'marking' : ''} while told ${JSON.stringify(places)}`,
      can: (model) => ownOf(model, userId).length > 0,
      async run(model, room) {
        const own = ownOf(model, userId);
        const before = new Map(
          own.map((message) => [message.id, { ...recordOf(message), unread: message.unread }]),
        );
        const receipts = receiptsAt(model, places);
        const query = { id: isById ? own.map(({ id }) => id) : [], maxnum, markasread };
        // Reads before, during and after the receipts, so that some read is likely to overlap them.
        const pages = [pageOf(room, userId, query)];
        const telling = room.tell(receipts);
        for (let reader = 0; reader < readersMeanwhile; reader++) {
          pages.push(pageOf(room, userId, query));
          await turn();
        }
        await telling;
        const statuses = (await Promise.all(pages)).flat();
        model.sent.tell(receipts);
        for (const record of statuses) {
          const message = own.find(({ id }) => id === record.id) as ModelMessage;
          const { unread: wasUnread, ...old } = before.get(record.id) as StatusRecord & { unread: boolean };
          const now = recordOf(message);
          expect([old, now]).toContainEqual(record);
          if (!isById) expect(wasUnread || message.unread).toBe(true);
          const isNews = record.status === now.status && record.time === now.time;
          if (markasread && isNews) message.unread = false;
        }
      },
    }),
  );

async function pageOf(room: MessagingRoom, userId: number, query: StatusQuery) {
  const { statuses } = await readStatuses(room.otherStore, callerOf(userId), query);
  return statuses;
}

/** The numbers and their users. */
export const numbers: Readonly<Record<string, number | undefined>> = {
  '46731230010': users[0],
  '46731230011': users[1],
  '46731230099': undefined,
};

const arriving = fc.constantFrom(...Object.keys(numbers)).map(
  (to): Act => ({
    name: `incoming ${to}`,
    async run({ incoming, sent }, room) {
      const sms = { from: '46709999999', to, message: `Answer ${incoming.length}` };
      const userId = numbers[to];
      const stored = await room.receive({ sender: '+46 70 999 99 99', recipient: to, text: sms.message });
      expect(stored.routed).toBe(userId !== undefined);
      expect(incoming.map(({ id }) => id)).not.toContain(stored.id);
      const of = { id: stored.id, userId, conversation: '', resptoid: '', time: sent.now };
      incoming.push({ ...sms, ...of, unread: true });
    },
  }),
);

/** A phone sends an SMS to a number of the pool, whether or not it was asked anything. */
const replying = fc.record({ phone: fc.constantFrom(...phones), number: fc.constantFrom(...pool) }).map(
  ({ phone, number }): Act => ({
    name: `reply ${phone} to ${number}`,
    async run({ incoming, sent }, room) {
      const neverOut = new Set(sent.messages.filter(({ cost }) => cost === 'refunded').map(({ id }) => id));
      const asked = sent.leases.answered({ phone, number, now: sent.now }, neverOut);
      const message = `Reply ${incoming.length}`;
      const { id, routed } = await room.receive({ sender: phone, recipient: number, text: message });
      expect(routed).toBe(asked !== undefined);
      incoming.push({
        id,
        userId: asked?.userId,
        from: phone,
        to: number,
        message,
        time: sent.now,
        unread: true,
        conversation: asked?.conversation ?? '',
        resptoid: asked?.id ?? '',
      });
    },
  }),
);

const readingIncoming = fc
  .record({ userId: user, maxnum: most, markasread: fc.boolean(), latest: fc.boolean() })
  .map(
    (query): Act => ({
      name: `read incoming ${JSON.stringify(query)}`,
      async run(model, room) {
        const all = model.incoming.filter((one) => one.userId === query.userId && one.unread);
        const full = { ...query, id: undefined, getoriginal: false };
        const { incoming } = await readIncoming(room.store, callerOf(query.userId), full);
        expectOldestFirst(incoming);
        if (!query.latest) expectOldest(incoming, all, query.maxnum);
        else {
          // The latest items are the first ones when time is counted backwards.
          const mirrored = incoming.map((one) => ({ ...one, time: String(-Number(one.time)) })).reverse();
          expectLatest(mirrored, all, query.maxnum);
        }
        markIncoming(all, incoming, query.markasread);
      },
    }),
  );

function expectLatest(
  mirrored: readonly { readonly id: string; readonly time: string }[],
  all: readonly ModelIncoming[],
  maxnum: number,
): void {
  expect(mirrored).toHaveLength(Math.min(maxnum, all.length));
  const ids = new Set(mirrored.map(({ id }) => id));
  const earliest = -Number(mirrored.at(-1)?.time ?? Number.NEGATIVE_INFINITY);
  for (const left of all.filter(({ id }) => !ids.has(id))) expect(left.time).toBeLessThanOrEqual(earliest);
}

function markIncoming(
  all: readonly ModelIncoming[],
  records: readonly { readonly id: string }[],
  markasread: boolean,
): void {
  for (const record of records) {
    const one = all.find(({ id }) => id === record.id) as ModelIncoming;
    expect(record).toEqual(incomingRecord(one));
    if (markasread) one.unread = false;
  }
}

const readingIncomingById = fc
  .record({ userId: user, places: fc.array(place, { minLength: 1, maxLength: 4 }), markasread: fc.boolean() })
  .map(
    ({ userId, places, markasread }): Act => ({
      name: `read incoming ${userId} by id [${places}] ${markasread ? 'marking' : ''}`,
      can: ({ incoming }) => incoming.length > 0,
      async run(model, room) {
        const ids = [...model.incoming.map(({ id }) => id), '1'].reverse();
        const asked = [...new Set(places.map((at) => pick(ids, at) as string))];
        const query = { id: asked, maxnum: 1, markasread, getoriginal: false, latest: false };
        const answer = await readIncoming(room.store, callerOf(userId), query);
        const own = model.incoming.filter((one) => one.userId === userId && asked.includes(one.id));
        expect([...answer.incoming].sort(byId)).toEqual(own.map(incomingRecord).sort(byId));
        expect(answer.incoming.map(({ id }) => id)).toEqual(
          asked.filter((id) => own.some((one) => one.id === id)),
        );
        expect(answer.notfound).toEqual(asked.filter((id) => !own.some((one) => one.id === id)));
        markIncoming(own, answer.incoming, markasread);
      },
    }),
  );

export const readingActs: fc.Arbitrary<Act> = fc.oneof(
  { weight: 3, arbitrary: pages },
  { weight: 2, arbitrary: byIds },
  { weight: 2, arbitrary: twoReaders },
  { weight: 3, arbitrary: readingDuringChange },
  { weight: 2, arbitrary: arriving },
  { weight: 4, arbitrary: replying },
  { weight: 2, arbitrary: readingIncoming },
  { weight: 1, arbitrary: readingIncomingById },
);
