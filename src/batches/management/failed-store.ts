/**
 * Reads the messages of a batch that failed permanently, in batch order. It is separate from `failed.ts` so that the store's
 * threads do without the explanatory texts.
 */
import { charge, isFinal, status } from '../../messages/message.ts';
import { simulated } from '../../messages/simulated.ts';
import { raw } from '../../storage/sql.ts';
import { bigint, expression, type Kept, nullable, StoredRecord, text } from '../../storage/stored-record.ts';
import { inTurns, readVerb } from '../../storage/verb.ts';

/** A withdrawn message is not a failure. */
const failing = Object.values(status).filter(
  (code) => isFinal(code) && ![status.DELIVERED, status.DELETED, status.CANCELED].includes(code),
);

const failedMessage = new StoredRecord({
  id: bigint,
  recipient: text,
  sender: text,
  text,
  conversation: text,
  parts: bigint,
  status: bigint,
  changedAt: bigint,
  expiresAt: bigint,
  expiredByTimer: bigint,
  reason: nullable(text),
  inDoubt: bigint,
  simulated,
  carrier: expression(
    `COALESCE((SELECT name FROM carriers WHERE carriers.id = messages.carrier_id),
      CAST(messages.carrier_id AS TEXT))`,
    text,
  ),
  /** 1 when a carrier may have had the message. */
  taken: expression(`CASE WHEN charge = ${charge.refunded} THEN 0 ELSE 1 END`, bigint),
  /** 1 when the phone may still have received the message. */
  mayHaveArrived: expression(
    `CASE WHEN in_doubt > 0 OR (expired_by_timer = 1 AND charge <> ${charge.refunded}) THEN 1 ELSE 0 END`,
    bigint,
  ),
});

export type FailedMessage = Kept<typeof failedMessage>;

interface FailedOf {
  readonly companyId: number;
  readonly firstId: number;
  /** Examines ids up to this one. */
  readonly lastId: number;
  readonly limit: number;
  /** The caller in whose turn the store is read. */
  readonly callerId: number;
}

export const readFailed = inTurns(
  readVerb(
    'batches.readFailed',
    async (reading, { companyId, firstId, lastId, limit }: FailedOf) =>
      failedMessage.all(reading)`
        FROM messages
        WHERE company_id = ${companyId} AND id >= ${firstId} AND id <= ${lastId}
          AND status IN (${raw(failing.join(', '))})
        ORDER BY id LIMIT ${limit}`,
  ),
  ({ companyId, callerId }) => ({ companyId, userId: callerId }),
);
