import fc from 'fast-check';
import { getCountries, getExampleNumber } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { describe, expect, test } from 'vitest';
import { checkMobile, machineSeries } from './mobile-series.ts';

describe('mobile series', () => {
  test.each<[country: string, digits: string]>([
    ['Norway, 9', '4790012345'],
    ['Norway, 4', '4740612345'],
    ['Sweden', '46701234567'],
    ['Denmark, fixed or mobile', '4520123456'],
    ['the United Kingdom', '447911123456'],
    ['the United States, fixed or mobile', '12015550123'],
    ['Germany', '4915123456789'],
    ['France', '33612345678'],
    ['the Netherlands', '31612345678'],
    ['Japan', '819012345678'],
    ['India', '919876543210'],
    ['South Africa', '27711234567'],
    ['Italy', '393123456789'],
  ])('[SEND-14] A mobile number of %s passes', (_country, digits) => {
    expect(checkMobile(digits)).toEqual({ ok: true, value: digits });
  });

  test.each<[what: string, digits: string]>([
    ['a fixed line', '4722865000'],
    ['a fixed line of Italy', '390612345678'],
    ['a freephone number', '4780012345'],
    ['a VoIP number', '27871234567'],
    ['a personal number', '447012345678'],
    ['a pager', '812041234567'],
    ['too short', '479001234'],
    ['too long', '47900123456'],
    ['an unknown country code', '9991234567'],
    ['a short code', '1234567'],
  ])('[SEND-14] %s is rejected', (_what, digits) => {
    expect(checkMobile(digits)).toMatchObject({ ok: false, code: 'number_not_mobile' });
  });

  test('[SEND-14] A national 0 after the country code is rejected, and the error gives the number that may be meant', () => {
    expect(checkMobile('4407911123456')).toMatchObject({
      ok: false,
      code: 'number_not_mobile',
      error: expect.stringContaining('447911123456'),
    });
  });
});

test('[SEND-14] The library’s example of a mobile number passes for every country', () => {
  const refused: string[] = [];
  for (const country of getCountries()) {
    const example = getExampleNumber(country, examples);
    if (example !== undefined && !checkMobile(example.number.slice(1)).ok) refused.push(example.number);
  }
  expect(refused).toEqual([]);
  expect(getCountries().length).toBeGreaterThan(200);
});

describe('machine series', () => {
  test.each<[country: string, digits: string]>([
    ['Norway, 58', '47580009083060'],
    ['Norway, 59', '47590009083060'],
    ['Sweden', '467190001234567'],
    ['Denmark', '45371234567890'],
    ['Belgium', '327700010023652'],
    ['France', '337000011564653'],
    ['France, 12 digits', '33700312345678'],
    ['Spain', '345901234567890'],
    ['the Netherlands', '3197012345678'],
    ['South Africa', '278724050861234'],
    ['Japan', '812001234567890'],
    ['India', '915731234567890'],
  ])('[SEND-14] A machine number of %s is rejected', (_country, digits) => {
    expect(checkMobile(digits)).toMatchObject({ ok: false, code: 'number_machine_series' });
  });

  test('[SEND-14] Every number of a machine series is rejected, whatever follows its prefix', () => {
    for (const series of machineSeries) {
      for (const length of series.digits) {
        fc.assert(
          fc.property(fc.stringMatching(/^[0-9]{15}$/), (filler) => {
            const digits = (series.prefix + filler).slice(0, length);
            expect(checkMobile(digits)).toMatchObject({ ok: false, code: 'number_machine_series' });
          }),
          { numRuns: 20 },
        );
      }
    }
  });

  test('[SEND-14] Each machine series has a prefix and lengths that numbers can match, and names its source', () => {
    for (const series of machineSeries) {
      expect(series.prefix).toMatch(/^[1-9][0-9]+$/);
      expect(series.source.length).toBeGreaterThan(20);
      for (const length of series.digits) {
        expect(length).toBeGreaterThan(12);
        expect(length).toBeLessThanOrEqual(15);
      }
    }
  });
});

test('[SEND-14] No text makes the mobile number check throw, and only digits as given pass', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[1-9][0-9]{6,14}$/)), (text) => {
      const result = checkMobile(text);
      if (result.ok) expect(result.value).toMatch(/^[1-9][0-9]{6,14}$/);
    }),
    { numRuns: 500 },
  );
});
