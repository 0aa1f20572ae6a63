/** Tests which pasted characters are replaced, which stay, and that no replacement misleads. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isGsm7 } from './gsm7.ts';
import { normaliseText } from './normalise.ts';
import { findOutsiders, greekTwins, likenesses, replaceCharacters } from './replacement.ts';

describe('what people paste', () => {
  test.each([
    ['quotation marks', '“a” ‘b’ „c‟ ‚d‛ «e» ‹f› it’s `g´', "\"a\" 'b' \"c\" 'd' \"e\" 'f' it's 'g'"],
    ['hyphens and dashes', 'a\u2010b\u2011c\u2012d\u2013e\u2014f\u2015g \u22125', 'a-b-c-d-e-f-g -5'],
    ['ellipsis', 'wait…', 'wait...'],
    ['spaces', 'a\u00A0b\u2009c\u202Fd\u2003e\u3000f\u200Ag', 'a b c d e f g'],
    ['invisible characters', 'a\u200Bb\u200Cc\u200Dd\u00ADe\u2060f\uFEFFg', 'abcdefg'],
    ['direction marks', '\u202A+47 900 00 000\u202C\u200E', '+47 900 00 000'],
    ['bullets', '• one\n‣ two\n● three', '- one\n- two\n- three'],
    ['accented letters', 'áâãçêëíîïóôõúûýÿ', 'aaaceeiiiooouuyy'],
    ['accented capitals', 'ÀÁÂÃÈÊËÍÎÓÔÕÚÛÝŸ', 'AAAAEEEIIOOOUUYY'],
    ['Central European letters', 'Příliš žluťoučký kůň, Łódź, őű', 'Prilis zlutoucky kun, Lodz, öü'],
    ['Sami letters', 'čđŋšŧž ČĐŊŠŦŽ', 'cdnstz CDNSTZ'],
    ['Icelandic letters', 'ð Ð þ Þ', 'd D th Th'],
    ['Turkish and Romanian letters', 'ığşİĞŞ șțăȘȚĂ', 'igsIGS staSTA'],
    ['two accents, of which GSM-7 has one', 'ǻ ǖ ǿ ế', 'å ü ø é'],
    ['ligatures', 'œuvre Œuvre ﬁn ﬂow ĳs', 'oeuvre OEuvre fin flow ijs'],
    ['signs', '© ® ™ × ÷ ± ≤ ≥ ≈ • µm †', '(C) (R) (TM) x / +/- <= >= ~ - um +'],
    ['arrows', 'a → b ← c ↔ d ⇒ e', 'a -> b <- c <-> d => e'],
    ['fractions', '½ ¼ ¾ ⅓', '1/2 1/4 3/4 1/3'],
    ['superscripts, subscripts', '12 m², CO₂, 1ª, 2º', '12 m2, CO2, 1a, 2o'],
    ['degrees', '20°C, −5 ℃, 90°', '20degC, -5 degC, 90deg'],
    ['fullwidth forms', 'ＡＢｃ１２３！（？）￥', 'ABc123!(?)¥'],
    ['decorated letters', '𝐁𝐨𝐥𝐝 𝓢𝓬𝓻𝓲𝓹𝓽 Ⓐ', 'Bold Script A'],
    ['letterlike signs', '№ 5 Ⅳ ㎏ ℅', 'No 5 IV kg c/o'],
    ['signs that are letters of GSM-7', '\u2126 \u212B \u2206', 'Ω Å Δ'],
    ['currencies', '₹5 5¢ 10₽', 'INR5 5c 10RUB'],
    ['keycaps and emoji forms of signs', '1\uFE0F\u20E3 ©\uFE0F', '1 (C)'],
    ['Greek capitals', 'ΑΘΗΝΑ ΚΑΛΟ', 'AΘHNA KAΛO'],
  ])(
    '[SEND-11] Characters are replaced only if that makes the text GSM-7, and stay otherwise: %s',
    (_name, pasted, replaced) => {
      expect(replaceCharacters(pasted)).toBe(replaced);
      expect(isGsm7(replaced)).toBe(true);
    },
  );

  test('[SEND-11] A letter and a combining accent are first composed, and stay if GSM-7 has the letter', () => {
    expect(replaceCharacters('cafe\u0301 A\u030Angstro\u0308m n\u0303 c\u0327')).toBe('café Ångström ñ c');
  });

  test.each(['“你好”… Łódź\u00A0🎉', 'Så bra… 🎉', '“Привет” – ½', 'Κόστος – ΑΘΗΝΑ', '–\uD83D'])(
    '[SEND-11] A text that stays UCS-2 anyway loses none of its characters: %j',
    (text) => {
      expect(replaceCharacters(text)).toBe(text);
    },
  );
});

describe('what stays', () => {
  test.each([
    ['GSM-7', '@£$¥èéùìòÇ\nØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ ¤ÄÖÑÜ§¿äöñüà\f^{}\\[~]|€'],
    ['Chinese', '你好'],
    ['Japanese with its long marks', 'ラーメン、がっこう。'],
    ['Korean', '안녕하세요'],
    ['Cyrillic, precomposed letters too', 'Ёлка й ї'],
    ['Greek in small letters, its capitals too', 'Καλημέρα'],
    ['Hebrew with its direction marks', '\u200Fשלום\u200E'],
    ['Hindi with its joiners', 'क्\u200Dष क़'],
    ['Persian with its non-joiners', 'می\u200Cخواهم'],
    ['emoji with joiners, skin and variation selectors', '👨‍👩‍👧 👍🏽 ❤️ 🇳🇴'],
    ['a mark without a letter', '\u0301a'],
    ['a lone surrogate', 'a\uD83Db'],
    ['nothing', ''],
  ])('[SEND-11] A text that needs or has no replacement stays as it is: %s', (_name, text) => {
    expect(replaceCharacters(text)).toBe(text);
  });
});

describe('no replacement misleads', () => {
  test('[SEND-11] A number before a replaced fraction, superscript or other digit stays the number that it is', () => {
    expect(replaceCharacters('5½ kg')).toBe('5 1/2 kg');
    expect(replaceCharacters('10² 10²³ 50¹')).toBe('10^2 10^23 50^1');
    expect(replaceCharacters('①②③ 10₂ C₆H₁₂O₆')).toBe('1 2 3 10 2 C6H12O6');
    expect(replaceCharacters('１２３ 1２')).toBe('123 12');
  });

  test('[SEND-11] A degree sign after a letter is replaced by the o of an abbreviation', () => {
    expect(replaceCharacters('n° 5')).toBe('no 5');
  });

  test('[SEND-11] A negated sign never loses its negation when it is replaced', () => {
    expect(replaceCharacters('a ≠ b')).toBe('a != b');
    expect(replaceCharacters('a =\u0338 b')).toBe('a != b');
    expect(replaceCharacters('≮ ≯')).toBe('!< !>');
    expect(replaceCharacters('≰')).toBe('≰');
  });

  test('[SEND-11] A spacing accent without a likeness is not replaced by a space', () => {
    expect(replaceCharacters('\u02D8')).toBe('\u02D8');
  });
});

describe('tables', () => {
  test('[SEND-11] The replacement tables list no GSM-7 character, and every likeness is a GSM-7 character', () => {
    for (const [character, likeness] of [...likenesses, ...greekTwins]) {
      expect([character, isGsm7(character)]).toEqual([character, false]);
      expect([character, isGsm7(likeness)]).toEqual([character, true]);
      expect([...character]).toHaveLength(1);
    }
  });

  test('[SEND-11] A character in the replacement tables becomes its likeness', () => {
    for (const [character, likeness] of [...likenesses, ...greekTwins]) {
      expect(replaceCharacters(character)).toBe(likeness);
    }
  });
});

describe('properties', () => {
  const listed = fc.constantFrom(...likenesses.keys(), ...greekTwins.keys());
  const awkward = fc.constantFrom(
    ...[
      '\u0301',
      '\u030A',
      '\u0338',
      '\u200D',
      '\uFE0F',
      '\u20E3',
      '\u200B',
      '\u00AD',
      '\u034F',
      '½',
      '²',
      '₂',
    ],
    ...['①', '1', 'a', 'e', '=', '<', '°', ' ', '\u00A0', '😀', '中', 'Κ', 'α', '\uD83D', '\uDE00', 'ở', 'ﬁ'],
  );
  const anyText = fc.string({
    unit: fc.oneof(listed, awkward, awkward, fc.string({ unit: 'binary' })),
    maxLength: 30,
  });

  test('[SEND-11] Replacing characters twice gives the same result as once, even with marks on invisible characters', () => {
    for (const text of ['µ\u00AD\u0301', '≤\u200D\u0338', '\u00AD\u0301a', 'e\u034F\u0301 中']) {
      expect(replaceCharacters(replaceCharacters(text))).toBe(replaceCharacters(text));
    }
  });

  test('[SEND-11] Replacing characters twice gives the same as once', () => {
    fc.assert(
      fc.property(anyText, (text) => replaceCharacters(replaceCharacters(text)) === replaceCharacters(text)),
      { numRuns: 2000 },
    );
  });

  test('[SEND-11] Every single character is replaced by GSM-7 characters or stays', () => {
    for (let code = 0; code <= 0x1_ffff; code++) {
      const character = String.fromCodePoint(code);
      const replaced = replaceCharacters(character);
      if (replaced !== character && !isGsm7(replaced))
        expect.fail(`U+${code.toString(16)} becomes ${replaced}`);
    }
  });

  test('[SEND-11] A GSM-7 character of a text stays where it is when others are replaced', () => {
    const marker = 'ßØ{€}';
    fc.assert(
      fc.property(anyText, anyText, (before, after) => {
        fc.pre(!/^\p{Mark}|^\p{Default_Ignorable_Code_Point}/u.test(after));
        expect(replaceCharacters(before + marker + after)).toContain(marker);
      }),
    );
  });

  test('[SEND-11] [ENC-2] A normalised text stays normalised when its characters are replaced', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const replaced = replaceCharacters(normaliseText(text));
        return normaliseText(replaced) === replaced;
      }),
    );
  });

  test('[SEND-11] A letter under a million accents is replaced without trouble, and a letter under more stays as it is', () => {
    const tower = `a${'\u0301\u0316'.repeat(499_999)}`;
    expect(replaceCharacters(tower)).toBe('a');
    const taller = tower.repeat(20);
    expect(replaceCharacters(taller)).toBe(taller);
  });
});

describe('what puts a text into UCS-2', () => {
  test('[ENC-1] [SEND-11] No character of a GSM-7 text puts it into UCS-2, and in any other text each such character is found with its place', () => {
    expect(findOutsiders('Tack för € och [hakar]')).toEqual([]);
    expect(findOutsiders('a\u2013\u200B b😀e\u0301')).toEqual([
      { at: 1, character: '\u2013', replacement: '-' },
      { at: 2, character: '\u200B', replacement: undefined },
      { at: 5, character: '😀', replacement: undefined },
      { at: 7, character: 'e\u0301', replacement: 'é' },
    ]);
    // Without the invisible character, the text is GSM-7, so it may be removed.
    expect(findOutsiders('a\u200Bb')).toEqual([{ at: 1, character: '\u200B', replacement: '' }]);
  });

  test('[SEND-11] Putting all replacements in their places gives the replaced text, unless that would still be UCS-2', () => {
    const piece = fc.constantFrom('a', '5', ' ', '½', '²', '“', 'é', 'e\u0301', '😀', 'Ж', '°', '…', 'Α');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        let replaced = '';
        let end = 0;
        for (const { at, character, replacement } of findOutsiders(text)) {
          replaced += text.slice(end, at) + (replacement ?? character);
          end = at + character.length;
        }
        replaced += text.slice(end);
        expect(replaceCharacters(text)).toBe(isGsm7(replaced) ? replaced : text);
      }),
    );
  });
});
