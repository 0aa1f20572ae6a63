/**
 * What the journal tells: a message was accepted or has another status, an SMS came in, a batch has another code, a
 * conversation was changed.
 */
import { type BatchCode, describeBatchCode } from '../batches/batch.ts';
import { statusNames } from '../messages/message.ts';

export const changeKind = { message: 0, incoming: 1, batch: 2, conversation: 3 } as const;

export interface Change {
  /** Its place in the journal. Changes of one message stand there in the order in which they were made. */
  readonly place: number;
  readonly companyId: number;
  /** One of `changeKind`. */
  readonly kind: number;
  /** The id of the message, the incoming SMS, the batch or the conversation. */
  readonly subjectId: number;
  /** Null: it is of no batch. */
  readonly batchId: number | null;
  /** The status of the message or the code of the batch; null for an incoming SMS and a conversation. */
  readonly status: number | null;
  /** Milliseconds since the epoch. */
  readonly changedAt: number;
}

/** The lists that a company looks at. */
export const topics = ['messages', 'incoming', 'batches', 'conversations'] as const;
export type Topic = (typeof topics)[number];

/** The list that a change shows in. */
export function topicOf({ kind, batchId }: Change): Topic {
  if (kind === changeKind.incoming) return 'incoming';
  if (kind === changeKind.conversation) return 'conversations';
  return batchId === null ? 'messages' : 'batches';
}

/** What has become of the message, the SMS, the batch or the conversation, in a word or two. */
export function nameOf({ kind, status }: Change): string {
  if (kind === changeKind.incoming) return 'RECEIVED';
  if (kind === changeKind.conversation) return 'CHANGED';
  if (kind === changeKind.batch) return `batch: ${describeBatchCode(status as BatchCode)}`;
  return statusNames[status ?? -1] ?? 'UNKNOWN';
}
