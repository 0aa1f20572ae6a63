/** The invariants of the message books that must hold after every step: quota, counts, charges and states. */
import { expect } from 'vitest';
import type { Claimed } from '../../src/messages/handover.ts';
import { charge, mayBecome, status } from '../../src/messages/message.ts';
import type { Store } from '../../src/storage/store.ts';
import { listMessages, listUsage, listUsed, type MessageRow } from './delivery-verbs.ts';

/** State that lasts through a run, besides the store itself. */
export interface Course {
  now: number;
  nextId: number;
  /**
   * Claims whose outcome is not recorded yet, including claims that have since been taken from the node that made them.
   */
  readonly held: { readonly nodeId: number; readonly row: Claimed }[];
  /** The carrier's message ids for the parts of all claims. */
  readonly handedOver: string[];
  seen: ReadonlyMap<number, MessageRow>;
}

export interface World {
  readonly store: Store;
  readonly course: Course;
}

export const quota: Readonly<Record<string, number>> = { 'company 1': 60, 'user 10': 40, 'user 11': 30 };

/** The books balance: the quota used is exactly what the messages cost. */
export async function checkBooks({ store, course }: World): Promise<void> {
  const messages = await store.read(listMessages, null);
  const costs = messages.filter((message) => message.charge !== charge.refunded);
  const sum = (rows: readonly MessageRow[]) => rows.reduce((total, { parts }) => total + parts, 0);
  for (const { holder, id, used } of await store.read(listUsed, null)) {
    const own = costs.filter(
      (message) => (holder === 'company' ? message.company_id : message.user_id) === id,
    );
    expect(`${holder} ${id}: ${used}`).toBe(`${holder} ${id}: ${sum(own)}`);
    expect(used).toBeLessThanOrEqual(quota[`${holder} ${id}`] as number);
  }
  for (const use of await store.read(listUsage, null)) {
    const own = costs.filter(
      ({ user_id, cost_center }) => user_id === use.user_id && cost_center === use.cost_center,
    );
    expect(use).toMatchObject({ messages: own.length, parts: sum(own) });
  }
  for (const message of messages) checkChange(course.seen.get(message.id), message);
  course.seen = new Map(messages.map((message) => [message.id, message]));
}

/** Several changes may happen between two checks; each of them must be allowed. */
function checkChange(before: MessageRow | undefined, after: MessageRow): void {
  expect(after.stage === null).toBe(isOver(after));
  if (before === undefined) return;
  const what = `message ${after.id}: ${before.status} to ${after.status}`;
  if (before.status === after.status) expect(after.version, what).toBe(before.version);
  else {
    expect(reachable(before), what).toContain(after.status);
    expect(after.version, what).toBeGreaterThan(before.version);
  }
  expect(after.attempts).toBeGreaterThanOrEqual(before.attempts);
  expect(after.in_doubt).toBeGreaterThanOrEqual(before.in_doubt);
  if (before.charge !== charge.reserved) expect(after.charge, what).toBe(before.charge);
}

/**
 * Whether the message is final or given up, so that nothing more is expected. ACCEPTED and UNKNOWN count as over once no
 * receipt is awaited any longer.
 */
function isOver(message: MessageRow): boolean {
  if ([status.ACCEPTED, status.UNKNOWN].includes(message.status)) return message.stage === null;
  return ![status.QUEUED, status.SENT, status.SCHEDULED].includes(message.status);
}

function reachable(from: MessageRow): readonly number[] {
  const found = new Set<number>();
  const visit = (code: number, expiredByTimer: boolean) => {
    for (const to of Object.values(status)) {
      if (found.has(to) || !mayBecome({ status: code, expiredByTimer }, to)) continue;
      found.add(to);
      visit(to, to === status.EXPIRED);
    }
  };
  visit(from.status, from.expired_by_timer === 1);
  return [...found];
}
