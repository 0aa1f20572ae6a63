/** Tests encoding texts for whatever an SMSC means by data_coding 0, and decoding octets with any data_coding. */
import fc from 'fast-check';
import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { isGsm7 } from '../sms/gsm7.ts';
import type { Encoding } from '../sms/segments.ts';
import { type DefaultAlphabet, decodeText, encodeText } from './alphabet.ts';

const alphabets: readonly DefaultAlphabet[] = ['gsm7', 'latin1', 'ascii'];

function encoded(
  text: string,
  alphabet: DefaultAlphabet,
  content: Partial<{ encoding: Encoding; flash: boolean; parts: number }> = {},
): [dataCoding: number, hex: string] {
  const { dataCoding, octets } = encodeText(
    text,
    { encoding: 'gsm7', flash: false, parts: 1, ...content },
    alphabet,
  );
  return [dataCoding, Buffer.from(octets).toString('hex')];
}

function decoded(hex: string, coding: number, alphabet: DefaultAlphabet = 'gsm7'): string {
  return decodeText(Buffer.from(hex.replaceAll(' ', ''), 'hex'), coding, alphabet);
}

const gsm7Texts = fc
  .string({ unit: fc.constantFrom(...'aZ09 @_$£¥èØøΔΞ€[]|\\{}~^\n\fÖÄñàß§¿'), maxLength: 160 })
  .filter(isGsm7);

describe('what goes out', () => {
  /** Characters that go wrong in practice. */
  const awkward = '@_$€[]|\\ÖÄñ';

  test('[DLV-4] Outgoing GSM-7 has one septet per octet, and an escape before characters of the extension table', () => {
    expect(encoded(awkward, 'gsm7')).toEqual([
      0,
      '00' + '11' + '02' + '1b65' + '1b3c1b3e1b401b2f' + '5c5b7d',
    ]);
  });

  test('[DLV-4] Outgoing text that the carrier’s Latin-1 or ASCII can hold is sent with data_coding 0', () => {
    expect(encoded('@_$[]|\\ÖÄñ', 'latin1')).toEqual([0, '405f245b5d7c5cd6c4f1']);
    expect(encoded('@_$[]|\\', 'ascii')).toEqual([0, '405f245b5d7c5c']);
  });

  test('[DLV-4] Outgoing Latin-1 text beyond ASCII goes to an ASCII carrier as Latin-1, with the data_coding of Latin-1', () => {
    expect(encoded('ÖÄñ', 'ascii')).toEqual([3, 'd6c4f1']);
  });

  test('[DLV-4] Outgoing text that Latin-1 lacks goes as UCS-2 if the part has room for it', () => {
    for (const alphabet of ['latin1', 'ascii'] as const) {
      expect(encoded('5 €', alphabet)).toEqual([8, '0035002020ac']);
      expect(encoded(`${'a'.repeat(69)}€`, alphabet)[0]).toBe(8);
      expect(encoded(`${'a'.repeat(66)}€`, alphabet, { parts: 2 })[0]).toBe(8);
    }
  });

  test('[DLV-4] Outgoing characters that Latin-1 lacks become question marks if the part has no room for UCS-2', () => {
    const long = `${'a'.repeat(70)}€`;
    const expected = `${'61'.repeat(70)}3f`;
    expect(encoded(long, 'latin1')).toEqual([0, expected]);
    expect(encoded(long, 'ascii')).toEqual([3, expected]);
    expect(encoded(`${'a'.repeat(67)}€`, 'latin1', { parts: 2 })).toEqual([0, `${'61'.repeat(67)}3f`]);
  });

  test('[DLV-4] Outgoing UCS-2 is big-endian UTF-16, whatever data_coding 0 means to the carrier', () => {
    for (const alphabet of alphabets)
      expect(encoded('å😀', alphabet, { encoding: 'ucs2' })).toEqual([8, '00e5d83dde00']);
  });

  test('[DLV-4] Outgoing flash messages have class 0, in GSM-7 or UCS-2, whatever data_coding 0 means to the carrier', () => {
    for (const alphabet of alphabets) {
      expect(encoded('å€', alphabet, { flash: true })).toEqual([0xf0, '0f1b65']);
      expect(encoded('😀', alphabet, { flash: true, encoding: 'ucs2' })).toEqual([0x18, 'd83dde00']);
    }
  });

  test('[DLV-4] Every outgoing GSM-7 text is read back as it was, except for question marks', () => {
    fc.assert(
      fc.property(gsm7Texts, fc.constantFrom(...alphabets), fc.boolean(), (text, alphabet, flash) => {
        const { dataCoding, octets } = encodeText(text, { encoding: 'gsm7', flash, parts: 1 }, alphabet);
        const loses = !flash && alphabet !== 'gsm7' && dataCoding !== 8;
        const expected = loses ? text.replace(/[^\0-\xff]/g, '?') : text;
        expect(decodeText(octets, dataCoding, alphabet)).toBe(expected);
      }),
    );
  });
});

