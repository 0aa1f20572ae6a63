/** Which carrier a message is for when it is accepted, also where its sender is still to be chosen from the pool. */

import { type CarriersBySender, isNamed } from '../../routing/carriers-by-sender.ts';
import type { Origin } from '../../routing/route.ts';
import type { RoutingTable } from '../../routing/routing-table.ts';
import type { Wanted } from '../pool/lease-book.ts';

export interface Way {
  readonly carrierId: number;
  /** Of a two-way message: where it matters which number it comes from. */
  readonly carriers?: CarriersBySender;
}

/** The way to a recipient; undefined: no route leads there. */
export type WayTo = (number: string) => Way | undefined;

export function waysOf(routes: RoutingTable, origin: Origin): WayTo {
  return (number) => {
    const carrierId = routes.carrierFor(number, origin);
    return carrierId === undefined ? undefined : { carrierId };
  };
}

/** The sender, by which routes may be chosen, is a number of the pool that is known only when a message is stored. */
export function twoWaysOf(routes: RoutingTable, { username }: Pick<Origin, 'username'>): WayTo {
  const carriersTo = routes.carriersBySender(username);
  return (number) => {
    const carriers = carriersTo(number);
    const carrierId = routes.carrierFor(number, { sender: '', username }) ?? carriers?.carrierIds[0];
    if (carrierId === undefined) return undefined;
    return carriers === undefined ? { carrierId } : { carrierId, carriers };
  };
}

/** Where there is a way from some numbers only, it comes from one of them. */
export function numbersFor(carriers: CarriersBySender | undefined): Pick<Wanted, 'only'> {
  if (carriers === undefined || carriers.hasOthers) return {};
  return { only: { has: (number) => isNamed(carriers, number) } };
}
