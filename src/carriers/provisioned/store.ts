/** The carriers that the operator has provisioned. */
import { sql } from '../../storage/sql.ts';
import { readVerb, singleWriteVerb } from '../../storage/verb.ts';
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

export interface StoredCarrier extends CarrierRecord {
  readonly removed: number;
  /** Its settings as they are stored. */
  readonly text: string;
}

/** Removed carriers included. */
export const listStoredCarriers = readVerb(
  'carriers.listStored',
  async (reading, _: null): Promise<StoredCarrier[]> => {
    const rows = await reading.all<Omit<StoredCarrier, 'settings'>>(
      sql`SELECT id, name, type, removed, settings AS text FROM carriers ORDER BY id`,
    );
    return rows.map((row) => ({ ...row, settings: JSON.parse(row.text) as Record<string, unknown> }));
  },
);

/** Does nothing when the carrier was changed meanwhile, which sealed it. */
export const sealCarrier = singleWriteVerb(
  'carriers.seal',
  async (
    transaction,
    { id, before, after }: { readonly id: number; readonly before: string; readonly after: string },
  ) => {
    await transaction.run(
      sql`UPDATE carriers SET settings = ${after} WHERE id = ${id} AND settings = ${before}`,
    );
  },
);
