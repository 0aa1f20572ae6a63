/** Companies as the operator has set them up: all SQL that reads and writes their rows whole. */
import { fillIds } from '../storage/ids.ts';
import { differ, oneOf, rowSet, sql } from '../storage/sql.ts';
import type { Row } from '../storage/storable.ts';
import type { Reading, Transaction } from '../storage/verb.ts';
import { type LimitsRow, limitColumns, limitsColumns, limitsOf, limitsRow, setLimits } from './limits-row.ts';
import { retireIds } from './retired-ids.ts';
import type { SendingLimits } from './sending-limits.ts';

export interface CompanyRecord {
  /** Undefined: still to be drawn. */
  readonly id: number | undefined;
  readonly name: string;
  readonly active: boolean;
  readonly quotaParts: number | undefined;
  readonly limits: SendingLimits | undefined;
  readonly defaultSender: string | undefined;
  /** As JSON: its words are those of batches. */
  readonly sendHours: string | undefined;
  readonly allowedDomainEndings: readonly string[];
}

interface CompanyRow extends LimitsRow {
  readonly id: number;
  readonly name: string;
  readonly active: number;
  readonly quota_parts: number | null;
  readonly default_sender: string | null;
  readonly send_hours: string | null;
  readonly email_domain_endings: string | null;
}

export async function readCompanies(reading: Reading): Promise<readonly CompanyRecord[]> {
  const rows = await reading.all<CompanyRow>(
    sql`SELECT id, name, active, quota_parts, ${limitColumns('companies')}, default_sender, send_hours, email_domain_endings FROM companies`,
  );
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    active: row.active === 1,
    quotaParts: row.quota_parts ?? undefined,
    limits: limitsOf(row),
    defaultSender: row.default_sender ?? undefined,
    sendHours: row.send_hours ?? undefined,
    allowedDomainEndings: JSON.parse(row.email_domain_endings ?? '[]') as string[],
  }));
}

export async function hasCompanies(reading: Reading): Promise<boolean> {
  return (await reading.first(sql`SELECT id FROM companies LIMIT 1`)) !== undefined;
}

/** By their names. */
export async function companyIds(
  reading: Reading,
  names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (names.length === 0) return new Map();
  const rows = await reading.all<{ id: number; name: string }>(
    sql`SELECT id, name FROM companies WHERE name ${oneOf('text', [...new Set(names)])}`,
  );
  return new Map(rows.map(({ id, name }) => [name, id]));
}

const columns = {
  id: 'bigint',
  name: 'text',
  active: 'smallint',
  quota_parts: 'bigint',
  default_sender: 'text',
  send_hours: 'text',
  email_domain_endings: 'text',
  ...limitsColumns,
} as const;

function toRow(company: CompanyRecord): Row {
  const { id, name, active, quotaParts, limits, defaultSender, sendHours, allowedDomainEndings } = company;
  return [
    id ?? null,
    name,
    active ? 1 : 0,
    quotaParts ?? null,
    defaultSender ?? null,
    sendHours ?? null,
    JSON.stringify(allowedDomainEndings),
    ...limitsRow(limits),
  ];
}

export async function createCompanies(
  transaction: Transaction,
  companies: readonly CompanyRecord[],
): Promise<void> {
  if (companies.length === 0) return;
  const rows = (await fillIds(transaction, 'company', companies)).map(toRow);
  await transaction.insert('companies', columns, rows);
}

/** What is used of the quota stays: the record says how much is granted. */
export async function updateCompanies(
  transaction: Transaction,
  companies: readonly CompanyRecord[],
): Promise<void> {
  if (companies.length === 0) return;
  await transaction.run(
    sql`UPDATE companies SET active = edited.active, quota_parts = edited.quota_parts,
          default_sender = edited.default_sender, send_hours = edited.send_hours,
          email_domain_endings = edited.email_domain_endings, ${setLimits}
        FROM ${rowSet('edited', columns, companies.map(toRow))} WHERE companies.id = edited.id`,
  );
}

export async function removeCompanies(
  transaction: Transaction,
  companies: readonly CompanyRecord[],
): Promise<void> {
  if (companies.length === 0) return;
  const names = companies.map(({ name }) => name);
  await transaction.run(sql`DELETE FROM companies WHERE name ${oneOf('text', names)}`);
  await retireIds(transaction, 'company', companies);
}

interface Leaving {
  /** Names. */
  readonly companies: readonly string[];
  readonly usernames: readonly string[];
}

/**
 * What refers to a user or company that goes is committed before it, and seen by what follows; what comes later finds it
 * gone. Users come before companies, as everywhere. SQLite has one writer.
 */
export async function lockLeaving(
  transaction: Transaction,
  { companies, usernames }: Leaving,
): Promise<void> {
  if (companies.length + usernames.length === 0) return;
  const lock = differ({ sqlite: '', postgres: 'FOR UPDATE' });
  const leaving = sql`SELECT id FROM companies WHERE name ${oneOf('text', companies)}`;
  await transaction.all(
    sql`SELECT id FROM users WHERE username ${oneOf('text', usernames)} OR company_id IN (${leaving})
        ORDER BY id ${lock}`,
  );
  await transaction.all(sql`${leaving} ORDER BY id ${lock}`);
}
