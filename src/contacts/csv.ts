/** Contacts as comma-separated values (RFC 4180): what spreadsheets and personnel systems give, and take back. */
import { parse } from 'csv-parse/sync';
import { fault, quoted, type Result, success } from '../foundation/result.ts';
import { type CsvRow, withoutGuard } from '../wire/csv.ts';
import {
  type Contact,
  type ContactChange,
  keyOf,
  ListedContacts,
  type Tag,
  tidyEmail,
  tidyPhone,
  tidyTags,
  tidyText,
} from './contact.ts';

/** Besides these, `tag:role` and the like hold the values of one tag type, with `|` between them. */
export const csvColumns = ['id', 'name', 'phone', 'email', 'app', 'tags'] as const;
const tagColumn = /^tag:(.+)$/i;

export interface CsvFault {
  /** From 1; the line where the row ends. */
  readonly line: number;
  /** Completes the line; no full stop at its end. */
  readonly sentence: string;
}

export interface CsvContacts {
  /** Of the rows without a fault. */
  readonly changes: readonly ContactChange[];
  readonly faults: readonly CsvFault[];
}

export interface CsvRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/** A column that the file lacks leaves the field of the contacts as it is; an empty cell clears it. */
export function readCsv(text: string, countryCode?: string): CsvContacts {
  let records: readonly CsvRecord[];
  try {
    const delimiter = delimiterOf(text);
    const options = { bom: true, delimiter, info: true, relax_column_count: true, skip_empty_lines: true };
    records = parse(text, options) as unknown as readonly CsvRecord[];
  } catch (error) {
    // The library throws at the first place where quotes do not close.
    const { message, lines } = error as Error & { readonly lines?: number };
    return { changes: [], faults: [{ line: lines ?? 1, sentence: `is no CSV: ${message}` }] };
  }
  const [head, ...rows] = records;
  if (head === undefined) return { changes: [], faults: [{ line: 1, sentence: 'the file is empty' }] };
  const names = head.record.map((name) => name.trim());
  const headFaults = faultsOfHead(names).map((sentence) => ({ line: head.info.lines, sentence }));
  if (headFaults.length > 0) return { changes: [], faults: headFaults };
  return readRows(rows, new RowReader(names, countryCode));
}

/** By the first line: one of them separates its names. */
function delimiterOf(text: string): ',' | ';' {
  const [head = ''] = text.split(/\r?\n/, 1);
  return head.includes(';') && !head.includes(',') ? ';' : ',';
}

function faultsOfHead(names: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  const faults: string[] = [];
  for (const written of names) {
    // Two tag types may differ in the case of a letter only.
    const type = tagColumn.exec(written)?.[1];
    const name = type === undefined ? written.toLowerCase() : `tag:${type.trim()}`;
    const isKnown = type !== undefined || (csvColumns as readonly string[]).includes(name);
    if (!isKnown) faults.push(`unknown column ${quoted(name)}; known: ${csvColumns.join(', ')}, tag:<type>`);
    if (seen.has(name)) faults.push(`the column ${quoted(name)} stands twice`);
    seen.add(name);
  }
  if (!['id', 'phone', 'email'].some((name) => seen.has(name)))
    faults.push('needs a column id, phone or email, by which contacts are known again');
  return faults;
}

function readRows(rows: readonly CsvRecord[], reader: RowReader): CsvContacts {
  const changes: ContactChange[] = [];
  const faults: CsvFault[] = [];
  const listed = new ListedContacts<number>();
  for (const { record, info } of rows) {
    const change = reader.read(record);
    if ('wrong' in change) {
      faults.push(...change.wrong.map((sentence) => ({ line: info.lines, sentence })));
      continue;
    }
    const twin = listed.add(change, info.lines);
    if (twin === undefined) changes.push(change);
    else faults.push({ line: info.lines, sentence: twinSentence(change, twin) });
  }
  return { changes, faults };
}

export function twinSentence(
  change: ContactChange,
  twin: { readonly what: string; readonly place: number },
): string {
  const sentence = `the ${twin.what} stands in line ${twin.place} already`;
  return twin.what === keyOf(change) && change.externalId !== undefined
    ? sentence
    : `${sentence}; people who share it need an id each`;
}

