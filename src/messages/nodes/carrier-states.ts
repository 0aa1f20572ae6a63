/**
 * Tracks what a node knows about the carriers, here and at the other dispatching nodes, for use by routing. Each node reports
 * its own states at once when they change, and every few seconds.
 */
import type { Carrier, CarrierStatus } from '../../carriers/carrier.ts';
import { carrierIdsFrom } from '../../carriers/provisioned/carrier-rows.ts';
import { type Clock, type Stopwatch, systemStopwatch } from '../../foundation/clock.ts';
import { WokenLoop } from '../../foundation/woken-loop.ts';
import type { Context } from '../../storage/context.ts';
import { announceToOperators } from '../../storage/hints.ts';
import { literal, oneOf, raw, type Sql, sql } from '../../storage/sql.ts';
import type { Store } from '../../storage/store.ts';
import {
  bigint,
  json,
  type Kept,
  nullable,
  type StoredField,
  StoredRecord,
  text,
} from '../../storage/stored-record.ts';
import { inTurns, readVerb, singleWriteVerb, theNode } from '../../storage/verb.ts';
import { lane, stage } from '../message.ts';
import { isAlive } from './store.ts';

interface CarriersHere {
  /** Undefined while it has none. */
  readonly nodeId: number | undefined;
  readonly reported: readonly ReportedCarrier[];
  statusOf(carrierId: number): CarrierStatus | undefined;
}

interface CarrierStatesOptions extends Context {
  /** The system's stopwatch by default. */
  readonly stopwatch?: Stopwatch;
}

const lookEveryMs = 500;
const readEveryMs = 2_000;
const tellEveryMs = 4_000;

type LinkStatus = CarrierStatus['state'];
/** From worst to best; across nodes, a carrier's best state counts. */
const order: readonly LinkStatus[] = ['down', 'starting', 'up'];

export class CarrierStates {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #stopwatch: Stopwatch;
  #here: CarriersHere = { nodeId: undefined, reported: [], statusOf: () => undefined };
  #elsewhere: ReadonlyMap<number, LinkStatus> = new Map();
  /** Since when, by the stopwatch, each carrier has been seen down at every node. */
  readonly #downSince = new Map<number, number>();
  #lastReport = '';
  #lastReportAt = Number.NEGATIVE_INFINITY;
  #readAt = Number.NEGATIVE_INFINITY;
  /** Reports and reads that fail now are due at the next pass; until then, the last known states count. */
  readonly #passes = new WokenLoop({ pauseMs: lookEveryMs, failed: () => undefined }, () => this.look());

  constructor({ store, clock, stopwatch = systemStopwatch }: CarrierStatesOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#stopwatch = stopwatch;
  }

  /** Sets the carriers of this node, if it dispatches. */
  follow(here: CarriersHere): void {
    this.#here = here;
  }

  async start(): Promise<void> {
    await this.look();
    this.#passes.start();
  }

  /** Stops without waiting for reports or reads in progress. */
  stop(): void {
    void this.#passes.stop();
  }

  /** Whether the carrier can be expected to take messages now. This includes unknown carriers and those still starting. */
  isUsable(carrierId: number): boolean {
    return this.#best(carrierId) !== 'down';
  }

  /** Whether the carrier takes messages at one node at least. */
  isUp(carrierId: number): boolean {
    return this.#best(carrierId) === 'up';
  }

