/** The format of a CSV file that a user brings: its encoding, and its columns with their meanings. */
import { fault, quoted, type Result, success } from '../../foundation/result.ts';
import type { Sentence } from '../../foundation/sentences.ts';
import type { BodyBlocks } from '../../http/body/body.ts';

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** The number of bytes at the beginning of a file that are enough to detect its encoding. */
const lookedAtBytes = 4_096;

/**
 * Determined by the byte order mark, else by the zero bytes, or by whether the whole file is UTF-8. Pauses after each piece.
 */
export function* encodingOf(file: BodyBlocks): Generator<undefined, Encoding> {
  const start = file.blocks[0]?.subarray(0, Math.min(lookedAtBytes, file.length)) ?? new Uint8Array();
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be';
  const zeros = (parity: number) => start.filter((byte, at) => byte === 0 && at % 2 === parity).length;
  // At least a third of the characters have a zero byte, as in Latin text in UTF-16; text in any other encoding has no zeros.
  if (zeros(1) > start.length / 6) return 'utf-16le';
  if (zeros(0) > start.length / 6) return 'utf-16be';
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for (const piece of piecesOf(file)) {
      decoder.decode(piece, { stream: true });
      yield;
    }
    decoder.decode();
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}

/** Small enough to be read in a few milliseconds each. */
const pieceBytes = 65_536;

export function* piecesOf(file: BodyBlocks): Generator<Uint8Array> {
  let left = file.length;
  for (const block of file.blocks) {
    const end = Math.min(block.length, left);
    for (let from = 0; from < end; from += pieceBytes)
      yield block.subarray(from, Math.min(from + pieceBytes, end));
    left -= end;
  }
}

/** The possible meanings of a column: a field of the contact, its tags of one type, or not imported. */
export const fields = ['id', 'name', 'phone', 'email', 'app', 'tags'] as const;
/** The column is not imported. */
export const ignored = '-';
const meanings = [...fields, 'tag:<type>', ignored].join(', ');

/** Column names used by other programs' address lists, in English and Swedish. */
const namesOfFields: Readonly<Record<string, (typeof fields)[number]>> = {
  id: 'id',
  'employee id': 'id',
  anställningsnummer: 'id',
  anstnr: 'id',
  name: 'name',
  'full name': 'name',
  'display name': 'name',
  namn: 'name',
  phone: 'phone',
  mobile: 'phone',
  'mobile phone': 'phone',
  cell: 'phone',
  number: 'phone',
  telephone: 'phone',
  'phone number': 'phone',
  telefon: 'phone',
  mobil: 'phone',
  mobiltelefon: 'phone',
  mobilnr: 'phone',
  mob: 'phone',
  tel: 'phone',
  telnr: 'phone',
  telefonnr: 'phone',
  mobilnummer: 'phone',
  telefonnummer: 'phone',
  nummer: 'phone',
  email: 'email',
  'e-mail': 'email',
  mail: 'email',
  'e-post': 'email',
  epost: 'email',
  'e-mail address': 'email',
  'email address': 'email',
  'e-postadress': 'email',
  app: 'app',
  tags: 'tags',
  taggar: 'tags',
};

/** A name in two columns, which are joined if no column has the whole name. */
const givenNames = new Set(['first name', 'firstname', 'given name', 'förnamn', 'tilltalsnamn']);
const familyNames = new Set(['last name', 'lastname', 'surname', 'family name', 'efternamn']);
/** Columns whose values are tags of the type that the column is named after. */
const tagHeadings = new Set(['avd', 'avdelning', 'yrke']);

/** Inherited properties such as `constructor` are not fields. */
function fieldNamed(name: string): string | undefined {
  return Object.hasOwn(namesOfFields, name) ? namesOfFields[name] : undefined;
}

/** Columns, counted from 0, whose texts become one text in the place of the first. */
export type Join = readonly number[];

export interface ColumnMeanings {
  readonly columns: readonly string[];
  readonly joins: readonly Join[];
}

/** The columns' likely meanings, guessed from their names; each field goes to the first matching column. */
export function guessedColumns(head: readonly string[]): ColumnMeanings {
  const taken = new Set<string>();
  const names = head.map((written) => written.trim().replace(/[.:]$/, ''));
  const columns = names.map((name) => {
    const known = name.toLowerCase();
    const type = /^tag:./i.test(name) ? name.slice(4).trim() : tagHeadings.has(known) ? name : undefined;
    const field = type === undefined ? fieldNamed(known) : `tag:${type}`;
    if (field === undefined || taken.has(field)) return ignored;
    taken.add(field);
    return field;
  });
  const places = [givenNames, familyNames]
    .map((known) => names.findIndex((name) => known.has(name.toLowerCase())))
    .filter((place) => place !== -1);
  const [first] = places;
  if (taken.has('name') || first === undefined) return { columns, joins: [] };
  columns[first] = 'name';
  return { columns, joins: places.length > 1 ? [places] : [] };
}

/** `1-2`: the columns' places, counted from 1. */
export function readJoins(written: readonly string[]): Result<readonly Join[]> {
  const joins: Join[] = [];
  for (const join of written) {
    if (!/^[1-9][0-9]{0,3}(?:-[1-9][0-9]{0,3})+$/.test(join))
      return fault('invalid_value', { sentence: 'column_joins' });
    joins.push(join.split('-').map((place) => Number(place) - 1));
  }
  return success(joins);
}

export function writtenJoins(joins: readonly Join[]): string[] {
  return joins.map((join) => join.map((place) => place + 1).join('-'));
}

/** The cells of a row after joining: empty texts are left out, others are separated by spaces. */
export function joinedCells(cells: readonly string[], joins: readonly Join[]): readonly string[] {
  if (joins.length === 0) return cells;
  const joined = [...cells];
  for (const join of joins) {
    const texts = join.map((place) => cells[place]?.trim() ?? '');
    for (const place of join) if (place < joined.length) joined[place] = '';
    const [first = 0] = join;
    while (joined.length < first) joined.push('');
    joined[first] = texts.filter((text) => text !== '').join(' ');
  }
  return joined;
}

/** Why the columns can't be imported in this way. */
export function faultsOfColumns(
  { columns, joins }: ColumnMeanings,
  head: readonly string[],
): readonly Sentence[] {
  const used = columns.filter((column) => column !== ignored);
  const faults: Sentence[] = [];
  if (columns.length !== head.length)
    faults.push({ sentence: 'columns_count', columns: head.length, named: columns.length });
  for (const column of new Set(used)) {
    const isKnown = (fields as readonly string[]).includes(column) || /^tag:./.test(column);
    if (!isKnown) faults.push({ sentence: 'column_unknown', column: quoted(column), known: meanings });
    if (used.indexOf(column) !== used.lastIndexOf(column)) faults.push({ sentence: 'column_twice', column });
  }
  const joined = joins.flat();
  for (const place of joined)
    if (place >= head.length) faults.push({ sentence: 'column_missing', column: place + 1 });
  if (new Set(joined).size < joined.length) faults.push({ sentence: 'column_joined_twice' });
  for (const [first, ...others] of joins) {
    if (first === undefined || columns[first] === ignored) faults.push({ sentence: 'column_of_join' });
    if (others.some((place) => (columns[place] ?? ignored) !== ignored))
      faults.push({ sentence: 'column_joined', ignored });
  }
  if (!tellContacts(columns)) faults.push({ sentence: 'column_of_keys' });
  return faults;
}

/** Whether a column identifies contacts. */
export function tellContacts(columns: readonly string[]): boolean {
  return columns.some((column) => ['id', 'phone', 'email'].includes(column));
}
