/** Explains to operators, step by step, which carrier a message would take, and why not another. */
import type { CarrierRecord } from '../carriers/provisioned/carrier-record.ts';
import { admits, compareRank, compareRoutes, type Origin, type Route } from './route.ts';

/** Why a route is taken or passed over, in the words of commands; a limited route also says for whom it is. */
export const reasons = {
  noCarrier: 'none of its carriers exists any more',
  limited: 'only for others',
  shorterPrefix: 'a route with a longer prefix serves this message',
  waits: 'all carriers are down; it waits here',
  takes: 'takes it',
  failoverDown: 'failover: its carriers are down too',
  down: 'its carriers are down',
  failover: 'failover: not needed now',
} as const;

export type Reason = keyof typeof reasons;

export interface Step {
  readonly route: Route;
  readonly isTaken: boolean;
  readonly reason: Reason;
  /** The reason in words. */
  readonly because: string;
}

export interface Explanation {
  /** The routes whose prefix matches the number, in the order in which they are tried. */
  readonly steps: readonly Step[];
  /** The names of the carriers that take turns with such messages; empty when no route leads there. */
  readonly carriers: readonly string[];
  /** Whether none of these carriers is usable, so that the message waits. */
  readonly waits: boolean;
}

interface Question {
  readonly routes: readonly Route[];
  readonly carriers: readonly Pick<CarrierRecord, 'id' | 'name'>[];
  readonly isUsable: (carrierId: number) => boolean;
  readonly number: string;
  readonly origin: Origin;
}

export function explainRoutes({ routes, carriers, isUsable, number, origin }: Question): Explanation {
  const ids = new Map(carriers.map(({ id, name }) => [name, id]));
  const known = (route: Route) => route.carriers.filter((name) => ids.has(name));
  const usable = (route: Route) => known(route).filter((name) => isUsable(ids.get(name) as number));
  const asked = routes.filter(({ prefix }) => number.startsWith(prefix)).sort(compareRoutes);
  const fitting = asked.filter((route) => admits(route, origin) && known(route).length > 0);
  const serving = fitting.filter(({ prefix }) => prefix === fitting[0]?.prefix);
  const first = serving.find((route) => usable(route).length > 0);
  const rank = first ?? serving[0];
  const isTaken = (route: Route) =>
    rank !== undefined && serving.includes(route) && compareRank(route, rank) === 0;
  const reasonOf = (route: Route): Reason => {
    if (known(route).length === 0) return 'noCarrier';
    if (!admits(route, origin)) return 'limited';
    if (!serving.includes(route)) return 'shorterPrefix';
    if (isTaken(route)) return first === undefined ? 'waits' : 'takes';
    if (first === undefined) return 'failoverDown';
    return compareRank(route, first) < 0 ? 'down' : 'failover';
  };
  const steps = asked.map((route): Step => {
    const reason = reasonOf(route);
    const because = reason === 'limited' ? limitsOf(route, origin) : reasons[reason];
    return { route, isTaken: isTaken(route), reason, because };
  });
  const taking = serving.filter(isTaken).flatMap(first === undefined ? known : usable);
  return { steps, carriers: [...new Set(taking)], waits: serving.length > 0 && first === undefined };
}

function limitsOf({ senders, users }: Route, { sender, username }: Origin): string {
  const lacking = [
    ...(users?.includes(username) === false ? [limit('user', users)] : []),
    ...(senders?.includes(sender) === false ? [limit('sender', senders)] : []),
  ];
  return `only for the ${lacking.join(' and the ')}`;
}

function limit(noun: string, names: readonly string[]): string {
  return `${noun}${names.length === 1 ? '' : 's'} ${names.join(', ')}`;
}
