/** Routes as the operator has set them up: all SQL that reads and writes them. */

import { namesWithin } from '../accounts/user-records.ts';
import { oneOf, raw, sql } from '../storage/sql.ts';
import { flag, integer, json, optional, StoredRecord, text } from '../storage/stored-record.ts';
import { type Reading, readVerb, type Transaction } from '../storage/verb.ts';
import type { Route } from './route.ts';

const names = json<readonly string[]>();

const stored = new StoredRecord({
  name: text,
  prefix: text,
  carriers: names,
  senders: optional(names),
  users: optional(names),
  priority: integer,
  simulated: flag,
});

export async function readRoutes(reading: Reading): Promise<readonly Route[]> {
  const rows = await reading.all<object>(sql`SELECT ${raw(stored.names())} FROM routes ORDER BY name`);
  return rows.map((row) => stored.read(row));
}

export const listRoutes = readVerb('routing.listRoutes', (reading, _: null) => readRoutes(reading));

/** The names of the carriers to which a route leads for any user of the company. */
export const listCarriersOfCompany = readVerb(
  'routing.listCarriersOfCompany',
  async (reading, companyId: number): Promise<ReadonlySet<string>> => {
    const routes = await readRoutes(reading);
    const named = routes.flatMap(({ users = [] }) => users);
    const own = await namesWithin(reading, companyId, named);
    const theirs = routes.filter(({ users }) => users?.some((user) => own.has(user)) ?? true);
    return new Set(theirs.flatMap(({ carriers }) => carriers));
  },
);

export async function hasRoutes(reading: Reading): Promise<boolean> {
  return (await reading.first(sql`SELECT name FROM routes LIMIT 1`)) !== undefined;
}

/** Makes them, or changes those that are there. */
export async function putRoutes(transaction: Transaction, routes: readonly Route[]): Promise<void> {
  await transaction.insert(
    'routes',
    stored.columns,
    routes.map(({ priority = 0, simulated = false, senders, users, ...route }) =>
      stored.row({ ...route, senders, users, priority, simulated }),
    ),
    `ON CONFLICT (name) DO UPDATE SET ${stored.assignments('excluded', ['name'])}`,
  );
}

export async function removeRoutes(transaction: Transaction, routes: readonly Route[]): Promise<void> {
  const names = routes.map(({ name }) => name);
  await transaction.run(sql`DELETE FROM routes WHERE name ${oneOf('text', names)}`);
}
