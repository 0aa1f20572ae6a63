/** Receipts that no message here belongs to, and such as nobody could read: kept until the retention ends, for the operator. */
import type { UnreadableReceipt } from '../carriers/carrier.ts';
import type { Transaction } from '../storage/verb.ts';
import { writeVerb } from '../storage/verb.ts';

/** A receipt that cannot be applied to anything; unreadable where it tells no status. */
interface Unmatched {
  readonly carrierId: number;
  /** As the carrier wrote it. */
  readonly carrierMessageId: string | null;
  readonly otherIds: readonly string[];
  readonly recipient: string | null;
  readonly status: number | null;
  readonly errorCode: string | null;
  readonly text: string | null;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
}

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

export async function keepUnmatched(transaction: Transaction, receipts: readonly Unmatched[]): Promise<void> {
  const rows = receipts.map((one) => [
    one.carrierId,
    one.carrierMessageId,
    one.otherIds.length === 0 ? null : JSON.stringify(one.otherIds),
    one.recipient,
    one.status,
    one.errorCode,
    one.text,
    one.receivedAt,
  ]);
  await transaction.insert('unmatched_receipts', columns, rows);
}

interface StoredUnreadable extends UnreadableReceipt {
  readonly carrierId: number;
  readonly receivedAt: number;
}

const maxTextLength = 1_000;

export const keepUnreadable = writeVerb<StoredUnreadable, null>(
  'messages.keepUnreadable',
  async (transaction, inputs) => {
    await keepUnmatched(
      transaction,
      inputs.map(({ carrierId, carrierMessageId = null, recipient = null, text, receivedAt }) => ({
        carrierId,
        carrierMessageId,
        otherIds: [],
        recipient,
        status: null,
        errorCode: null,
        text: text.slice(0, maxTextLength),
        receivedAt,
      })),
    );
    return inputs.map(() => null);
  },
);
