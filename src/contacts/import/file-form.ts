/** What kind of CSV file somebody brings: its encoding, and what its columns are. */
import type { BodyBlocks } from '../../http/body/body.ts';

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** Of the beginning of a file, enough to tell by. */
const lookedAtBytes = 4_096;

/** By its byte order mark; else by its zeros, or by whether all of it is UTF-8. Goes on after each piece. */
export function* encodingOf(file: BodyBlocks): Generator<undefined, Encoding> {
  const start = file.blocks[0]?.subarray(0, Math.min(lookedAtBytes, file.length)) ?? new Uint8Array();
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be';
  const zeros = (parity: number) => start.filter((byte, at) => byte === 0 && at % 2 === parity).length;
  // A third of the characters of a Latin text, at least: a text without any has none.
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

/** Small enough that each takes a few milliseconds to be read. */
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

/** What a column is: of a contact, its tags of one type, or nothing that is imported. */
export const fields = ['id', 'name', 'phone', 'email', 'app', 'tags'] as const;
/** Not imported. */
export const ignored = '-';

/** As address lists of other programs call them, in English and Swedish. */
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

/** What every object has by birth, such as `constructor`, is no field. */
function fieldNamed(name: string): string | undefined {
  return Object.hasOwn(namesOfFields, name) ? namesOfFields[name] : undefined;
}

/** What the columns seem to be by their names: each field at the first that fits. */
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

/** Why columns can't be imported so. */
export function faultsOfColumns(columns: readonly string[], head: readonly string[]): readonly string[] {
  const used = columns.filter((column) => column !== ignored);
  const faults: string[] = [];
  if (columns.length !== head.length)
    faults.push(`The file has ${head.length} columns, and ${columns.length} were named.`);
  for (const column of new Set(used)) {
    const isKnown = (fields as readonly string[]).includes(column) || /^tag:./.test(column);
    if (!isKnown)
      faults.push(
        `A column is ${fields.join(', ')}, tag:<type> or ${ignored}, not “${column.slice(0, 40)}”.`,
      );
    if (used.indexOf(column) !== used.lastIndexOf(column)) faults.push(`Two columns are named ${column}.`);
  }
  if (!tellContacts(columns))
    faults.push(
      'One column has to be the id, the phone or the e-mail address, by which contacts are known again.',
    );
  return faults;
}

/** Whether there is one by which contacts are known again. */
export function tellContacts(columns: readonly string[]): boolean {
  return columns.some((column) => ['id', 'phone', 'email'].includes(column));
}
