/**
 * Batches that wait for their start time or for their company's send hours: all of them as a list, or a single batch.
 */

import { status } from '../../messages/message.ts';
import type { Store } from '../../storage/store.ts';
import { batchCode } from '../batch.ts';
import { parseSendHours } from '../hours/send-hours.ts';
import { sendWindow } from '../hours/send-window.ts';
import type { StatusCount } from './counts.ts';
import type { InspectedBatch } from './info.ts';
import { listMaybeHeld, listScheduledBatches, type ScheduledPage } from './waiting-store.ts';

interface WaitingBatch
  extends Pick<InspectedBatch, 'id' | 'name' | 'username' | 'conversation' | 'messages' | 'parts'> {
  /** The batch's own start time, or when the send hours begin. */
  readonly time: number;
}

/** A page of batches with a start time, and all batches that wait for the send hours, whenever these begin. */
export async function waitingBatches(
  store: Store,
  { after, limit, ...visible }: ScheduledPage,
  now: number,
): Promise<readonly WaitingBatch[]> {
  const later = after.time > now ? after : { time: now, id: Number.MAX_SAFE_INTEGER };
  const scheduled = await store.read(listScheduledBatches, { ...visible, after: later, limit });
  const held = await store.read(listMaybeHeld, { ...visible, now });
  return [
    ...scheduled.map((batch) => shown(batch, batch.scheduledAt)),
    ...held.flatMap((batch) => {
      const time = waitsUntil(batch, now);
      return time === undefined ? [] : [shown(batch, time)];
    }),
  ];
}

function shown(
  { id, name, username, conversation, messages, parts }: InspectedBatch,
  time: number,
): WaitingBatch {
  return { id, name, username, conversation, messages, parts, time };
}

type BatchWithCounts = Pick<InspectedBatch, 'code' | 'sendHours'> & {
  readonly counts: readonly Pick<StatusCount, 'status'>[];
};

/** When the company's send hours begin, if the batch or the rest of it waits for them. */
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
