/** Prints lists and changes: as a table or sentences for people, or as JSON for programs. */
import { Option } from 'commander';
import { StartError } from '../foundation/errors.ts';
import { print, printable, printJson } from '../foundation/terminal.ts';

/** An option of every command that shows or changes something. */
export const jsonOption = ['--json', 'as JSON, for programs'] as const;

export interface JsonOption {
  readonly json?: boolean;
}

/** An option of every command that lists the latest of many items. */
export function limitOption(shown: number, most: number): Option {
  return new Option('--limit <count>', 'show at most this many').default(shown).argParser((text) => {
    if (/^[1-9][0-9]{0,5}$/.test(text) && Number(text) <= most) return Number(text);
    throw new StartError(`The limit must be a number from 1 to ${most}, not ${JSON.stringify(text)}.`);
  });
}

/** The headings of a table in order, and each row's value below them. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => string | undefined>>;

/** The same columns for items from another source. */
export function columnsBy<Item, Row>(rowOf: (item: Item) => Row, columns: Columns<Row>): Columns<Item> {
  const cells = Object.entries(columns).map(([head, cell]) => [head, (item: Item) => cell(rowOf(item))]);
  return Object.fromEntries(cells) as Columns<Item>;
}

export interface Shape<Item> {
  /** The sentence for people when the list is empty. */
  readonly none: string;
  readonly columns: Columns<Item>;
  /** Without it, programs get the item itself. */
  readonly toJson?: (item: Item) => object;
}

export function printList<Item>(
  items: readonly Item[],
  { none, columns, toJson }: Shape<Item>,
  { json = false }: JsonOption,
): void {
  if (json) printJson(toJson === undefined ? items : items.map(toJson), 2);
  else if (items.length === 0) print(none);
  else printRows(items, columns);
}

/** Leaves out columns that have no value in any row because the source of the rows doesn't know it. */
export function printRows<Row>(rows: readonly Row[], columns: Columns<Row>): void {
  const shown = Object.entries(columns)
    .map(([head, cell]) => ({ head, cells: rows.map(cell) }))
    .filter(({ cells }) => cells.length === 0 || cells.some((cell) => cell !== undefined));
  printTable(
    shown.map(({ head }) => head),
    rows.map((_, row) => shown.map(({ cells }) => cells[row] ?? '')),
  );
}

/** A list is shown with one line per entry; undefined means that the fact is unknown and left out. */
export type Fact = readonly [name: string, value: string | readonly string[] | undefined];

export function factLines(facts: readonly Fact[], nameWidth = 10): readonly string[] {
  return facts.flatMap(([name, value]) =>
    (value === undefined ? [] : [value].flat()).map((line, index) =>
      `${(index === 0 ? name : '').padEnd(nameWidth)}${line}`.trimEnd(),
    ),
  );
}

/** Prints what a command has changed. */
export function printChange(
  change: object,
  sentences: readonly string[],
  { json = false }: JsonOption,
): void {
  if (json) printJson(change, 2);
  else print(...sentences);
}

/** A time in the form that programs get. */
export function iso(time: number): string;
export function iso(time: number | undefined): string | undefined;
export function iso(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}

/** The width that any terminal shows. */
const width = 80;
const indent = '    ';

/** Columns are as wide as needed, without borders. `notes` holds sentences for each row, which follow below it, wrapped. */
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

/** Wraps at spaces; a word that is longer than a line stays whole. */
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

/** A time in a form that people can compare: UTC, to the second. A string is a time as the API writes it. */
export function instant(time: number | string): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}
