/** Compares what the product reports about its messages with the model: everything that a user or an operator sees. */
import { expect } from 'vitest';
import { readIncoming } from '../../src/messages/incoming/incoming.ts';
import { readUsage } from '../../src/messages/management/usage.ts';
import { inspectMessage, listUnrouted } from '../../src/messages/operator/inspect.ts';
import { readStatuses, type StatusRecord } from '../../src/messages/status.ts';
import { listUsed } from './delivery-verbs.ts';
import { unreported } from './journal-verbs.ts';
import type { MessageModel, ModelMessage } from './message-model.ts';
import { nameOf } from './message-rules.ts';
import { callerOf, type MessagingRoom } from './messaging-room.ts';

export interface ModelIncoming {
  readonly id: string;
  /** Undefined if nobody owns the SMS. */
  readonly userId: number | undefined;
  readonly from: string;
  readonly to: string;
  readonly message: string;
  readonly conversation: string;
  /** Empty if the SMS is not a reply. */
  readonly resptoid: string;
  readonly time: number;
  unread: boolean;
}

export interface Model {
  readonly sent: MessageModel;
  readonly incoming: ModelIncoming[];
  /** The request and its response, by user and key. */
  readonly keys: Map<string, { readonly request: string; readonly answer: unknown; readonly until: number }>;
}

export interface Act {
  readonly name: string;
  /** Whether the action currently applies; absent if it always does. */
  readonly can?: (model: Model) => boolean;
  readonly run: (model: Model, room: MessagingRoom) => Promise<void>;
}

export const users = [10, 11];

/** What the status endpoint must return for a message. */
export function recordOf(message: ModelMessage): StatusRecord {
  return {
    to: message.to,
    from: message.from,
    id: message.id,
    status: nameOf(message.status) as StatusRecord['status'],
    statuscode: String(message.status),
    conversation: message.conversation,
    time: String(message.time),
  };
}

/** Expects the items in order of time; items with the same time may come in any order. */
export function expectOldestFirst(items: readonly { readonly time: string }[]): void {
  const times = items.map(({ time }) => Number(time));
  expect(times).toEqual([...times].sort((a, b) => a - b));
}

export const byId = (a: { readonly id: string }, b: { readonly id: string }) => Number(a.id) - Number(b.id);

export function incomingRecord({ id, from, to, message, conversation, resptoid, time }: ModelIncoming) {
  return { from, to, id, message, conversation, resptoid, origmess: '', time: String(time) };
}

export async function expectAgreement(model: Model, room: MessagingRoom): Promise<void> {
  // All checks run at once: nothing changes meanwhile, and most of the time is spent waiting for the store.
  await Promise.all([
    ...users.map((userId) => expectStatuses(model, room, userId)),
    ...users.map((userId) => expectIncoming(model, room, userId)),
    expectBooks(model, room),
    expectCarrier(model, room),
    expectUnrouted(model, room),
    expectJournal(room),
  ]);
}

/** The journal reports every changed message and incoming SMS for which there is a listener, and no others. */
async function expectJournal(room: MessagingRoom): Promise<void> {
  expect(await room.store.read(unreported, null)).toEqual([]);
}

async function expectUnrouted(model: Model, room: MessagingRoom): Promise<void> {
  const unrouted = await room.store.read(listUnrouted, { after: undefined, limit: 10_000 });
  const wanted = model.incoming.filter((one) => one.userId === undefined).map(({ id }) => id);
  expect(unrouted.map(({ id }) => String(id)).sort()).toEqual(wanted.sort());
}

async function expectStatuses({ sent }: Model, room: MessagingRoom, userId: number): Promise<void> {
  const caller = callerOf(userId);
  const own = sent.messages.filter((message) => message.userId === userId);
  const foreign = sent.messages.filter((message) => message.userId !== userId);
  const query = { maxnum: 10_000, markasread: false };
  const [all, unread] = await Promise.all([
    // Includes an id that nobody has, so that the list is never empty.
    readStatuses(room.store, caller, { ...query, id: ['1', ...sent.messages.map(({ id }) => id)] }),
    readStatuses(room.store, caller, { ...query, id: undefined }),
  ]);
  expect(all.statuses).toEqual(own.map(recordOf));
  expect(all.notfound).toEqual(['1', ...foreign.map((message) => message.id)]);
  expectOldestFirst(unread.statuses);
  const wanted = own.filter((message) => message.unread).map(recordOf);
  expect([...unread.statuses].sort(byId)).toEqual(wanted.sort(byId));
}

async function expectIncoming({ incoming }: Model, room: MessagingRoom, userId: number): Promise<void> {
  const query = { id: undefined, maxnum: 10_000, markasread: false, getoriginal: false, latest: false };
  const answer = await readIncoming(room.store, callerOf(userId), query);
  expectOldestFirst(answer.incoming);
  const unread = incoming.filter((one) => one.userId === userId && one.unread).map(incomingRecord);
  expect([...answer.incoming].sort(byId)).toEqual(unread.sort(byId));
}

/** The quota used and the bill must show the same sum. */
async function expectBooks({ sent }: Model, room: MessagingRoom): Promise<void> {
  const used = await room.store.read(listUsed, null);
  expect(used).toEqual([
    { holder: 'company', id: 1, used: sent.used() },
    ...users.map((userId) => ({ holder: 'user', id: userId, used: sent.used(userId) })),
  ]);
  const billed = await room.store.read(readUsage, { from: '', to: '' });
  expect(billed.reduce((sum, { parts }) => sum + parts, 0)).toBe(sent.used());
  const messages = sent.messages.filter(({ cost }) => cost !== 'refunded').length;
  expect(billed.reduce((sum, use) => sum + use.messages, 0)).toBe(messages);
}

/** Parts are handed over exactly as often as the model hands them over, and messages in doubt are marked. */
async function expectCarrier({ sent }: Model, room: MessagingRoom): Promise<void> {
  expect([...room.openParts()].sort()).toEqual([...sent.open.keys()].sort());
  expect([...room.handovers.values()].reduce((sum, times) => sum + times, 0)).toBe(sent.handedOver);
  // Checking one message each time is enough, since a mark of doubt is never removed.
  const message = sent.messages[sent.handedOver % Math.max(1, sent.messages.length)];
  if (message === undefined) return;
  const inspected = await room.store.read(inspectMessage, Number(message.id));
  expect(inspected?.inDoubt).toBe(message.doubts);
  const parts = [...message.taken.keys()].sort((a, b) => a - b);
  expect(inspected?.taken.map(({ part }) => part)).toEqual(parts);
  // The timeline has every claim, and each part once, ordered by a clock that may be set back.
  const { entries = [], leftOut } = inspected?.timeline ?? {};
  const attempts = entries.filter(({ what }) => what === 'claimed').map(({ attempt = 0 }) => attempt);
  if (leftOut === 0) {
    const each = Array.from({ length: inspected?.attempts ?? 0 }, (_, index) => index + 1);
    expect(attempts.sort((a, b) => a - b)).toEqual(each);
  }
  const taken = entries.filter(({ what }) => what === 'taken').map(({ part = 0 }) => part);
  expect(taken.sort((a, b) => a - b)).toEqual(parts);
}
