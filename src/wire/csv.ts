/** Writes comma-separated values (RFC 4180) for spreadsheets, in which no cell is a formula. */
import { stringify } from 'csv-stringify/sync';
import { withGuard } from './csv-guard.ts';

export type CsvRow = readonly string[];

/** Each row ends with a line break. */
export function writeCsvRows(rows: readonly CsvRow[]): string {
  return stringify(rows.map((row) => row.map(withGuard)));
}
