/** The routes that the operator has provisioned. */
import { sql } from '../storage/sql.ts';
import { readVerb } from '../storage/verb.ts';
import type { Route } from './route.ts';
import { type RouteRow, toRoute } from './route-row.ts';

export const listRoutes = readVerb(
  'routing.listRoutes',
  async (reading, _: null): Promise<Route[]> =>
    (
      await reading.all<RouteRow>(
        sql`SELECT name, prefix, carriers, senders, users, priority FROM routes ORDER BY name`,
      )
    ).map(toRoute),
);
