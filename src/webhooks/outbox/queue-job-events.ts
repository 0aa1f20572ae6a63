/**
 * Adds job events to the queues of their recipients, in the transaction that makes the events true: the callback of the
 * system user who owns the job, and the company's webhooks that ask for them.
 */
import { byDialect, fromEach, oneOf, sql } from '../../storage/sql.ts';
import type { Transaction } from '../../storage/verb.ts';
import { codeOf, type JobEventName, jobEventTypes } from '../endpoint.ts';

export interface JobEvent {
  readonly companyId: number;
  /** The owner of the job. */
  readonly systemUserId: number;
  /** The user who started the job. Webhooks of a single user report no other jobs. */
  readonly userId?: number | undefined;
  readonly name: JobEventName;
  /** Events with the same id are delivered in order. */
  readonly runtimeId: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The content of the post: a callback gets it unchanged, a webhook as `data`. */
  readonly body: object;
}

/** Announce this topic once events are committed. The posting node checks every second, and at once when notified. */
export const webhookTopic = 'webhooks';

interface LockedEndpoint {
  readonly id: number;
  readonly company_id: number;
  readonly user_id: number | null;
  readonly system_user_id: number | null;
  readonly events: number;
  readonly last_seq: number;
  readonly disabled_at: number | null;
}

const columns = {
  endpoint_id: 'bigint',
  seq: 'bigint',
  subject_id: 'bigint',
  type: 'smallint',
  at: 'bigint',
  queued_at: 'bigint',
  data: 'text',
} as const;

/** Returns how many were queued: 0 if nobody listens. Their order is that of the list. */
export async function queueJobEvents(
  transaction: Transaction,
  events: readonly JobEvent[],
  now: number,
): Promise<number> {
  if (events.length === 0) return 0;
  const endpoints = await lockEndpoints(transaction, events);
  const heard = endpoints.map((endpoint) => ({
    ...endpoint,
    events: events.filter((event) => hears(endpoint, event)),
  }));
  await countMissed(
    transaction,
    heard
      .filter(({ disabled_at, events }) => disabled_at !== null && events.length > 0)
      .map(({ id, events }) => [id, events.length]),
  );
  const rows = heard
    .filter(({ disabled_at }) => disabled_at === null)
    .flatMap(({ id, last_seq, events }) =>
      events.map(({ name, runtimeId, at, body }, index) => [
        ...[id, last_seq + 1 + index, runtimeId, codeOf(jobEventTypes[name]), at, now],
        JSON.stringify(body),
      ]),
    );
  if (rows.length === 0) return 0;
  await transaction.insert('webhook_events', columns, rows);
  const newest = new Map(rows.map(([id = 0, seq = 0]) => [id, seq]));
  await transaction.run(
    sql`UPDATE webhook_queues SET last_seq = (SELECT MAX(seq) FROM webhook_events
          WHERE webhook_events.endpoint_id = webhook_queues.endpoint_id)
        WHERE endpoint_id ${oneOf('bigint', [...newest.keys()])}`,
  );
  return rows.length;
}

/**
 * Locks the endpoints in the order of their ids as everywhere, so no two transactions deadlock. Event numbers are
 * consecutive.
 */
async function lockEndpoints(
  transaction: Transaction,
  events: readonly JobEvent[],
): Promise<readonly LockedEndpoint[]> {
  const systemUserIds = [...new Set(events.map(({ systemUserId }) => systemUserId))];
  const companyIds = [...new Set(events.map(({ companyId }) => companyId))];
  return transaction.all<LockedEndpoint>(
    sql`SELECT id, company_id, user_id, system_user_id, events, last_seq, disabled_at
        FROM webhook_endpoints JOIN webhook_queues ON webhook_queues.endpoint_id = webhook_endpoints.id
        WHERE company_id ${oneOf('bigint', companyIds)} AND active = 1 AND calls_until IS NULL
          AND (system_user_id IS NULL OR system_user_id ${oneOf('bigint', systemUserIds)})
        ORDER BY id ${byDialect({ sqlite: '', postgres: 'FOR UPDATE OF webhook_queues' })}`,
  );
}

function hears(endpoint: LockedEndpoint, event: JobEvent): boolean {
  if (((endpoint.events >> codeOf(jobEventTypes[event.name])) & 1) === 0) return false;
  if (endpoint.system_user_id !== null) return endpoint.system_user_id === event.systemUserId;
  const isOwn = endpoint.user_id === null || endpoint.user_id === event.userId;
  return endpoint.company_id === event.companyId && isOwn;
}

/**
 * Counts the events that endpoints miss because they are disabled. The events are not kept, but their numbers are used up.
 * Each entry has the id of an endpoint whose queue is locked, and how many events it misses. If an endpoint has no
 * events waiting, the missed events count as done.
 */
export async function countMissed(
  transaction: Transaction,
  missed: readonly (readonly [number, number])[],
): Promise<void> {
  if (missed.length === 0) return;
  await transaction.each(
    { endpoint_id: 'bigint', events: 'bigint' },
    missed,
    sql`UPDATE webhook_queues SET last_seq = last_seq + each.events, lost = lost + each.events,
          done_seq = CASE WHEN done_seq = last_seq THEN last_seq + each.events ELSE done_seq END
        ${fromEach} WHERE webhook_queues.endpoint_id = each.endpoint_id`,
  );
}
