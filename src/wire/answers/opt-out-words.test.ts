import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectLinearTime } from '../../../test/harness/linear-time.ts';
import { isNearMiss, optOutWord } from './opt-out-words.ts';
import { answerWords, languages } from './words.ts';

const required = [
  ...['STOP', 'STOPALL', 'STOP ALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT', 'OPT OUT'],
  ...['OPT-OUT', 'ARRET', 'STOPP', 'AVSLUTA', 'AVREGISTRERA'],
];

describe('the words of opting out', () => {
  test('[OPT-2] each word counts in any case, with or without diacritics, final punctuation and further space', () => {
    for (const word of required) {
      const [first = '', ...others] = word.split(' ');
      const spaced = [first, ...others].join('  ');
      for (const text of [word, word.toLowerCase(), ` ${word}. `, `${spaced}!!`, `"${word}"`, `${word} 🛑\n`])
        expect(optOutWord(text), text).toBe('stop');
    }
    for (const text of ['Arrêt', 'ARRET', 'ａｒｒêｔ', 'Avanmäl', 'avanmal'])
      expect(optOutWord(text)).toBe('stop');
    for (const text of ['START', 'unstop', 'Start!']) expect(optOutWord(text)).toBe('start');
    for (const text of ['HELP', 'Info?', 'aide', 'Hjälp!', 'help?']) expect(optOutWord(text)).toBe('help');
  });

  test('[OPT-2] only a text that is nothing but the word counts', () => {
    for (const text of [
      ...[
        '',
        ' ',
        '?',
        'STOP?',
        'stop it',
        'please stop',
        'STOP 1',
        'S T O P',
        'stop, all',
        'the end',
        'Yes STOP',
      ],
      ...['STOPS', 'info om besöket', 'start now', 'cancel my appointment', `STOP${' '.repeat(70)}x`],
    ])
      expect(optOutWord(text), text).toBeUndefined();
    expect(optOutWord(`STOP${' '.repeat(500)}`)).toBe('stop');
  });

  test('[OPT-2] no word is a YES or a NO in any language, except that STOP is a NO to a job', () => {
    for (const language of languages) {
      const { yes, no } = answerWords({ language, digits: false });
      for (const word of [...yes, ...no].filter((one) => one !== 'stop'))
        expect(optOutWord(word), word).toBeUndefined();
    }
  });

  test('[OPT-2] texts that ask for an end in other words are near misses, and ordinary ones are not', () => {
    for (const text of [
      ...[
        'stop sending me this',
        'Please STOP',
        'STOP?',
        'sluta skicka',
        'Snälla, sluta skicka sms till mig nu genast!',
      ],
      ...[
        'kan ni ta bort mig från listan',
        'Please remove me from your list',
        'stopp sms',
        'keine SMS mehr bitte',
      ],
      ...["Don't send me these messages any more, I have told you", 'unsubscribe me'],
    ])
      expect(isNearMiss(text) && optOutWord(text) === undefined, text).toBe(true);
    for (const text of [
      ...[
        '',
        'Ja',
        'NO',
        'Can you cancel my appointment?',
        'The bus stop is near the end of the road, at the church',
      ],
      ...['Tack för hjälpen', 'When does it start?', 'I will be there in the end'],
    ])
      expect(isNearMiss(text), text).toBe(false);
  });

  test('[OPT-2] whatever surrounds a word but spaces, hyphens and punctuation, the text is not that word', () => {
    const edge = fc.string({ unit: fc.constantFrom(' ', '.', '!', '\n', '"', '…', '-'), maxLength: 5 });
    const cased = (word: string, upper: readonly boolean[]) =>
      [...word]
        .map((letter, at) => (upper[at % upper.length] ? letter.toUpperCase() : letter.toLowerCase()))
        .join('');
    fc.assert(
      fc.property(
        fc.constantFrom(...required),
        fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }),
        edge,
        edge,
        (word, upper, before, after) => {
          expect(optOutWord(`${before}${cased(word, upper)}${after}`)).toBe('stop');
        },
      ),
    );
    const others = fc.stringMatching(/^[bdfgk][0-9]{1,8}$/);
    fc.assert(
      fc.property(
        fc.constantFrom(...required),
        others,
        fc.constantFrom(' ', '', ', ', '\n'),
        (word, other, gap) => {
          for (const text of [`${other}${gap}${word}`, `${word}${gap}${other}`])
            expect(optOutWord(text), text).toBeUndefined();
        },
      ),
    );
  });

  test('[OPT-2] space around any text changes nothing, and long texts take time in proportion', async () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (text) => {
        const meaning = optOutWord(text);
        expect(optOutWord(` ${text}\t`)).toBe(meaning);
      }),
    );
    const read = (size: number) => {
      const text = 'stop \u0301'.repeat(size);
      return [optOutWord(text), optOutWord(text.trim()), isNearMiss(text)];
    };
    await expectLinearTime(read, { from: 10_000, times: 10 });
  });
});
