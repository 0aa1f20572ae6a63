/**
 * Texts of the GSM 7 bit alphabet whose header names national language tables (3GPP TS 23.038 6.2.1.2). They are read; what
 * we send has none.
 */
import { defaultAlphabet, extensionTable } from './gsm7.ts';
import { lockingShiftTables, singleShiftTables } from './national-tables.ts';

/** National language identifiers (3GPP TS 23.038 6.2.1.2.4). 0, and any without a table, stand for the default tables. */
export interface NationalLanguages {
  readonly locking: number;
  readonly single: number;
}

export const noLanguages: NationalLanguages = { locking: 0, single: 0 };

const escapeCode = 0x1b;

export function decodeNational(septets: Uint8Array, languages: NationalLanguages): string {
  const main = mainTable(languages);
  let text = '';
  for (let i = 0; i < septets.length; i++) {
    const code = septets[i]!;
    text += code === escapeCode ? escaped(septets[++i], main, languages.single) : (main[code] ?? '\uFFFD');
  }
  return text;
}

/** What an escape makes of the character behind it, where the two were parted and read each by itself. */
export function escapedCharacter(character: string, languages: NationalLanguages): string {
  const main = mainTable(languages);
  const code = main.indexOf(character);
  return code === -1 ? character : escaped(code, main, languages.single);
}

function mainTable({ locking }: NationalLanguages): string {
  return lockingShiftTables.get(locking) ?? defaultAlphabet;
}

/** What the single shift table lacks is shown from the main one (3GPP TS 23.038 6.2.1.2.2); a space is nothing there. */
function escaped(code: number | undefined, main: string, single: number): string {
  if (code === undefined || code === escapeCode) return ' ';
  const table = singleShiftTables.get(single);
  const character = table === undefined ? extensionTable.get(code) : table[code];
  return character === undefined || character === ' ' ? (main[code] ?? '\uFFFD') : character;
}
