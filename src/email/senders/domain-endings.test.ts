import { describe, expect, test } from 'vitest';
import { faultOfDomain, isAllowedDomain, parseDomainEnding, warningOf } from './domain-endings.ts';

describe('which domains an ending allows', () => {
  test.each([
    ['care.example', 'care.example', true],
    ['ward.care.example', 'care.example', true],
    ['intensivecare.example', 'care.example', true],
    ['care.example.evil.example', 'care.example', false],
    ['are.example', 'care.example', false],
    ['ward.care.example', '.care.example', true],
    ['care.example', '.care.example', false],
    ['evilcare.example', '.care.example', false],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example', true],
  ])('[E2S-6] %s and the ending %s: %s', (domain, ending, allowed) => {
    expect(isAllowedDomain(domain, [ending])).toBe(allowed);
    expect(isAllowedDomain(domain, ['taxi.example', ending])).toBe(allowed);
  });

  test('[E2S-6] without endings no domain is allowed', () => {
    expect(isAllowedDomain('care.example', [])).toBe(false);
    expect(faultOfDomain('care.example', [])).toMatchObject({
      field: 'email',
      code: 'domain_not_allowed',
      error: expect.stringContaining('no allowed domain endings'),
    });
    expect(faultOfDomain('care.example', ['.taxi.example'])?.error).toContain('.taxi.example');
    expect(faultOfDomain('care.example', ['.example'])).toBeUndefined();
  });
});

test.each([
  ['Care.Example', 'care.example'],
  ['.Care.Example', '.care.example'],
  ['.bücher.example', '.xn--bcher-kva.example'],
  ['example', 'example'],
])('[E2S-6] the ending %s is kept as %s', (written, kept) => {
  expect(parseDomainEnding(written)).toEqual({ ok: true, value: kept });
});

test.each(['', '.', '..example', '@care.example', '*.care.example', 'care.example.', 'a b', '-care.example'])(
  '[E2S-6] %j is no ending',
  (written) => {
    expect(parseDomainEnding(written)).toMatchObject({ ok: false, code: 'invalid_email' });
  },
);

test('[E2S-6] an ending without a dot in front is warned of, with a look-alike', () => {
  expect(warningOf('care.example')).toMatch(/warning: .*evilcare\.example/);
  expect(warningOf('.care.example')).toBeUndefined();
});
