/**
 * A batch and its states (API: Batch status). It is validated before the response, and then stored as finished messages, in
 * chunks, so that only short steps of the store are left to do in the background.
 *
 *   receiving ──the whole of it is stored──▶ 1 RECEIVED ──▶ 3 VALIDATING ──▶ 2 PROCESSING ──the last chunk──▶ 0 OK
 *       │                                        │               │                │
 *       └──broken off──▶ removed                 └───────────────┴──── abort ─────┴──▶ 99 ABORTED
 *                                                                └──▶ 10 … 15, and nothing is sent
 *
 * When its company's send hours end, a batch under way ends with 15 if the company drops late messages; otherwise it goes on,
 * and its messages wait (see `keep-hours.ts`).
 *
 * Each arrow is one transaction, which any node may make; a crash between two transactions leaves nothing half done. A final
 * state never changes. A batch that is aborted when it is OK keeps its state; those of its messages that were not sent become
 * DELETED.
 */
import { ServiceError } from '../foundation/errors.ts';
import { parseMessageId } from '../messages/message.ts';
import { type StoredField, smallint } from '../storage/stored-record.ts';

/** The contract's codes for the states of a batch. */
export const batchCode = {
  ok: 0,
  received: 1,
  processing: 2,
  validating: 3,
  unexpectedError: 10,
  quotaExceeded: 11,
  tooManyRecipients: 12,
  accessDenied: 13,
  validationError: 14,
  sendTimeRestricted: 15,
  aborted: 99,
} as const;

export type BatchCode = (typeof batchCode)[keyof typeof batchCode];
export const storedCode = smallint as StoredField<BatchCode>;

const descriptions: Readonly<Record<BatchCode, string>> = {
  0: 'Ok',
  1: 'Received',
  2: 'Processing',
  3: 'Validating',
  10: 'Unexpected error',
  11: 'Quota exceeded',
  12: 'Maximum batch size exceeded',
  13: 'Access Denied',
  14: 'Validation error',
  15: 'Dropped due to send time restrictions',
  99: 'Batch Aborted',
};

export function describeBatchCode(code: BatchCode): string {
  return descriptions[code];
}

/** One-digit codes other than 0 are intermediate states. */
export function isUnderWay(code: BatchCode): boolean {
  return code === batchCode.received || code === batchCode.validating || code === batchCode.processing;
}

/** The maximum length of a batch's name. */
export const maxNameLength = 100;

/** The maximum number of recipients of a batch for accounts without a limit of their own. */
export const standardMaxRecipients = 500_000;
/** The highest value that such a limit can have. */
export const greatestMaxRecipients = 10_000_000;

/** Messages per chunk: as many as one short transaction can insert. */
export const chunkSize = 500;

/** A finished message; a chunk is a JSON list of these. */
export type ChunkRow = readonly [
  recipient: string,
  text: string,
  parts: number,
  conversation: string,
  carrierId: number,
];

export const chunkPlaces = { recipient: 0, text: 1, parts: 2, conversation: 3, carrierId: 4 } as const;

/** Batch ids are written like message ids. */
export const parseBatchId = parseMessageId;

export function noBatch(id: string): ServiceError {
  return new ServiceError('not_found', { sentence: 'none_such', noun: 'batch', id });
}

/** Announced when a batch has a next step that another node may take. */
export const batchTopic = 'batches';
