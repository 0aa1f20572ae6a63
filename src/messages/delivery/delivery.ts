/**
 * Runs a node's part in delivery: its carriers, a dispatch for each, and the upkeep, all under one lease. A node that loses
 * its lease restarts under another id, since other nodes have taken over what it had in flight.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Carrier, CarrierEvents, CarrierStatus } from '../../carriers/carrier.ts';
import type { CallbackUrls } from '../../carriers/http/request.ts';
import type { CarrierRecord } from '../../carriers/provisioned/carrier-record.ts';
import { carrierMaker } from '../../carriers/provisioned/make-carrier.ts';
import type { RoutingTable } from '../../routing/routing-table.ts';
import type { Ids } from '../../storage/ids.ts';
import { isTest } from '../carrier-test.ts';
import { Dispatch } from '../dispatch/dispatch.ts';
import type { KeepsHours, KnowsPaused } from '../dispatch/hold.ts';
import { passingOn } from '../failover/pass-on.ts';
import type { DownCarriers } from '../failover/reassignment.ts';
import type { Claimed, Dispatching, Handover } from '../handover.ts';
import { type ReportedCarrier, reportedCarrier } from '../nodes/carrier-states.ts';
import { DeadNodes } from '../nodes/dead-nodes.ts';
import { leaseMs, NodeLease } from '../nodes/lease.ts';
import { listNodes } from '../nodes/service-state.ts';
import type { AboutNode } from '../nodes/store.ts';
import type { Observer } from '../observer.ts';
import type { KnowsOptOuts } from '../opted-out.ts';
import { Upkeep } from '../upkeep/upkeep.ts';
import { CarrierLog } from './carrier-log.ts';
import { CarrierTests } from './carrier-tests.ts';
import { type ReportServices, storingReports } from './store-reports.ts';

export interface DeliveryOptions extends KeepsHours, KnowsPaused, KnowsOptOuts, ReportServices {
  readonly nodeIds: Ids;
  readonly about?: AboutNode;
  readonly observer: Observer;
  readonly routes: () => RoutingTable;
  /** Where carriers may call us; without it, they are told no address. */
  readonly callbackUrls?: (carrier: string) => CallbackUrls;
  /** Without it, messages for a carrier that is down keep waiting. */
  readonly failover?: DownCarriers;
  /** Ends this process because a newer version has migrated its store. */
  readonly outdated: (version: number) => void;
  /** How long a stop waits for an unreachable store; outcomes not stored by then are in doubt. */
  readonly storeOutcomesMs?: number;
  readonly log: {
    error(details: object, message: string): void;
    warn(details: object, message: string): void;
    info(details: object, message: string): void;
  };
}

/** A carrier open at this node, with its dispatch. */
interface OpenCarrier {
  readonly record: CarrierRecord;
  readonly carrier: Carrier;
  readonly dispatch: Dispatch;
  readonly reported: ReportedCarrier;
  /** Whether the carrier has adopted the receipts that its predecessor was still waiting for. */
  hasAdopted: boolean;
}

/** Everything that belongs to one node id. */
interface NodeLife {
  readonly nodeId: number;
  readonly lease: NodeLease;
  readonly upkeep: Upkeep;
  readonly lines: Map<number, OpenCarrier>;
}

/** How long a carrier with changed settings may take to respond to the messages it has. */
const changeDeadlineMs = 10_000;
const restartMs = 1_000;
/** How long a node whose stop has exceeded its deadline tries to report to the others that it is gone. */
const leaveGraceMs = 500;

