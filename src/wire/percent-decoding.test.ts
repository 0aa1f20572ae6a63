import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { expectLinearTime } from '../../test/harness/linear-time.ts';
import {
  type Charset,
  decodeComponent,
  decodeItems,
  type ListKind,
  splitList,
  splitQuery,
} from './percent-decoding.ts';

/** Whole characters only, because half of a surrogate pair has no UTF-8. */
const anyText = fc.string({ unit: 'grapheme', maxLength: 60 });
const anyString = fc.string({ unit: 'binary', maxLength: 120 });
const escapeSoup = fc
  .array(fc.constantFrom('%', '%2C', '%C3', '%A5', '%E2%82', '+', ',', '&', '=', 'a', 'F', '9', 'å'), {
    maxLength: 40,
  })
  .map((parts) => parts.join(''));

function decodeList(raw: string, kind: ListKind) {
  return decodeItems(splitList(raw, kind), kind);
}

function percentEncoded(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

describe('one component', () => {
  test.each<[raw: string, charset: Charset, text: string]>([
    ['', 'utf-8', ''],
    ['plain', 'utf-8', 'plain'],
    ['a+b', 'utf-8', 'a b'],
    ['a%2Bb', 'utf-8', 'a+b'],
    ['%20+%20', 'utf-8', '   '],
    ['bl%C3%A5b%c3%a6r', 'utf-8', 'blåbær'],
    ['%E2%82%AC', 'utf-8', '€'],
    ['%F0%9F%98%80', 'utf-8', '😀'],
    ['%25%32%43', 'utf-8', '%2C'],
    ['%00', 'utf-8', '\0'],
    ['blåbær %C3%B8', 'utf-8', 'blåbær ø'],
    ['bl%E5b%e6r', 'iso-8859-1', 'blåbær'],
    ['a+b%2Bc', 'iso-8859-1', 'a b+c'],
    ['%C3%A5', 'iso-8859-1', 'Ã¥'],
    ['%80%9F%A4%FF', 'iso-8859-1', '€Ÿ¤ÿ'],
    ['Pris+5+%80+%96+it%92s+here', 'iso-8859-1', 'Pris 5 € – it’s here'],
    ['%81%8d%8f%90%9d', 'iso-8859-1', '\x81\x8d\x8f\x90\x9d'],
    ['blå %E5', 'iso-8859-1', 'blå å'],
  ])('[CONV-4] The component %j in %s is decoded to %j', (raw, charset, text) => {
    expect(decodeComponent(raw, charset)).toEqual({ ok: true, value: text });
  });

  test.each<[what: string, raw: string]>([
    ['an escape cut at the end', 'abc%'],
    ['an escape of one digit', 'abc%4'],
    ['an escape of other letters', '%zz'],
    ['an escape of one digit and another letter', '%4g'],
    ['the %u form', '%u00e5'],
    ['an overlong slash', '%C0%AF'],
    ['an overlong slash of three bytes', '%E0%80%AF'],
    ['a surrogate half', '%ED%A0%80'],
    ['a truncated sequence', '%E2%82'],
    ['a truncated sequence before a letter', '%C3a'],
    ['a continuation byte alone', '%A5'],
    ['a byte of ISO-8859-1', 'bl%E5b%E6r'],
    ['a code point past the last', '%F4%90%80%80'],
    ['a byte that UTF-8 never has', '%FF'],
  ])('[CONV-4] UTF-8: %s is refused', (_what, raw) => {
    expect(decodeComponent(raw)).toMatchObject({ ok: false, code: 'bad_encoding' });
  });

  test.each(['%', '%4', 'a%zz', '%u00e5'])(
    '[CONV-4] The broken escape in %j is refused in ISO-8859-1',
    (raw) => {
      expect(decodeComponent(raw, 'iso-8859-1')).toMatchObject({ ok: false, code: 'bad_encoding' });
    },
  );

  test('[CONV-4] The sentence about a broken escape says where the fault is', () => {
    expect(decodeComponent('abc%4')).toHaveProperty('error', expect.stringContaining('“%4” at character 4'));
    expect(decodeComponent('%C3%A5+%E5!')).toHaveProperty(
      'error',
      expect.stringContaining('“%E5” at character 8'),
    );
  });

  test('[CONV-4] Text that a client percent-encodes comes back the same, in both charsets', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(decodeComponent(encodeURIComponent(text))).toEqual({ ok: true, value: text });
        expect(decodeComponent(new URLSearchParams({ a: text }).toString().slice(2))).toEqual({
          ok: true,
          value: text,
        });
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        expect(decodeComponent(percentEncoded(bytes), 'iso-8859-1')).toEqual({
          ok: true,
          // Five octets are undefined in iconv's table, but control characters in the table of the Encoding Standard.
          value: [...bytes]
            .map((byte) =>
              /[\x81\x8d\x8f\x90\x9d]/.test(String.fromCharCode(byte))
                ? String.fromCharCode(byte)
                : iconv.decode(Buffer.of(byte), 'windows-1252'),
            )
            .join(''),
        });
      }),
    );
  });

  test('[CONV-4] Percent-decoding of UTF-8 is exactly as strict as the decoder of the platform', () => {
    const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 8 }), (bytes) => {
        const result = decodeComponent(percentEncoded(bytes));
        let expected: string | undefined;
        try {
          expected = strict.decode(bytes);
        } catch {
          expected = undefined;
        }
        expect(result.ok ? result.value : undefined).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the query', () => {
  test.each<[query: string, pairs: [string, string][]]>([
    ['', []],
    ['&&', []],
    [
      'a=1&b&a=2',
      [
        ['a', '1'],
        ['b', ''],
        ['a', '2'],
      ],
    ],
    ['a=b=c', [['a', 'b=c']]],
    ['=x', [['', 'x']]],
    [
      'M=bl%E5&T=%2C',
      [
        ['M', 'bl%E5'],
        ['T', '%2C'],
      ],
    ],
    ['n%C3%A5vn+x=1', [['nåvn x', '1']]],
    ['__proto__=1', [['__proto__', '1']]],
    ['unknown=%zz', [['unknown', '%zz']]],
  ])('[CONV-7] %j keeps order, duplicates and encoded values', (query, pairs) => {
    expect(splitQuery(query)).toEqual({
      ok: true,
      value: pairs.map(([name, rawValue]) => ({ name, rawValue })),
    });
  });

  test('[CONV-4] A parameter name in the query that is not UTF-8 is refused', () => {
    expect(splitQuery('ok=1&%E5=2')).toMatchObject({ ok: false, code: 'bad_encoding' });
    expect(splitQuery('%=2')).toMatchObject({ ok: false, code: 'bad_encoding' });
  });

  test('[CONV-4] [CONV-7] A query that URLSearchParams writes comes back pair by pair', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anyText, anyText), { maxLength: 6 }), (pairs) => {
        const split = splitQuery(new URLSearchParams(pairs).toString());
        const read = split.ok
          ? split.value.map((pair) => [pair.name, decodeComponent(pair.rawValue)])
          : split.error;
        expect(read).toEqual(pairs.map(([name, value]) => [name, { ok: true, value }]));
      }),
    );
  });
});

