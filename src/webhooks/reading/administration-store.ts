/** What operators, and those who pull, ask of the queues. */
import { raiseNews } from '../../storage/news.ts';
import { sql } from '../../storage/sql.ts';
import { type Reading, readVerb, singleWriteVerb } from '../../storage/verb.ts';
import { codeOf } from '../endpoint.ts';
import type { Attempt } from '../sending/sending-store.ts';

export interface ListedEndpoint {
  readonly id: number;
  readonly company: string;
  readonly name: string;
  readonly username: string | null;
  readonly systemUserId: number | null;
  readonly url: string;
  readonly events: number;
  readonly active: number;
  readonly lastSeq: number;
  readonly doneSeq: number;
  readonly failures: number;
  readonly failingSince: number | null;
  readonly disabledAt: number | null;
  readonly disabledReason: string | null;
  readonly lost: number;
  /** Posts that wait to be tried again, and those that were given up. */
  readonly waiting: number;
  readonly givenUp: number;
  readonly replayNext: number | null;
  readonly replayTo: number | null;
}

/** Of all companies, or one; of all names, or one. */
export const listEndpoints = readVerb(
  'webhooks.list',
  async (reading, { company, name }: { readonly company: string | null; readonly name: string | null }) =>
    reading.all<ListedEndpoint>(
      sql`SELECT webhook_endpoints.id, companies.name AS company, webhook_endpoints.name, users.username,
            system_user_id AS "systemUserId", url, events, webhook_endpoints.active, last_seq AS "lastSeq",
            done_seq AS "doneSeq", failures, failing_since AS "failingSince", disabled_at AS "disabledAt",
            disabled_reason AS "disabledReason", lost,
            (SELECT COUNT(*) FROM webhook_retries WHERE endpoint_id = webhook_endpoints.id AND due_at IS NOT NULL) AS waiting,
            (SELECT COUNT(*) FROM webhook_retries WHERE endpoint_id = webhook_endpoints.id AND due_at IS NULL) AS "givenUp",
            replay_next AS "replayNext", replay_to AS "replayTo"
          FROM webhook_endpoints JOIN companies ON companies.id = webhook_endpoints.company_id
          JOIN webhook_queues ON webhook_queues.endpoint_id = webhook_endpoints.id
          LEFT JOIN users ON users.id = webhook_endpoints.user_id
          WHERE (CAST(${company} AS TEXT) IS NULL OR companies.name = ${company})
            AND (CAST(${name} AS TEXT) IS NULL OR webhook_endpoints.name = ${name})
          ORDER BY company, webhook_endpoints.name, webhook_endpoints.id`,
    ),
);

/** The latest first. */
export const listAttempts = readVerb(
  'webhooks.listAttempts',
  async (reading, { endpointId, limit }: { readonly endpointId: number; readonly limit: number }) =>
    reading.all<Attempt>(
      sql`SELECT number, at, first_seq AS "firstSeq", events, tries, address, status, duration_ms AS "durationMs", error,
            answer
          FROM webhook_attempts WHERE endpoint_id = ${endpointId} ORDER BY number DESC LIMIT ${limit}`,
    ),
);

/** Queues an event that says that it is a test. Returns its number; null: nothing is posted there. */
export const queueTest = singleWriteVerb(
  'webhooks.queueTest',
  async (transaction, { endpointId, now }: { readonly endpointId: number; readonly now: number }) => {
    const queue = await transaction.first<{ last_seq: number }>(
      sql`UPDATE webhook_queues SET last_seq = last_seq + 1 WHERE endpoint_id = ${endpointId} AND disabled_at IS NULL
          RETURNING last_seq`,
    );
    if (queue === undefined) return null;
    await transaction.run(
      sql`INSERT INTO webhook_events (endpoint_id, seq, subject_id, type, at, queued_at, data)
          VALUES (${endpointId}, ${queue.last_seq}, 0, ${codeOf('webhook.test')}, ${now}, ${now}, '{"test":true}')`,
    );
    return queue.last_seq;
  },
);

export interface ReplayRange {
  readonly endpointId: number;
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
}

/** How many events are sent again; null: there is a replay already. Events are queued in the order of time, more or less. */
export const beginReplay = singleWriteVerb(
  'webhooks.beginReplay',
  async (transaction, { endpointId, from, to }: ReplayRange): Promise<number | null> => {
    const first = await firstSince(transaction, endpointId, from);
    const beyond = await firstSince(transaction, endpointId, to + 1);
    if (first >= beyond) return 0;
    const begun = await transaction.run(
      sql`UPDATE webhook_queues SET replay_next = ${first}, replay_to = ${beyond - 1}
          WHERE endpoint_id = ${endpointId} AND replay_next IS NULL`,
    );
    return begun === 1 ? beyond - first : null;
  },
);

/** The number of the first event of a time or later, by halves; beyond the last one where there is none. */
async function firstSince(reading: Reading, endpointId: number, time: number): Promise<number> {
  const ends = await reading.first<{ low: number | null; high: number | null }>(
    sql`SELECT MIN(seq) AS low, MAX(seq) AS high FROM webhook_events WHERE endpoint_id = ${endpointId}`,
  );
  let low = ends?.low ?? 1;
  let high = (ends?.high ?? 0) + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = await reading.first<{ at: number }>(
      sql`SELECT at FROM webhook_events WHERE endpoint_id = ${endpointId} AND seq >= ${middle} ORDER BY seq LIMIT 1`,
    );
    if (row === undefined || row.at >= time) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Posts there again, what waits first. */
export const enableEndpoint = singleWriteVerb('webhooks.enable', async (transaction, endpointId: number) => {
  await transaction.run(
    sql`UPDATE webhook_queues SET disabled_at = NULL, disabled_reason = NULL, failures = 0, failing_since = NULL, next_at = 0
        WHERE endpoint_id = ${endpointId}`,
  );
  await raiseNews(transaction, 'webhooks');
  return null;
});

/** What is being sent again is not any more. */
export const disableEndpoint = singleWriteVerb(
  'webhooks.disable',
  async (transaction, { endpointId, now }: { readonly endpointId: number; readonly now: number }) => {
    await transaction.run(
      sql`UPDATE webhook_queues SET disabled_at = ${now}, disabled_reason = 'by the operator', replay_next = NULL
          WHERE endpoint_id = ${endpointId} AND disabled_at IS NULL`,
    );
    await raiseNews(transaction, 'webhooks');
    return null;
  },
);
