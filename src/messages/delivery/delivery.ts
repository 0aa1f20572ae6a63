/**
 * A node's part in delivery: its carriers, a dispatch for each, and the upkeep, all under one lease. A node that lost
 * its lease begins anew under another id, since others have taken over what it had in flight.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Carrier, CarrierStatus } from '../../carriers/carrier.ts';
import type { CarrierRecord } from '../../carriers/provisioned/carrier-record.ts';
import { carrierMaker } from '../../carriers/provisioned/make-carrier.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { RoutingTable } from '../../routing/routing-table.ts';
import type { Ids } from '../../storage/ids.ts';
import type { Store } from '../../storage/store.ts';
import type { Claimed } from '../claimed.ts';
import { Dispatch } from '../dispatch/dispatch.ts';
import type { KeepsHours } from '../dispatch/hold.ts';
import type { DownCarriers } from '../failover/departures.ts';
import { passingOn } from '../failover/pass-on.ts';
import type { Dispatching, Handover } from '../handover.ts';
import type { Receiving } from '../incoming/incoming.ts';
import { DeadNodes } from '../nodes/dead-nodes.ts';
import { leaseMs, NodeLease } from '../nodes/lease.ts';
import { type ReportedCarrier, reportedCarrier } from '../nodes/reported-carrier.ts';
import type { Observer } from '../observer.ts';
import { Upkeep } from '../upkeep/upkeep.ts';
import { storingEvents } from './carrier-events.ts';
import { CarrierLog } from './carrier-log.ts';
import { closeLine, type Line } from './open-carrier.ts';

export interface DeliveryOptions extends KeepsHours {
  readonly store: Store;
  readonly clock: Clock;
  readonly nodeIds: Ids;
  readonly receiving: Receiving;
  readonly observer: Observer;
  readonly routes: () => RoutingTable;
  /** Absent: what waits for a carrier that is down waits on. */
  readonly failover?: DownCarriers;
  /** Outcomes that a store out of reach does not take by then are in doubt for whoever comes next. */
  readonly storeOutcomesMs?: number;
  readonly log: {
    error(details: object, message: string): void;
    warn(details: object, message: string): void;
    info(details: object, message: string): void;
  };
}

/** All that hangs on one node id. */
interface Life {
  readonly nodeId: number;
  readonly lease: NodeLease;
  readonly upkeep: Upkeep;
  readonly lines: Map<number, Line>;
}

/** A carrier whose settings changed is given this time to answer for what it has. */
const changeDeadlineMs = 10_000;
const beginAgainMs = 1_000;
/** A node whose end came to its time limit still tries to tell the others that it is gone. */
const farewellMs = 500;

