/** The carriers that the operator has provisioned. */
import { sql } from '../storage/sql.ts';
import { readVerb } from '../storage/verb.ts';
import type { CarrierRecord, CarrierType } from './carrier-record.ts';

export const listCarriers = readVerb('carriers.list', async (reading, _: null): Promise<CarrierRecord[]> => {
  const rows = await reading.all<{ id: number; name: string; type: string; settings: string }>(
    sql`SELECT id, name, type, settings FROM carriers WHERE removed = 0 ORDER BY id`,
  );
  return rows.map(({ id, name, type, settings }) => ({
    id,
    name,
    type: type as CarrierType,
    settings: JSON.parse(settings) as Record<string, unknown>,
  }));
});
