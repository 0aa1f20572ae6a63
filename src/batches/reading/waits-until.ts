/** Says whether a batch, or the rest of it, waits for the send hours of its company. */
import { status } from '../../messages/message.ts';
import { batchCode } from '../batch.ts';
import { parseSendHours } from '../hours/send-hours.ts';
import { sendWindow } from '../hours/send-window.ts';
import type { StatusCount } from './counts-store.ts';
import type { InspectedBatch } from './info-store.ts';

type BatchWithCounts = Pick<InspectedBatch, 'code' | 'sendHours'> & {
  readonly counts: readonly Pick<StatusCount, 'status'>[];
};

/** When these begin; undefined when it does not wait for them. */
export function waitsUntil(
  { code, sendHours: stored, counts }: BatchWithCounts,
  now: number,
): number | undefined {
  const sendHours = parseSendHours(stored);
  const isHeld = code === batchCode.validating || counts.some((count) => count.status === status.QUEUED);
  if (sendHours === undefined || !isHeld) return undefined;
  const window = sendWindow(sendHours, now);
  return window.kind === 'opensAt' ? window.at : undefined;
}
