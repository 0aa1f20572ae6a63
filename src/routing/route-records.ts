/** Routes as set up by the operator. */
import { namesWithin } from '../accounts/user-records.ts';
import { RecordTable } from '../storage/record-table.ts';
import { sql } from '../storage/sql.ts';
import { flag, integer, json, optional, text } from '../storage/stored-record.ts';
import { type Reading, readVerb } from '../storage/verb.ts';
import type { Route } from './route.ts';

const names = json<readonly string[]>();

export const routeRecords = new RecordTable<Required<Route>>({
  table: 'routes',
  key: ['name'],
  fields: {
    name: text,
    prefix: text,
    carriers: names,
    senders: optional(names),
    users: optional(names),
    priority: integer,
    simulated: flag,
  },
});

export const listRoutes = readVerb('routing.listRoutes', (reading, _: null) => routeRecords.all(reading));

/** The names of the carriers that a route leads to for any user of the company. */
export const listCarriersOfCompany = readVerb(
  'routing.listCarriersOfCompany',
  async (reading, companyId: number): Promise<ReadonlySet<string>> => {
    const routes = await routeRecords.all(reading);
    const named = routes.flatMap(({ users = [] }) => users);
    const own = await namesWithin(reading, companyId, named);
    const theirs = routes.filter(({ users }) => users?.some((user) => own.has(user)) ?? true);
    return new Set(theirs.flatMap(({ carriers }) => carriers));
  },
);

export async function hasRoutes(reading: Reading): Promise<boolean> {
  return (await reading.first(sql`SELECT name FROM routes LIMIT 1`)) !== undefined;
}
