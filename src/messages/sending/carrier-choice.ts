/** Chooses the carrier of a message when it is accepted, even if its sender is still to be chosen from the pool. */

import { type CarriersBySender, isNamed } from '../../routing/carriers-by-sender.ts';
import type { Origin } from '../../routing/route.ts';
import type { RoutingTable } from '../../routing/routing-table.ts';
import type { Wanted } from '../pool/lease-book.ts';

export interface CarrierChoice {
  readonly carrierId: number;
  /** For a two-way message whose carrier depends on the number that it is sent from. */
  readonly carriers?: CarriersBySender;
}

/** Chooses the carrier for a recipient; undefined when no route leads there. */
export type ChooseCarrier = (number: string) => CarrierChoice | undefined;

export function carrierChooser(routes: RoutingTable, origin: Origin): ChooseCarrier {
  return (number) => {
    const carrierId = routes.carrierFor(number, origin);
    return carrierId === undefined ? undefined : { carrierId };
  };
}

/** Routes may depend on the sender, which is a number of the pool and known only when the message is stored. */
export function twoWayCarrierChooser(
  routes: RoutingTable,
  { username }: Pick<Origin, 'username'>,
): ChooseCarrier {
  const carriersTo = routes.carriersBySender(username);
  return (number) => {
    const carriers = carriersTo(number);
    const carrierId = routes.carrierFor(number, { sender: '', username }) ?? carriers?.carrierIds[0];
    if (carrierId === undefined) return undefined;
    return carriers === undefined ? { carrierId } : { carrierId, carriers };
  };
}

/** When routes exist for some numbers only, the message is sent from one of them. */
export function numbersFor(carriers: CarriersBySender | undefined): Pick<Wanted, 'only'> {
  if (carriers === undefined || carriers.hasOthers) return {};
  return { only: { has: (number) => isNamed(carriers, number) } };
}
