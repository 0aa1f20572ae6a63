/** Tests the part limits at their edges, and random texts against two other implementations. */
import fc from 'fast-check';
import { SegmentedMessage } from 'sms-segments-calculator';
import { split } from 'split-sms';
import { describe, expect, test } from 'vitest';
import { defaultAlphabet, extensionTable, septetCount } from './gsm7.ts';
import { countParts, segment } from './segments.ts';

const lengths = (text: string) => segment(text).parts.map((part) => part.length);

describe('limits', () => {
  test('[ENC-1] A GSM-7 text has 160 septets in one part, and 153 in each of several', () => {
    expect(lengths('a'.repeat(160))).toEqual([160]);
    expect(lengths('a'.repeat(161))).toEqual([153, 8]);
    expect(lengths('a'.repeat(306))).toEqual([153, 153]);
    expect(lengths('a'.repeat(307))).toEqual([153, 153, 1]);
    expect(segment('a'.repeat(161)).encoding).toBe('gsm7');
  });

  test('[ENC-1] A UCS-2 text has 70 characters in one part, and 67 in each of several', () => {
    expect(lengths('ж'.repeat(70))).toEqual([70]);
    expect(lengths('ж'.repeat(71))).toEqual([67, 4]);
    expect(lengths('ж'.repeat(134))).toEqual([67, 67]);
    expect(lengths('ж'.repeat(135))).toEqual([67, 67, 1]);
    expect(segment('ж').encoding).toBe('ucs2');
  });

  test('[ENC-1] One character outside GSM-7 puts every part into UCS-2', () => {
    expect(lengths(`${'a'.repeat(159)}ç`)).toEqual([67, 67, 26]);
    expect(segment(`${'a'.repeat(159)}ç`).encoding).toBe('ucs2');
    expect(lengths(`${'[€]'.repeat(30)}ç`)).toEqual([67, 24]);
  });

  test('[ENC-1] A GSM-7 extension character counts as two septets', () => {
    expect(lengths('€'.repeat(80))).toEqual([80]);
    expect(lengths(`${'€'.repeat(80)}a`)).toEqual([76, 5]);
    expect(lengths(`a${'€'.repeat(80)}`)).toEqual([77, 4]);
  });

  test('[ENC-1] A GSM-7 extension character on the edge of a part moves to the next part with its escape', () => {
    expect(segment(`${'a'.repeat(152)}€${'b'.repeat(10)}`).parts).toEqual([
      'a'.repeat(152),
      `€${'b'.repeat(10)}`,
    ]);
    expect(segment(`${'a'.repeat(151)}€${'b'.repeat(10)}`).parts).toEqual([
      `${'a'.repeat(151)}€`,
      'b'.repeat(10),
    ]);
    // These 306 septets would fit into two parts if the escape could be separated from its code.
    expect(countParts(`${'a'.repeat(152)}€${'b'.repeat(152)}`)).toBe(3);
  });

  test('[ENC-1] A surrogate pair on the edge of a part moves to the next part whole', () => {
    expect(segment(`${'ж'.repeat(66)}😀${'я'.repeat(10)}`).parts).toEqual([
      'ж'.repeat(66),
      `😀${'я'.repeat(10)}`,
    ]);
    expect(segment(`${'ж'.repeat(65)}😀${'я'.repeat(10)}`).parts).toEqual([
      `${'ж'.repeat(65)}😀`,
      'я'.repeat(10),
    ]);
    expect(lengths('😀'.repeat(35))).toEqual([70]);
    expect(lengths('😀'.repeat(36))).toEqual([66, 6]);
    expect(countParts(`${'ж'.repeat(66)}😀${'я'.repeat(66)}`)).toBe(3);
  });

  test('[ENC-1] An empty text is one empty part', () => {
    expect(segment('')).toEqual({ encoding: 'gsm7', parts: [''] });
    expect(countParts('')).toBe(1);
  });
});

const gsm7Characters = [...defaultAlphabet.replace('\x1b', ''), ...extensionTable.values()];
const plain = fc.constantFrom('a', 'b', ' ', '.', '\n', '1', 'Z', 'æ', 'ø', 'å');
const extension = fc.constantFrom(...extensionTable.values());
const single = fc.constantFrom('ж', '中', 'ç', '’', '…', 'á', '—');
const pair = fc.constantFrom('😀', '🎉', '🚀', '𝄞', '𠀋');
const joining = fc.constantFrom(
  '\u0301',
  '\u200D',
  '\uFE0F',
  '🇳',
  '🇴',
  '🏽',
  '👩',
  'क',
  '्',
  'ᄀ',
  'ᅡ',
  '\r',
  '\n',
);

