import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectLinearTime } from '../../test/harness/linear-time.ts';
import {
  cleanNumber,
  formsOf,
  isCountryCode,
  isInternationalNumber,
  withoutDecimals,
  withoutPrefix,
} from './phone-number.ts';

describe('clean-up of numbers', () => {
  test.each<[written: string, defaultCountryCode: string | undefined, digits: string]>([
    ['4790012345', undefined, '4790012345'],
    ['+4790012345', undefined, '4790012345'],
    ['+47 900 12 345', undefined, '4790012345'],
    ['  47-900-12-345  ', undefined, '4790012345'],
    ['+47.900.12.345', undefined, '4790012345'],
    ['(+47) 900(12)345', undefined, '4790012345'],
    ['+47\u00a0900\u202f12\u2009345', undefined, '4790012345'],
    ['+47\u2010900\u201112\u2013345\u2014\u2212', undefined, '4790012345'],
    ['\u202a+4790012345\u202c', undefined, '4790012345'],
    ['+47 900\t12\n345', undefined, '4790012345'],
    ['47+90012345', undefined, '4790012345'],
    ['004790012345', undefined, '4790012345'],
    ['00 47 900 12 345', '46', '4790012345'],
    ['0-0-4790012345', '46', '4790012345'],
    ['00701234567', '46', '701234567'],
    ['+004790012345', undefined, '4790012345'],
    ['0701234567', '46', '46701234567'],
    ['070-123 45 67', '46', '46701234567'],
    ['(0)70 123 45 67', '46', '46701234567'],
    ['07700900123', '44', '447700900123'],
    ['4790012345', '46', '4790012345'],
    ['1234567', undefined, '1234567'],
    ['123456789012345', undefined, '123456789012345'],
    ['0123456', '1', '1123456'],
    ['+46 (0)70 174 06 99', undefined, '46701740699'],
    ['0046(0)701740699', undefined, '46701740699'],
    ['46 ( 0 ) 70-174 06 99', '47', '46701740699'],
    ['(+44) (0) 20 7946 0000', undefined, '442079460000'],
    ['+39 (0)6 698 12345', undefined, '390669812345'],
    ['+47 (0)90 01 23 45', undefined, '47090012345'],
    ['+250 (0)6 301 234', undefined, '25006301234'],
    ['+250 (0)788 123 456', undefined, '250788123456'],
    ['+46 70 (0) 174 06 9', undefined, '46700174069'],
    ['+33.1.23.45.67.00', undefined, '33123456700'],
    ['+4790.012.345', undefined, '4790012345'],
  ])('[SEND-2] %j (default code %s) is %s', (written, defaultCountryCode, digits) => {
    expect(cleanNumber(written, defaultCountryCode)).toEqual({ ok: true, value: digits });
  });

  test.each<[written: string, defaultCountryCode: string | undefined, why: string]>([
    ['', undefined, 'has no digits'],
    [' +-.() ', undefined, 'has no digits'],
    ['123456', undefined, 'has 6 digits'],
    ['1234567890123456', undefined, 'has 16 digits'],
    ['0701234567', undefined, 'no default country code'],
    ['000701234567', '46', 'still begins with 0'],
    ['0007012345', undefined, 'still begins with 0'],
    ['0', '46', 'has 2 digits'],
    ['00', '46', 'has no digits'],
    ['+47 900 12 34x', undefined, 'contains “x”'],
    ['08/1234567', '46', 'contains “/”'],
    ['tel:+4790012345', undefined, 'contains “t”'],
    ['٤٧٩٠٠١٢٣٤٥', undefined, 'contains “٤”'],
    ['4790012345😀', undefined, 'contains “😀”'],
    ['0701234567890123', '46', 'has 17 digits'],
    ['4790601007.0', undefined, 'ends in “.0”'],
    ['+4790601007.0', undefined, 'ends in “.0”'],
    [' 0701740699.00 ', '46', 'ends in “.00”'],
    ['4790601007.5', undefined, 'ends in “.5”'],
    ['4790601007.000000', undefined, 'ends in “.000000”'],
    ['4790601007,0', undefined, 'ends in “,0”'],
    ['123456.0', undefined, 'ends in “.0”'],
    ['47 906 01 007.0', undefined, 'ends in “.0”'],
    ['+47 906 01 007.00', undefined, 'ends in “.00”'],
    ['4\u00a0790\u00a0601\u00a0007.0', undefined, 'ends in “.0”'],
    ['4\u202f790\u202f601\u202f007,0', undefined, 'ends in “,0”'],
    ['\u202a4790601007.0\u202c', undefined, 'ends in “.0”'],
    ['\u200e+47 906 01 007\u200f . 0\ufeff', undefined, 'ends in “.0”'],
    ['070 174 06 99.0', '46', 'ends in “.0”'],
    ['4.67E+10', undefined, 'a spreadsheet has shortened'],
    ['4,67E+10', undefined, 'a spreadsheet has shortened'],
    ['4.790601007e9', undefined, 'a spreadsheet has shortened'],
    ['5E+10', undefined, 'a spreadsheet has shortened'],
  ])('[SEND-2] %j (default code %s) is rejected: %s', (written, defaultCountryCode, why) => {
    expect(cleanNumber(written, defaultCountryCode)).toMatchObject({
      ok: false,
      code: 'invalid_number',
      error: expect.stringContaining(why),
    });
  });

  test('[SEND-2] A cleaned number always has 7 to 15 digits, and cleaning it again changes nothing', () => {
    const written = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc
        .array(fc.constantFrom('0', '1', '4', '7', '9', '+', ' ', '-', '.', '(', ')', '\u00a0', '–'), {
          maxLength: 25,
        })
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(written, fc.constantFrom(undefined, '1', '47', '1268'), (text, defaultCountryCode) => {
        const result = cleanNumber(text, defaultCountryCode);
        if (!result.ok) {
          expect(result.error.length).toBeLessThan(250);
          return;
        }
        expect(result.value).toMatch(/^[1-9][0-9]{6,14}$/);
        expect(cleanNumber(result.value, defaultCountryCode)).toEqual(result);
        expect(cleanNumber(`+${result.value}`)).toEqual(result);
        expect(cleanNumber(`00${result.value}`)).toEqual(result);
      }),
      { numRuns: 1000 },
    );
  });

  /** The only full stop may be a decimal point if it is followed by zeros alone, or by just one or two digits. */
  const mayBeAmount = /^[^.]*\.(?:[^1-9.]*|[0-9]{1,2})$/;

  test('[SEND-2] Separators anywhere in a number make no difference, except a full stop that may be a decimal point', () => {
    const digits = fc.stringMatching(/^[1-9][0-9]{6,14}$/);
    const gaps = fc.array(fc.constantFrom('', ' ', '-', '.', '(', ')', '\u00a0', '\u2011'), {
      minLength: 16,
      maxLength: 16,
    });
    fc.assert(
      fc.property(digits, gaps, (number, separators) => {
        const written = Array.from(number, (digit, at) => `${separators[at]}${digit}`).join('');
        fc.pre(!mayBeAmount.test(written));
        expect(cleanNumber(written)).toEqual({ ok: true, value: number });
      }),
    );
  });

  test('[SEND-2] [RUN-3] Zeros after a full stop or a comma are never digits of the number, whatever groups or surrounds it', () => {
    const digits = fc.stringMatching(/^[1-9][0-9]{6,12}$/);
    const gap = fc.constantFrom('', '', ' ', '\u00a0', '\u202f', '\u200e', '\u202c', '\t');
    const gaps = fc.array(gap, { minLength: 16, maxLength: 16 });
    const decimals = fc.constantFrom('.0', '.00', ',0', ',00');
    fc.assert(
      fc.property(digits, gaps, decimals, (number, separators, zeros) => {
        const grouped = Array.from(number, (digit, at) => `${separators[at]}${digit}`).join('');
        const written = `${grouped}${separators[14]}${zeros}${separators[15]}`;
        expect(cleanNumber(written)).toMatchObject({
          ok: false,
          error: expect.stringContaining(`“${zeros}”`),
        });
        expect(withoutDecimals(written)).toBe(number);
      }),
    );
  });

  test('[RUN-3] A number cell of any length is read in time in proportion to it', async () => {
    const blanks = (length: number) => ' '.repeat(length);
    for (const cellOf of [
      (length: number) => `7${blanks(length)}x`,
      (length: number) => `7.${'0'.repeat(length)}x`,
      (length: number) => `7${blanks(length)}7.${blanks(length)}0${blanks(length)}7`,
    ])
      await expectLinearTime((length) => withoutDecimals(cellOf(length)), { from: 5_000, times: 10 });
  });

  test('[SEND-2] An endless text given as a number is rejected at once, in a short sentence', () => {
    const result = cleanNumber(' '.repeat(10_000_000));
    expect(result).toMatchObject({ ok: false, code: 'invalid_number' });
    if (!result.ok) expect(result.error.length).toBeLessThan(250);
  });
});

