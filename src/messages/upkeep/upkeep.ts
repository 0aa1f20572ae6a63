/**
 * Does what depends on time rather than on requests: scheduled messages become due, waiting ones expire, receipts are given
 * up, and dead nodes are replaced. Every sweep is one indexed query for what is due now, so neither a restart nor a clock
 * jump loses or repeats anything.
 */
import type { Carrier, InDoubtPolicy } from '../../carriers/carrier.ts';
import { type Pass, WokenLoop, type WokenLoopOptions } from '../../foundation/woken-loop.ts';
import type { RoutingTable } from '../../routing/routing-table.ts';
import type { Context } from '../../storage/context.ts';
import { listReleases, maxReleasedPerStep, releaseNext } from '../conversations/release-records.ts';
import {
  type Departure,
  type DownCarriers,
  fromDownCarriers,
  fromRemovedCarriers,
  listRemovedCarriers,
  Reassignment,
} from '../failover/reassignment.ts';
import { endAssemblies } from '../incoming/parts.ts';
import { lane } from '../message.ts';
import type { DeadNodes } from '../nodes/dead-nodes.ts';
import type { Observer } from '../observer.ts';
import { retryParkedReceipts } from '../receipts/retry-store.ts';
import { type Adopted, type AdoptionPlace, adoptAwaiting, beforeAllOthers } from './adopt-store.ts';
import { expireWaiting, giveUpReceipts, releaseDue } from './due-store.ts';
import { carriersWithWaiting, forgetNode, takeOverInFlight } from './store.ts';

export interface UpkeepOptions extends Context {
  readonly nodeId: number;
  readonly carriers: () => readonly Carrier[];
  /** False while a carrier that this node has to serve is missing from the list, for example between two of its lives. */
  readonly allOpen: () => boolean;
  readonly routes: () => RoutingTable;
  readonly wake: (carrierId: number) => void;
  readonly deadNodes: DeadNodes;
  /** Without it, messages for a carrier that is down keep waiting. */
  readonly failover?: DownCarriers | undefined;
  /** Finds messages claimed here without the node's knowledge. */
  readonly seekOrphans: () => void;
  /** Reports how many receipts of a carrier found no message in the time they had. */
  readonly unmatchedReceipts: (carrier: string, count: number) => void;
  /** Notified of incoming SMS that a sweep delivers. */
  readonly observer?: Pick<Observer, 'incoming'>;
  readonly log: {
    warn(details: object, message: string): void;
    info(details: object, message: string): void;
  };
}

const setSize = 500;
/** Smaller, because each receipt may be looked up under a dozen forms of its id. */
const receiptSetSize = 100;

/** Scheduled and retried messages leave within this time of being due. */
const dueEveryMs = 250;
const expiryEveryMs = 1_000;
const incomingPartsEveryMs = 5_000;
export const deadNodesEveryMs = 5_000;
/** At most this many users at a time have their remaining conversations released. */
const maxUsersPerPass = 20;
const orphansEveryMs = 30_000;
/** Looking for a route for messages without one takes at most a fifth of the time, however slow the store is. */
const removedRest = 4;

export class Upkeep {
  readonly #options: UpkeepOptions;
  readonly #sweeps: WokenLoop[] = [];
  #stopped = false;

  constructor(options: UpkeepOptions) {
    this.#options = options;
  }

