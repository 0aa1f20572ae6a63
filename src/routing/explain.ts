/** Explains to operators, step by step, which carrier a message would take, and why not another. */
import type { CarrierRecord } from '../carriers/provisioned/carrier-record.ts';
import { admits, compareRank, compareRoutes, type Origin, type Route } from './route.ts';

export interface Step {
  readonly route: Route;
  readonly isTaken: boolean;
  /** Why the step's route is taken or passed over. */
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
  readonly carriers: readonly CarrierRecord[];
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
  const because = (route: Route): string => {
    if (known(route).length === 0) return 'none of its carriers exists any more';
    if (!admits(route, origin)) return limitsOf(route, origin);
    if (!serving.includes(route)) return 'a route with a longer prefix serves this message';
    if (isTaken(route)) return first === undefined ? 'all carriers are down; it waits here' : 'takes it';
    if (first === undefined) return 'failover: its carriers are down too';
    return compareRank(route, first) < 0 ? 'its carriers are down' : 'failover: not needed now';
  };
  const steps = asked.map((route) => ({ route, isTaken: isTaken(route), because: because(route) }));
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
