/** Queues job events for webhooks, and shows what is queued for which endpoint. */
import { operator } from '../../src/audit/audit-log.ts';
import { sql } from '../../src/storage/sql.ts';
import { readVerb, singleWriteVerb } from '../../src/storage/verb.ts';
import { type JobEvent, queueJobEvents } from '../../src/webhooks/outbox/queue-job-events.ts';

/** Queues the event as a job does together with its own rows. */
export const tellOfJob = singleWriteVerb(
  'test.tellOfJob',
  (transaction, { events, now }: { readonly events: readonly JobEvent[]; readonly now: number }) =>
    queueJobEvents(transaction, events, now),
);

export interface QueuedEvent {
  readonly endpoint: string;
  readonly seq: number;
  readonly subject_id: number;
  readonly type: number;
  readonly data: string;
}

/** The queued events with their endpoints' names. */
export const listQueued = readVerb('test.listQueued', async (reading, _: null) =>
  reading.all<QueuedEvent>(
    sql`SELECT name AS endpoint, seq, subject_id, type, data FROM webhook_events
        JOIN webhook_endpoints ON webhook_endpoints.id = webhook_events.endpoint_id ORDER BY name, seq`,
  ),
);

export const disableEndpoint = singleWriteVerb('test.disableEndpoint', async (transaction, name: string) =>
  transaction.run(
    sql`UPDATE webhook_queues SET disabled_at = 1
        WHERE endpoint_id IN (SELECT id FROM webhook_endpoints WHERE name = ${name})`,
  ),
);

/** Records failures as if posts had failed. */
export const failingEndpoint = singleWriteVerb(
  'test.failingEndpoint',
  async (transaction, { endpointId, since }: { readonly endpointId: number; readonly since: number }) =>
    transaction.run(
      sql`UPDATE webhook_queues SET failures = 5, failing_since = ${since} WHERE endpoint_id = ${endpointId}`,
    ),
);

/** The input for an operator's action on an endpoint. */
export const byOperator = (endpointId: number, now = 9_000) => ({ endpointId, now, by: operator });

/** Permanent listeners and readers. */
export const listListenersAndReaders = readVerb('test.listListenersAndReaders', async (reading, _: null) => ({
  listeners: await reading.all<{ company: string }>(
    sql`SELECT companies.name AS company FROM change_listeners JOIN companies ON companies.id = company_id
        WHERE listener = 'webhooks' ORDER BY company`,
  ),
  readers: await reading.all<{ name: string; place: number }>(
    sql`SELECT name, place FROM change_readers ORDER BY name`,
  ),
}));

interface IncomingAnswer {
  readonly id: number;
  /** The message that the SMS replies to. */
  readonly responseTo: number | null;
}

/** Incoming SMS for company 1 and its user 10. */
export const putIncoming = singleWriteVerb(
  'test.putIncoming',
  async (transaction, answers: readonly IncomingAnswer[]) => {
    for (const { id, responseTo } of answers)
      await transaction.run(
        sql`INSERT INTO incoming_messages
              (id, company_id, user_id, sender, recipient, text, conversation, response_to_id, received_at, unread)
            VALUES (${id}, 1, 10, '46701740600', '46731230001', 'Yes', '', CAST(${responseTo} AS BIGINT), 5000, 1)`,
      );
  },
);

/** Advances the queue as if that much had been queued and finished. */
export const moveQueue = singleWriteVerb(
  'test.moveQueue',
  async (transaction, queue: { readonly name: string; readonly doneSeq: number; readonly lastSeq: number }) =>
    transaction.run(
      sql`UPDATE webhook_queues SET done_seq = ${queue.doneSeq}, last_seq = ${queue.lastSeq}
          WHERE endpoint_id IN (SELECT id FROM webhook_endpoints WHERE name = ${queue.name})`,
    ),
);
