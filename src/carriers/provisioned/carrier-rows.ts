/** Carriers as the operator has set them up: all SQL that changes which there are. */
import { fillIds } from '../../storage/ids.ts';
import { oneOf, rowSet, sql } from '../../storage/sql.ts';
import type { Reading, Transaction } from '../../storage/verb.ts';

export interface ConfiguredCarrier {
  readonly name: string;
  readonly type: string;
  /** With sealed passwords. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export async function readCarriers(reading: Reading): Promise<readonly ConfiguredCarrier[]> {
  const rows = await reading.all<{ name: string; type: string; settings: string }>(
    sql`SELECT name, type, settings FROM carriers WHERE removed = 0`,
  );
  return rows.map((row) => ({ ...row, settings: JSON.parse(row.settings) as Record<string, unknown> }));
}

/** From that one on, removed ones too. */
export async function carrierIdsFrom(reading: Reading, id: number): Promise<readonly number[]> {
  const rows = await reading.all<{ id: number }>(sql`SELECT id FROM carriers WHERE id >= ${id} ORDER BY id`);
  return rows.map((row) => row.id);
}

/** Removed ones too. */
export async function hasCarriers(reading: Reading): Promise<boolean> {
  return (await reading.first(sql`SELECT id FROM carriers LIMIT 1`)) !== undefined;
}

const columns = { id: 'bigint', name: 'text', type: 'text', settings: 'text' } as const;

function toRow({ name, type, settings }: ConfiguredCarrier, id: number | null) {
  return [id, name, type, JSON.stringify(settings)];
}

/** A carrier that was removed and comes back has its old id: messages refer to it. */
export async function createCarriers(
  transaction: Transaction,
  carriers: readonly ConfiguredCarrier[],
): Promise<void> {
  if (carriers.length === 0) return;
  const withoutIds = carriers.map((carrier) => ({ ...carrier, id: undefined as number | undefined }));
  const filled = await fillIds(transaction, 'carrier', withoutIds);
  await transaction.insert(
    'carriers',
    columns,
    filled.map((carrier) => toRow(carrier, carrier.id)),
    'ON CONFLICT (name) DO UPDATE SET type = excluded.type, settings = excluded.settings, removed = 0',
  );
}

export async function updateCarriers(
  transaction: Transaction,
  carriers: readonly ConfiguredCarrier[],
): Promise<void> {
  if (carriers.length === 0) return;
  const rows = carriers.map((carrier) => toRow(carrier, null));
  await transaction.run(
    sql`UPDATE carriers SET type = edited.type, settings = edited.settings
        FROM ${rowSet('edited', columns, rows)} WHERE carriers.name = edited.name`,
  );
}

/** Its row stays, for the messages that refer to it. */
export async function removeCarriers(
  transaction: Transaction,
  carriers: readonly ConfiguredCarrier[],
): Promise<void> {
  const names = carriers.map(({ name }) => name);
  await transaction.run(sql`UPDATE carriers SET removed = 1 WHERE name ${oneOf('text', names)}`);
}
