/** Ends parts that can't be sent, so that the client hears of each that was acknowledged. */
import { charge, lane, status } from '../messages/message.ts';
import { keepRejected } from '../messages/sending/accept.ts';
import { acceptedRow } from '../messages/sending/accepted-row.ts';
import { singleWriteVerb } from '../storage/verb.ts';
import { joinParts } from '../wire/smpp/concatenation.ts';
import { removeParts, reportedColumns, waitingParts } from './accept-store.ts';
import type { Part } from './part.ts';

interface EndedParts {
  /** Were acknowledged, so the client hears of their end. */
  readonly rejected: readonly Part[];
  /** The part whose response says that it is not taken. */
  readonly refused?: number;
  readonly now: number;
}

/** Each becomes a message that is REJECTED. */
export const endParts = singleWriteVerb(
  'esme.endParts',
  async (transaction, { rejected, refused, now }: EndedParts) => {
    const ids = rejected.map(({ id }) => id);
    const waiting = await waitingParts(transaction, ids);
    const parts = rejected.filter(({ id }) => waiting.has(id));
    if (parts.length > 0) {
      await keepRejected(
        transaction,
        parts.map((part) => rejectedRow(part, now)),
      );
      const rows = parts.map(({ id, content: { companyId, wanted, reference } }) => [
        ...[companyId, id, id, wanted, reference, now],
      ]);
      await transaction.insert('esme_messages', reportedColumns, rows);
    }
    await removeParts(transaction, refused === undefined ? ids : [...ids, refused]);
    return null;
  },
  ({ rejected }) => 2 * rejected.length,
);

function rejectedRow({ id, userId, recipient, content }: Part, now: number) {
  return acceptedRow({
    company_id: content.companyId,
    id,
    user_id: userId,
    recipient,
    sender: content.sender,
    text: joinParts([content.text]),
    flash: content.flash ? 1 : 0,
    parts: 1,
    conversation: '',
    cost_center: '',
    created_at: content.receivedAt,
    expires_at: now,
    status: status.REJECTED,
    changed_at: now,
    version: 1,
    unread: 1,
    expired_by_timer: 0,
    carrier_id: content.carrierId,
    lane: lane.interactive,
    stage: null,
    due_at: now,
    attempts: 0,
    charge: charge.refunded,
    in_doubt: 0,
    node_id: null,
  });
}
