/** A route as the store keeps it, for all who read and write it. */
import type { Row } from '../storage/storable.ts';
import type { Route } from './route.ts';

export const routeColumns = {
  name: 'text',
  prefix: 'text',
  carriers: 'text',
  senders: 'text',
  users: 'text',
  priority: 'integer',
} as const;

export interface RouteRow {
  readonly name: string;
  readonly prefix: string;
  readonly carriers: string;
  readonly senders: string | null;
  readonly users: string | null;
  readonly priority: number;
}

export function toRoute({ name, prefix, carriers, senders, users, priority }: RouteRow): Route {
  return {
    name,
    prefix,
    carriers: JSON.parse(carriers) as string[],
    senders: namesOf(senders),
    users: namesOf(users),
    priority,
  };
}

/** In the order of `routeColumns`. */
export function fromRoute({ name, prefix, carriers, senders, users, priority = 0 }: Route): Row {
  const listed = (names: readonly string[] | undefined) =>
    names === undefined ? null : JSON.stringify(names);
  return [name, prefix, JSON.stringify(carriers), listed(senders), listed(users), priority];
}

function namesOf(listed: string | null): string[] | undefined {
  return listed === null ? undefined : (JSON.parse(listed) as string[]);
}