export class Delivery implements Dispatching {
  readonly #options: DeliveryOptions & { readonly storeOutcomesMs: number };
  readonly #carrierLog: CarrierLog;
  readonly #makeCarrier = carrierMaker();
  #records: readonly CarrierRecord[] = [];
  #life: Life | undefined;
  /** Changes of carriers and of lives happen one after the other. */
  #changing: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: DeliveryOptions) {
    this.#options = { storeOutcomesMs: 10_000, ...options };
    this.#carrierLog = new CarrierLog({ carriers: () => this.reported, log: options.log });
  }

  start(records: readonly CarrierRecord[]): Promise<void> {
    this.#records = records;
    this.#carrierLog.start();
    return this.#change(() => this.#begin());
  }

  /** The operator has changed the carriers: only those that differ are stopped and started. */
  update(records: readonly CarrierRecord[]): Promise<void> {
    this.#records = records;
    return this.#change(async () => {
      if (this.#life !== undefined) await this.#align(this.#life);
    });
  }

  wake(carrierId: number): void {
    this.#life?.lines.get(carrierId)?.dispatch.wake();
  }

  expect(carrierId: number, rows: readonly Claimed[]): Handover | undefined {
    return this.#life?.lines.get(carrierId)?.dispatch.expect(rows);
  }

  wakeAll(): void {
    for (const { dispatch } of this.#lines) dispatch.wake();
  }

  get nodeId(): number | undefined {
    return this.#life?.nodeId;
  }

  statusOf(carrierId: number): CarrierStatus | undefined {
    return this.#life?.lines.get(carrierId)?.reported.status();
  }

  get carriers(): readonly Carrier[] {
    return this.#lines.map(({ carrier }) => carrier);
  }

  /** As the operator, routing and the other nodes are to know them. */
  get reported(): readonly ReportedCarrier[] {
    return this.#lines.map(({ reported }) => reported);
  }

  /** Messages in flight at this node, by carrier. */
  inFlight(): readonly { readonly carrier: string; readonly messages: number }[] {
    return this.#lines.map(({ carrier, dispatch }) => ({
      carrier: carrier.name,
      messages: dispatch.open,
    }));
  }

  get #lines(): readonly Line[] {
    return [...(this.#life?.lines.values() ?? [])];
  }

  /** Claims no more, lets carriers answer until the deadline, and stores every answer unless the store is away. */
  async stop(deadlineMs: number): Promise<void> {
    this.#stopped = true;
    this.#carrierLog.stop();
    const answersUntil = performance.now() + deadlineMs;
    let timer: NodeJS.Timeout | undefined;
    // A change under way, a sweep or a claim, which the end has to wait for, may itself wait for a store that is silent.
    const timeIsUp = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        for (const { dispatch } of this.#lines) dispatch.giveUp();
        timer = setTimeout(resolve, farewellMs);
      }, deadlineMs + this.#options.storeOutcomesMs);
    });
    const answersMs = () => Math.max(0, answersUntil - performance.now());
    await Promise.race([this.#change(() => this.#end(answersMs)), timeIsUp]);
    clearTimeout(timer);
  }

  async #begin(): Promise<void> {
    const { store, clock, nodeIds, observer, log } = this.#options;
    const nodeId = await nodeIds.draw(1);
    const lease = new NodeLease({
      store,
      nodeId,
      clock,
      changed: (held) =>
        held
          ? this.wakeAll()
          : log.warn({ nodeId }, 'the lease could not be renewed; claiming stops when it ends'),
      lost: () => this.#beginAnew(nodeId),
    });
    const upkeep = new Upkeep({
      ...this.#options,
      nodeId,
      carriers: () => this.carriers,
      allOpen: () => this.#records.every(({ id }) => life.lines.has(id)),
      wake: (carrierId) => this.wake(carrierId),
      deadNodes: new DeadNodes(store, nodeId, leaseMs),
      seekOrphans: () => this.#seekOrphans(),
      unmatchedReceipts: (carrier, count) => observer.unmatchedReceipts(carrier, count),
    });
    const life: Life = { nodeId, lease, upkeep, lines: new Map() };
    await lease.start();
    this.#life = life;
    // What lives before this one had still to hear of is adopted when those are found dead.
    for (const record of this.#records) (await this.#open(life, record)).hasAdopted = true;
    await upkeep.start();
  }

  /** Ends without waiting for carriers' answers: their messages are no longer this node's. */
  #beginAnew(nodeId: number): void {
    void this.#change(async () => {
      // Said again at each beat until the life is over, which may take longer than a beat.
      if (this.#stopped || this.#life?.nodeId !== nodeId) return;
      this.#options.log.warn({ nodeId }, 'other nodes took this one for dead; it begins anew');
      await this.#insist('delivery could not begin; trying again', async () => {
        // The life before, or one that began only in part.
        await this.#end(() => 0);
        await this.#begin();
      });
    });
  }

  /** A node that lives on without delivering, or without one of its carriers, would be noticed by nobody. */
  async #insist(failed: string, work: () => Promise<void>): Promise<void> {
    while (!this.#stopped) {
      try {
        return await work();
      } catch (error) {
        this.#options.log.warn({ error }, failed);
        await delay(beginAgainMs);
      }
    }
  }

  async #end(answersMs: () => number): Promise<void> {
    const life = this.#life;
    if (life === undefined) return;
    const lines = [...life.lines.values()];
    const closed = lines.map((line) => this.#close(life, line, answersMs, this.#options.storeOutcomesMs));
    // Side by side: a sweep that the store keeps waiting takes no time from the carriers.
    await Promise.all([life.upkeep.stop(), ...closed]);
    await life.lease.stop().catch((error: unknown) => {
      this.#options.log.warn(
        { error, nodeId: life.nodeId },
        'the end of this node could not be told; its silence will tell',
      );
    });
    this.#life = undefined;
  }

  /** However long the store is away: carriers that were closed for a change must not stay closed. */
  #align(life: Life): Promise<void> {
    const failed = 'the change of carriers could not be carried out; trying again';
    return this.#insist(failed, () => this.#alignLines(life));
  }

  /** Starts, stops and replaces lines until they are those of the records. */
  async #alignLines(life: Life): Promise<void> {
    const wanted = new Map(this.#records.map((record) => [record.id, record]));
    for (const line of [...life.lines.values()]) {
      if (this.#stopped) return;
      const record = wanted.get(line.record.id);
      if (record === undefined || JSON.stringify(record) !== JSON.stringify(line.record)) {
        // However long the store takes: the next line's claims are told apart from this one's by what is stored.
        await this.#close(life, line, () => changeDeadlineMs, undefined);
      }
    }
    for (const record of wanted.values()) {
      if (this.#stopped) return;
      const line = life.lines.get(record.id) ?? (await this.#open(life, record));
      if (line.hasAdopted) continue;
      await life.upkeep.adopt(line.carrier, life.nodeId);
      line.hasAdopted = true;
    }
  }

  async #open(life: Life, record: CarrierRecord): Promise<Line> {
    const { clock, nodeIds } = this.#options;
    // Drawn for each: a carrier may be opened more than once in the life of a node.
    const carrier = this.#makeCarrier(record, await nodeIds.draw(1), clock, life.lease.shared);
    const dispatch = new Dispatch({
      ...this.#options,
      nodeId: life.nodeId,
      carrier,
      mayClaim: () => life.lease.held && !this.#stopped,
      passOn: passingOn({ ...this.#options, wake: (carrierId) => this.wake(carrierId) }),
    });
    const line = {
      record,
      carrier,
      dispatch,
      reported: reportedCarrier(carrier, dispatch),
      hasAdopted: false,
    };
    await carrier.start(storingEvents(this.#options, carrier, dispatch));
    life.lines.set(record.id, line);
    dispatch.wake();
    return line;
  }

  async #close(
    life: Life,
    line: Line,
    answersMs: () => number,
    storingMs: number | undefined,
  ): Promise<void> {
    await closeLine(line, answersMs, storingMs);
    life.lines.delete(line.record.id);
  }

  #seekOrphans(): void {
    for (const { dispatch } of this.#lines) dispatch.seekOrphans();
  }

  #change(work: () => Promise<void>): Promise<void> {
    const changed = this.#changing.then(work);
    this.#changing = changed.catch(() => undefined);
    return changed;
  }
}