describe('what comes in', () => {
  test('[INC-4] Incoming text with data_coding 0 is read in the carrier’s alphabet', () => {
    expect(decoded('00 11 02 1b65 5b', 0, 'gsm7')).toBe('@_$€Ä');
    expect(decoded('40 5f 24 c4', 0, 'latin1')).toBe('@_$Ä');
    expect(decoded('40 5f 24 c4', 0, 'ascii')).toBe('@_$Ä');
  });

  test('[INC-4] Incoming ASCII, Latin-1 and UCS-2 are read by their own data_coding values', () => {
    expect(decoded('40 5f 24', 1)).toBe('@_$');
    expect(decoded('c4 f1', 3)).toBe('Äñ');
    expect(decoded('fffe 4a00 6100', 8)).toBe('Ja');
    expect(decoded('feff 004a 0061', 8)).toBe('Ja');
    expect(decoded('00c4 20ac d83dde00', 8)).toBe('Ä€😀');
  });

  test('[INC-4] A message class does not change the alphabet of incoming text: groups 00x1 and 1111', () => {
    for (const coding of [0x10, 0x11, 0x12, 0x13, 0x1c, 0xf0, 0xf1, 0xf2, 0xf3])
      for (const alphabet of alphabets) expect(decoded('00 11 1b65', coding, alphabet)).toBe('@_€');
    for (const coding of [0x18, 0x19, 0x1a, 0x1b]) expect(decoded('20ac', coding)).toBe('€');
    for (const coding of [0x14, 0x15, 0xf4, 0xf5, 0xf6, 0xf7]) expect(decoded('00 ff', coding)).toBe('00FF');
  });

  test('[INC-4] Incoming text is read with a data_coding for deletion, for message waiting, or of a reserved value', () => {
    for (const coding of [0x40, 0x50, 0x80, 0xbf, 0xc0, 0xc8, 0xd1, 0xdf])
      expect(decoded('00 11', coding)).toBe('@_');
    for (const coding of [0x48, 0x58, 0xe0, 0xef]) expect(decoded('20ac', coding)).toBe('€');
  });

  test('[INC-4] Incoming binary data is shown as text if it is printable, and otherwise in hexadecimal', () => {
    expect(decoded('48656c6c6f', 4)).toBe('Hello');
    expect(decoded('48656c6c6f 00', 2)).toBe('Hello');
    expect(decoded('06 05 04 0b84', 4)).toBe('0605040B84');
    expect(decoded('48656c6c6f', 0x20)).toBe('Hello');
    expect(decoded('c8 329b', 0x30)).toBe('C8329B');
  });

  test('[INC-4] Incoming Cyrillic, Hebrew, Japanese and Korean are read', () => {
    expect(decoded('bfe0d8d2d5e2', 6)).toBe('Привет');
    expect(decoded('f9ece5ed', 7)).toBe('שלום');
    expect(decoded('93fa967b', 5)).toBe('日本');
    expect(decoded('1b2442467c4b5c1b2842', 0x0a)).toBe('日本');
    expect(decoded('c7d1b1db', 0x0e)).toBe('한글');
  });

  test('[INC-4] Incoming Latin-1 and ASCII are read as windows-1252, so that no character vanishes', () => {
    const octets = Buffer.from('Pris 5 \x80 \x96 it\x92s here', 'latin1').toString('hex');
    for (const [coding, alphabet] of [
      [3, 'gsm7'],
      [1, 'gsm7'],
      [0, 'latin1'],
      [0, 'ascii'],
    ] as const)
      expect(decoded(octets, coding, alphabet)).toBe('Pris 5 € – it’s here');
    const signs = Array.from({ length: 128 }, (_, index) => 128 + index);
    // These five octets are undefined.
    const all = Buffer.from(signs.filter((octet) => ![0x81, 0x8d, 0x8f, 0x90, 0x9d].includes(octet)));
    expect(decodeText(all, 3, 'gsm7')).toBe(iconv.decode(all, 'windows-1252'));
  });

  test('[INC-4] NUL, which databases refuse, is left out of incoming text', () => {
    expect(decoded('410042', 3)).toBe('AB');
    expect(decoded('4100', 1)).toBe('A');
    expect(decoded('00410000', 8)).toBe('A');
  });

  test('[INC-4] Half characters and invalid octets in incoming text become U+FFFD', () => {
    expect(decoded('0041d83d', 8)).toBe('A\uFFFD');
    expect(decoded('004100', 8)).toBe('A\uFFFD');
    expect(decoded('41 ff', 0)).toBe('A\uFFFD');
  });

  test('[INC-4] Any incoming octets with any data_coding give a text that can be stored', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 160 }),
        fc.integer({ min: 0, max: 255 }),
        fc.constantFrom(...alphabets),
        (octets, coding, alphabet) => {
          const before = [...octets];
          const text = decodeText(octets, coding, alphabet);
          expect(text).not.toMatch(/\p{Surrogate}/u);
          expect(text).not.toContain('\0');
          expect([...octets]).toEqual(before);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
