import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cleanNumber, formsOf, isCountryCode, isInternationalNumber, withoutPrefix } from './phone-number.ts';

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
    ['+47 900 12 34x', undefined, 'holds “x”'],
    ['08/1234567', '46', 'holds “/”'],
    ['tel:+4790012345', undefined, 'holds “t”'],
    ['٤٧٩٠٠١٢٣٤٥', undefined, 'holds “٤”'],
    ['4790012345😀', undefined, 'holds “😀”'],
    ['0701234567890123', '46', 'has 17 digits'],
  ])('[SEND-2] %j (default code %s) is rejected: %s', (written, defaultCountryCode, why) => {
    expect(cleanNumber(written, defaultCountryCode)).toMatchObject({
      ok: false,
      code: 'invalid_number',
      error: expect.stringContaining(why),
    });
  });

  test('[SEND-2] what comes out is always 7 to 15 digits, and cleaning it again changes nothing', () => {
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

  test('[SEND-2] separators anywhere make no difference', () => {
    const digits = fc.stringMatching(/^[1-9][0-9]{6,14}$/);
    const gaps = fc.array(fc.constantFrom('', ' ', '-', '.', '(', ')', '\u00a0', '\u2011'), {
      minLength: 16,
      maxLength: 16,
    });
    fc.assert(
      fc.property(digits, gaps, (number, separators) => {
        const written = Array.from(number, (digit, at) => `${separators[at]}${digit}`).join('');
        expect(cleanNumber(written)).toEqual({ ok: true, value: number });
      }),
    );
  });

  test('[SEND-2] an endless text is rejected at once, in a short sentence', () => {
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

test('[SEND-2] the fast check of digits agrees with its rule', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9]{0,17}$/)), (text) => {
      expect(isInternationalNumber(text)).toBe(/^[1-9][0-9]{6,14}$/.test(text));
    }),
  );
});

test('[INC-2] networks rewrite mobile numbers of Mexico and Argentina, and no others', () => {
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

test('[INC-2] the prefix of international calls is no part of a number', () => {
  expect(withoutPrefix('0046701740605')).toBe('46701740605');
  for (const other of ['46701740605', '0701740605', '00123', '000046701740605', '00'])
    expect(withoutPrefix(other)).toBe(other);
});