function textOf(maxLength: number, ...units: fc.WeightedArbitrary<string>[]) {
  return fc.string({ unit: fc.oneof(...units), maxLength, size: 'max' });
}

const of = (weight: number, arbitrary: fc.Arbitrary<string>) => ({ weight, arbitrary });

/** Ordinary text of about the length of a part, followed by whatever then falls on the edge. */
const onEdge = fc
  .tuple(
    fc.constantFrom('a', 'ж'),
    fc.oneof(fc.integer({ min: 60, max: 72 }), fc.integer({ min: 148, max: 162 })),
    textOf(12, of(1, extension), of(1, pair), of(1, plain)),
    fc.nat(160),
  )
  .map(([filler, count, edge, after]) => filler.repeat(count) + edge + filler.repeat(after));

const wellFormed = fc.oneof(
  textOf(480, of(1, fc.constantFrom(...gsm7Characters))),
  textOf(480, of(8, plain), of(1, extension)),
  textOf(330, of(30, plain), of(1, extension), of(1, single)),
  textOf(220, of(4, single), of(3, plain), of(2, pair), of(1, extension)),
  onEdge,
);

const anyUnits = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0xd800, max: 0xdfff })), {
    maxLength: 300,
    size: 'max',
  })
  .map((units) => String.fromCharCode(...units));

describe('properties', () => {
  test('[ENC-1] The parts of a text make up the text, keep to the limits, and are as many as counted', () => {
    fc.assert(
      fc.property(fc.oneof(wellFormed, anyUnits), (text) => {
        const { encoding, parts } = segment(text);
        expect(parts.join('')).toBe(text);
        expect(countParts(text)).toBe(parts.length);
        expect(encoding).toBe(septetCount(text) === -1 ? 'ucs2' : 'gsm7');
        const limit = encoding === 'gsm7' ? (parts.length === 1 ? 160 : 153) : parts.length === 1 ? 70 : 67;
        for (const part of parts) {
          expect(encoding === 'gsm7' ? septetCount(part) : part.length).toBeLessThanOrEqual(limit);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('[ENC-1] No part of a well-formed text begins or ends within a surrogate pair', () => {
    fc.assert(
      fc.property(wellFormed, (text) => segment(text).parts.every((part) => !/\p{Surrogate}/u.test(part))),
      { numRuns: 500 },
    );
  });
});

describe('other implementations', () => {
  // split-sms takes whatever follows a lone high surrogate for its other half, so lone surrogates are left out here;
  // ENC-2 ensures that none gets this far.
  test('[ENC-1] Carillon cuts well-formed texts into the same parts as split-sms', () => {
    fc.assert(
      fc.property(wellFormed, (text) => {
        const theirs = split(text);
        expect(segment(text)).toEqual({
          encoding: theirs.characterSet === 'GSM' ? 'gsm7' : 'ucs2',
          parts: theirs.parts.map((part) => part.content),
        });
      }),
      { numRuns: 500 },
    );
  });

  test('[ENC-1] Carillon cuts texts without grapheme clusters into the same parts as sms-segments-calculator', () => {
    fc.assert(
      fc.property(wellFormed, (text) => {
        const theirs = calculate(text);
        fc.pre(!theirs.hasClusters);
        expect(segment(text)).toEqual({ encoding: theirs.encoding, parts: theirs.parts });
      }),
      { numRuns: 300 },
    );
  });

  // sms-segments-calculator keeps a grapheme cluster (flag, family, letter and accent) in one part, which 3GPP TS 23.040
  // knows nothing about, so it may need more parts, never fewer. A phone joins the parts before it draws the text.
  test('[ENC-1] For texts with grapheme clusters, sms-segments-calculator never needs fewer parts than we do', () => {
    const clusters = textOf(200, of(2, joining), of(1, plain), of(1, pair));
    fc.assert(
      fc.property(clusters, (text) => {
        const theirs = calculate(text);
        expect(segment(text).encoding).toBe(theirs.encoding);
        expect(countParts(text)).toBeLessThanOrEqual(theirs.parts.length);
      }),
      { numRuns: 300 },
    );
  });
});

function calculate(text: string) {
  const message = new SegmentedMessage(text);
  return {
    encoding: message.encodingName === 'GSM-7' ? 'gsm7' : 'ucs2',
    // The six octets of the header appear in the segment as six characters without a text.
    parts: message.segments.map((part) => [...part].map((character) => character.raw ?? '').join('')),
    hasClusters: message.graphemes.some((grapheme) => [...grapheme].length > 1),
  };
}
