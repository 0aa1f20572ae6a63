/**
 * Leads what waits for a carrier that is down for a while, or was removed, to another of its routes. Only what was never
 * handed over goes, and to no carrier that refused it: what may be with its carrier, or is in part, waits for that one.
 * However much no route serves, a sweep looks at some of it only, and the next one goes on from there.
 */
import type { Clock } from '../../foundation/clock.ts';
import type { RoutingTable } from '../../routing/routing-table.ts';
import type { Store } from '../../storage/store.ts';
import { stage } from '../message.ts';
import type { CarrierStates } from '../nodes/carrier-states.ts';
import {
  listRemovedCarriers,
  listWaiting,
  moveWaiting,
  type WaitingMessage,
  type WaitingPlace,
} from './store.ts';

interface ReassignmentOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly routes: () => RoutingTable;
  /** Something waits in a carrier's line. */
  readonly wake: (carrierId: number) => void;
  readonly log: { info(details: object, message: string): void };
}

/** The carriers that messages leave, and where these go. */
export interface Departure {
  readonly stages: readonly number[];
  /** What the messages' timelines say. */
  readonly reason: string;
  /** What the log says. */
  readonly done: string;
  readonly carriers: () => Promise<readonly number[]> | readonly number[];
  /** `isTried`: by the routes of now, all that waited was looked at before. */
  readonly maxIdleSets: (carrierId: number, isTried: boolean) => number;
  /** One of the message's carriers, which is none of these. */
  readonly carrierBeside: (left: ReadonlySet<number>, message: WaitingMessage) => number | undefined;
}

/** The walk along what waits for a carrier. */
interface Walk {
  /** Undefined: a new round begins. */
  after?: WaitingPlace | undefined;
  /** By which all of the round was looked at so far; undefined: they changed on the way. */
  routes?: RoutingTable | undefined;
  /** By which a whole round was made: what it left has no way by these. */
  tried?: RoutingTable | undefined;
}

const setSize = 500;

export class Reassignment {
  readonly #options: ReassignmentOptions;
  readonly #departure: Departure;
  readonly #walks = new Map<number, Walk>();

  constructor(options: ReassignmentOptions, departure: Departure) {
    this.#options = options;
    this.#departure = departure;
  }

  async sweep(isStopped: () => boolean): Promise<void> {
    const carriers = await this.#departure.carriers();
    for (const id of [...this.#walks.keys()]) if (!carriers.includes(id)) this.#walks.delete(id);
    for (const carrierId of carriers) {
      const moved = await this.#reassign(carrierId, isStopped);
      if (moved > 0) this.#options.log.info({ carrierId, moved }, this.#departure.done);
    }
  }

  /** Goes on as long as it finds some to move, and looks at no message twice in one sweep. */
  async #reassign(carrierId: number, isStopped: () => boolean): Promise<number> {
    const { store, routes } = this.#options;
    const { stages, maxIdleSets } = this.#departure;
    const walk = this.#walks.get(carrierId) ?? {};
    this.#walks.set(carrierId, walk);
    const maxIdle = maxIdleSets(carrierId, routes() === walk.tried);
    let moved = 0;
    for (let idle = 0; idle < maxIdle && !isStopped(); ) {
      if (walk.after === undefined) walk.routes = routes();
      const waiting = await store.read(listWaiting, { carrierId, stages, after: walk.after, limit: setSize });
      const count = await this.#move(carrierId, waiting);
      moved += count;
      if (count === 0) idle += 1;
      if (routes() !== walk.routes) walk.routes = undefined;
      walk.after = waiting.length < setSize ? undefined : waiting.at(-1);
      if (walk.after !== undefined) continue;
      walk.tried = walk.routes;
      break;
    }
    return moved;
  }

  async #move(fromCarrierId: number, waiting: readonly WaitingMessage[]): Promise<number> {
    const { store, clock, wake } = this.#options;
    const { carrierBeside, reason } = this.#departure;
    const moves = waiting.flatMap((message) => {
      if (!message.isWhole) return [];
      const to = carrierBeside(new Set([fromCarrierId, ...message.refusedBy]), message);
      return to === undefined ? [] : [[message.companyId, message.id, to] as const];
    });
    if (moves.length === 0) return 0;
    const moved = await store.write(moveWaiting, { fromCarrierId, moves, reason, now: clock.now() });
    for (const to of new Set(moves.map(([, , carrierId]) => carrierId))) wake(to);
    return moved;
  }
}

interface RouteSource {
  readonly routes: () => RoutingTable;
}

export interface DownCarriers {
  readonly states: Pick<CarrierStates, 'downFor' | 'isUp'>;
  /** How long a carrier must have been down at every node. */
  readonly afterMs: number;
}

/** Messages leave carriers that are down for a while, to one that is up. What is due later stays: the carrier may be back by then. */
export function fromDownCarriers({ routes, states, afterMs }: DownCarriers & RouteSource): Departure {
  const isUp = (id: number) => states.isUp(id);
  return {
    stages: [stage.waiting, stage.retrying],
    reason: 'the carrier that it waited for was down',
    done: 'led messages from a carrier that is down to others',
    carriers: () => states.downFor(afterMs),
    // Where no other stands beside it, only routes that were changed since lead away.
    maxIdleSets: (carrierId) => (routes().hasOtherBeside(carrierId, isUp) ? 10 : 1),
    carrierBeside: (left, message) =>
      routes().fitCarrierFor(message.recipient, message, (id) => !left.has(id) && isUp(id)),
  };
}

/** Messages leave carriers that were removed, to wherever the routes of today lead. Without a way it waits on, and expires. */
export function fromRemovedCarriers({ routes, store }: { readonly store: Store } & RouteSource): Departure {
  return {
    stages: [stage.waiting, stage.scheduled, stage.retrying],
    reason: 'the carrier that it waited for was removed',
    done: 'led messages from a carrier that was removed to others',
    carriers: () => store.read(listRemovedCarriers, null),
    // A million messages without a way are looked through in under a minute; after that, only what has come since.
    maxIdleSets: (_, isTried) => (isTried ? 1 : 40),
    carrierBeside: (left, message) => routes().carrierAfter(left, message.recipient, message),
  };
}
