/** Parts that a carrier took after its only receipt for their message: what it told holds for them too. */
import { andEach, literal, sql } from '../../storage/sql.ts';
import type { Transaction } from '../../storage/verb.ts';
import { status } from '../message.ts';
import type { OutcomeRecord } from '../outcome.ts';
import type { Matched } from './match-store.ts';
import { carriersWithOneReceipt } from './multipart-store.ts';
import { applyMatched } from './store.ts';

/**
 * A part is taken later than its siblings when it was throttled, or in doubt, and sent again. No second receipt may come
 * for it. Only DELIVERED can be told by then: a failure ends the message, and what is not final yet is followed by more.
 */
export async function tellLaterParts(
  transaction: Transaction,
  records: readonly OutcomeRecord[],
): Promise<void> {
  const later = records.flatMap(laterParts);
  if (later.length === 0) return;
  const rows = await transaction.allOfEach<{ readonly n: number }>(
    { n: 'integer', company_id: 'bigint', message_id: 'bigint', part: 'smallint' },
    later.map(({ companyId, messageId, part }, index) => [index, companyId, messageId, part]),
    sql`SELECT each.n AS n FROM message_parts ${andEach}
        WHERE message_parts.company_id = each.company_id AND message_parts.message_id = each.message_id
          AND message_parts.part = each.part AND message_parts.status = ${literal(status.SENT)}
          AND message_parts.carrier_id IN ${carriersWithOneReceipt}
          AND EXISTS (SELECT 1 FROM message_parts AS told
            WHERE told.company_id = message_parts.company_id AND told.message_id = message_parts.message_id
              AND told.carrier_id = message_parts.carrier_id AND told.status = ${literal(status.DELIVERED)})`,
  );
  if (rows.length === 0) return;
  await applyMatched(
    transaction,
    rows.map(({ n }) => later[n] as Matched),
    'agree',
  );
}

/** Parts of messages that were claimed before, each with the receipt that its siblings may have had. */
function laterParts({ carrierId, now, advances, taken }: OutcomeRecord): readonly Matched[] {
  const again = new Set(advances.filter(({ attempts }) => attempts > 1).map(({ id }) => id));
  if (again.size === 0) return [];
  return taken
    .filter(({ messageId, parts }) => parts > 1 && again.has(messageId))
    .map(({ companyId, messageId, part, parts, carrierMessageId, answeredAt }) => ({
      companyId,
      messageId,
      part,
      parts,
      takenAt: answeredAt,
      receipt: { carrierId, carrierMessageId, status: status.DELIVERED, errorCode: null, receivedAt: now },
    }));
}
