/** Stores the nodes that share the store: each has a heartbeat, and one that falls silent is declared dead by the others. */
import { schemaVersion } from '../../storage/schema.ts';
import { readVersion } from '../../storage/schema-version.ts';
import { byDialect, forShare, raw, sql } from '../../storage/sql.ts';
import { readVerb, singleWriteVerb, type Transaction } from '../../storage/verb.ts';

/** What a node tells of itself. */
export interface AboutNode {
  readonly version: string;
  readonly roles: Iterable<string>;
}

interface EnteringNode {
  readonly nodeId: number;
  readonly now: number;
  readonly about?: AboutNode | undefined;
}

export const enterNode = singleWriteVerb(
  'messages.enterNode',
  async (transaction, { nodeId, now, about }: EnteringNode) => {
    const roles = about && [...about.roles].join(' ');
    await transaction.run(
      sql`INSERT INTO nodes (id, started_at, beat, ended, version, roles)
          VALUES (${nodeId}, ${now}, 0, 0, ${about?.version ?? null}, ${roles ?? null})`,
    );
    return null;
  },
);

export type Beat =
  | { readonly kind: 'alive' }
  /** The node was declared dead, and another may have its messages. */
  | { readonly kind: 'dead' }
  /** A newer version has migrated the store, so this node no longer knows its tables. */
  | { readonly kind: 'outdated'; readonly version: number };

/** Milliseconds since 1970 by the store's clock, which all nodes share. */
export const storesTime = byDialect({
  sqlite: "CAST((julianday('now') - 2440587.5) * 86400000 AS BIGINT)",
  postgres: 'CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)',
});

/** Records a heartbeat, unless the node's version is older than the store's. */
export const beatNode = singleWriteVerb(
  'messages.beatNode',
  async (transaction, nodeId: number): Promise<Beat> => {
    const stored = await transaction.first<{ version: number }>(sql`${raw(readVersion)}`);
    const version = stored?.version ?? 0;
    if (version > schemaVersion) return { kind: 'outdated', version };
    const changed = await transaction.run(
      sql`UPDATE nodes SET beat = beat + 1, beat_at = ${storesTime} WHERE id = ${nodeId} AND ended = 0`,
    );
    return { kind: changed === 1 ? 'alive' : 'dead' };
  },
);

/** A node that stops in an orderly way reports it, so that what it could not finish is taken over at once. */
export const leaveNode = singleWriteVerb('messages.leaveNode', async (transaction, nodeId: number) => {
  await transaction.run(sql`UPDATE nodes SET ended = 1 WHERE id = ${nodeId}`);
  await forgetCarriers(transaction, nodeId);
  return null;
});

export interface NodeRow {
  readonly id: number;
  readonly beat: number;
  readonly ended: number;
}

export const listOtherNodes = readVerb('messages.listOtherNodes', async (reading, nodeId: number) =>
  reading.all<NodeRow>(sql`SELECT id, beat, ended FROM nodes WHERE id <> ${nodeId}`),
);

export interface UnendedNode {
  readonly id: number;
  readonly startedAt: number;
  readonly beat: number;
}

/**
 * Nodes that have not reported their end. The query works on stores of every version, since these columns have been there
 * from the first.
 */
export const listUnendedNodes = readVerb('messages.listUnendedNodes', async (reading, _: null) =>
  reading.all<UnendedNode>(
    sql`SELECT id, started_at AS "startedAt", beat FROM nodes WHERE ended = 0 ORDER BY id`,
  ),
);

/** Declares a node dead unless it has had a heartbeat since. From then on it cannot claim. */
export const endNode = singleWriteVerb('messages.endNode', async (transaction, { id, beat }: NodeRow) => {
  const changed = await transaction.run(sql`UPDATE nodes SET ended = 1 WHERE id = ${id} AND beat = ${beat}`);
  if (changed === 1) await forgetCarriers(transaction, id);
  return changed === 1;
});

/** Removes the carrier states of a node that is gone. */
export async function forgetCarriers(transaction: Transaction, nodeId: number): Promise<void> {
  await transaction.run(sql`DELETE FROM carrier_states WHERE node_id = ${nodeId}`);
}

/** Whether messages may be marked as in flight at this node; the answer holds until the transaction ends. */
export async function isAlive(transaction: Transaction, nodeId: number): Promise<boolean> {
  // A node that is being declared dead must not claim meanwhile, so both transactions lock the node's row.
  const row = await transaction.first(
    sql`SELECT id FROM nodes WHERE id = ${nodeId} AND ended = 0 ${forShare}`,
  );
  return row !== undefined;
}
