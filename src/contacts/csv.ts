/** Contacts as comma-separated values (RFC 4180), which spreadsheets and personnel systems export and import. */

import { fault, quoted, type Result, success, why } from '../foundation/result.ts';
import { inEnglish, type Sentence } from '../foundation/sentences.ts';
import type { Store } from '../storage/store.ts';
import { type CsvRow, writeCsvRows } from '../wire/csv.ts';
import { columnTitled } from '../wire/csv-columns.ts';
import { withoutGuard } from '../wire/csv-guard.ts';
import { CsvReader, delimiterOf, titleAbove } from '../wire/csv-rows.ts';
import { lacksCountryCode, withoutDecimals } from '../wire/phone-number.ts';
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

/** In addition, `tag:role` and similar columns hold the values of one tag type, separated by `|`. */
export const csvColumns = ['id', 'name', 'phone', 'email', 'app', 'tags'] as const;
const tagColumn = /^tag:(.+)$/i;

/**
 * What is wrong with a row: a phone number that only lacks a country code, another fault of the number, the e-mail address, a
 * text or the tags, nothing to recognise the contact by, a contact that an earlier row has, or cells outside the columns.
 */
export const faultCauses = [
  'countryCode',
  'number',
  'email',
  'text',
  'tags',
  'noKey',
  'twice',
  'shifted',
] as const;
export type FaultCause = (typeof faultCauses)[number];

export interface RowFault {
  readonly cause: FaultCause;
  /** Completes a sentence that starts with the line. */
  readonly said: Sentence;
}

export function shownFault({ said }: Pick<RowFault, 'said'>): { error: string; errorValues: Sentence } {
  return { error: inEnglish(said), errorValues: said };
}

export interface CsvFault {
  /** Counted from 1; the line where the row ends. */
  readonly line: number;
  /** Completes a sentence that starts with the line. */
  readonly sentence: string;
}

export interface CsvContacts {
  /** Changes from the rows without faults. */
  readonly changes: readonly ContactChange[];
  readonly faults: readonly CsvFault[];
}

/** A column that is missing from the file leaves that field of the contacts unchanged; an empty cell clears it. */
export function readCsv(text: string, countryCode?: string): CsvContacts {
  const delimiter = delimiterOf(text);
  const csv = new CsvReader(delimiter);
  let rows: FileRows | undefined;
  for (const { cells, line } of csv.read(text, true)) {
    if (rows !== undefined) {
      rows.add(cells, line);
      continue;
    }
    const names = cells.map((name) => columnTitled(name, csvColumns) ?? name.trim());
    const faults = faultsOfHead(names);
    if (faults.length > 0) {
      const title = titleAbove({ text, areNames: nameContacts }, delimiter);
      return {
        changes: [],
        faults: title
          ? [{ line: title.line, sentence: inEnglish(title.said) }]
          : faults.map((sentence) => ({ line, sentence })),
      };
    }
    rows = new FileRows(new RowReader(names, countryCode));
  }
  const { broken } = csv;
  if (broken !== undefined)
    return {
      changes: [],
      faults: [{ line: broken.line, sentence: `is not CSV: ${inEnglish(broken.said)}` }],
    };
  return rows ?? { changes: [], faults: [{ line: 1, sentence: 'the file is empty' }] };
}

/** Whether the file has a column that identifies contacts. */
function nameContacts(cells: readonly string[]): boolean {
  return cells.some((name) => columnTitled(name, keyColumns) !== undefined);
}

const keyColumns: readonly string[] = ['id', 'phone', 'email'];

function faultsOfHead(names: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  const faults: string[] = [];
  for (const written of names.filter((name) => name !== '')) {
    // Tag types are case-sensitive.
    const type = tagColumn.exec(written)?.[1];
    const name = type === undefined ? written.toLowerCase() : `tag:${type.trim()}`;
    const isKnown = type !== undefined || (csvColumns as readonly string[]).includes(name);
    if (!isKnown) faults.push(`unknown column ${quoted(name)}; known: ${csvColumns.join(', ')}, tag:<type>`);
    if (seen.has(name)) faults.push(`the column ${quoted(name)} appears twice`);
    seen.add(name);
  }
  if (!keyColumns.some((name) => seen.has(name)))
    faults.push('needs a column id, phone or email, to recognise contacts by');
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
      this.faults.push(...change.wrong.map(({ said }) => ({ line, sentence: inEnglish(said) })));
      return;
    }
    const twin = this.#listed.add(change, line);
    if (twin === undefined) this.changes.push(change);
    else this.faults.push({ line, sentence: inEnglish(twinSentence(change, twin)) });
  }
}

