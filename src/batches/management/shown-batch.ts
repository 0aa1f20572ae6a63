/** A batch as the management API shows it. */
import Type from 'typebox';
import { type BatchCode, describeBatchCode } from '../batch.ts';
import { waitsUntil } from '../reading/waits-until.ts';
import type { VisibleBatch } from './list-store.ts';
import { type BatchState, batchStates, stateOf, totalsOf } from './progress.ts';

const time = (description: string) => Type.String({ description: `${description} (ISO 8601, UTC)` });
const count = (description: string) => Type.Integer({ description });

export const shownBatchFields = {
  id: Type.String(),
  name: Type.String(),
  batchconversation: Type.String(),
  username: Type.String({ description: 'Who sent it.' }),
  from: Type.String({ description: 'The sender id.' }),
  costcenter: Type.String(),
  state: Type.Unsafe<BatchState>({
    type: 'string',
    enum: [...batchStates],
    description:
      'Of its messages: `sent` when the last receipts are waited for, `held` outside the hours in which the company sends.',
  }),
  batchstatuscode: Type.Unsafe<BatchCode>({ type: 'integer', description: 'As /batchinfo tells it.' }),
  batchstatusdescription: Type.String(),
  reason: Type.Optional(Type.String({ description: 'Why it ended as it did.' })),
  accepted: time('When it was accepted'),
  changed: time('When its state changed'),
  scheduledfor: Type.Optional(time('When it is to begin')),
  heldtill: Type.Optional(time('When the hours begin in which its company sends')),
  failedresent: Type.Optional(
    time('What had failed by then was sent again, unless it may have arrived all the same'),
  ),
  messages: count('All of its messages.'),
  parts: count('Their SMS parts.'),
  duplicates: count('Recipients that were left out, since the same text goes to the same number already.'),
  totals: Type.Object(
    {
      waiting: count('No carrier has them yet.'),
      sent: count('With a carrier; the last receipt is waited for.'),
      delivered: count('Delivered.'),
      failed: count('Failed for good.'),
      withdrawn: count('Taken back, or never made: nobody gets them.'),
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
    batchconversation: conversation,
    username,
    from: sender,
    costcenter: costCenter,
    state,
    batchstatuscode: code,
    batchstatusdescription: describeBatchCode(code),
    reason: reason ?? undefined,
    accepted: iso(batch.createdAt),
    changed: iso(batch.changedAt),
    scheduledfor: maybe(batch.scheduledAt),
    heldtill: state === 'held' ? maybe(waitsUntil(batch, now)) : undefined,
    failedresent: maybe(batch.resentUntil || undefined),
    messages,
    parts,
    duplicates: batch.duplicates,
    totals: { ...totalsOf(batch) },
  };
}
