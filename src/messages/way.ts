/** Which carrier a message is for when it is accepted, also where its sender is still to be chosen from the pool. */
import type { Origin } from '../routing/route.ts';
import type { CarriersBySender, RoutingTable } from '../routing/routing-table.ts';
import type { Wanted } from './lease-book.ts';

export interface Way {
  readonly carrierId: number;
  /** Of a two-way message: where it matters which number it comes from. */
  readonly carriers?: CarriersBySender;
}

/** Undefined: no route leads there. */
export function wayOf(routes: RoutingTable, number: string, origin: Origin): Way | undefined {
  const carrierId = routes.carrierFor(number, origin);
  return carrierId === undefined ? undefined : { carrierId };
}

/** Its sender, by which routes may be chosen, is a number of the pool that is known only when it is stored. */
export function twoWayOf(routes: RoutingTable, number: string, { username }: Origin): Way | undefined {
  const carriers = routes.carriersBySender(number, username);
  const [first] = carriers.bySender.values();
  const carrierId = carriers.others ?? first;
  if (carrierId === undefined) return undefined;
  return first === undefined ? { carrierId } : { carrierId, carriers };
}

/** Where there is a way from some numbers only, it comes from one of them. */
export function numbersFor(carriers: CarriersBySender | undefined): Pick<Wanted, 'only'> {
  if (carriers === undefined || carriers.others !== undefined) return {};
  return { only: new Set(carriers.bySender.keys()) };
}