describe('lists', () => {
  test.each<[raw: string, items: string[]]>([
    ['', []],
    ['a', ['a']],
    ['a,b', ['a', 'b']],
    ['a%2Cb,c', ['a,b', 'c']],
    [',a,,+b+,%20,', ['a', 'b']],
    ['%C3%A5,+%C3%B8', ['å', 'ø']],
  ])('[CONV-7] The list of texts %j is read as %j', (raw, items) => {
    expect(decodeList(raw, 'texts')).toEqual({ ok: true, value: items });
  });

  test.each<[raw: string, items: string[]]>([
    ['', []],
    ['4790012345%2C4790012346,4790012347', ['4790012345', '4790012346', '4790012347']],
    ['1%2c2', ['1', '2']],
    ['%2B47+900+12+345%2C', ['+47 900 12 345']],
    ['1%252C2', ['1%2C2']],
  ])('[CONV-7] The list of numbers or ids %j is read as %j', (raw, items) => {
    expect(decodeList(raw, 'ids')).toEqual({ ok: true, value: items });
  });

  test.each<[raw: string, items: string[]]>([
    ['', []],
    [',', ['', '']],
    ['4790012345,Ann,,4790012346,+Bo+,x%2Cy', ['4790012345', 'Ann', '', '4790012346', ' Bo ', 'x,y']],
  ])('[CONV-7] [SEND-6] The positional list %j is read as %j', (raw, items) => {
    expect(decodeList(raw, 'positional')).toEqual({ ok: true, value: items });
  });

  test('[CONV-4] [CONV-7] A fault in a list parameter names its item', () => {
    expect(decodeList('a,b,%E5', 'texts')).toMatchObject({
      ok: false,
      code: 'bad_encoding',
      error: expect.stringContaining('item 3'),
    });
  });

  test('[CONV-7] Every list of texts comes back whole, whatever its items hold', () => {
    const items = fc.array(
      anyText.filter((text) => text.trim() === text && text !== ''),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(items, (texts) => {
        const raw = texts.map((text) => encodeURIComponent(text)).join(',');
        expect(decodeList(raw, 'texts')).toEqual({ ok: true, value: texts });
      }),
    );
  });

  test('[SEND-6] Every positional list comes back whole, with its empty items and white space', () => {
    const items = fc.array(fc.constantFrom('', ' ', 'a', ' a ', ',', '%', '+', 'å'), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(items, (texts) => {
        const raw = texts.map((text) => encodeURIComponent(text)).join(',');
        expect(decodeList(raw, 'positional')).toEqual({ ok: true, value: raw === '' ? [] : texts });
      }),
    );
  });
});

describe('hostile input', () => {
  test('[CONV-4] [CONV-7] No input makes percent-decoding throw', () => {
    fc.assert(
      fc.property(fc.oneof(anyString, escapeSoup), (text) => {
        for (const charset of ['utf-8', 'iso-8859-1'] as const) {
          const result = decodeComponent(text, charset);
          if (!result.ok) expect(result.error.length).toBeLessThan(250);
          for (const kind of ['texts', 'ids', 'positional'] as const) decodeList(text, kind);
        }
        splitQuery(text);
      }),
      { numRuns: 500 },
    );
  });

  const pieces = ['%', '%C3', '%C3%A5', '+', ',', '%2C', '&', '=', '%E5a'];
  test.each(pieces)('[CONV-4] Percent-decoding takes time in proportion to the length: %j', async (piece) => {
    // Prepared in advance: if a piece needs no decoding, repeating it is most of the work.
    const texts = new Map([20_000, 200_000].map((size) => [size, piece.repeat(size / piece.length)]));
    const work = (size: number) => {
      const text = texts.get(size) ?? '';
      decodeComponent(text);
      decodeComponent(text, 'iso-8859-1');
      decodeList(text, 'ids');
      splitQuery(text);
    };
    await expectLinearTime(work, { from: 20_000, times: 10 });
  });
});
