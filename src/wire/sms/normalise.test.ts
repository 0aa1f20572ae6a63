/** Tests each rule of the normalisation, and that no text comes out unusable or needlessly changed. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeUcs2 } from '../smpp/alphabet.ts';
import { defaultAlphabet, extensionTable } from './gsm7.ts';
import { normaliseText } from './normalise.ts';

describe('rules', () => {
  test('[ENC-2] Normalising turns every line end into LF', () => {
    expect(normaliseText('a\r\nb\rc\nd')).toBe('a\nb\nc\nd');
    expect(normaliseText('a\x0Bb\x85c\u2028d\u2029e')).toBe('a\nb\nc\nd\ne');
    expect(normaliseText('\r\r\n\n')).toBe('\n\n\n');
  });

  test('[ENC-2] Normalising turns a tab into a space', () => {
    expect(normaliseText('a\tb')).toBe('a b');
  });

  test('[ENC-2] Normalising removes control characters and byte order marks', () => {
    expect(normaliseText('\uFEFFa\0b\x07c\x1b[1md\x7Fe\x9Ff')).toBe('abc[1mdef');
    expect(normaliseText('\0')).toBe('');
  });

  test('[ENC-2] Normalising keeps a form feed, since GSM-7 has it', () => {
    expect(normaliseText('a\fb')).toBe('a\fb');
  });

  test('[ENC-2] Normalising turns lone surrogates into U+FFFD, and no removal joins two to a pair', () => {
    expect(normaliseText('a\uD83D')).toBe('a\uFFFD');
    expect(normaliseText('\uDE00a')).toBe('\uFFFDa');
    expect(normaliseText('\uD83D\0\uDE00')).toBe('\uFFFD\uFFFD');
    expect(normaliseText('😀')).toBe('😀');
  });

  test('[ENC-2] Normalising keeps the joiners, direction marks, variation selectors and combining marks that writing needs', () => {
    const text = '👨‍👩‍👧 ❤️ می‌خواهم \u200Fשלום e\u0301 \u00A0';
    expect(normaliseText(text)).toBe(text);
  });
});

describe('properties', () => {
  const awkward = fc.constantFrom(
    '\r',
    '\n',
    '\t',
    '\0',
    '\x1b',
    '\x85',
    '\uFEFF',
    '\uD83D',
    '\uDE00',
    'a',
    '😀',
  );
  const anyUnit = fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit));
  const anyText = fc.string({ unit: fc.oneof(awkward, anyUnit), maxLength: 60 });

  test('[ENC-2] Normalising a text twice gives the same result as once', () => {
    fc.assert(
      fc.property(anyText, (text) => normaliseText(normaliseText(text)) === normaliseText(text)),
      { numRuns: 1000 },
    );
  });

  test('[ENC-2] A normalised text is well-formed and has no control character but LF and FF', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const result = normaliseText(text);
        expect(result.replace(/[\n\f]/g, '')).not.toMatch(/[\p{Control}\p{Surrogate}\uFEFF]/u);
        expect(encodeUcs2(result).length).toBe(result.length * 2);
      }),
      { numRuns: 1000 },
    );
  });

  test('[ENC-2] Normalising leaves a GSM-7 text without CR as it is', () => {
    const characters = [...defaultAlphabet.replace('\x1b', '').replace('\r', ''), ...extensionTable.values()];
    const text = fc.string({ unit: fc.constantFrom(...characters) });
    fc.assert(fc.property(text, (same) => normaliseText(same) === same));
  });
});
