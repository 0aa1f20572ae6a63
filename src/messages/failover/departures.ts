/** Which carriers messages leave that wait for them: those that are down for a while, and those that were removed. */
import type { RoutingTable } from '../../routing/routing-table.ts';
import type { Store } from '../../storage/store.ts';
import { stage } from '../message.ts';
import type { CarrierStates } from '../nodes/carrier-states.ts';
import type { Departure } from './reassignment.ts';
import { listRemovedCarriers } from './store.ts';

interface RouteSource {
  readonly routes: () => RoutingTable;
}

export interface DownCarriers {
  readonly states: Pick<CarrierStates, 'downFor' | 'isUp'>;
  /** How long a carrier must have been down at every node. */
  readonly afterMs: number;
}

/** To one that is up. What is due later stays: the carrier may be back by then. */
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

/** To wherever the routes of today lead. Without a way it waits on, and expires. */
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
