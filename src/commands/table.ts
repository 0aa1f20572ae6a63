/** Prints rows as a table for people: columns as wide as they need, nothing around them. */
import { printable } from '../foundation/printable.ts';
import { print } from '../foundation/terminal.ts';

export function printTable(heads: readonly string[], rows: readonly (readonly string[])[]): void {
  const table = [heads, ...rows].map((row) => row.map(printable));
  const widths = heads.map((_, column) => Math.max(...table.map((row) => (row[column] ?? '').length)));
  for (const row of table) {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    print(cells.join('  ').trimEnd());
  }
}

/** A time as people compare it: UTC, to the second. */
export function instant(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}