export function twinSentence(
  change: ContactChange,
  twin: { readonly what: string; readonly place: number },
): Sentence {
  const isOwnId = twin.what === keyOf(change) && change.externalId !== undefined;
  return { sentence: isOwnId ? 'row_twice' : 'row_twice_shared', what: twin.what, line: twin.place };
}

/** `names` are the column names. Unknown columns are ignored, and unnamed columns too as long as they are empty. */
export class RowReader {
  readonly #names: readonly string[];
  readonly #places: ReadonlyMap<string, number>;
  readonly #countryCode: string | undefined;

  constructor(names: readonly string[], countryCode: string | undefined) {
    this.#names = names;
    this.#places = new Map(names.map((name, place) => [name.toLowerCase(), place]));
    this.#countryCode = countryCode;
  }

  read(record: readonly string[]): ContactChange | { readonly wrong: readonly RowFault[] } {
    const stray = this.#stray(record);
    if (stray !== undefined) return { wrong: [{ cause: 'shifted', said: stray }] };
    const wrong: RowFault[] = [];
    const cell = (
      name: string,
      rule: (written: string) => Result<string> = tidyText,
      causeOf: (written: string) => FaultCause = () => 'text',
    ) => {
      const place = this.#places.get(name);
      if (place === undefined) return undefined;
      // Spreadsheets leave out the last cells of a row when they are empty.
      const written = record[place] ?? '';
      const value = rule(withoutGuard(written));
      if (value.ok) return value.value;
      wrong.push({ cause: causeOf(written), said: { sentence: 'row_cell', column: name, why: why(value) } });
      return undefined;
    };
    const change: ContactChange = {
      externalId: cell('id') || undefined,
      name: cell('name'),
      phone: cell(
        'phone',
        (written) => tidyPhone(withoutDecimals(written), this.#countryCode),
        (written) => this.#causeOfNumber(written),
      ),
      email: cell('email', tidyEmail, () => 'email'),
      app: cell('app'),
      tags: this.#tags(record, wrong),
      remove: false,
    };
    if (wrong.length > 0) return { wrong };
    if (keyOf(change) !== undefined) return change;
    return { wrong: [{ cause: 'noKey', said: { sentence: 'row_without_key' } }] };
  }

  #causeOfNumber(written: string): FaultCause {
    if (this.#countryCode !== undefined) return 'number';
    return lacksCountryCode(withoutDecimals(withoutGuard(written))) ? 'countryCode' : 'number';
  }

  /** A value in a row outside the columns, which means that its cells have shifted or something is missing. */
  #stray(record: readonly string[]): Sentence | undefined {
    const place = record.findLastIndex((cell) => cell.trim() !== '');
    const columns = this.#names.length;
    if (place >= columns) return { sentence: 'row_cells', cells: place + 1, columns };
    const nameless = record.findIndex((cell, at) => this.#names[at] === '' && cell.trim() !== '');
    if (nameless === -1) return undefined;
    return { sentence: 'row_nameless', cell: quoted(record[nameless] ?? ''), column: nameless + 1 };
  }

  /** Undefined when the file has no tag columns. */
  #tags(record: readonly string[], wrong: RowFault[]): readonly Tag[] | undefined {
    let tags: Tag[] | undefined;
    for (const [place, name] of this.#names.entries()) {
      const type = tagColumn.exec(name)?.[1];
      if (type === undefined && name.toLowerCase() !== 'tags') continue;
      tags ??= [];
      const written = withoutGuard(record[place] ?? '');
      const read = type === undefined ? partsOf(written) : tidyTags(valuesOf(type, written));
      if (read.ok) tags.push(...read.value);
      else wrong.push({ cause: 'tags', said: { sentence: 'row_cell', column: name, why: why(read) } });
    }
    const tidy = tags === undefined ? undefined : tidyTags(tags);
    if (tidy === undefined || tidy.ok) return tidy?.value;
    wrong.push({ cause: 'tags', said: { sentence: 'row_cell', column: 'tags', why: why(tidy) } });
    return undefined;
  }
}

/** `role:nurse;ward:7|8`, as in a tag filter. */
function partsOf(written: string): Result<readonly Tag[]> {
  const parts = written.split(';').filter((part) => part.trim() !== '');
  const bare = parts.find((part) => !part.includes(':'));
  if (bare !== undefined)
    return fault('invalid_value', { sentence: 'tag_without_type', tag: quoted(bare.trim()) });
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

/** All contacts of a book, in id order. */
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
