import fc from 'fast-check';
import { getCountries, getCountryCallingCode, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { describe, expect, test } from 'vitest';
import { countryRule, isCountry } from './country.ts';

const of = (...countries: string[]) => countryRule(new Set(countries));

describe('the country of a number', () => {
  test('[SEND-2] The country of a number follows from its calling code, if that belongs to one country alone', () => {
    const nordic = of('SE', 'DK');
    for (const number of ['46701740600', '4520123456', '4612345678901'])
      expect([number, nordic(number)]).toEqual([number, true]);
    for (const number of ['4915112345678', '447911123456', '12025550123', '999123456', '88213123456'])
      expect([number, nordic(number)]).toEqual([number, false]);
  });

  test('[SEND-2] The country of a number follows from its series, if several countries share a calling code', () => {
    for (const [country, number] of [
      ['US', '12025550123'],
      ['CA', '16135550123'],
      ['DO', '18095550123'],
      ['JM', '18765550123'],
      ['RU', '79161234567'],
      ['KZ', '77012345678'],
      ['GB', '447400123456'],
      ['JE', '447797712345'],
      ['GG', '447781123456'],
      ['IM', '447624123456'],
      ['FI', '358401234567'],
      ['NO', '4740612345'],
      ['SJ', '4779123456'],
      ['IT', '393401234567'],
      ['VA', '390669812345'],
    ] as const) {
      const others = getCountries().filter((other) => other !== country);
      expect([number, of(country)(number), of(...others)(number)]).toEqual([number, true, false]);
    }
    expect(of('GB')('4470')).toBe(false);
    expect(of()('46701740600')).toBe(false);
  });

  const codes = ['1', '7', '44', '46', '358', '39', '47', '61', '262', '290', '590', '599', '212'];
  const sets = getCountries()
    .filter((country) => codes.includes(getCountryCallingCode(country)))
    .map((country) => [country, of(country)] as const);

  test('[SEND-2] The country of a number is the country that libphonenumber finds by parsing it', () => {
    fc.assert(
      fc.property(fc.constantFrom(...codes), fc.stringMatching(/^[1-9][0-9]{3,11}$/), (code, national) => {
        const digits = `${code}${national}`.slice(0, 15);
        const parsed = parsePhoneNumberFromString(`+${digits}`);
        // If the library reads a number other than the digits, the digits are not a number.
        if (parsed?.number !== `+${digits}`) return;
        const found = sets.filter(([, rule]) => rule(digits)).map(([country]) => country);
        expect([digits, found]).toEqual([digits, parsed.country === undefined ? [] : [parsed.country]]);
      }),
      { numRuns: 10_000 },
    );
  });

  test('[SEND-2] The country of a number is found even if it contains the national 0', () => {
    expect(of('GB')('4407400123456')).toBe(true);
    expect(of('JE')('4407400123456')).toBe(false);
    expect(of('IT')('39061234567')).toBe(true);
  });

  test('[RUN-3] Country codes are accepted only for countries that have numbers', () => {
    expect(['SE', 'NO', 'AX', 'XX', 'se', 'EU', 'SWE'].map(isCountry)).toEqual([
      ...[true, true, true, false, false, false, false],
    ]);
  });
});
