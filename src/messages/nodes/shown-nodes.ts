/** The nodes that share the store, as operators see them. */
import { literal, sql } from '../../storage/sql.ts';
import { bigint, nullable, StoredRecord, text } from '../../storage/stored-record.ts';
import { readVerb } from '../../storage/verb.ts';
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
export const maxNodes = 100;

/** Nodes that have not ended, and the time by which their heartbeats are dated. */
export const listNodes = readVerb('messages.listNodes', async (reading, _: null) => {
  const nodes = await shownNode.all(reading)`
    FROM nodes WHERE ended = 0 ORDER BY id LIMIT ${literal(maxNodes)}`;
  const time = await reading.first<{ now: number }>(sql`SELECT ${storesTime} AS now`);
  return { nodes, now: time?.now ?? 0 };
});
