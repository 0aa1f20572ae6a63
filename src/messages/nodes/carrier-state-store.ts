/** The state of the carriers at each node, as last reported, and how much waits for each. */
import type { CarrierStatus } from '../../carriers/carrier.ts';
import { carrierIdsFrom } from '../../carriers/provisioned/carrier-rows.ts';
import { literal, oneOf, raw, type Sql, sql } from '../../storage/sql.ts';
import { inTurns, readVerb, singleWriteVerb, theNode } from '../../storage/verb.ts';
import { lane, stage } from '../message.ts';
import { isAlive } from './store.ts';

export interface ReportedState {
  readonly carrierId: number;
  readonly state: CarrierStatus['state'];
  readonly since: number;
  readonly reason: string | null;
  readonly figures: Readonly<Record<string, number>>;
}

export interface StateReport {
  readonly nodeId: number;
  readonly now: number;
  /** Of all carriers that the node has. */
  readonly states: readonly ReportedState[];
}

const columns = {
  node_id: 'bigint',
  carrier_id: 'bigint',
  state: 'text',
  since: 'bigint',
  reason: 'text',
  figures: 'text',
  updated_at: 'bigint',
} as const;

/** Does nothing for a node that was declared dead. */
export const tellCarrierStates = singleWriteVerb(
  'messages.tellCarrierStates',
  async (transaction, { nodeId, now, states }: StateReport) => {
    if (!(await isAlive(transaction, nodeId))) return null;
    const ids = states.map(({ carrierId }) => carrierId);
    await transaction.run(
      sql`DELETE FROM carrier_states WHERE node_id = ${nodeId} AND NOT (carrier_id ${oneOf('bigint', ids)})`,
    );
    await transaction.insert(
      'carrier_states',
      columns,
      states.map(({ carrierId, state, since, reason, figures }) => [
        nodeId,
        carrierId,
        state,
        since,
        reason,
        JSON.stringify(figures),
        now,
      ]),
      `ON CONFLICT (node_id, carrier_id) DO UPDATE SET state = excluded.state, since = excluded.since,
        reason = excluded.reason, figures = excluded.figures, updated_at = excluded.updated_at`,
    );
    return null;
  },
);

export interface KnownState extends ReportedState {
  readonly nodeId: number;
  readonly updatedAt: number;
}

/** As the living nodes last reported them. */
export const listCarrierStates = readVerb(
  'messages.listCarrierStates',
  async (reading, _: null): Promise<KnownState[]> => {
    const rows = await reading.all<Omit<KnownState, 'figures'> & { figures: string }>(
      sql`SELECT node_id AS "nodeId", carrier_id AS "carrierId", state, since, reason, figures,
            updated_at AS "updatedAt"
          FROM carrier_states JOIN nodes ON nodes.id = carrier_states.node_id AND nodes.ended = 0
          ORDER BY carrier_id, node_id`,
    );
    return rows.map((row) => ({ ...row, figures: JSON.parse(row.figures) as Record<string, number> }));
  },
);

export interface CarrierBacklog {
  readonly carrierId: number;
  /** Messages for which the carrier is not ready yet, or which it put off. */
  readonly waiting: number;
  /** Messages that a node has claimed for it. */
  readonly inFlight: number;
}

/** Counting stops here: a larger number would say nothing more, and take long to count. */
export const maxCounted = 100_000;

const bothLanes = raw(`IN (${lane.interactive}, ${lane.bulk})`);

export const countBacklogs = inTurns(
  readVerb('messages.countBacklogs', async (reading, _: null) => {
    const backlogs: CarrierBacklog[] = [];
    for (const id of await carrierIdsFrom(reading, 0)) {
      const count = async (stages: Sql) => {
        const counted = await reading.first<{ messages: number }>(
          sql`SELECT COUNT(*) AS messages FROM (SELECT 1 FROM messages
            WHERE carrier_id = ${id} AND stage IN (${stages}) AND lane ${bothLanes}
            LIMIT ${literal(maxCounted)}) AS counted`,
        );
        return counted?.messages ?? 0;
      };
      backlogs.push({
        carrierId: id,
        waiting: await count(sql`${literal(stage.waiting)}, ${literal(stage.retrying)}`),
        inFlight: await count(sql`${literal(stage.inFlight)}`),
      });
    }
    return backlogs;
  }),
  theNode,
);
