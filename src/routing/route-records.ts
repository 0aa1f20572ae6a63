/** Routes as the operator has set them up: all SQL that reads and writes them. */
import { oneOf, sql } from '../storage/sql.ts';
import type { Row } from '../storage/storable.ts';
import type { Reading, Transaction } from '../storage/verb.ts';
import type { Route } from './route.ts';

const columns = {
  name: 'text',
  prefix: 'text',
  carriers: 'text',
  senders: 'text',
  users: 'text',
  priority: 'integer',
} as const;

interface RouteRow {
  readonly name: string;
  readonly prefix: string;
  readonly carriers: string;
  readonly senders: string | null;
  readonly users: string | null;
  readonly priority: number;
}

export async function readRoutes(reading: Reading): Promise<Route[]> {
  const rows = await reading.all<RouteRow>(
    sql`SELECT name, prefix, carriers, senders, users, priority FROM routes ORDER BY name`,
  );
  return rows.map(({ name, prefix, carriers, senders, users, priority }) => ({
    name,
    prefix,
    carriers: JSON.parse(carriers) as string[],
    senders: namesOf(senders),
    users: namesOf(users),
    priority,
  }));
}

export async function hasRoutes(reading: Reading): Promise<boolean> {
  return (await reading.first(sql`SELECT name FROM routes LIMIT 1`)) !== undefined;
}

function namesOf(listed: string | null): string[] | undefined {
  return listed === null ? undefined : (JSON.parse(listed) as string[]);
}

function toRow({ name, prefix, carriers, senders, users, priority = 0 }: Route): Row {
  const listed = (names: readonly string[] | undefined) =>
    names === undefined ? null : JSON.stringify(names);
  return [name, prefix, JSON.stringify(carriers), listed(senders), listed(users), priority];
}

/** Makes them, or changes those that are there. */
export async function putRoutes(transaction: Transaction, routes: readonly Route[]): Promise<void> {
  await transaction.insert(
    'routes',
    columns,
    routes.map(toRow),
    `ON CONFLICT (name) DO UPDATE SET prefix = excluded.prefix, carriers = excluded.carriers,
      senders = excluded.senders, users = excluded.users, priority = excluded.priority`,
  );
}

export async function removeRoutes(transaction: Transaction, routes: readonly Route[]): Promise<void> {
  const names = routes.map(({ name }) => name);
  await transaction.run(sql`DELETE FROM routes WHERE name ${oneOf('text', names)}`);
}
