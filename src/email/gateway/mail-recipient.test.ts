import { describe, expect, test } from 'vitest';
import { parseMailRecipient } from './mail-recipient.ts';

const domains = ['sms.example', 'xn--bcher-kva.example'];

describe('recipients of an e-mail', () => {
  test.each([
    ['46701740699@sms.example', '46701740699'],
    ['+46701740699@SMS.Example', '+46701740699'],
    ['0701-74.06.99@sms.example', '0701-74.06.99'],
    ['"0701740699"@sms.example', '0701740699'],
    ['0046701740699@bücher.example', '0046701740699'],
  ])('[MAIL-1] The recipient %s is accepted as a phone', (address, number) => {
    expect(parseMailRecipient(address, domains)).toEqual({ ok: true, value: number });
  });

  test.each([
    ['46701740699@other.example', /mail to phones only: <number>@sms\.example and its other domains/],
    ['46701740699@sub.sms.example', /mail to phones only/],
    ['46701740699', /mail to phones only/],
    ['postmaster', /mail to phones only/],
    ['info@sms.example', /must be a phone number/],
    ['123@sms.example', /must be a phone number/],
    ['1234567890123456@sms.example', /must be a phone number/],
  ])('[MAIL-2] The recipient %s is refused', (address, sentence) => {
    const parsed = parseMailRecipient(address, domains);
    expect(parsed.ok ? '' : parsed.error).toMatch(sentence);
  });
});
