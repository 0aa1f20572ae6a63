/**
 * Counts of each endpoint's attempts to post, by hour, so that a list of webhooks shows the outcome of a day without reading
 * its attempts, of which there may be a hundred thousand.
 */
import { groupedBy } from '../foundation/grouped.ts';
import type { AgedRows } from '../storage/retention.ts';
import { oneOf, sql } from '../storage/sql.ts';
import type { Reading, Transaction } from '../storage/verb.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The outcomes of an endpoint's attempts in one hour. */
export interface AttemptCount {
  /** The beginning of the hour. */
  readonly hourAt: number;
  readonly ok: number;
  readonly failed: number;
}

export const agedAttemptCounts: AgedRows = {
  table: 'webhook_attempt_counts',
  key: 'endpoint_id, hour_at',
  time: 'hour_at',
  keptMs: dayMs + hourMs,
};

/** Whether the receiver has accepted what was posted. */
export function isTaken(status: number | null | undefined): boolean {
  return status != null && status >= 200 && status < 300;
}

interface Counted {
  readonly endpointId: number;
  readonly at: number;
  readonly status: number | null;
}

/** At most one attempt per endpoint. */
export async function countAttempts(transaction: Transaction, attempts: readonly Counted[]): Promise<void> {
  const rows = attempts.map(({ endpointId, at, status }) => {
    const ok = isTaken(status) ? 1 : 0;
    return [endpointId, at - (at % hourMs), ok, 1 - ok];
  });
  await transaction.insert(
    'webhook_attempt_counts',
    { endpoint_id: 'bigint', hour_at: 'bigint', ok: 'bigint', failed: 'bigint' },
    rows,
    `ON CONFLICT (endpoint_id, hour_at) DO UPDATE SET
      ok = webhook_attempt_counts.ok + excluded.ok, failed = webhook_attempt_counts.failed + excluded.failed`,
  );
}

/** Reads the kept hours of several endpoints: those of a day, and the hour before until it is purged. */
export async function readAttemptCounts(
  reading: Reading,
  endpointIds: readonly number[],
): Promise<ReadonlyMap<number, readonly AttemptCount[]>> {
  const rows = await reading.all<AttemptCount & { readonly id: number }>(
    sql`SELECT endpoint_id AS id, hour_at AS "hourAt", ok, failed FROM webhook_attempt_counts
        WHERE endpoint_id ${oneOf('bigint', endpointIds)}`,
  );
  return groupedBy(rows, ({ id }) => id);
}

/** Sums up the last 24 hours, counted by the hour. */
export function outcomesOfDay(counts: readonly AttemptCount[], now: number) {
  const recent = counts.filter(({ hourAt }) => hourAt > now - dayMs);
  return {
    ok: recent.reduce((sum, { ok }) => sum + ok, 0),
    failed: recent.reduce((sum, { failed }) => sum + failed, 0),
  };
}
