import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { printable, printableJson, quotedPrintable } from './terminal.ts';

/** 7-bit and 8-bit escape sequences, characters that change the text direction, and all kinds of line endings. */
const obeyed = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]/u;

describe('text from others on a terminal', () => {
  const anyText = fc.string({ unit: 'binary' });

  test('[RUN-4] Text from others is printed without anything that a terminal would obey', () => {
    fc.assert(
      fc.property(
        fc.oneof(anyText, fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)) })),
        (text) => {
          expect(printable(text)).not.toMatch(obeyed);
        },
      ),
    );
    expect(printable('a\u001b[2J\r\n\u009b31m\u202eb\u{e0041}')).toBe(
      'a\\u001b[2J\\u000d\\u000a\\u009b31m\\u202eb\\udb40\\udc41',
    );
  });

  test('[RUN-4] Ordinary text is printed as it is', () => {
    for (const text of ['Åsa <b> "50 %" \\ €', 'سلام', '👩‍👩‍👧 नमस्ते']) expect(printable(text)).toBe(text);
    expect(quotedPrintable('a "b"\n')).toBe('"a \\"b\\"\\n"');
  });

  test('[RUN-4] Printable JSON says the same as plain JSON, without anything that a terminal would obey', () => {
    fc.assert(
      fc.property(fc.dictionary(anyText, anyText), (value) => {
        const json = printableJson(value, 2);
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(json.replace(/\n/g, '')).not.toMatch(obeyed);
      }),
    );
  });
});
