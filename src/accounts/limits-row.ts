/** The columns of what a company or a user may send at most: those two tables have them alike. */

import { type Fragment, raw } from '../storage/sql.ts';
import type { Row } from '../storage/storable.ts';
import type { SendingLimits } from './sending-limits.ts';

export const limitsColumns = {
  parts_per_minute: 'bigint',
  parts_per_day: 'bigint',
  allowed_countries: 'text',
} as const;

export interface LimitsRow {
  readonly parts_per_minute: number | null;
  readonly parts_per_day: number | null;
  readonly allowed_countries: string | null;
}

export function limitColumns(table: 'companies' | 'users'): Fragment {
  return raw(
    Object.keys(limitsColumns)
      .map((column) => `${table}.${column}`)
      .join(', '),
  );
}

export function limitsOf(row: LimitsRow): SendingLimits | undefined {
  const limits = {
    partsPerMinute: row.parts_per_minute ?? undefined,
    partsPerDay: row.parts_per_day ?? undefined,
    countries: row.allowed_countries === null ? undefined : (JSON.parse(row.allowed_countries) as string[]),
  };
  return Object.values(limits).every((limit) => limit === undefined) ? undefined : limits;
}

/** In the order of `limitsColumns`. */
export function limitsRow(limits: SendingLimits | undefined): Row {
  const { partsPerMinute, partsPerDay, countries } = limits ?? {};
  return [
    partsPerMinute ?? null,
    partsPerDay ?? null,
    countries === undefined ? null : JSON.stringify(countries),
  ];
}

/** What is counted of the minute and the day stays: the file says what is allowed. */
export const setLimits = raw(
  Object.keys(limitsColumns)
    .map((column) => `${column} = edited.${column}`)
    .join(', '),
);
