import { describe, expect, test } from 'vitest';
import { faultOfPayer, faultOfSplitCallback, namedUser, type Payer, unfitness } from './paying-user.ts';
import {
  changedSettings,
  faultOfDomain,
  isAllowedDomain,
  keysFor,
  noSettings,
  parseCountryCode,
  parseDomainEnding,
  parseEntrySender,
  parseSenderKey,
  settled,
  warningOf,
} from './sender-entry.ts';

describe('the key of an entry', () => {
  test.each([
    ['Ward7@Care.Example', { email: 'ward7@care.example', domain: 'care.example' }],
    ['@Care.Example', { email: '@care.example', domain: 'care.example' }],
    ['@bücher.example', { email: '@xn--bcher-kva.example', domain: 'xn--bcher-kva.example' }],
  ])('[E2S-1] The e-mail sender %s has a key in lower case, with its domain in ASCII', (written, value) => {
    expect(parseSenderKey(written)).toEqual({ ok: true, value });
  });

  test.each([
    '@',
    '@.',
    '@.example',
    '@care.example.',
    '@a@b',
    'a@b@c',
    'care.example',
    ' @care.example',
    '@@care.example',
  ])('[E2S-1] The text %j is refused as an e-mail sender', (written) => {
    expect(parseSenderKey(written)).toMatchObject({ ok: false, code: 'invalid_email' });
  });

  test('[E2S-1] The entry for the whole address comes before that for its domain', () => {
    expect(keysFor({ email: 'a@b.example', domain: 'b.example' })).toEqual(['a@b.example', '@b.example']);
  });
});

describe('settings', () => {
  const unset = { sender: '', costCenter: '', defaultCountryCode: '', maxSms: 255, splitCallback: false };

  test('[E2S-3] A given setting comes before the default, and the default before the built-in value', () => {
    expect(settled(noSettings)).toMatchObject(unset);
    const defaults = { ...noSettings, sender: 'Care', maxSms: 3, splitCallback: true, checkMobile: true };
    const given = { ...noSettings, sender: 'Ward', splitCallback: false };
    expect(settled(given, defaults)).toEqual({
      ...settled(noSettings),
      sender: 'Ward',
      maxSms: 3,
      checkMobile: true,
    });
  });

  test('[E2S-3] A change keeps the settings that it does not name, and null clears a setting', () => {
    const before = { ...noSettings, sender: 'Care', maxSms: 3, origMsg: true };
    const nothing = { ...noSettings };
    expect(changedSettings(before, nothing)).toEqual(before);
    expect(changedSettings(before, { ...nothing, sender: null, maxSms: 4, origMsg: false })).toEqual({
      ...noSettings,
      maxSms: 4,
      origMsg: false,
    });
  });

  test.each([
    ['Abc', 'Abc'],
    ['NordicCare1', 'NordicCare1'],
    ['+4673123', '4673123'],
    ['46731230001', '46731230001'],
    [' Care ', 'Care'],
  ])('[E2S-5] The sender %s is accepted for an entry', (written, value) => {
    expect(parseEntrySender(written)).toEqual({ ok: true, value });
  });

  test.each([
    '',
    'Ab',
    '12',
    ' A ',
    'NordicCare12',
    '467312300012',
    '+46731230001',
    ' NordicCare1',
    'Care@Ward',
    'Ca\0re',
    '...',
    'x'.repeat(10_000),
  ])('[E2S-5] The sender %j is refused for an entry', (written) => {
    const parsed = parseEntrySender(written);
    expect(parsed).toMatchObject({ ok: false, code: 'invalid_sender' });
    if (!parsed.ok) expect(parsed.error).toMatch(/3 to 11/);
  });

  test('[E2S-5] A country code consists of digits and does not begin with 0', () => {
    expect(parseCountryCode('46')).toEqual({ ok: true, value: '46' });
    for (const code of ['0046', '46a', '12345', ''])
      expect(parseCountryCode(code)).toMatchObject({ ok: false, code: 'invalid_value' });
  });
});

describe('who pays', () => {
  const alice: Payer = {
    id: 501,
    username: 'alice',
    companyId: 1,
    active: true,
    roles: ['send'],
    smtpSplit: false,
  };
  const choice = { name: 'alice', isDefault: false, companyId: 1 };

  test('[E2S-4] A payer given in digits is an id, and any other is a name', () => {
    expect(namedUser('501')).toEqual({ id: 501 });
    expect(namedUser('0501')).toEqual({ id: 501 });
    expect(namedUser('alice')).toEqual({ username: 'alice' });
    expect(namedUser('5o1')).toEqual({ username: '5o1' });
    expect(namedUser('9'.repeat(200))).toEqual({ id: 0 });
  });

  test('[E2S-4] A payer is an active user of the same company with the role send', () => {
    expect(unfitness(alice)).toBeUndefined();
    expect(unfitness({ ...alice, active: false })).toMatch(/active/);
    expect(unfitness({ ...alice, roles: ['companyAdmin'] })).toMatch(/send/);
    expect(faultOfPayer(alice, choice)).toBeUndefined();
    const refusal = { field: 'payinguser', code: 'invalid_paying_user' };
    const foreign = faultOfPayer({ ...alice, companyId: 2 }, choice);
    expect(foreign).toMatchObject(refusal);
    // The refusal does not reveal whether another company has such a user.
    expect(foreign).toEqual(faultOfPayer(undefined, choice));
    const byDefault = faultOfPayer({ ...alice, active: false }, { ...choice, isDefault: true });
    expect(byDefault).toMatchObject({ ...refusal, error: expect.stringContaining('default') });
  });

  test('[E2S-3] Answers go back by mail only when the payer has SMTPSPLIT', () => {
    expect(faultOfSplitCallback(alice, false, false)).toBeUndefined();
    expect(faultOfSplitCallback({ ...alice, smtpSplit: true }, true, false)).toBeUndefined();
    expect(faultOfSplitCallback(alice, true, false)).toMatchObject({
      field: 'splitCallback',
      code: 'smtp_split_missing',
      error: expect.stringContaining('alice'),
    });
    expect(faultOfSplitCallback(alice, true, true)?.error).toContain('default of the company');
  });
});

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
  ])('[E2S-6] For the domain %s and the allowed ending %s, the answer is %s', (domain, ending, allowed) => {
    expect(isAllowedDomain(domain, [ending])).toBe(allowed);
    expect(isAllowedDomain(domain, ['taxi.example', ending])).toBe(allowed);
  });

  test('[E2S-6] Without allowed endings no domain is allowed', () => {
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
])('[E2S-6] The domain ending %s is kept as %s', (written, kept) => {
  expect(parseDomainEnding(written)).toEqual({ ok: true, value: kept });
});

test.each(['', '.', '..example', '@care.example', '*.care.example', 'care.example.', 'a b', '-care.example'])(
  '[E2S-6] The text %j is refused as a domain ending',
  (written) => {
    expect(parseDomainEnding(written)).toMatchObject({ ok: false, code: 'invalid_email' });
  },
);

test('[E2S-6] A domain ending without a dot in front gives a warning that names a look-alike', () => {
  expect(warningOf('care.example')).toMatch(/warning: .*evilcare\.example/);
  expect(warningOf('.care.example')).toBeUndefined();
});
