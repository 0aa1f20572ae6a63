/** Tests the national language tables against known texts, and against the rules that hold for each of them. */
import { describe, expect, test } from 'vitest';
import { decodeGsm7 } from './gsm7.ts';
import {
  decodeNational,
  escapedCharacter,
  lockingShiftTables,
  noLanguages,
  singleShiftTables,
} from './national-gsm7.ts';

const decoded = (hex: string, locking: number, single: number) =>
  decodeNational(Buffer.from(hex.replaceAll(' ', ''), 'hex'), { locking, single });

describe('texts', () => {
  test.each([
    ['Turkish', 1, 1, '1d 69 6d 64 69 20 40 7a 6d 69 72 20 07 0c 60', 'şimdi İzmir ığç'],
    ['Turkish, single shift alone', 0, 1, '1b47 1b67 1b49 1b69 1b53 1b73 1b63', 'ĞğİıŞşç'],
    ['Spanish', 0, 2, '61 1b61 1b69 1b6f 1b75 1b09', 'aáíóúç'],
    ['Portuguese', 3, 3, '04 06 7b 7c 1b05 1b12', 'êúãõêΦ'],
    ['Bengali', 4, 4, '15 16 1b19 1b1c', '\u0995\u0996\u09e6\u09e8'],
    ['Gujarati', 5, 5, '15 50 1b1c', '\u0a95\u0abe\u0ae6'],
    ['Hindi', 6, 6, '2e 2f 38 4d 24 52', '.\u0928\u0038\u0939\u0921\u0940'],
    ['Kannada', 7, 7, '15 24 2c 1b1c', '\u0c95\u0ca1,\u0ce6'],
    ['Malayalam', 8, 8, '15 1b2e', '\u0d15\u0d7a'],
    ['Oriya', 9, 9, '15 1b1c', '\u0b15\u0b66'],
    ['Punjabi', 10, 10, '15 1b1c', '\u0a15\u0a66'],
    ['Tamil', 11, 11, '15 1b24', '\u0b95\u0bee'],
    ['Telugu', 12, 12, '15 1b22 1b65', '\u0c15\u0c6c€'],
    ['Urdu', 13, 13, '00 01 1b1c', '\u0627\u0622\u06f0'],
  ])(
    '[INC-4] A text in a national GSM-7 alphabet is decoded: %s',
    (_language, locking, single, hex, text) => {
      expect(decoded(hex, locking, single)).toBe(text);
    },
  );

  test('[INC-4] A code that a single shift table lacks comes from the main table, and a code that neither table has is a space', () => {
    expect(decoded('1b61', 0, 1)).toBe('a');
    expect(decoded('1b04', 1, 1)).toBe('€');
    expect(decoded('1b 1b1b41', 1, 1)).toBe(' A');
    expect(decoded('41 1b', 6, 6)).toBe(`${lockingShiftTables.get(6)?.charAt(0x41)} `);
    expect(decoded('0c0e', 4, 0)).toBe('  ');
    expect(decoded('80ff', 1, 1)).toBe('\uFFFD\uFFFD');
  });

  test('[INC-4] Without a known national language table, the GSM-7 default alphabet applies', () => {
    const all = Uint8Array.from([...Array(128).keys()].flatMap((code) => [code, 0x1b, code]));
    for (const languages of [noLanguages, { locking: 2, single: 14 }, { locking: 255, single: 255 }])
      expect(decodeNational(all, languages)).toBe(decodeGsm7(all));
  });

  test('[INC-4] A character parted from its escape is found by its code in the main table', () => {
    expect(escapedCharacter('e', noLanguages)).toBe('€');
    expect(escapedCharacter('ç', { locking: 1, single: 1 })).toBe('ç');
    expect(escapedCharacter('i', { locking: 1, single: 1 })).toBe('ı');
    expect(escapedCharacter('я', { locking: 1, single: 1 })).toBe('я');
  });
});

describe('the tables', () => {
  test('[INC-4] The national language tables have a place for each code, and none beyond', () => {
    expect([...lockingShiftTables.keys()]).toEqual([1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
    expect([...singleShiftTables.keys()]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
    for (const table of lockingShiftTables.values()) {
      expect(table).toHaveLength(128);
      expect([table.charAt(0x0a), table.charAt(0x0d), table.charAt(0x1b)]).toEqual(['\n', '\r', '\u001b']);
      expect(table.slice(0x30, 0x3a)).toBe('0123456789');
      expect(table.slice(0x61, 0x7b)).toBe('abcdefghijklmnopqrstuvwxyz');
      const letters = [...table].filter((character) => character !== ' ');
      expect(new Set(letters).size).toBe(letters.length);
    }
    for (const table of singleShiftTables.values()) {
      expect(table.length).toBeLessThanOrEqual(128);
      for (const [code, sign] of [
        [0x28, '{'],
        [0x2f, '\\'],
        [0x3c, '['],
        [0x3e, ']'],
        [0x65, '€'],
      ] as const)
        expect(table.charAt(code)).toBe(sign);
    }
  });
});
