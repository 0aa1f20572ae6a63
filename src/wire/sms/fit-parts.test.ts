import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countParts, fitParts } from './segments.ts';

describe('a text that is cut to so many parts', () => {
  test.each<[string, string, number, string]>([
    ['what fits stays as it is', ' a b ', 1, ' a b '],
    ['one part holds 160 septets', 'a'.repeat(161), 1, 'a'.repeat(160)],
    ['two hold 153 each', 'a'.repeat(400), 2, 'a'.repeat(306)],
    ['UCS-2', 'ж'.repeat(100), 1, 'ж'.repeat(70)],
    ['a euro takes two septets', `${'a'.repeat(159)}€`, 1, 'a'.repeat(159)],
    ['a pair is not split', `${'ж'.repeat(69)}😀`, 1, 'ж'.repeat(69)],
    ['what needs UCS-2 may be cut off', `${'a'.repeat(150)}ж`, 1, 'a'.repeat(150)],
    ['no white space at the cut', `${'a'.repeat(158)}\n bb`, 1, 'a'.repeat(158)],
  ])('[MAIL-4] A text is cut to a number of parts: %s', (_name, text, parts, cut) => {
    expect(fitParts(text, parts)).toBe(cut);
  });

  test('[MAIL-4] A text that is cut to a number of parts becomes the longest beginning that fits', () => {
    const character = fc.constantFrom('a', '€', 'ж', '😀', ' ', '\n');
    const text = fc.array(character, { maxLength: 700 }).map((all) => all.join(''));
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 4 }), (whole, parts) => {
        const cut = fitParts(whole, parts);
        expect(whole.startsWith(cut)).toBe(true);
        expect(countParts(cut)).toBeLessThanOrEqual(parts);
        if (cut === whole) return;
        const rest = whole.slice(cut.length);
        const next = rest.slice(0, rest.length - rest.trimStart().length + 2);
        expect(countParts(cut + next)).toBeGreaterThan(parts);
      }),
    );
  });
});
