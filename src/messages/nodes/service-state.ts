/** How the service is doing, as operators see it: its nodes, and what waits for its carriers. */
import { carrierIdsFrom } from '../../carriers/provisioned/carrier-rows.ts';
import { literal, sql, unmatchedLiteral } from '../../storage/sql.ts';
import { bigint, nullable, StoredRecord, text } from '../../storage/stored-record.ts';
import { readVerb } from '../../storage/verb.ts';
import { lane, stage } from '../message.ts';
import { storesTime } from './store.ts';

/** A node of an earlier version tells less of itself. */
const shownNode = new StoredRecord({
  id: bigint,
  startedAt: bigint,
  beatAt: nullable(bigint),
  version: nullable(text),
  roles: nullable(text),
});

/** A service has a few. */
const maxNodes = 100;

/** Nodes that have not ended, and the time by which their heartbeats are dated. */
export const listNodes = readVerb('messages.listNodes', async (reading, _: null) => {
  const nodes = await shownNode.all(reading)`
    FROM nodes WHERE ended = 0 ORDER BY id LIMIT ${literal(maxNodes)}`;
  const time = await reading.first<{ now: number }>(sql`SELECT ${storesTime} AS now`);
  return { nodes, now: time?.now ?? 0 };
});

/** Messages are counted up to this many. */
export const mostWaiting = 1_000;

export interface Waiting {
  readonly carrierId: number;
  readonly lane: keyof typeof lane;
  readonly messages: number;
  /** Since when the first of them has been due. */
  readonly oldest: number;
}

/** What waits for each carrier in each lane; lanes in which nothing waits are left out. */
export const readBacklog = readVerb('messages.readBacklog', async (reading, _: null) => {
  const backlog: Waiting[] = [];
  for (const carrierId of await carrierIdsFrom(reading, 0))
    for (const [name, number] of Object.entries(lane)) {
      const found = await reading.first<{ messages: number; oldest: number | null }>(
        sql`SELECT COUNT(*) AS messages, MIN(due_at) AS oldest FROM (
              SELECT due_at FROM messages
              WHERE carrier_id = ${carrierId} AND stage = ${unmatchedLiteral(stage.waiting)} AND lane = ${literal(number)}
              ORDER BY due_at LIMIT ${literal(mostWaiting + 1)}) AS waiting`,
      );
      if (found === undefined || found.oldest === null) continue;
      const { messages, oldest } = found;
      backlog.push({ carrierId, lane: name as keyof typeof lane, messages, oldest });
    }
  return backlog;
});
