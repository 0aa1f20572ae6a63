/** Pages of the events of a webhook. */
import { sql } from '../../storage/sql.ts';
import { inTurns, type ReadOwner, readVerb, theCaller } from '../../storage/verb.ts';

export interface FoundWebhook {
  readonly id: number;
  /** Null: it is that of the company. */
  readonly userId: number | null;
  readonly lastSeq: number;
}

/** By its id in the company. Callbacks of system users are none. */
export const findWebhook = readVerb(
  'webhooks.find',
  async (reading, { companyId, name }: { readonly companyId: number; readonly name: string }) =>
    reading.first<FoundWebhook>(
      sql`SELECT id, user_id AS "userId", last_seq AS "lastSeq"
          FROM webhook_endpoints JOIN webhook_queues ON webhook_queues.endpoint_id = webhook_endpoints.id
          WHERE company_id = ${companyId} AND name = ${name} AND system_user_id IS NULL`,
    ),
);

export interface PullPage extends ReadOwner {
  readonly endpointId: number;
  readonly after: number;
  readonly limit: number;
}

interface PulledRow {
  readonly seq: number;
  readonly type: number;
  readonly at: number;
  readonly data: string;
}

export const pullPage = inTurns(
  readVerb('webhooks.pullPage', async (reading, { endpointId, after, limit }: PullPage) => {
    const rows = await reading.all<PulledRow>(
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
