/** Prints lists and changes: as a table or sentences for people, or as JSON for programs. */
import { Option } from 'commander';
import { StartError } from '../foundation/errors.ts';
import { print, printable, printJson } from '../foundation/terminal.ts';

/** Every command that shows or changes something has it. */
export const jsonOption = ['--json', 'as JSON, for programs'] as const;

export interface JsonOption {
  readonly json?: boolean;
}

/** Every command that lists the latest of many has it. */
export function limitOption(shown: number, most: number): Option {
  return new Option('--limit <count>', 'show at most this many').default(shown).argParser((text) => {
    if (/^[1-9][0-9]{0,5}$/.test(text) && Number(text) <= most) return Number(text);
    throw new StartError(`The limit is a number from 1 to ${most}, not ${JSON.stringify(text)}.`);
  });
}

export interface Shape<Item> {
  /** The sentence for people when there is nothing. */
  readonly none: string;
  readonly columns: Readonly<Record<string, (item: Item) => string>>;
  readonly toJson: (item: Item) => object;
}

export function printList<Item>(
  items: readonly Item[],
  { none, columns, toJson }: Shape<Item>,
  { json = false }: JsonOption,
): void {
  const cells = Object.values(columns);
  if (json) printJson(items.map(toJson), 2);
  else if (items.length === 0) print(none);
  else
    printTable(
      Object.keys(columns),
      items.map((item) => cells.map((cell) => cell(item))),
    );
}

/** A line for each fact: its name and what it is. */
export function factLines(facts: readonly (readonly [string, string])[]): readonly string[] {
  return facts.map(([name, value]) => `${name.padEnd(10)}${value}`.trimEnd());
}

/** What a command has changed. */
export function printChange(
  change: object,
  sentences: readonly string[],
  { json = false }: JsonOption,
): void {
  if (json) printJson(change, 2);
  else print(...sentences);
}

/** A time as programs read it. */
export function iso(time: number): string;
export function iso(time: number | undefined): string | undefined;
export function iso(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}

/** What a terminal shows at least. */
const width = 80;
const indent = '    ';

/** Columns are as wide as they need, with nothing around them. `notes` has sentences for each row, which stand below it, wrapped. */
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

/** The same of a time as the API writes it. */
export function instantOf(time: string): string {
  return instant(Date.parse(time));
}
