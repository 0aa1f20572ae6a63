/** What waits to be delivered to a user: receipts and incoming SMS, in the order of the journal. */
import type { AgedRows } from '../storage/retention.ts';
import { sql, usingEach } from '../storage/sql.ts';
import { byKeys, readVerb, singleWriteVerb, writeVerb } from '../storage/verb.ts';

export const deliveryKind = { receipt: 0, incoming: 1 } as const;

/** Which ends of a message a client wants to hear of (registered_delivery, SMPP 3.4 5.2.17, 5.0 4.7.21). */
export const wanted = { nothing: 0, everyEnd: 1, failure: 2, success: 3 } as const;

/** Orders the deliveries of a user. */
export interface DeliveryPlace {
  readonly place: number;
  readonly shownId: number;
}

export const beforeAll: DeliveryPlace = { place: 0, shownId: 0 };

export interface Delivery extends DeliveryPlace {
  readonly kind: number;
  readonly subjectId: number;
  /** The status that a receipt reports; null for an incoming SMS. */
  readonly status: number | null;
  readonly reference: number | null;
  readonly at: number;
  /** When the message was accepted. */
  readonly submittedAt: number | null;
  /** Numbers and texts are null if the message or SMS is no longer kept. */
  readonly sender: string | null;
  readonly recipient: string | null;
  readonly text: string | null;
}

/** An incoming SMS that is no longer kept has nothing to tell; a receipt still says what became of the message. */
export function isGone({ kind, sender }: Delivery): boolean {
  return kind === deliveryKind.incoming && sender === null;
}

interface Waiting {
  readonly userId: number;
  readonly after: DeliveryPlace;
  readonly limit: number;
}

/** Texts and numbers stay where they are stored, so that nobody has to look for them here. */
export const readDeliveries = readVerb(
  'esme.readDeliveries',
  async (reading, { userId, after, limit }: Waiting): Promise<readonly Delivery[]> =>
    reading.all<Delivery>(
      sql`SELECT waiting.place, waiting.shown_id AS "shownId", kind, subject_id AS "subjectId", waiting.status,
            waiting.reference, at, messages.created_at AS "submittedAt",
            COALESCE(messages.sender, incoming_messages.sender) AS sender,
            COALESCE(messages.recipient, incoming_messages.recipient) AS recipient,
            COALESCE(messages.text, incoming_messages.text) AS text
          FROM (SELECT * FROM esme_deliveries
            WHERE user_id = ${userId} AND (place, shown_id) > (${after.place}, ${after.shownId})
            ORDER BY place, shown_id LIMIT ${limit}) AS waiting
          LEFT JOIN messages ON kind = 0 AND messages.company_id = waiting.company_id
            AND messages.id = waiting.subject_id
          LEFT JOIN incoming_messages ON kind = 1 AND incoming_messages.id = waiting.subject_id
          ORDER BY waiting.place, waiting.shown_id`,
    ),
);

export interface Backlog {
  readonly waiting: number;
  /** When the oldest was queued; null if none waits. */
  readonly oldestAt: number | null;
}

/** The deliveries of all users, counted as far as `most`. */
export const measureDeliveries = readVerb('esme.measureDeliveries', async (reading, most: number) =>
  reading.first<Backlog>(
    sql`SELECT COUNT(*) AS waiting, MIN(queued_at) AS "oldestAt"
        FROM (SELECT queued_at FROM esme_deliveries ORDER BY queued_at LIMIT ${most}) AS oldest`,
  ),
);

interface Settled extends DeliveryPlace {
  readonly userId: number;
}

const keyColumns = { user_id: 'bigint', place: 'bigint', shown_id: 'bigint' } as const;

/** A client has acknowledged the delivery, or refused it for good. */
export const settleDelivery = byKeys(
  writeVerb<Settled, null>('esme.settle', async (transaction, inputs) => {
    await transaction.each(
      keyColumns,
      inputs.map(({ userId, place, shownId }) => [userId, place, shownId]),
      sql`DELETE FROM esme_deliveries ${usingEach}
          WHERE esme_deliveries.user_id = each.user_id AND esme_deliveries.place = each.place
            AND esme_deliveries.shown_id = each.shown_id`,
    );
    return inputs.map(() => null);
  }),
);

interface Holding {
  readonly userId: number;
  readonly nodeId: number;
}

/** True when this node delivers to the user from now on, or already did: another one does not as long as this one lives. */
export const holdDeliveries = singleWriteVerb(
  'esme.hold',
  async (transaction, { userId, nodeId }: Holding) => {
    const held = await transaction.run(
      sql`INSERT INTO esme_deliverers (user_id, node_id) VALUES (${userId}, ${nodeId})
          ON CONFLICT (user_id) DO UPDATE SET node_id = excluded.node_id
          WHERE NOT EXISTS (SELECT 1 FROM nodes
            WHERE id = esme_deliverers.node_id AND id <> excluded.node_id AND ended = 0)`,
    );
    return held === 1;
  },
);

/** Lets another node deliver to the user. */
export const releaseDeliveries = singleWriteVerb(
  'esme.release',
  async (transaction, { userId, nodeId }: Holding) => {
    await transaction.run(sql`DELETE FROM esme_deliverers WHERE user_id = ${userId} AND node_id = ${nodeId}`);
    return null;
  },
);

export const agedDeliveries: AgedRows = {
  table: 'esme_deliveries',
  key: 'user_id, place, shown_id',
  time: 'queued_at',
};
