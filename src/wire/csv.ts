/** Writes comma-separated values (RFC 4180) for spreadsheets, in which no cell is a formula. */
import { stringify } from 'csv-stringify/sync';

export type CsvRow = readonly string[];

/** Each row ends with a line break. */
export function writeCsvRows(rows: readonly CsvRow[]): string {
  return stringify(rows.map((row) => row.map(withGuard)));
}

/**
 * A spreadsheet takes a cell that begins with one of these characters, or their full-width forms from Japanese keyboards, for
 * a formula. A leading apostrophe keeps it a text. Where columns are separated by semicolons, as in much of Europe, a new
 * cell begins after each semicolon, even within quotes, or after the space that follows it in a list.
 */
function withGuard(cell: string): string {
  return cell.replace(/^(?='*[=+\-@＝＋－＠\t\r\n])|(?<=[;\t\r\n] ?)(?='*[=+\-@＝＋－＠])/g, "'");
}

/** Restores the cell as it was before it was written. */
export function withoutGuard(cell: string): string {
  return cell.replace(/^'(?='*[=+\-@＝＋－＠\t\r\n])|(?<=[;\t\r\n] ?)'(?='*[=+\-@＝＋－＠])/g, '');
}
