/** The body and the id of a post. */
import { createHash } from 'node:crypto';
import { eventTypes } from '../endpoint.ts';
import type { QueuedEvent } from './post-queue.ts';

interface Composed {
  readonly id: string;
  readonly body: string;
}

interface Form {
  readonly endpointId: number;
  /** The callback of a system user: posted as the contract has it, without an envelope. */
  readonly isCallback: boolean;
  readonly batch: boolean;
}

/** The same id whenever the same events are posted. */
export function composePost(
  { endpointId, isCallback, batch }: Form,
  events: readonly QueuedEvent[],
  now: number,
): Composed {
  const [first] = events as [QueuedEvent];
  if (isCallback) return { id: idOf(endpointId, String(first.seq)), body: first.data };
  if (!batch) return { id: idOf(endpointId, String(first.seq)), body: envelope(first) };
  const digest = createHash('sha256').update(events.map(({ seq }) => seq).join());
  return {
    id: idOf(endpointId, `${first.seq}_${digest.digest('hex').slice(0, 16)}`),
    body: `{"type":"events","timestamp":"${iso(now)}","data":[${events.map(envelope).join(',')}]}`,
  };
}

function idOf(endpointId: number, rest: string): string {
  return `evt_${endpointId}_${rest}`;
}

/** An event as it is posted, and as it is read by whoever pulls. */
export function envelope({ seq, type, at, data }: Pick<QueuedEvent, 'seq' | 'type' | 'at' | 'data'>): string {
  return `{"type":"${eventTypes[type]}","timestamp":"${iso(at)}","seq":${seq},"data":${data}}`;
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
