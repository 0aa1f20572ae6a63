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
  ])('[CONV-5] The boolean word %s is read in any letter case', (word, value) => {
    const mixedCase = word.slice(0, 1).toLowerCase() + word.slice(1);
    for (const written of [word, word.toLowerCase(), mixedCase]) {
      expect(parseBooleanWord(written)).toEqual({ ok: true, value });
    }
  });

  test.each(['', '1', '0', 'on', 'YE', 'TRUE ', ' T', 'truee', 'YEſ', 'constructor'])(
    '[CONV-5] The text %j is refused as a boolean, with the words that are accepted',
    (word) => {
      const result = parseBooleanWord(word);
      expect(result).toMatchObject({ ok: false, code: 'invalid_value' });
      expect(result).toHaveProperty('error', expect.stringContaining('TRUE, Y, YES'));
    },
  );

  test('[CONV-5] No text makes the reading of a boolean throw, and its error sentence stays short', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const result = parseBooleanWord(text);
        if (!result.ok) expect(result.error.length).toBeLessThan(150);
      }),
    );
  });
});
