/** Contacts as comma-separated values (RFC 4180): what spreadsheets and personnel systems give, and take back. */
import { fault, quoted, type Result, success } from '../foundation/result.ts';
import type { Store } from '../storage/store.ts';
import { type CsvRow, withoutGuard, writeCsvRows } from '../wire/csv.ts';
import { CsvReader, delimiterOf, titleAbove } from '../wire/csv-rows.ts';
import { withoutDecimals } from '../wire/phone-number.ts';
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
import { listContacts } from './contact-store.ts';

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

/** A column that the file lacks leaves the field of the contacts as it is; an empty cell clears it. */
export function readCsv(text: string, countryCode?: string): CsvContacts {
  const delimiter = delimiterOf(text);
  const csv = new CsvReader(delimiter);
  let rows: FileRows | undefined;
  for (const { cells, line } of csv.read(text, true)) {
    if (rows !== undefined) {
      rows.add(cells, line);
      continue;
    }
    const names = cells.map((name) => name.trim());
    const faults = faultsOfHead(names);
    if (faults.length > 0) {
      const title = titleAbove({ text, areNames: nameContacts }, delimiter);
      return { changes: [], faults: title ? [title] : faults.map((sentence) => ({ line, sentence })) };
    }
    rows = new FileRows(new RowReader(names, countryCode));
  }
  const { broken } = csv;
  if (broken !== undefined)
    return { changes: [], faults: [{ line: broken.line, sentence: `is no CSV: ${broken.sentence}` }] };
  return rows ?? { changes: [], faults: [{ line: 1, sentence: 'the file is empty' }] };
}

/** A file by whose columns contacts are known again. */
function nameContacts(cells: readonly string[]): boolean {
  return cells.some((name) => keyColumns.includes(name.trim().toLowerCase()));
}

const keyColumns: readonly string[] = ['id', 'phone', 'email'];

function faultsOfHead(names: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  const faults: string[] = [];
  for (const written of names.filter((name) => name !== '')) {
    // Two tag types may differ in the case of a letter only.
    const type = tagColumn.exec(written)?.[1];
    const name = type === undefined ? written.toLowerCase() : `tag:${type.trim()}`;
    const isKnown = type !== undefined || (csvColumns as readonly string[]).includes(name);
    if (!isKnown) faults.push(`unknown column ${quoted(name)}; known: ${csvColumns.join(', ')}, tag:<type>`);
    if (seen.has(name)) faults.push(`the column ${quoted(name)} stands twice`);
    seen.add(name);
  }
  if (!keyColumns.some((name) => seen.has(name)))
    faults.push('needs a column id, phone or email, by which contacts are known again');
  return faults;
}

class FileRows implements CsvContacts {
  readonly changes: ContactChange[] = [];
  readonly faults: CsvFault[] = [];
  readonly #listed = new ListedContacts<number>();
  readonly #reader: RowReader;

  constructor(reader: RowReader) {
    this.#reader = reader;
  }

  add(cells: readonly string[], line: number): void {
    const change = this.#reader.read(cells);
    if ('wrong' in change) {
      this.faults.push(...change.wrong.map((sentence) => ({ line, sentence })));
      return;
    }
    const twin = this.#listed.add(change, line);
    if (twin === undefined) this.changes.push(change);
    else this.faults.push({ line, sentence: twinSentence(change, twin) });
  }
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

/** `names`: of the columns; those that it does not know are passed over, and those without a name as long as they are empty. */
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
    const stray = this.#stray(record);
    if (stray !== undefined) return { wrong: [stray] };
    const wrong: string[] = [];
    const cell = (name: string, rule: (written: string) => Result<string> = tidyText) => {
      const place = this.#places.get(name);
      if (place === undefined) return undefined;
      // Spreadsheets leave out the last cells of a row where they are empty.
      const written = record[place] ?? '';
      const value = rule(withoutGuard(written));
      if (value.ok) return value.value;
      wrong.push(`${name}: ${value.error.replace(/\.$/, '')}`);
      return undefined;
    };
    const change: ContactChange = {
      externalId: cell('id') || undefined,
      name: cell('name'),
      phone: cell('phone', (written) => tidyPhone(withoutDecimals(written), this.#countryCode)),
      email: cell('email', tidyEmail),
      app: cell('app'),
      tags: this.#tags(record, wrong),
      remove: false,
    };
    if (wrong.length > 0) return { wrong };
    if (keyOf(change) !== undefined) return change;
    return { wrong: ['has neither id nor phone nor email, by which the contact is known again'] };
  }

  /** What a row holds outside of the columns: its cells have shifted, or something is lost. */
  #stray(record: readonly string[]): string | undefined {
    const place = record.findLastIndex((cell) => cell.trim() !== '');
    const columns = this.#names.length;
    if (place >= columns) return `has ${place + 1} cells, and the first line has ${columns}`;
    const nameless = record.findIndex((cell, at) => this.#names[at] === '' && cell.trim() !== '');
    if (nameless === -1) return undefined;
    return `holds ${quoted(record[nameless] ?? '')} in column ${nameless + 1}, which has no name`;
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

const pageSize = 1_000;

/** All of a book, in the order of their ids. */
export async function* contactPages(store: Store, bookId: number): AsyncGenerator<readonly Contact[]> {
  let afterId = 0;
  for (;;) {
    const page = await store.read(listContacts, { bookId, afterId, limit: pageSize });
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    afterId = last.id;
  }
}

export async function* exportContacts(store: Store, bookId: number): AsyncGenerator<string> {
  yield writeCsvRows([csvColumns]);
  for await (const page of contactPages(store, bookId)) yield writeCsvRows(page.map(csvRow));
}
