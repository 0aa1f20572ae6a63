/**
 * Reads those messages of a batch that failed for good, in the order of the batch. It stands
 * apart from `failed.ts` so that the threads of the store do without the texts that explain.
 */
import { charge, isFinal, status } from '../../messages/message.ts';
import { isSimulated } from '../../messages/simulated.ts';
import { literal, raw, sql } from '../../storage/sql.ts';
import { inTurns, readVerb } from '../../storage/verb.ts';

/** What was taken back is no failure. */
const failing = Object.values(status).filter(
  (code) => isFinal(code) && ![status.DELIVERED, status.DELETED, status.CANCELED].includes(code),
);

export interface FailedMessage {
  readonly id: number;
  readonly recipient: string;
  readonly sender: string;
  readonly text: string;
  readonly conversation: string;
  readonly parts: number;
  readonly status: number;
  readonly changedAt: number;
  readonly expiresAt: number;
  readonly expiredByTimer: number;
  readonly reason: string | null;
  readonly carrier: string;
  /** 1: by a simulator. */
  readonly simulated: number;
  readonly inDoubt: number;
  /** 1: a carrier may have had it. */
  readonly taken: number;
  /** 1: the phone may have it all the same. */
  readonly mayHaveArrived: number;
}

interface FailedOf {
  readonly companyId: number;
  readonly firstId: number;
  /** The ids up to here are looked at. */
  readonly lastId: number;
  readonly limit: number;
  /** Whose turn it takes. */
  readonly callerId: number;
}

export const readFailed = inTurns(
  readVerb('batches.readFailed', async (reading, { companyId, firstId, lastId, limit }: FailedOf) =>
    reading.all<FailedMessage>(
      sql`SELECT id, recipient, sender, text, conversation, parts, status, changed_at AS "changedAt",
            expires_at AS "expiresAt", expired_by_timer AS "expiredByTimer", reason, in_doubt AS "inDoubt",
            ${isSimulated} AS simulated,
            COALESCE((SELECT name FROM carriers WHERE carriers.id = messages.carrier_id),
              CAST(messages.carrier_id AS TEXT)) AS carrier,
            CASE WHEN charge = ${literal(charge.refunded)} THEN 0 ELSE 1 END AS taken,
            CASE WHEN in_doubt > 0 OR (expired_by_timer = 1 AND charge <> ${literal(charge.refunded)})
              THEN 1 ELSE 0 END AS "mayHaveArrived"
          FROM messages
          WHERE company_id = ${companyId} AND id >= ${firstId} AND id <= ${lastId}
            AND status IN (${raw(failing.join(', '))})
          ORDER BY id LIMIT ${limit}`,
    ),
  ),
  ({ companyId, callerId }) => ({ companyId, userId: callerId }),
);
