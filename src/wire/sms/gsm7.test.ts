/** Tests GSM-7 against the tables that 3GPP prints, and against two other implementations over the whole BMP. */
import fc from 'fast-check';
import { SegmentedMessage } from 'sms-segments-calculator';
import { split } from 'split-sms';
import { describe, expect, test } from 'vitest';
import { decodeGsm7, defaultAlphabet, encodeGsm7, extensionTable, isGsm7, septetCount } from './gsm7.ts';

/** As printed in 3GPP TS 23.038 6.2.1: one row per low half of the code, one column per high half. */
const printedTable = `
  @  Δ   SP  0  ¡  P  ¿  p
  £  _   !   1  A  Q  a  q
  $  Φ   "   2  B  R  b  r
  ¥  Γ   #   3  C  S  c  s
  è  Λ   ¤   4  D  T  d  t
  é  Ω   %   5  E  U  e  u
  ù  Π   &   6  F  V  f  v
  ì  Ψ   '   7  G  W  g  w
  ò  Σ   (   8  H  X  h  x
  Ç  Θ   )   9  I  Y  i  y
  LF Ξ   *   :  J  Z  j  z
  Ø  ESC +   ;  K  Ä  k  ä
  ø  Æ   ,   <  L  Ö  l  ö
  CR æ   -   =  M  Ñ  m  ñ
  Å  ß   .   >  N  Ü  n  ü
  å  É   /   ?  O  §  o  à`;

const printedNames: Record<string, string> = { SP: ' ', LF: '\n', CR: '\r', ESC: '\x1b' };

const gsm7Characters = [...defaultAlphabet.replace('\x1b', ''), ...extensionTable.values()];
const gsm7Text = fc.string({ unit: fc.constantFrom(...gsm7Characters), maxLength: 500 });

describe('alphabet', () => {
  test('[ENC-1] The GSM-7 default alphabet is the one that 3GPP prints', () => {
    const rows = printedTable.trim().split('\n');
    expect(rows).toHaveLength(16);
    for (const [low, row] of rows.entries()) {
      const printed = row.trim().split(/ +/);
      expect(printed).toHaveLength(8);
      for (const [high, name] of printed.entries()) {
        expect(defaultAlphabet[high * 16 + low]).toBe(printedNames[name] ?? name);
      }
    }
  });

  test('[ENC-1] A GSM-7 extension character is an escape and its code, including the euro sign', () => {
    const printed = { '\f': 0x0a, '^': 0x14, '{': 0x28, '}': 0x29, '\\': 0x2f } as const;
    const more = { '[': 0x3c, '~': 0x3d, ']': 0x3e, '|': 0x40, '€': 0x65 } as const;
    for (const [character, code] of Object.entries({ ...printed, ...more })) {
      expect([...encodeGsm7(character)]).toEqual([0x1b, code]);
      expect(septetCount(character)).toBe(2);
    }
    expect(extensionTable.size).toBe(10);
  });

  test('[ENC-1] For every code unit, two other implementations agree on whether it is in GSM-7 and how long it is', () => {
    for (let unit = 0; unit < 0x1_0000; unit++) {
      const character = String.fromCharCode(unit);
      const first = split(character, { summary: true });
      const second = new SegmentedMessage(character);
      const septets = septetCount(character);
      // There is one comparison per unit, because 65,536 expectations would take seconds.
      const same =
        septets === (first.characterSet === 'GSM' ? first.bytes : -1) &&
        septets === (second.encodingName === 'GSM-7' ? second.messageSize / 7 : -1);
      if (!same) expect.fail(`U+${unit.toString(16)} counts ${septets} septets`);
    }
  });

  test('[ENC-1] Characters close to those of GSM-7 are outside the alphabet', () => {
    for (const text of ['ç', '`', '\t', '\x1b', 'á', '\u00A0', '’', 'Α', '😀', '\uD800', 'e\u0301', 'µ']) {
      expect(isGsm7(text)).toBe(false);
      expect(septetCount(text)).toBe(-1);
    }
  });
});

describe('septets', () => {
  test('[ENC-1] The length of a text in septets is the number of octets of its unpacked GSM-7 encoding', () => {
    fc.assert(fc.property(gsm7Text, (text) => encodeGsm7(text).length === septetCount(text)));
  });

  test('[ENC-1] [SEND-10] The length of a GSM-7 text is its number of characters', () => {
    fc.assert(fc.property(gsm7Text, (text) => isGsm7(text) && [...text].length === text.length));
  });

  test('[ENC-1] GSM-7 decoding gives back what was encoded', () => {
    fc.assert(fc.property(gsm7Text, (text) => decodeGsm7(encodeGsm7(text)) === text));
  });

  test('[ENC-1] One character outside GSM-7 puts the whole text outside it, wherever it is', () => {
    fc.assert(fc.property(gsm7Text, gsm7Text, (before, after) => septetCount(`${before}ç${after}`) === -1));
  });

  test('[ENC-1] Characters that gateways get wrong have the right codes in GSM-7', () => {
    expect([...encodeGsm7('@_$€[]|\\ÖÄñ')]).toEqual([
      0x00, 0x11, 0x02, 0x1b, 0x65, 0x1b, 0x3c, 0x1b, 0x3e, 0x1b, 0x40, 0x1b, 0x2f, 0x5c, 0x5b, 0x7d,
    ]);
  });

  test('[ENC-1] A text that GSM-7 cannot carry is refused, not mangled', () => {
    expect(() => encodeGsm7('ça')).toThrow(RangeError);
  });
});

describe('decoding', () => {
  test('[ENC-1] An unknown GSM-7 escape shows the character of the default alphabet', () => {
    expect(decodeGsm7(Uint8Array.of(0x41, 0x1b, 0x42, 0x43))).toBe('ABC');
    expect(decodeGsm7(Uint8Array.of(0x1b, 0x0d))).toBe('\r');
  });

  test('[ENC-1] A GSM-7 escape of an escape, or one with nothing after it, shows a space', () => {
    expect(decodeGsm7(Uint8Array.of(0x41, 0x1b, 0x1b, 0x65))).toBe('A e');
    expect(decodeGsm7(Uint8Array.of(0x41, 0x1b))).toBe('A ');
  });

  test('[ENC-1] Any octets decode as GSM-7, and those that are not septets become U+FFFD', () => {
    expect(decodeGsm7(Uint8Array.of(0x41, 0x80, 0x1b, 0xff))).toBe('A\uFFFD\uFFFD');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (octets) => decodeGsm7(octets).length <= octets.length),
    );
  });
});
