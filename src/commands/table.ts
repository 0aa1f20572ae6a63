/** Prints rows as a table for people: columns as wide as they need, nothing around them. */
import { printable, print } from '../foundation/terminal.ts';

/** What a terminal shows at least. */
const width = 80;
const indent = '    ';

/** `notes` has sentences for each row, which stand below it, wrapped. */
export function printTable(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  notes: readonly (readonly string[])[] = [],
): void {
  print(...tableLines(heads, rows, notes));
}

export function tableLines(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  notes: readonly (readonly string[])[],
): readonly string[] {
  const table = [heads, ...rows].map((row) => row.map(printable));
  const widths = heads.map((_, column) => Math.max(...table.map((row) => (row[column] ?? '').length)));
  return table.flatMap((row, index) => {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    const below = notes[index - 1] ?? [];
    return [cells.join('  ').trimEnd(), ...below.flatMap((note) => wrapped(printable(note)))];
  });
}

/** At its spaces: a word that is longer than a line stays whole. */
function wrapped(text: string): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent.length + line.length + 1 + word.length > width) {
      lines.push(indent + line);
      line = word;
    } else line += line === '' ? word : ` ${word}`;
  }
  return [...lines, indent + line];
}

/** A time as people compare it: UTC, to the second. */
export function instant(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}
