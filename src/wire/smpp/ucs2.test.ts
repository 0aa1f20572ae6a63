/** Tests UCS-2 against the octets of known texts, and with halves of surrogate pairs. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { replaceLoneSurrogates } from '../sms/normalise.ts';
import { decodeUcs2, encodeUcs2 } from './alphabet.ts';

const beginsWithMark = /^[\uFEFF\uFFFE]/;
const wellFormed = fc.string({ unit: 'binary', maxLength: 200 }).filter((text) => !beginsWithMark.test(text));
const unitsText = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0xd800, max: 0xdfff })))
  .map((units) => String.fromCharCode(...units))
  .filter((text) => !beginsWithMark.test(text));

describe('octets', () => {
  test('[ENC-1] UCS-2 is encoded as UTF-16 with the high octet first', () => {
    expect([...encodeUcs2('Aç€')]).toEqual([0x00, 0x41, 0x00, 0xe7, 0x20, 0xac]);
    expect([...encodeUcs2('😀')]).toEqual([0xd8, 0x3d, 0xde, 0x00]);
    expect(encodeUcs2('')).toHaveLength(0);
  });

  test('[ENC-1] UCS-2 decoding gives back what was encoded', () => {
    fc.assert(fc.property(wellFormed, (text) => decodeUcs2(encodeUcs2(text)) === text));
  });

  test('[ENC-1] [INC-4] A byte order mark in UCS-2 sets the order of octets, and is not part of the text', () => {
    const decoded = (hex: string) => decodeUcs2(Buffer.from(hex, 'hex'));
    expect(decoded('fffe4a006100')).toBe('Ja');
    expect(decoded('feff004a0061')).toBe('Ja');
    expect(decoded('fffe3dd800de21')).toBe('😀\uFFFD');
    expect(decoded('fffe')).toBe('');
    expect(decoded('004afffe')).toBe('J\uFFFE');
  });

  test('[ENC-1] UCS-2 decoding leaves the octets that it was given as they are', () => {
    const octets = Uint8Array.of(0x00, 0x41);
    expect(decodeUcs2(octets)).toBe('A');
    expect([...octets]).toEqual([0x00, 0x41]);
  });
});

describe('lone surrogates', () => {
  test('[ENC-2] A lone surrogate becomes U+FFFD in encoding and in decoding UCS-2', () => {
    expect([...encodeUcs2('a\uD83Db')]).toEqual([0x00, 0x61, 0xff, 0xfd, 0x00, 0x62]);
    expect(decodeUcs2(Uint8Array.of(0xde, 0x00, 0x00, 0x61))).toBe('\uFFFDa');
    expect(replaceLoneSurrogates('\uDE00\uD83D\uD83D\uDE00')).toBe('\uFFFD\uFFFD😀');
  });

  test('[ENC-2] The UCS-2 encoding of any text is well-formed, and as long as the text', () => {
    fc.assert(
      fc.property(unitsText, (text) => {
        const octets = encodeUcs2(text);
        const decoded = new TextDecoder('utf-16be', { fatal: true, ignoreBOM: true }).decode(octets);
        expect(octets).toHaveLength(text.length * 2);
        expect(decodeUcs2(octets)).toBe(decoded);
      }),
    );
  });

  test('[ENC-2] Any octets decode as UCS-2 as the platform decodes them, even with half a character at the end', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (octets) => {
        const whole = octets.subarray(0, octets.length & ~1);
        const expected = new TextDecoder('utf-16be', { ignoreBOM: true }).decode(whole);
        expect(decodeUcs2(octets)).toBe(whole.length === octets.length ? expected : `${expected}\uFFFD`);
      }),
    );
  });
});
