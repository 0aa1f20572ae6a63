/** Receipts that no message here belongs to, and such as nobody could read: kept until the retention ends, for the operator. */
import type { UnreadableReceipt } from '../carriers/carrier.ts';
import { type Transaction, writeVerb } from '../storage/verb.ts';
import type { StoredReceipt } from './receipt-match-store.ts';

const columns = {
  carrier_id: 'bigint',
  carrier_message_id: 'text',
  other_ids: 'text',
  recipient: 'text',
  status: 'smallint',
  error_code: 'text',
  text: 'text',
  received_at: 'bigint',
} as const;

export async function keepUnmatched(
  transaction: Transaction,
  receipts: readonly StoredReceipt[],
): Promise<void> {
  const rows = receipts.map((one) => {
    const forms = [...(one.submittedId === undefined ? [] : [one.submittedId]), ...(one.otherIds ?? [])];
    return [
      one.carrierId,
      one.carrierMessageId,
      forms.length === 0 ? null : JSON.stringify(forms),
      one.recipient ?? null,
      one.status,
      one.errorCode,
      null,
      one.receivedAt,
    ];
  });
  await transaction.insert('unmatched_receipts', columns, rows);
}

interface StoredUnreadable extends UnreadableReceipt {
  readonly carrierId: number;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
}

const maxTextLength = 1_000;

export const keepUnreadable = writeVerb<StoredUnreadable, null>(
  'messages.keepUnreadable',
  async (transaction, inputs) => {
    const rows = inputs.map(({ carrierId, carrierMessageId = null, recipient = null, text, receivedAt }) => [
      carrierId,
      carrierMessageId,
      null,
      recipient,
      null,
      null,
      text.slice(0, maxTextLength),
      receivedAt,
    ]);
    await transaction.insert('unmatched_receipts', columns, rows);
    return inputs.map(() => null);
  },
);
