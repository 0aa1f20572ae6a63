/**
 * Keeps queues short: removes events that were delivered a week ago, and those in excess of an endpoint's limit. Reports when
 * this removes events that were never delivered.
 */
import type { Context } from '../../storage/context.ts';
import { forUpdate, sql } from '../../storage/sql.ts';
import { readVerb, singleWriteVerb } from '../../storage/verb.ts';
import { hasUnusedCallbacks, purgeCallbacks } from '../callback-url.ts';

interface WebhookPurgeOptions extends Context {
  /** Maximum number of events per endpoint. A million by default. */
  readonly maxEvents?: number;
  readonly log: { error(details: object, message: string): void };
  /** Receives the number of events that were never delivered. */
  readonly lost: (count: number) => void;
}

const keptMs = 7 * 86_400_000;
const maxPurgedPerStep = 1_000;

/** Purges everything that is due now: first callback URLs that are no longer used, whose queues then go too. */
export async function purgeQueues(
  { store, clock, maxEvents = 1_000_000, log, lost: tell }: WebhookPurgeOptions,
  signal?: AbortSignal,
): Promise<void> {
  const now = clock.now();
  if (await store.read(hasUnusedCallbacks, now)) await store.write(purgeCallbacks, now);
  const before = now - keptMs;
  for (const queue of await store.read(listPurgeable, { before, maxEvents })) {
    let removed = 1;
    let lost = 0;
    while (removed > 0 && !signal?.aborted) {
      const purged = await store.write(purgeQueue, { ...queue, before, limit: maxPurgedPerStep });
      removed = purged.removed;
      lost += purged.lost;
    }
    if (lost === 0) continue;
    tell(lost);
    log.error(
      { endpointId: queue.endpointId, lost },
      'the queue of a webhook is full: its oldest events were dropped undelivered',
    );
  }
}

const maxAttempts = 100_000;

interface PurgeableQueue {
  readonly endpointId: number;
  /** Whether the endpoint was removed. */
  readonly isGone: boolean;
  /** Events up to this number exceed the limit. Null if none do. */
  readonly fullTo: number | null;
}

interface PurgeBounds {
  /** Older events that were delivered are of no further use. */
  readonly before: number;
  /** Maximum number of events per endpoint. Everything older than the newest ones is removed, delivered or not. */
  readonly maxEvents: number;
}

/**
 * Lists queues with something to remove, judging by their oldest event or attempt. Usually there are no such queues,
 * and then nothing is written. `purgeQueue` determines the amount. Numbers of missed events have no rows, so events are
 * counted only if there may be too many.
 */
export const listPurgeable = readVerb('webhooks.listPurgeable', async (reading, bounds: PurgeBounds) => {
  const { before, maxEvents } = bounds;
  const rows = await reading.all<{ endpoint_id: number; id: number | null; full_to: number | null }>(
    sql`SELECT endpoint_id, webhook_endpoints.id,
          CASE WHEN (SELECT MIN(seq) FROM webhook_events WHERE webhook_events.endpoint_id = webhook_queues.endpoint_id)
              <= webhook_queues.last_seq - ${maxEvents}
            THEN (SELECT seq FROM webhook_events WHERE webhook_events.endpoint_id = webhook_queues.endpoint_id
              ORDER BY seq DESC LIMIT 1 OFFSET ${maxEvents}) END AS full_to
        FROM webhook_queues
        LEFT JOIN webhook_endpoints ON webhook_endpoints.id = webhook_queues.endpoint_id
        WHERE webhook_endpoints.id IS NULL
          OR (SELECT seq <= webhook_queues.last_seq - ${maxEvents}
                OR (queued_at < ${before} AND seq <= webhook_queues.done_seq)
              FROM webhook_events WHERE webhook_events.endpoint_id = webhook_queues.endpoint_id ORDER BY seq LIMIT 1)
          OR (SELECT number <= webhook_queues.last_attempt - ${maxAttempts} OR at < ${before}
              FROM webhook_attempts WHERE webhook_attempts.endpoint_id = webhook_queues.endpoint_id
              ORDER BY number LIMIT 1)
        ORDER BY endpoint_id`,
  );
  return rows.map(
    ({ endpoint_id, id, full_to }): PurgeableQueue => ({
      endpointId: endpoint_id,
      isGone: id === null,
      fullTo: full_to,
    }),
  );
});

interface QueuePurge extends PurgeableQueue, Pick<PurgeBounds, 'before'> {
  readonly limit: number;
}

/** Returns how many rows it removed, and how many of these were events that the receiver had not accepted. */
export const purgeQueue = singleWriteVerb(
  'webhooks.purgeQueue',
  async (transaction, { endpointId, isGone, fullTo, before, limit }: QueuePurge) => {
    const queue = await transaction.first<{ last_seq: number; done_seq: number; last_attempt: number }>(
      sql`SELECT last_seq, done_seq, last_attempt FROM webhook_queues WHERE endpoint_id = ${endpointId}
          ${forUpdate}`,
    );
    if (queue === undefined) return { removed: 0, lost: 0 };
    const { done_seq: doneSeq } = queue;
    const tooFarBack = isGone ? queue.last_seq : (fullTo ?? 0);
    const events = await transaction.first<{ last: number | null; undone: number }>(
      sql`SELECT MAX(seq) AS last, COUNT(CASE WHEN seq > ${doneSeq} THEN 1 END) AS undone FROM
            (SELECT seq, queued_at FROM webhook_events WHERE endpoint_id = ${endpointId} ORDER BY seq LIMIT ${limit}) AS page
          WHERE seq <= ${tooFarBack} OR (queued_at < ${before} AND seq <= ${doneSeq})`,
    );
    const last = events?.last ?? 0;
    const removed = await transaction.run(
      sql`DELETE FROM webhook_events WHERE endpoint_id = ${endpointId} AND seq <= ${last}`,
    );
    await transaction.run(
      sql`DELETE FROM webhook_retries WHERE endpoint_id = ${endpointId} AND first_seq <= ${last} AND due_at IS NULL`,
    );
    const attemptsTo = isGone ? queue.last_attempt : queue.last_attempt - maxAttempts;
    const attempts = await transaction.run(
      sql`DELETE FROM webhook_attempts WHERE endpoint_id = ${endpointId} AND number IN
            (SELECT number FROM (SELECT number, at FROM webhook_attempts WHERE endpoint_id = ${endpointId}
              ORDER BY number LIMIT ${limit}) AS page WHERE number <= ${attemptsTo} OR at < ${before})`,
    );
    const lost = isGone ? 0 : (events?.undone ?? 0);
    if (lost > 0)
      await transaction.run(
        sql`UPDATE webhook_queues SET lost = lost + ${lost}, done_seq = ${last} WHERE endpoint_id = ${endpointId}`,
      );
    if (isGone && removed + attempts === 0) {
      await transaction.run(sql`DELETE FROM webhook_retries WHERE endpoint_id = ${endpointId}`);
      await transaction.run(sql`DELETE FROM webhook_queues WHERE endpoint_id = ${endpointId}`);
    }
    return { removed: removed + attempts, lost };
  },
  ({ limit }) => limit,
);
