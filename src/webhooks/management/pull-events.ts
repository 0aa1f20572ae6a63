/** Rereads the events of a webhook, such as those that a receiver has missed, for authorised callers. */
import type { Caller } from '../../accounts/caller.ts';
import { requireRole } from '../../accounts/role.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { quoted } from '../../foundation/result.ts';
import { sql } from '../../storage/sql.ts';
import type { Store } from '../../storage/store.ts';
import { inTurns, type ReadOwner, readVerb, theCaller } from '../../storage/verb.ts';
import { type EventType, eventTypes } from '../endpoint.ts';
import { isWebhook } from '../endpoint-records.ts';

interface PulledEvent {
  readonly type: EventType;
  readonly timestamp: string;
  readonly seq: number;
  readonly data: object;
}

interface EventRow {
  readonly seq: number;
  readonly type: number;
  readonly at: number;
  readonly data: string;
}

export function pulledEvent({ seq, type, at, data }: EventRow): PulledEvent {
  const timestamp = new Date(at).toISOString();
  return { type: eventTypes[type] as EventType, timestamp, seq, data: JSON.parse(data) as object };
}

/** Maximum size of an answer, the same as that of a post. */
const maxBytes = 256 * 1_024;

export async function pullEvents(
  store: Store,
  caller: Caller,
  query: { readonly webhook: string; readonly after: number; readonly limit: number },
) {
  const { companyId, userId } = caller;
  const found = await store.read(findWebhook, { companyId, name: query.webhook });
  if (found?.userId !== userId) requireRole(caller, 'companyAdmin');
  if (found === undefined)
    throw new ServiceError('not_found', {
      sentence: 'none_such',
      noun: 'webhook',
      id: quoted(query.webhook),
    });
  const { rows, firstSeq } = await store.read(pullPage, {
    endpointId: found.id,
    companyId,
    userId,
    after: query.after,
    limit: query.limit,
  });
  const events: PulledEvent[] = [];
  let bytes = 0;
  for (const row of rows) {
    bytes += row.data.length;
    if (events.length > 0 && bytes > maxBytes) break;
    events.push(pulledEvent(row));
  }
  return { events, firstSeq: firstSeq ?? found.lastSeq + 1, lastSeq: found.lastSeq };
}

/** `name` is the webhook's id in the company. Callbacks of system users are not webhooks. */
export const findWebhook = readVerb(
  'webhooks.findByName',
  async (reading, { companyId, name }: { readonly companyId: number; readonly name: string }) =>
    // `userId` is null for a webhook of the whole company.
    reading.first<{ id: number; userId: number | null; lastSeq: number }>(
      sql`SELECT id, user_id AS "userId", last_seq AS "lastSeq"
          FROM webhook_endpoints JOIN webhook_queues ON webhook_queues.endpoint_id = webhook_endpoints.id
          WHERE company_id = ${companyId} AND name = ${name} AND ${isWebhook}`,
    ),
);

interface PullPage extends ReadOwner {
  readonly endpointId: number;
  readonly after: number;
  readonly limit: number;
}

export const pullPage = inTurns(
  readVerb('webhooks.pullPage', async (reading, { endpointId, after, limit }: PullPage) => {
    const rows = await reading.all<EventRow>(
      sql`SELECT seq, type, at, data FROM webhook_events
          WHERE endpoint_id = ${endpointId} AND seq > ${after} ORDER BY seq LIMIT ${limit}`,
    );
    const first = await reading.first<{ seq: number | null }>(
      sql`SELECT MIN(seq) AS seq FROM webhook_events WHERE endpoint_id = ${endpointId}`,
    );
    return { rows, firstSeq: first?.seq ?? null };
  }),
  theCaller,
);
