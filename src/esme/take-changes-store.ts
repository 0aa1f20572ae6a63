/** Takes from the journal what clients want to hear of, and moves the reader on, in one transaction. */
import type { Advanced } from '../changes/change-reader.ts';
import { type JournalPage, keepReader, takePage } from '../changes/held-reader.ts';
import { changeKind } from '../changes/journal.ts';
import { status, statusNames } from '../messages/message.ts';
import { literal, raw, sql } from '../storage/sql.ts';
import { singleWriteVerb, type Transaction } from '../storage/verb.ts';
import { deliveryKind, wanted } from './delivery.ts';

/** The journal reader for receipts and incoming SMS of clients. */
export const clientReader = 'esme';

/** Announced when something has been queued. */
export const deliveriesTopic = 'esme';

export const keepClientReader = singleWriteVerb('esme.keepReader', (transaction, _: null) =>
  keepReader(transaction, clientReader),
);

interface TakeInput {
  readonly nodeId: number;
  /** The last place of the journal to read. */
  readonly to: number;
  readonly limit: number;
  readonly now: number;
}

interface Taken {
  readonly advanced: Advanced | 'notHeld';
  /** How many deliveries were queued. */
  readonly queued: number;
}

export const takeClientChanges = singleWriteVerb(
  'esme.takeChanges',
  async (transaction, { nodeId, to, limit, now }: TakeInput): Promise<Taken> => {
    let queued = 0;
    const taking = { name: clientReader, nodeId, to, limit };
    const advanced = await takePage(transaction, taking, async (page) => {
      queued += await queueReceipts(transaction, page, now);
      queued += await queueIncoming(transaction, page, now);
    });
    return { advanced, queued };
  },
  ({ limit }) => limit,
);

/** SMPP has no receipt for a message that is only on its way. ACCEPTED may still become either end. */
const underWay = ['QUEUED', 'SENT', 'SCHEDULED'];
const reported = raw(statusNames.flatMap((name, code) => (underWay.includes(name) ? [] : [code])).join(', '));

const insert = raw(
  'INSERT INTO esme_deliveries (user_id, place, shown_id, company_id, kind, subject_id, status, reference, at, queued_at)',
);

async function queueReceipts(
  transaction: Transaction,
  { from, to }: JournalPage,
  now: number,
): Promise<number> {
  return transaction.run(
    sql`${insert}
        SELECT messages.user_id, changes.place, esme_messages.shown_id, changes.company_id,
          ${literal(deliveryKind.receipt)}, changes.subject_id, changes.status, esme_messages.reference,
          changes.changed_at, CAST(${now} AS BIGINT)
        FROM changes
        JOIN esme_messages ON esme_messages.company_id = changes.company_id
          AND esme_messages.message_id = changes.subject_id
        JOIN messages ON messages.company_id = changes.company_id AND messages.id = changes.subject_id
        JOIN smpp_logins ON smpp_logins.user_id = messages.user_id
        WHERE changes.place > ${from} AND changes.place <= ${to} AND changes.kind = ${literal(changeKind.message)}
          AND changes.status IN (${reported})
          AND (esme_messages.wanted = ${literal(wanted.everyEnd)} OR esme_messages.wanted =
            CASE changes.status WHEN ${literal(status.DELIVERED)} THEN ${literal(wanted.success)}
              WHEN ${literal(status.ACCEPTED)} THEN ${literal(wanted.everyEnd)} ELSE ${literal(wanted.failure)} END)`,
  );
}

async function queueIncoming(
  transaction: Transaction,
  { from, to }: JournalPage,
  now: number,
): Promise<number> {
  return transaction.run(
    sql`${insert}
        SELECT incoming_messages.user_id, changes.place, changes.subject_id, changes.company_id,
          ${literal(deliveryKind.incoming)}, changes.subject_id, NULL, NULL, changes.changed_at,
          CAST(${now} AS BIGINT)
        FROM changes JOIN incoming_messages ON incoming_messages.id = changes.subject_id
        JOIN smpp_logins ON smpp_logins.user_id = incoming_messages.user_id
        WHERE changes.place > ${from} AND changes.place <= ${to} AND changes.kind = ${literal(changeKind.incoming)}`,
  );
}
