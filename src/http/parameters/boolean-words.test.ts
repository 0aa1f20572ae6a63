import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseBooleanWord } from './kinds.ts';

describe('boolean words', () => {
  test.each([
    ['T', true],
    ['TRUE', true],
    ['Y', true],
    ['YES', true],
    ['F', false],
    ['FALSE', false],
    ['N', false],
    ['NO', false],
  ])('[CONV-5] %s is read in any letter case', (word, value) => {
    const mixedCase = word.slice(0, 1).toLowerCase() + word.slice(1);
    for (const written of [word, word.toLowerCase(), mixedCase]) {
      expect(parseBooleanWord(written)).toEqual({ ok: true, value });
    }
  });

  test.each(['', '1', '0', 'on', 'YE', 'TRUE ', ' T', 'truee', 'YEſ', 'constructor'])(
    '[CONV-5] %j is refused with the words that would do',
    (word) => {
      const result = parseBooleanWord(word);
      expect(result).toMatchObject({ ok: false, code: 'invalid_value' });
      expect(result).toHaveProperty('error', expect.stringContaining('TRUE, Y, YES'));
    },
  );

  test('[CONV-5] no text makes it throw, and the sentence stays short', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const result = parseBooleanWord(text);
        if (!result.ok) expect(result.error.length).toBeLessThan(150);
      }),
    );
  });
});