  /** Cleans up what earlier lives left behind, then sweeps regularly. */
  async start(): Promise<void> {
    await this.replaceDeadNodes();
    this.#every(dueEveryMs, 'due messages', () => this.wakeDue());
    this.#every(expiryEveryMs, 'expiry', () => this.expire());
    this.#every(incomingPartsEveryMs, 'incoming parts', () => this.endAssemblies());
    this.#every(expiryEveryMs, 'removed carriers', this.#reassigning(fromRemovedCarriers(this.#options)), {
      rest: removedRest,
    });
    const { failover, routes } = this.#options;
    if (failover !== undefined) {
      const down = fromDownCarriers({ ...failover, routes });
      this.#every(expiryEveryMs, 'carriers that are down', this.#reassigning(down));
    }
    this.#every(expiryEveryMs, 'conversations to release', () => this.releaseConversations());
    this.#every(deadNodesEveryMs, 'dead nodes', () => this.replaceDeadNodes());
    this.#every(orphansEveryMs, 'orphans', () => this.#options.seekOrphans());
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#sweeps.map((sweep) => sweep.stop()));
  }

  #reassigning(departure: Departure): Pass {
    const reassignment = new Reassignment(this.#options, departure);
    return (signal) => reassignment.sweep(signal);
  }

  /** Releases what is due now, and wakes dispatch for everything that waits. */
  async wakeDue(): Promise<void> {
    const { store, clock, wake } = this.#options;
    let hasWoken = false;
    await this.#whole(async (limit) => {
      const released = await store.write(releaseDue, { now: clock.now(), limit });
      // After each set, so that with very many messages the first need not wait for the last.
      if (released === 0 && hasWoken) return 0;
      for (const { id } of await store.read(carriersWithWaiting, null)) wake(id);
      hasWoken = true;
      return released;
    });
  }

  async expire(): Promise<void> {
    const { store, clock } = this.#options;
    await this.#whole((limit) => store.write(expireWaiting, { now: clock.now(), limit }));
    await this.#whole((limit) => store.write(giveUpReceipts, { now: clock.now(), limit }));
    await this.#whole(() => this.#retryReceipts());
  }

  async #retryReceipts(): Promise<number> {
    const { store, clock, carriers, unmatchedReceipts } = this.#options;
    const { tried, unmatched } = await store.write(retryParkedReceipts, {
      now: clock.now(),
      limit: receiptSetSize,
    });
    for (const { carrierId, count } of unmatched) {
      const name = carriers().find(({ id }) => id === carrierId)?.name ?? String(carrierId);
      unmatchedReceipts(name, count);
    }
    // Receipts come due all the time, so a loop until none is due would never end with a busy carrier.
    return tried < receiptSetSize ? 0 : tried;
  }

  /** Delivers incoming SMS whose other parts have not arrived in time, with the parts that have. */
  async endAssemblies(): Promise<void> {
    const { store, clock, carriers, observer, log } = this.#options;
    let count = 0;
    await this.#whole(async (limit) => {
      const { delivered, forgotten } = await store.write(endAssemblies, { now: clock.now(), limit });
      for (const { carrierId, routed } of delivered) {
        const carrier = carriers().find(({ id }) => id === carrierId);
        if (carrier !== undefined) observer?.incoming(carrier.name, routed);
      }
      count += delivered.length;
      return delivered.length + forgotten;
    });
    if (count > 0) log.info({ count }, 'delivered incoming SMS with missing parts');
  }

  /**
   * Releases conversations that users can no longer see, if there were too many of them for the transaction that changed the
   * users' rights.
   */
  async releaseConversations(): Promise<void> {
    const { store, clock } = this.#options;
    for (const userId of await store.read(listReleases, maxUsersPerPass))
      await this.#whole(() =>
        store.write(releaseNext, { userId, now: clock.now(), limit: maxReleasedPerStep }),
      );
  }

  /** Messages that a dead node had in flight are in doubt; the receipts that it was waiting for are requested again. */
  async replaceDeadNodes(): Promise<void> {
    const { store, deadNodes, log } = this.#options;
    for (const { nodeId: deadNodeId, fellSilent } of await deadNodes.find()) {
      let inDoubt = 0;
      const wereOpen = this.#options.allOpen();
      const carriers = this.#options.carriers();
      for (const carrier of carriers) inDoubt += await this.#replaceAt(carrier, deadNodeId);
      for (const id of await store.read(listRemovedCarriers, null)) {
        inDoubt += await this.#takeOver(id, 'retry', deadNodeId);
      }
      // The receipts that the node was waiting for can be found only through its row, so the row stays as long as a
      // carrier may have missed them.
      const now = this.#options.carriers();
      const isComplete = wereOpen && carriers.every((carrier) => now.includes(carrier)) && !this.#stopped;
      // The row also stays while the node has messages in flight at a carrier that this node does not know yet.
      const forgotten = isComplete && (await store.write(forgetNode, deadNodeId));
      // A node that ended in an orderly way has left nothing behind.
      if (forgotten && (fellSilent || inDoubt > 0))
        log.info({ deadNodeId, inDoubt }, 'took over from a node that is gone');
    }
  }

  async #replaceAt(carrier: Carrier, deadNodeId: number): Promise<number> {
    const inDoubt = await this.#takeOver(carrier.id, carrier.inDoubtPolicy, deadNodeId);
    if (inDoubt > 0) this.#options.wake(carrier.id);
    await this.adopt(carrier, deadNodeId);
    return inDoubt;
  }

  /** Makes the carrier report the receipts that it would have reported to a node, or in a life, that has ended. */
  async adopt(carrier: Carrier, fromNodeId: number): Promise<void> {
    if (carrier.resume === undefined) return;
    const { store, nodeId } = this.#options;
    for (const from of [lane.interactive, lane.bulk]) {
      let after: AdoptionPlace | null = beforeAllOthers;
      while (after !== null && !this.#stopped) {
        const adopted: Adopted = await store.write(adoptAwaiting, {
          carrierId: carrier.id,
          lane: from,
          fromNodeId,
          nodeId,
          after,
          limit: setSize,
        });
        // This node was stopped meanwhile, and perhaps the carrier too: the receipts belong to this node, so the next one
        // will request them.
        if (this.#stopped) return;
        carrier.resume(adopted.parts);
        after = adopted.next;
      }
    }
  }

  #takeOver(carrierId: number, policy: InDoubtPolicy, deadNodeId: number): Promise<number> {
    const { store, clock } = this.#options;
    return this.#whole((limit) =>
      store.write(takeOverInFlight, { deadNodeId, carrierId, policy, now: clock.now(), limit }),
    );
  }

  /** Repeats a step over a set until a set is empty; returns the total number of rows. */
  async #whole(step: (limit: number) => Promise<number>): Promise<number> {
    let total = 0;
    while (!this.#stopped) {
      const count = await step(setSize);
      total += count;
      if (count === 0) break;
    }
    return total;
  }

  #every(pauseMs: number, what: string, work: Pass, more: Pick<WokenLoopOptions, 'rest'> = {}): void {
    const failed = (error: unknown) =>
      this.#options.log.warn({ error, what }, 'a sweep failed; trying again');
    this.#sweeps.push(new WokenLoop({ pauseMs, failed, ...more }, work).start());
  }
}
