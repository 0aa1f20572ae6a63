/** A batch as the management API shows it: its progress in a few words, and its pace. */
import Type from 'typebox';
import { shownReason } from '../../foundation/sentences.ts';
import { errorContent } from '../../http/answers/error-response.ts';
import { isFinal, type StatusName, status, statusNames } from '../../messages/message.ts';
import { type BatchCode, batchCode, describeBatchCode, isUnderWay } from '../batch.ts';
import { waitsUntil } from '../reading/waiting.ts';
import type { VisibleBatch } from './visible-batch.ts';

const batchStates = [
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

const time = (description: string) => Type.String({ description: `${description} (ISO 8601, UTC)` });
const count = (description: string) => Type.Integer({ description });

export const shownBatchFields = {
  id: Type.String(),
  name: Type.String(),
  batchConversation: Type.String(),
  username: Type.String({ description: 'User who sent the batch.' }),
  from: Type.String({ description: 'The sender id.' }),
  costCenter: Type.String(),
  state: Type.Unsafe<BatchState>({
    type: 'string',
    enum: [...batchStates],
    description:
      'State of its messages: `sent` while the last receipts are awaited, `held` outside the company’s send hours.',
  }),
  batchStatusCode: Type.Unsafe<BatchCode>({ type: 'integer', description: 'As in /batchinfo.' }),
  batchStatusDescription: Type.String(),
  reason: Type.Optional(Type.String({ description: 'Why the batch ended as it did.' })),
  reasonValues: errorContent.values,
  accepted: time('When it was accepted'),
  changed: time('When its state changed'),
  scheduledFor: Type.Optional(time('When it is due to start')),
  heldTill: Type.Optional(time('When the company’s send hours begin')),
  failedResent: Type.Optional(
    time('When its failed messages were sent again, except those that may have arrived after all'),
  ),
  messages: count('Number of messages in the batch.'),
  parts: count('Number of SMS parts of these messages.'),
  duplicates: count('Recipients left out because the same text already goes to the same number.'),
  totals: Type.Object(
    {
      waiting: count('Not yet with a carrier.'),
      sent: count('With a carrier, awaiting the last receipt.'),
      delivered: count('Delivered.'),
      failed: count('Failed for good.'),
      withdrawn: count('Taken back, or never created: nobody gets them.'),
    },
    { title: 'BatchTotals' },
  ),
};

export const batchSchema = Type.Object(shownBatchFields, { title: 'Batch' });

const iso = (at: number) => new Date(at).toISOString();
const maybe = (at: number | null | undefined) => (at == null ? undefined : iso(at));

export function shownBatch(batch: VisibleBatch, now: number) {
  const { id, name, conversation, username, sender, costCenter, code, reason, messages, parts } = batch;
  const state = stateOf(batch, now);
  return {
    id: String(id),
    name,
    batchConversation: conversation,
    username,
    from: sender,
    costCenter,
    state,
    batchStatusCode: code,
    batchStatusDescription: describeBatchCode(code),
    ...shownReason(reason),
    accepted: iso(batch.createdAt),
    changed: iso(batch.changedAt),
    scheduledFor: maybe(batch.scheduledAt),
    heldTill: state === 'held' ? maybe(waitsUntil(batch, now)) : undefined,
    failedResent: maybe(batch.resentUntil || undefined),
    messages,
    parts,
    duplicates: batch.duplicates,
    totals: { ...totalsOf(batch) },
  };
}

/** These add up to all messages of the batch. */
export interface Totals {
  /** Messages not yet handed to a carrier. */
  readonly waiting: number;
  /** Messages that a carrier has, and whose final receipt has not arrived. */
  readonly sent: number;
  readonly delivered: number;
  readonly failed: number;
  /** Messages that are never sent because they were cancelled, or because the batch was aborted or ended with an error. */
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
    failed: of(hasFailed),
    withdrawn: deleted + (goesOn ? 0 : toBeMade),
  };
}

/** The failed messages by the reason that their status tells, commonest first. */
export function failuresOf({ counts }: VisibleBatch) {
  return counts
    .filter((one) => hasFailed(one.status))
    .map((one) => ({ status: statusNames[one.status] as StatusName, messages: one.messages }))
    .sort((one, other) => other.messages - one.messages);
}

function hasFailed(one: number): boolean {
  return isFinal(one) && one !== status.DELIVERED && one !== status.DELETED;
}

function stateOf(batch: VisibleBatch, now: number): BatchState {
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

interface Sample {
  readonly at: number;
  readonly waiting: number;
}

/** The samples of this period are kept, plus the last sample before it. */
const keptMs = 30_000;
/** Samples closer together would give random results. */
const leastMs = 1_000;
/** When more batches are watched at once, only the most recently viewed have a pace. */
const maxBatches = 1_000;

/**
 * The pace of batches, measured between views of a batch. Each view is kept for a while as a sample, and the pace is measured
 * from the earliest kept sample to the latest. A batch that has not been viewed before has no pace yet.
 */
export class Pace {
  readonly #samples = new Map<number, Sample[]>();
  readonly #elapsed: () => number;

  /** Milliseconds by a monotonic clock. */
  constructor(elapsed: () => number = () => performance.now()) {
    this.#elapsed = elapsed;
  }

  /** Messages that go to carriers per second; undefined until known. */
  sample(id: number, waiting: number): number | undefined {
    const at = this.#elapsed();
    const samples = this.#samples.get(id) ?? [];
    while (samples[1] !== undefined && samples[1].at < at - keptMs) samples.shift();
    // More messages wait than before, because the batch was resumed or messages came back.
    if ((samples.at(-1)?.waiting ?? waiting) < waiting) samples.length = 0;
    if (at - (samples.at(-1)?.at ?? Number.NEGATIVE_INFINITY) >= leastMs) samples.push({ at, waiting });
    this.#samples.delete(id);
    this.#samples.set(id, samples);
    const [oldest] = this.#samples.keys();
    if (this.#samples.size > maxBatches && oldest !== undefined) this.#samples.delete(oldest);
    const [first] = samples;
    if (first === undefined || at - first.at < leastMs) return undefined;
    return ((first.waiting - waiting) * 1_000) / (at - first.at);
  }
}