describe('country codes', () => {
  test.each(['1', '47', '358', '1268'])('[SEND-2] %s is a country code', (code) => {
    expect(isCountryCode(code)).toBe(true);
  });

  test.each(['', '0', '047', '12345', '+47', '4 7', '47\n', '٤٧', 'x'])(
    '[SEND-2] %j is no country code',
    (code) => {
      expect(isCountryCode(code)).toBe(false);
    },
  );
});

test('[SEND-2] The fast check for an international number agrees with its rule', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9]{0,17}$/)), (text) => {
      expect(isInternationalNumber(text)).toBe(/^[1-9][0-9]{6,14}$/.test(text));
    }),
  );
});

test('[INC-2] Only mobile numbers of Mexico and Argentina have a second form, as networks rewrite them', () => {
  expect(formsOf('525562000017')).toEqual(['525562000017', '5215562000017']);
  expect(formsOf('5215562000017')).toEqual(['5215562000017', '525562000017']);
  expect(formsOf('541123456789')).toEqual(['541123456789', '5491123456789']);
  expect(formsOf('5491123456789')).toEqual(['5491123456789', '541123456789']);
  for (const other of [
    '46701740605',
    '52155620000',
    '52156200001',
    '52556200001777',
    '549112345678',
    'Bank',
    '',
  ])
    expect(formsOf(other)).toEqual([other]);
  for (const number of ['525562000017', '5491123456789'])
    for (const form of formsOf(number)) expect(formsOf(form).toSorted()).toEqual(formsOf(number).toSorted());
});