  /** Carriers that have been down at every node for at least this long, as far as this node has watched. */
  downFor(leastMs: number): readonly number[] {
    const now = this.#stopwatch.elapsed();
    return [...this.#downSince].filter(([, since]) => now - since >= leastMs).map(([id]) => id);
  }

  /** Reports and reads what is due. */
  async look(): Promise<void> {
    const now = this.#stopwatch.elapsed();
    try {
      await this.#tell(now);
      // Only one process at a time uses the embedded store, so there are no other nodes.
      if (this.#store.dialect !== 'sqlite' && now - this.#readAt >= readEveryMs) {
        await this.#read();
        this.#readAt = now;
      }
    } finally {
      this.#noteDown();
    }
  }

  #best(carrierId: number): LinkStatus | undefined {
    const status = this.#here.statusOf(carrierId);
    if (status?.state === 'up') return 'up';
    const elsewhere = this.#elsewhere.get(carrierId);
    return status === undefined ? elsewhere : better(stateOf(status, this.#clock.now()), elsewhere);
  }

  async #tell(now: number): Promise<void> {
    const { nodeId, reported } = this.#here;
    if (nodeId === undefined) return;
    const states = reported.map((carrier) => ({ carrierId: carrier.id, ...carrier.status() }));
    // Figures, and reasons that contain figures, change constantly and can wait.
    const news = JSON.stringify([nodeId, ...states.map(({ carrierId, state }) => [carrierId, state])]);
    if (news === this.#lastReport && now - this.#lastReportAt < tellEveryMs) return;
    await this.#store.write(tellCarrierStates, { nodeId, now: this.#clock.now(), states });
    if (news !== this.#lastReport) announceToOperators(this.#store, 'carriers');
    this.#lastReport = news;
    this.#lastReportAt = now;
  }

  async #read(): Promise<void> {
    const elsewhere = new Map<number, LinkStatus>();
    const now = this.#clock.now();
    for (const report of await this.#store.read(listCarrierStates, null)) {
      if (report.nodeId === this.#here.nodeId) continue;
      elsewhere.set(report.carrierId, better(stateOf(report, now), elsewhere.get(report.carrierId)));
    }
    this.#elsewhere = elsewhere;
  }

  #noteDown(): void {
    const now = this.#stopwatch.elapsed();
    const known = new Set([...this.#here.reported.map(({ id }) => id), ...this.#elsewhere.keys()]);
    for (const id of [...this.#downSince.keys()]) if (!known.has(id)) this.#downSince.delete(id);
    for (const id of known) {
      if (this.#best(id) !== 'down') this.#downSince.delete(id);
      else if (!this.#downSince.has(id)) this.#downSince.set(id, now);
    }
  }
}

function better(a: LinkStatus, b: LinkStatus | undefined): LinkStatus {
  return b !== undefined && order.indexOf(b) > order.indexOf(a) ? b : a;
}

/** The carrier's state according to these reports; undefined when there are none. */
export function bestOf(reports: readonly ReportedState[], now: number): LinkStatus | undefined {
  return reports.reduce<LinkStatus | undefined>((best, one) => better(stateOf(one, now), best), undefined);
}

type ReportedState = Pick<CarrierStatus, 'state' | 'since'>;

/** A start that takes this long counts as failed. */
const startsWithinMs = 5_000;

function stateOf({ state, since }: ReportedState, now: number): LinkStatus {
  return state === 'starting' && now - since > startsWithinMs ? 'down' : state;
}

export type ReportedCarrier = Pick<Carrier, 'id' | 'name' | 'status'>;

interface Keeping {
  /** Since when the carrier's outcomes could not be stored; undefined when they can be. */
  readonly outcomesFailSince: number | undefined;
  /** Since when the store has refused the outcomes although it is reachable. */
  readonly outcomesRefusedSince: number | undefined;
}

/**
 * A carrier as its node reports it: a link is useless to a node whose store refuses the outcomes. An unreachable store says
 * nothing about the link; this is reported, but routing and failover use the link's own state.
 */
export function reportedCarrier(carrier: Carrier, dispatch: Keeping): ReportedCarrier {
  return {
    id: carrier.id,
    name: carrier.name,
    status() {
      const status = carrier.status();
      if (dispatch.outcomesFailSince === undefined || status.state === 'down') return status;
      const since = dispatch.outcomesRefusedSince;
      const withReason = { ...status, reason: "what it answers can't be stored: see the log" };
      return since === undefined ? withReason : { ...withReason, state: 'down', since };
    },
  };
}

const storedState = new StoredRecord({
  nodeId: bigint,
  carrierId: bigint,
  state: text as StoredField<CarrierStatus['state']>,
  since: bigint,
  reason: nullable(text),
  figures: json<Readonly<Record<string, number>>>(),
  updatedAt: bigint,
});

export type KnownState = Kept<typeof storedState>;

interface StateReport {
  readonly nodeId: number;
  readonly now: number;
  /** The states of all of the node's carriers. */
  readonly states: readonly Omit<KnownState, 'nodeId' | 'updatedAt'>[];
}

/** Does nothing for a node that has been declared dead. */
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
      storedState.columns,
      states.map((state) => storedState.row({ ...state, nodeId, updatedAt: now })),
      `ON CONFLICT (node_id, carrier_id)
        DO UPDATE SET ${storedState.assignments('excluded', ['node_id', 'carrier_id'])}`,
    );
    return null;
  },
);

/** The states as last reported by the living nodes. */
export const listCarrierStates = readVerb(
  'messages.listCarrierStates',
  (reading, _: null) =>
    storedState.all(reading)`
      FROM carrier_states JOIN nodes ON nodes.id = carrier_states.node_id AND nodes.ended = 0
      ORDER BY carrier_id, node_id`,
);

/** A few times the interval at which nodes report. */
const silentAfterMs = 15_000;

/** Whether the node has not reported for longer than a live node would wait. */
export function isSilent({ updatedAt }: Pick<KnownState, 'updatedAt'>, now: number): boolean {
  return now - updatedAt > silentAfterMs;
}

interface CarrierBacklog {
  readonly carrierId: number;
  /** Messages that the carrier is not ready for yet or has postponed. */
  readonly waiting: number;
  /** Messages that a node has claimed for the carrier. */
  readonly inFlight: number;
}

/** Counting may stop here; a larger number would say nothing more and take long to count. */
export const maxCounted = 100_000;

const bothLanes = raw(`IN (${lane.interactive}, ${lane.bulk})`);

export const countBacklogs = inTurns(
  readVerb('messages.countBacklogs', async (reading, { upTo }: { readonly upTo: number }) => {
    const backlogs: CarrierBacklog[] = [];
    for (const id of await carrierIdsFrom(reading, 0)) {
      const count = async (stages: Sql) => {
        const counted = await reading.first<{ messages: number }>(
          sql`SELECT COUNT(*) AS messages FROM (SELECT 1 FROM messages
            WHERE carrier_id = ${id} AND stage IN (${stages}) AND lane ${bothLanes}
            LIMIT ${upTo}) AS counted`,
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

interface RetryReason {
  readonly reason: string;
  readonly messages: number;
}

/** The reasons of this many messages are looked at. */
export const maxReasonsRead = 500;
const maxReasons = 10;

/** Why the carrier did not take messages that are due again, of the first of them; the most frequent reason comes first. */
export const listRetryReasons = readVerb('messages.listRetryReasons', async (reading, carrierId: number) =>
  reading.all<RetryReason>(
    sql`SELECT reason, COUNT(*) AS messages FROM (
          SELECT reason FROM messages
          WHERE carrier_id = ${carrierId} AND stage = ${literal(stage.retrying)} AND lane ${bothLanes}
          LIMIT ${literal(maxReasonsRead)}) AS retrying
        WHERE reason IS NOT NULL GROUP BY reason ORDER BY messages DESC, reason LIMIT ${literal(maxReasons)}`,
  ),
);
