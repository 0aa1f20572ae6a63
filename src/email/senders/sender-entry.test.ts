import { describe, expect, test } from 'vitest';
import { faultOfPayer, faultOfSplitCallback, namedUser, type Payer, unfitness } from './paying-user.ts';
import {
  changedSettings,
  keysFor,
  noSettings,
  parseCountryCode,
  parseEntrySender,
  parseSenderKey,
  settled,
} from './sender-entry.ts';

describe('the key of an entry', () => {
  test.each([
    ['Ward7@Care.Example', { email: 'ward7@care.example', domain: 'care.example' }],
    ['@Care.Example', { email: '@care.example', domain: 'care.example' }],
    ['@bücher.example', { email: '@xn--bcher-kva.example', domain: 'xn--bcher-kva.example' }],
  ])('[E2S-1] of %s', (written, value) => {
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
  ])('[E2S-1] %j is none', (written) => {
    expect(parseSenderKey(written)).toMatchObject({ ok: false, code: 'invalid_email' });
  });

  test('[E2S-1] the whole address comes before its domain', () => {
    expect(keysFor({ email: 'a@b.example', domain: 'b.example' })).toEqual(['a@b.example', '@b.example']);
  });
});

describe('settings', () => {
  const unset = { sender: '', costCenter: '', defaultCountryCode: '', maxSms: 255, splitCallback: false };

  test('[E2S-3] what is given comes before the default, and that before what stands for none', () => {
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

  test('[E2S-3] a change leaves alone what it does not name, and null clears', () => {
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
  ])('[E2S-5] the sender %s', (written, value) => {
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
  ])('[E2S-5] %j is no sender of an entry', (written) => {
    const parsed = parseEntrySender(written);
    expect(parsed).toMatchObject({ ok: false, code: 'invalid_sender' });
    if (!parsed.ok) expect(parsed.error).toMatch(/3 to 11/);
  });

  test('[E2S-5] a country code is digits that do not begin with 0', () => {
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

  test('[E2S-4] digits are an id, all else a name', () => {
    expect(namedUser('501')).toEqual({ id: 501 });
    expect(namedUser('0501')).toEqual({ id: 501 });
    expect(namedUser('alice')).toEqual({ username: 'alice' });
    expect(namedUser('5o1')).toEqual({ username: '5o1' });
    expect(namedUser('9'.repeat(200))).toEqual({ id: 0 });
  });

  test('[E2S-4] an active user with the role send, of the same company', () => {
    expect(unfitness(alice)).toBeUndefined();
    expect(unfitness({ ...alice, active: false })).toMatch(/active/);
    expect(unfitness({ ...alice, roles: ['companyAdmin'] })).toMatch(/send/);
    expect(faultOfPayer(alice, choice)).toBeUndefined();
    const refusal = { field: 'payinguser', code: 'invalid_paying_user' };
    const foreign = faultOfPayer({ ...alice, companyId: 2 }, choice);
    expect(foreign).toMatchObject(refusal);
    // Whether another company has such a user is not told.
    expect(foreign).toEqual(faultOfPayer(undefined, choice));
    const byDefault = faultOfPayer({ ...alice, active: false }, { ...choice, isDefault: true });
    expect(byDefault).toMatchObject({ ...refusal, error: expect.stringContaining('default') });
  });

  test('[E2S-3] mail goes back only on the account of a user with SMTPSPLIT', () => {
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
