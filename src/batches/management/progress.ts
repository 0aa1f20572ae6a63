/** How far a batch is, in the few words that people ask for. */
import { isFinal, status } from '../../messages/message.ts';
import { batchCode, isUnderWay } from '../batch.ts';
import { waitsUntil } from '../reading/waits-until.ts';
import type { VisibleBatch } from './list-store.ts';

export const batchStates = [
  'preparing',
  'scheduled',
  'held',
  'sending',
  'paused',
  'sent',
  'done',
  'aborted',
  'failed',
] as const;

export type BatchState = (typeof batchStates)[number];

/** Together they are all messages of the batch. */
export interface Totals {
  /** No carrier has them yet. */
  readonly waiting: number;
  /** With a carrier, whose last receipt has not come. */
  readonly sent: number;
  readonly delivered: number;
  readonly failed: number;
  /** Nobody gets them: the batch was aborted or ended by an error, or they were cancelled. */
  readonly withdrawn: number;
}

export function totalsOf({ code, messages, expanded, counts }: VisibleBatch): Totals {
  const of = (statuses: (code: number) => boolean) =>
    counts.reduce((sum, count) => sum + (statuses(count.status) ? count.messages : 0), 0);
  const queued = of((one) => one === status.QUEUED);
  const delivered = of((one) => one === status.DELIVERED);
  const deleted = of((one) => one === status.DELETED);
  const made = of(() => true);
  const toBeMade = Math.max(0, messages - Math.max(made, expanded));
  const goesOn = isUnderWay(code);
  return {
    waiting: queued + (goesOn ? toBeMade : 0),
    sent: of((one) => one !== status.QUEUED && !isFinal(one)),
    delivered,
    failed: of((one) => isFinal(one) && one !== status.DELIVERED && one !== status.DELETED),
    withdrawn: deleted + (goesOn ? 0 : toBeMade),
  };
}

export function stateOf(batch: VisibleBatch, now: number): BatchState {
  const { code, paused, scheduledAt } = batch;
  if (paused === 1) return 'paused';
  if (code === batchCode.aborted) return 'aborted';
  if (!isUnderWay(code) && code !== batchCode.ok) return 'failed';
  const { waiting, sent } = totalsOf(batch);
  if (waiting === 0 && code === batchCode.ok) return sent > 0 ? 'sent' : 'done';
  const hasBegun = code === batchCode.processing || code === batchCode.ok;
  if (!hasBegun && scheduledAt !== null && scheduledAt > now) return 'scheduled';
  if (waitsUntil(batch, now) !== undefined) return 'held';
  return hasBegun ? 'sending' : 'preparing';
}
