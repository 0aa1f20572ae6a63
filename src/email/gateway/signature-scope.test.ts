/** Tests how old a signature may be, and which recipient an e-mail is for when nothing else proves it. */
import { describe, expect, test } from 'vitest';
import { rawMail } from '../../../test/harness/raw-mail.ts';
import { readHeader } from '../../wire/mail/header-fields.ts';
import type { MailSignature } from '../proof/sender-proof.ts';
import { freshSignatures, unaddressedNumber } from './signature-scope.ts';

const now = Date.UTC(2024, 5, 10, 10);
const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;

function signature(signedFields: readonly string[], signedAt?: number): MailSignature {
  return { signature: 'QQ==', signedFields, signedAt };
}

describe('a signature counts', () => {
  const isFresh = (fields: readonly string[], ...signed: Parameters<typeof signature>) =>
    freshSignatures(readHeader(rawMail(['From: a@care.example', ...fields])), [signature(...signed)], now)
      .length === 1;
  const late = 'Date: Mon, 03 Jun 2024 11:00:00 +0000';
  const old = 'Date: Mon, 03 Jun 2024 09:00:00 +0000';

  test('[MAIL-3] A signature counts for a week after it was made, whatever the Date', () => {
    expect(isFresh([old], ['from', 'date'], now - 7 * dayMs)).toBe(true);
    expect(isFresh([late], ['from', 'date'], now - 7 * dayMs - 1)).toBe(false);
    expect(isFresh([], ['from'], now - hourMs)).toBe(true);
  });

  test.each<[string, boolean, string[], string[]]>([
    ['within a week of it', true, [late], ['from', 'date']],
    ['with a comment', true, [`${late} (UTC)`], ['from', 'date']],
    ['not later', false, [old], ['from', 'date']],
    ['not when nobody has signed it', false, [late], ['from']],
    ['not when one was put above it', false, [late, old], ['from', 'date']],
    ['not when there is none', false, [], ['from', 'date']],
    ['not when it can’t be read', false, ['Date: Mon, 3 Jun 2024 12:00:00 CEST'], ['from', 'date']],
    ['not when it is still to come', false, ['Date: Wed, 12 Jun 2024 10:00:00 +0000'], ['from', 'date']],
  ])(
    '[MAIL-3] A signature without a time of its own counts by its Date: %s',
    (_name, isFreshThen, fields, signed) => {
      expect(isFresh(fields, signed)).toBe(isFreshThen);
    },
  );

  test('[MAIL-3] A signature that says it was made two days from now does not count', () => {
    expect(isFresh([late], ['from', 'date'], now + 2 * dayMs)).toBe(false);
    expect(isFresh([late], ['from', 'date'], now + hourMs)).toBe(true);
  });
});

describe('an e-mail is for', () => {
  const form = { domains: ['sms.example', 'xn--bcher-kva.example'], defaultCountryCode: '46' };
  const unaddressed = (
    fields: readonly string[],
    numbers: readonly string[],
    ...signed: readonly string[][]
  ) =>
    unaddressedNumber(
      readHeader(rawMail(['From: a@care.example', ...fields])),
      signed.map((one) => signature(one)),
      numbers,
      form,
    );
  const number = '46701740699';

  test.each<[string, string]>([
    ['as it stands in To', `To: ${number}@sms.example`],
    ['in Cc', `Cc: b@care.example, <${number}@SMS.example>`],
    ['with a plus sign', `To: Kari <+${number}@sms.example>`],
    ['with two zeros', `To: 00${number}@sms.example`],
    ['with one', 'To: 0701740699@sms.example'],
    ['with signs between', 'To: 46-70.174.06.99@sms.example'],
    ['in quotation marks', 'To: "46 70 174 06 99"@sms.example'],
    ['at another domain of ours', `To: ${number}@bücher.example`],
    ['in a group', `To: Ward 7: x@care.example, ${number}@sms.example;`],
    ['beside a name beyond ASCII', `To: "Kåre à Ω" <${number}@sms.example>`],
  ])('[MAIL-3] A signed e-mail is for a number %s', (_name, field) => {
    for (const written of [number, `+${number}`, `00${number}`, '0701740699'])
      expect(unaddressed([field], [written], ['from', 'to', 'cc'])).toBeUndefined();
  });

  test.each<[string, string[], string[]]>([
    ['in To where nobody has signed it', [`To: ${number}@sms.example`], ['from']],
    ['in Cc where nobody has signed it', [`Cc: ${number}@sms.example`], ['from', 'to']],
    [
      'in a To above the one that is signed',
      [`To: ${number}@sms.example`, 'To: 46701740000@sms.example'],
      ['from', 'to'],
    ],
    ['at a domain of others', [`To: ${number}@other.example`], ['from', 'to']],
    ['in a name', [`To: "${number}@sms.example" <46701740000@sms.example>`], ['from', 'to']],
    ['nowhere', [], ['from', 'to', 'cc']],
  ])('[MAIL-3] A signed e-mail is not for a number that stands %s', (_name, fields, signed) => {
    expect(unaddressed(fields, [number], signed)).toBe(number);
  });

  test('[MAIL-3] An e-mail is for all of its numbers if one of its signatures covers the fields that name them', () => {
    const fields = [`To: ${number}@sms.example`, 'Cc: 46701740700@sms.example'];
    const both = [number, '46701740700'];
    expect(unaddressed(fields, both, ['from', 'to'], ['from', 'to', 'cc'])).toBeUndefined();
    expect(unaddressed(fields, both, ['from', 'to'])).toBe('46701740700');
    expect(unaddressed(fields, both)).toBe(number);
  });
});
