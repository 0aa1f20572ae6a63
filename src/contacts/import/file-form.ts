/** The format of a CSV file that a user brings: its encoding and its columns. */
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

/** Inherited properties such as `constructor` are not fields. */
function fieldNamed(name: string): string | undefined {
  return Object.hasOwn(namesOfFields, name) ? namesOfFields[name] : undefined;
}

/** The columns' likely meanings, guessed from their names; each field goes to the first matching column. */
export function guessedColumns(head: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return head.map((written) => {
    const name = written.trim();
    const field = /^tag:./i.test(name) ? `tag:${name.slice(4).trim()}` : fieldNamed(name.toLowerCase());
    if (field === undefined || taken.has(field)) return ignored;
    taken.add(field);
    return field;
  });
}

/** Why the columns can't be imported in this way. */
export function faultsOfColumns(columns: readonly string[], head: readonly string[]): readonly string[] {
  const used = columns.filter((column) => column !== ignored);
  const faults: string[] = [];
  if (columns.length !== head.length)
    faults.push(`The file has ${head.length} columns, but ${columns.length} were named.`);
  for (const column of new Set(used)) {
    const isKnown = (fields as readonly string[]).includes(column) || /^tag:./.test(column);
    if (!isKnown)
      faults.push(
        `A column must be ${fields.join(', ')}, tag:<type> or ${ignored}, not “${column.slice(0, 40)}”.`,
      );
    if (used.indexOf(column) !== used.lastIndexOf(column)) faults.push(`Two columns are named ${column}.`);
  }
  if (!tellContacts(columns))
    faults.push('One column must be the id, the phone or the e-mail address, to recognise contacts by.');
  return faults;
}

/** Whether a column identifies contacts. */
export function tellContacts(columns: readonly string[]): boolean {
  return columns.some((column) => ['id', 'phone', 'email'].includes(column));
}