export class Delivery implements Dispatching {
  readonly #options: DeliveryOptions & { readonly storeOutcomesMs: number };
  readonly #carrierLog: CarrierLog;
  readonly #tests: CarrierTests;
  readonly #makeCarrier: ReturnType<typeof carrierMaker>;
  #records: readonly CarrierRecord[] = [];
  #life: NodeLife | undefined;
  /** Carrier changes and restarts run one after the other. */
  #changing: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: DeliveryOptions) {
    this.#options = { storeOutcomesMs: 10_000, ...options };
    this.#makeCarrier = carrierMaker(options.callbackUrls ?? (() => ({ receiptUrl: '', incomingUrl: '' })));
    this.#carrierLog = new CarrierLog({ carriers: () => this.reported, log: options.log });
    this.#tests = new CarrierTests({
      store: options.store,
      clock: options.clock,
      log: options.log,
      nodeId: () => (this.#stopped ? undefined : this.livingNodeId),
      carriers: () => this.carriers,
    });
  }

  start(records: readonly CarrierRecord[]): Promise<void> {
    this.#records = records;
    this.#carrierLog.start();
    this.#tests.start();
    return this.#change(() => this.#begin());
  }

  /** Applies the operator's carrier changes: only carriers that differ are stopped and started. */
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

  /** Called when a test of a carrier may have been asked for. */
  wakeTests(): void {
    this.#tests.wake();
  }

  wakeAll(): void {
    for (const { dispatch } of this.#lines) dispatch.wake();
  }

  get nodeId(): number | undefined {
    return this.#life?.nodeId;
  }

  /** Undefined while other nodes may take this one for dead. */
  get livingNodeId(): number | undefined {
    return this.#life?.lease.held ? this.#life.nodeId : undefined;
  }

  statusOf(carrierId: number): CarrierStatus | undefined {
    return this.#life?.lines.get(carrierId)?.reported.status();
  }

  get carriers(): readonly Carrier[] {
    return this.#lines.map(({ carrier }) => carrier);
  }

  /** The carriers as the operator, routing and the other nodes see them. */
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

  get #lines(): readonly OpenCarrier[] {
    return [...(this.#life?.lines.values() ?? [])];
  }

  /** Claims nothing more, lets carriers answer until the deadline, and stores every answer if the store is reachable. */
  async stop(deadlineMs: number): Promise<void> {
    this.#stopped = true;
    this.#carrierLog.stop();
    const answersUntil = performance.now() + deadlineMs;
    let timer: NodeJS.Timeout | undefined;
    // A change, sweep or claim that the stop has to wait for may itself be waiting for a silent store.
    const timeIsUp = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        for (const { dispatch } of this.#lines) dispatch.giveUp();
        timer = setTimeout(resolve, leaveGraceMs);
      }, deadlineMs + this.#options.storeOutcomesMs);
    });
    const answersMs = () => Math.max(0, answersUntil - performance.now());
    const ended = this.#change(() => this.#end(answersMs)).finally(() => this.#tests.stop());
    await Promise.race([ended, timeIsUp]);
    clearTimeout(timer);
  }

  async #begin(): Promise<void> {
    const { store, clock, nodeIds, about, observer, log, outdated } = this.#options;
    const nodeId = await nodeIds.draw(1);
    const lease = new NodeLease({
      store,
      nodeId,
      about,
      clock,
      changed: (held) =>
        held
          ? this.wakeAll()
          : log.warn({ nodeId }, 'the lease could not be renewed; claiming stops when it ends'),
      lost: () => this.#restart(nodeId),
      outdated,
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
    const life: NodeLife = { nodeId, lease, upkeep, lines: new Map() };
    await lease.start();
    this.#life = life;
    // Receipts that earlier node ids were still waiting for are adopted when those nodes are found dead.
    for (const record of this.#records) (await this.#open(life, record)).hasAdopted = true;
    await upkeep.start();
  }

  /** Restarts without waiting for the carriers' responses, since their messages no longer belong to this node. */
  #restart(nodeId: number): void {
    void this.#change(async () => {
      // `lost` is called at every heartbeat until the restart, which may take longer than one heartbeat.
      if (this.#stopped || this.#life?.nodeId !== nodeId) return;
      this.#options.log.warn({ nodeId }, 'other nodes declared this one dead; restarting under a new id');
      await this.#retryUntilDone('delivery could not begin; trying again', async () => {
        // Ends the previous life, or a life that started only in part.
        await this.#end(() => 0);
        await this.#begin();
      });
    });
  }

  /**
   * Retries until it succeeds, since nobody would notice a node that runs without delivering or without one of its carriers.
   */
  async #retryUntilDone(failed: string, work: () => Promise<void>): Promise<void> {
    while (!this.#stopped) {
      try {
        return await work();
      } catch (error) {
        this.#options.log.warn({ error }, failed);
        await delay(restartMs);
      }
    }
  }

  async #end(answersMs: () => number): Promise<void> {
    const life = this.#life;
    if (life === undefined) return;
    const lines = [...life.lines.values()];
    const closed = lines.map((line) => this.#close(life, line, answersMs, this.#options.storeOutcomesMs));
    // In parallel, so that a sweep waiting for the store takes no time from the carriers.
    await Promise.all([life.upkeep.stop(), ...closed]);
    await life.lease.stop().catch((error: unknown) => {
      this.#options.log.warn(
        { error, nodeId: life.nodeId },
        'could not announce the end of this node; the other nodes will notice its silence',
      );
    });
    this.#life = undefined;
  }

  /** Retries however long the store is unreachable, because carriers closed for a change must not stay closed. */
  #align(life: NodeLife): Promise<void> {
    const failed = 'the change of carriers could not be applied; trying again';
    return this.#retryUntilDone(failed, () => this.#alignLines(life));
  }

  /** Starts, stops and replaces carriers until they match the records. */
  async #alignLines(life: NodeLife): Promise<void> {
    const wanted = new Map(this.#records.map((record) => [record.id, record]));
    for (const line of [...life.lines.values()]) {
      if (this.#stopped) return;
      const record = wanted.get(line.record.id);
      if (record === undefined || JSON.stringify(record) !== JSON.stringify(line.record)) {
        // Waits for the store as long as necessary: until the outcomes are stored, the store cannot tell these messages
        // from those that the new carrier claims.
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

  async #open(life: NodeLife, record: CarrierRecord): Promise<OpenCarrier> {
    const { clock, nodeIds } = this.#options;
    // Draws a new id each time, since a carrier may be opened more than once under one node id.
    const carrier = this.#makeCarrier(record, {
      instance: await nodeIds.draw(1),
      clock,
      lease: life.lease.shared,
      asksForIncoming: async () => (await this.#isFirst(life)) && life.lease.held,
    });
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
    await carrier.start(storingEvents(this.#options, carrier, dispatch, this.#tests));
    life.lines.set(record.id, line);
    dispatch.wake();
    return line;
  }

  /** Lets a carrier finish what it has. Without `storingMs`, it waits for the store indefinitely. */
  async #close(
    life: NodeLife,
    { carrier, dispatch, record }: OpenCarrier,
    answersMs: () => number,
    storingMs: number | undefined,
  ): Promise<void> {
    await dispatch.stopClaiming();
    await carrier.stop(answersMs());
    const timer = storingMs === undefined ? undefined : setTimeout(() => dispatch.giveUp(), storingMs);
    await dispatch.idle();
    clearTimeout(timer);
    life.lines.delete(record.id);
  }

  /** One node only does what would be done twice by several. */
  async #isFirst({ nodeId }: NodeLife): Promise<boolean> {
    const { nodes } = await this.#options.store.read(listNodes, null);
    // Nodes of earlier versions do not tell their roles.
    const first = nodes.find(({ roles }) => roles === null || roles.split(' ').includes('dispatch'));
    return first?.id === nodeId;
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

/** Stores and counts what a carrier reports. */
function storingEvents(
  parts: DeliveryOptions,
  carrier: Carrier,
  dispatch: Dispatch,
  tests: CarrierTests,
): CarrierEvents {
  const { observer } = parts;
  return {
    ...storingReports(parts, carrier),
    outcome(part, outcome) {
      if (isTest(part)) return tests.outcome(part, outcome);
      observer.outcome(carrier.name, outcome.kind);
      dispatch.outcome(part, outcome);
    },
  };
}