/** `names`: of the columns; those that it does not know are passed over. */
export class RowReader {
  readonly #names: readonly string[];
  readonly #places: ReadonlyMap<string, number>;
  readonly #countryCode: string | undefined;

  constructor(names: readonly string[], countryCode: string | undefined) {
    this.#names = names;
    this.#places = new Map(names.map((name, place) => [name.toLowerCase(), place]));
    this.#countryCode = countryCode;
  }

  read(record: readonly string[]): ContactChange | { readonly wrong: readonly string[] } {
    if (record.length !== this.#names.length) {
      return { wrong: [`has ${record.length} cells, and the first line has ${this.#names.length}`] };
    }
    const wrong: string[] = [];
    const cell = (name: string, rule: (written: string) => Result<string> = tidyText) => {
      const written = record[this.#places.get(name) ?? -1];
      if (written === undefined) return undefined;
      const value = rule(withoutGuard(written));
      if (value.ok) return value.value;
      wrong.push(`${name}: ${value.error.replace(/\.$/, '')}`);
      return undefined;
    };
    const change: ContactChange = {
      externalId: cell('id') || undefined,
      name: cell('name'),
      phone: cell('phone', (written) => tidyPhone(written, this.#countryCode)),
      email: cell('email', tidyEmail),
      app: cell('app'),
      tags: this.#tags(record, wrong),
      remove: false,
    };
    if (wrong.length > 0) return { wrong };
    if (keyOf(change) !== undefined) return change;
    return { wrong: ['has neither id nor phone nor email, by which the contact is known again'] };
  }

  /** Undefined when the file has no column of tags. */
  #tags(record: readonly string[], wrong: string[]): readonly Tag[] | undefined {
    let tags: Tag[] | undefined;
    for (const [place, name] of this.#names.entries()) {
      const type = tagColumn.exec(name)?.[1];
      if (type === undefined && name.toLowerCase() !== 'tags') continue;
      tags ??= [];
      const written = withoutGuard(record[place] ?? '');
      const read = type === undefined ? partsOf(written) : tidyTags(valuesOf(type, written));
      if (read.ok) tags.push(...read.value);
      else wrong.push(`${name}: ${read.error}`);
    }
    const tidy = tags === undefined ? undefined : tidyTags(tags);
    if (tidy === undefined || tidy.ok) return tidy?.value;
    wrong.push(tidy.error);
    return undefined;
  }
}

/** `role:nurse;ward:7|8`, as in a tag filter. */
function partsOf(written: string): Result<readonly Tag[]> {
  const parts = written.split(';').filter((part) => part.trim() !== '');
  const bare = parts.find((part) => !part.includes(':'));
  if (bare !== undefined) {
    const sentence = `${quoted(bare.trim())} is no tag; a tag is a type and a value, such as role:nurse, and role:nurse;ward:7|8 are three`;
    return fault('invalid_value', sentence);
  }
  return tidyTags(
    parts.flatMap((part) => {
      const colon = part.indexOf(':');
      return valuesOf(part.slice(0, colon), part.slice(colon + 1));
    }),
  );
}

function valuesOf(type: string, written: string): readonly Tag[] {
  if (written.trim() === '') return [];
  return written.split('|').map((value) => ({ type, value }));
}

/** In the form that `readCsv` reads. */
export function csvRow({ externalId, name, phone, email, app, tags }: Contact): CsvRow {
  return [externalId ?? '', name, phone ?? '', email ?? '', app ?? '', cellOf(tags)];
}

function cellOf(tags: readonly Tag[]): string {
  const types = new Map<string, string[]>();
  for (const { type, value } of tags) types.set(type, [...(types.get(type) ?? []), value]);
  return [...types].map(([type, values]) => `${type}:${values.join('|')}`).join(';');
}

/** The text of a file, with or without a byte order mark. */
export function decodeCsv(bytes: Uint8Array): Result<string> {
  try {
    return success(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return {
      ok: false,
      code: 'bad_encoding',
      error: 'is not UTF-8 text; save it as CSV UTF-8 (in a spreadsheet: Save as, CSV UTF-8)',
    };
  }
}
