/** What waits for carriers, by lane and age, as operators see it. */
import { carrierIdsFrom } from '../../carriers/provisioned/carrier-rows.ts';
import { literal, sql } from '../../storage/sql.ts';
import { readVerb } from '../../storage/verb.ts';
import { lane, stage } from '../message.ts';

/** Messages are counted up to this many. */
export const mostWaiting = 1_000;

export interface Waiting {
  readonly carrierId: number;
  readonly lane: keyof typeof lane;
  readonly messages: number;
  /** Since when the first of them has been due. */
  readonly oldest: number;
}

/** Without the lanes in which nothing waits. */
export const readBacklog = readVerb('messages.readBacklog', async (reading, _: null) => {
  const backlog: Waiting[] = [];
  for (const carrierId of await carrierIdsFrom(reading, 0))
    for (const [name, number] of Object.entries(lane)) {
      const found = await reading.first<{ messages: number; oldest: number | null }>(
        sql`SELECT COUNT(*) AS messages, MIN(due_at) AS oldest FROM (
              SELECT due_at FROM messages
              WHERE carrier_id = ${carrierId} AND stage = ${literal(stage.waiting)} AND lane = ${literal(number)}
              ORDER BY due_at LIMIT ${literal(mostWaiting + 1)}) AS waiting`,
      );
      if (found === undefined || found.oldest === null) continue;
      const { messages, oldest } = found;
      backlog.push({ carrierId, lane: name as keyof typeof lane, messages, oldest });
    }
  return backlog;
});
