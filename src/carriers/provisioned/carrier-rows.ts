/**
 * Carriers as the operator has set them up. This module reads their rows, to show and to open them, and provisioning writes
 * them.
 */
import { fillIds } from '../../storage/ids.ts';
import { oneOf, rowSet, sql } from '../../storage/sql.ts';
import type { Store } from '../../storage/store.ts';
import { json, type Kept, StoredRecord, text } from '../../storage/stored-record.ts';
import { type Reading, readVerb, singleWriteVerb, type Transaction } from '../../storage/verb.ts';
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

/** Contains no secret settings and no address of the carrier. */
type ShownCarrier = Pick<CarrierRecord, 'id' | 'name' | 'type'> & {
  /** The maximum number of SMS parts per second. */
  readonly throughput: number | undefined;
};

export async function shownCarriers(store: Store): Promise<readonly ShownCarrier[]> {
  const carriers = await store.read(listCarriers, null);
  return carriers.map(({ id, name, type, settings: { throughput } }) => ({
    id,
    name,
    type,
    throughput: typeof throughput === 'number' && throughput > 0 ? throughput : undefined,
  }));
}

interface StoredCarrier extends CarrierRecord {
  readonly removed: number;
  /** The settings as stored. */
  readonly text: string;
}

/** Includes removed carriers. */
export const listStoredCarriers = readVerb(
  'carriers.listStored',
  async (reading, _: null): Promise<StoredCarrier[]> => {
    const rows = await reading.all<Omit<StoredCarrier, 'settings'>>(
      sql`SELECT id, name, type, removed, settings AS text FROM carriers ORDER BY id`,
    );
    return rows.map((row) => ({ ...row, settings: JSON.parse(row.text) as Record<string, unknown> }));
  },
);

/** Does nothing when the carrier was changed in the meantime, because that change has sealed its settings. */
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

const configured = new StoredRecord({
  name: text,
  type: text,
  /** Passwords in it are sealed. */
  settings: json<Readonly<Record<string, unknown>>>(),
});

export type ConfiguredCarrier = Kept<typeof configured>;

export async function readCarriers(reading: Reading): Promise<readonly ConfiguredCarrier[]> {
  return configured.all(reading)`FROM carriers WHERE removed = 0`;
}

/** The ids of carriers from this id on, including removed carriers. */
export async function carrierIdsFrom(reading: Reading, id: number): Promise<readonly number[]> {
  const rows = await reading.all<{ id: number }>(sql`SELECT id FROM carriers WHERE id >= ${id} ORDER BY id`);
  return rows.map((row) => row.id);
}

/** Counts removed carriers too. */
export async function hasCarriers(reading: Reading): Promise<boolean> {
  return (await reading.first(sql`SELECT id FROM carriers LIMIT 1`)) !== undefined;
}

/** A carrier that returns after its removal gets its old id, because messages refer to it. */
export async function createCarriers(
  transaction: Transaction,
  carriers: readonly ConfiguredCarrier[],
): Promise<void> {
  if (carriers.length === 0) return;
  const withoutIds = carriers.map((carrier) => ({ ...carrier, id: undefined as number | undefined }));
  const filled = await fillIds(transaction, 'carrier', withoutIds);
  await transaction.insert(
    'carriers',
    { id: 'bigint', ...configured.columns },
    filled.map((carrier) => [carrier.id, ...configured.row(carrier)]),
    'ON CONFLICT (name) DO UPDATE SET type = excluded.type, settings = excluded.settings, removed = 0',
  );
}

export async function updateCarriers(
  transaction: Transaction,
  carriers: readonly ConfiguredCarrier[],
): Promise<void> {
  if (carriers.length === 0) return;
  const rows = carriers.map((carrier) => configured.row(carrier));
  await transaction.run(
    sql`UPDATE carriers SET type = edited.type, settings = edited.settings
        FROM ${rowSet('edited', configured.columns, rows)} WHERE carriers.name = edited.name`,
  );
}

/** The carrier's row stays, for the messages that refer to it. */
export async function removeCarriers(
  transaction: Transaction,
  carriers: readonly ConfiguredCarrier[],
): Promise<void> {
  const names = carriers.map(({ name }) => name);
  await transaction.run(sql`UPDATE carriers SET removed = 1 WHERE name ${oneOf('text', names)}`);
}
