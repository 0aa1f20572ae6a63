/** Writes comma-separated values (RFC 4180) for spreadsheets, in which no cell is a formula. */
import { stringify } from 'csv-stringify/sync';

export type CsvRow = readonly string[];

/** With a line end behind each. */
export function writeCsvRows(rows: readonly CsvRow[]): string {
  return stringify(rows.map((row) => row.map(withGuard)));
}

/**
 * A spreadsheet takes a cell that begins with one of these signs, or their full-width twins of
 * Japanese keyboards, for a formula: an apostrophe before it keeps it text. Where
 * columns are divided by semicolons, as in much of Europe, it begins a cell behind each of them, quotes or not, and
 * behind the space of a list.
 */
function withGuard(cell: string): string {
  return cell.replace(/^(?='*[=+\-@＝＋－＠\t\r\n])|(?<=[;\t\r\n] ?)(?='*[=+\-@＝＋－＠])/g, "'");
}

/** The cell as it was before it was written. */
export function withoutGuard(cell: string): string {
  return cell.replace(/^'(?='*[=+\-@＝＋－＠\t\r\n])|(?<=[;\t\r\n] ?)'(?='*[=+\-@＝＋－＠])/g, '');
}