test('[INC-2] The prefix of international calls is not part of a number', () => {
  expect(withoutPrefix('0046701740605')).toBe('46701740605');
  for (const other of ['46701740605', '0701740605', '00123', '000046701740605', '00'])
    expect(withoutPrefix(other)).toBe(other);
});

describe('numbers as files hold them', () => {
  test.each([
    ['4790601007.0', '4790601007'],
    [' +4790601007.00', '4790601007'],
    ['4790601007,0', '4790601007'],
    ['0701740699.0', '0701740699'],
    ['4790601007.000000', '4790601007'],
    ['4790601.000', '4790601.000'],
    ['47 906 01 007.0', '4790601007'],
    ['4\u00a0790\u00a0601\u00a0007.00', '4790601007'],
    ['4\u202f790\u202f601\u202f007,0', '4790601007'],
    ['\u202a4790601007.0\u202c', '4790601007'],
    ['47 906 01 007.5', '47 906 01 007.5'],
    ['+47 906 01.00 7', '+47 906 01.00 7'],
    ['4790601007.5', '4790601007.5'],
    ['+33.1.23.45.67.00', '+33.1.23.45.67.00'],
    ['4.67E+10', '4.67E+10'],
    ['', ''],
  ])('[RUN-3] The cell %j of a file is read as %j', (cell, number) => {
    expect(withoutDecimals(cell)).toBe(number);
  });
});

describe('the 0 that is dialled within a country', () => {
  const load = createRequire(import.meta.url);
  const all = load('libphonenumber-js/metadata.max.json');
  const metadata = new (load('libphonenumber-js/core').Metadata)(all);
  const codes: readonly [string, readonly string[]][] = Object.entries(all.country_calling_codes);
  const plans = codes.map(([code, countries]) => {
    const own = countries.map((country) => {
      metadata.selectNumberingPlan(country);
      const pattern = new RegExp(`^(?:${metadata.nationalNumberPattern()})$`);
      const { numberingPlan: plan } = metadata;
      return { pattern, prefix: plan.nationalPrefix(), lengths: plan.possibleLengths() as readonly number[] };
    });
    return { code, own };
  });
  const isDropped = (code: string) => {
    const cleaned = cleanNumber(`+${code} (0)2345678`);
    return cleaned.ok && cleaned.value === `${code}2345678`;
  };

  test('[SEND-2] The national 0 of a number is dropped for exactly those country codes whose numbering plans have one', () => {
    const wrong = plans.filter(
      ({ code, own }) => isDropped(code) !== own.some(({ prefix }) => prefix === '0'),
    );
    expect(wrong.map(({ code }) => code)).toEqual([]);
  });

  test('[SEND-2] The national 0 of a number stays where a number may begin with it', () => {
    const dropping = plans.filter(({ code }) => code !== '250' && isDropped(code));
    const plan = fc.constantFrom(...dropping.flatMap(({ own }) => own));
    fc.assert(
      fc.property(plan, fc.stringMatching(/^[1-9][0-9]{15}$/), ({ pattern, lengths }, digits) => {
        for (const length of lengths) expect(pattern.test(`0${digits.slice(0, length - 1)}`)).toBe(false);
      }),
      { numRuns: 5_000 },
    );
  });
});
