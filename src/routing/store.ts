/** The routes that the operator has provisioned. */
import { sql } from '../storage/sql.ts';
import { readVerb } from '../storage/verb.ts';
import type { Route } from './route.ts';

export const listRoutes = readVerb('routing.listRoutes', async (reading, _: null): Promise<Route[]> => {
  const rows = await reading.all<{ name: string; prefix: string; carriers: string }>(
    sql`SELECT name, prefix, carriers FROM routes ORDER BY name`,
  );
  return rows.map(({ name, prefix, carriers }) => ({
    name,
    prefix,
    carriers: JSON.parse(carriers) as string[],
  }));
});
