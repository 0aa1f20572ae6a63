/** Tests, tag by tag, which signatures are passed to mailauth at all. */
import { describe, expect, test } from 'vitest';
import { rawMail } from '../../../test/harness/raw-mail.ts';
import { readHeader } from '../../wire/mail/header-fields.ts';
import { dkimCandidates, tagsIn } from './dkim-candidates.ts';

const nowMs = Date.UTC(2024, 5, 3);
const nowSeconds = nowMs / 1_000;
const good =
  'v=1; a=rsa-sha256; c=relaxed/simple; d=care.example; s=s1; h=From : Subject:Date; bh=eA==; b=eHh4';

const readOf = (...signatures: readonly string[]) =>
  dkimCandidates(
    readHeader(
      rawMail([
        ...signatures.map((value) => `DKIM-Signature: ${value}`),
        'From: kari@care.example',
        'Subject: x',
      ]),
    ),
    'care.example',
    nowMs,
  );

describe('a signature that could prove the sender', () => {
  test.each([
    ['as most are', good],
    ['folded, with white space', good.replace('b=eHh4', 'b=eH\r\n\t h4;\r\n ')],
    ['by Ed25519', good.replace('rsa', 'ed25519')],
    ['of a subdomain', good.replace('d=care', 'd=mail.care')],
    ['for an identity', `${good}; i=kari@care.example`],
    ['for an identity of a subdomain', `${good}; i=@ward.care.example`],
    ['with times', `${good}; t=${nowSeconds - 60}; x=${nowSeconds + 60}`],
    ['with the one place of keys', `${good}; q=dns/txt`],
    ['with tags of later days', `${good}; new_tag=1; atps=x`],
    [
      'in capitals where they do not matter',
      good.replace('d=care', 'D=CARE').replace('rsa-sha256', 'RSA-SHA256'),
    ],
  ])('[MAIL-3] A DKIM signature can prove the sender: %s', (_name, value) => {
    const { candidates, faults } = readOf(value);
    expect(faults).toEqual([]);
    expect(candidates).toMatchObject([
      { selector: 's1', signature: 'eHh4', signedFields: ['from', 'subject', 'date'] },
    ]);
  });

  test.each([
    ['another version', good.replace('v=1', 'v=2'), 'has a version other than 1'],
    ['no version', good.replace('v=1; ', ''), 'has a version other than 1'],
    ['another algorithm', good.replace('rsa-sha256', 'rsa-md5'), 'does not use a safe algorithm'],
    ['another form', good.replace('relaxed/simple', 'loose'), 'has an unknown canonicalization (c=)'],
    ['no selector', good.replace('s=s1; ', ''), 'names no key (s=)'],
    ['a selector that is no name', good.replace('s=s1', 's=a..b'), 'names no key (s=)'],
    ['no signature', good.replace('b=eHh4', 'b='), 'is incomplete'],
    ['no hash', good.replace('bh=eA==; ', ''), 'is incomplete'],
    ['a signature that is no base64', good.replace('b=eHh4', 'b=e!'), 'is incomplete'],
    ['another place of keys', `${good}; q=http/other`, 'has its key somewhere other than in DNS'],
    ['a length', `${good}; l=0`, 'covers only part of the body (l=)'],
    ['a time that is none', `${good}; t=soon`, 'has an invalid time (t=)'],
    ['an end that is none', `${good}; x=1e9`, 'has an invalid expiry (x=)'],
    [
      'an end before its time',
      `${good}; t=${nowSeconds + 120}; x=${nowSeconds + 60}`,
      'has an invalid expiry (x=)',
    ],
    ['an end that is over', `${good}; x=${nowSeconds - 1}`, 'has expired'],
    [
      'an identity of another domain',
      `${good}; i=@other.example`,
      'is for an identity of another domain (i=)',
    ],
    [
      'an identity that ends alike',
      `${good}; i=@notcare.example`,
      'is for an identity of another domain (i=)',
    ],
    ['no fields', good.replace(/h=[^;]*; /, ''), 'does not cover From'],
    ['other fields', good.replace('From :', 'X-From:'), 'does not cover From'],
    ['no subject', good.replace('Subject', 'To'), 'does not cover Subject'],
  ])(
    '[MAIL-3] A DKIM signature with %s cannot prove the sender, and the fault is named',
    (_name, value, fault) => {
      expect(readOf(value)).toEqual({
        candidates: [],
        faults: [`The DKIM signature of care.example ${fault}.`],
      });
    },
  );

  test.each([
    ['another domain', good.replace('d=care', 'd=other')],
    ['a domain above it', good.replace('d=care.example', 'd=example')],
    ['no domain', good.replace('d=care.example; ', '')],
    ['two domains', `${good}; D=other.example`],
    ['no tags', 'hello'],
  ])('[MAIL-3] A DKIM signature with %s is ignored, and no reason mentions it', (_name, value) => {
    expect(readOf(value)).toEqual({ candidates: [], faults: [] });
  });

  test('[MAIL-3] A DKIM signature says when it was made, if it has a time', () => {
    const times = [good, `${good}; t=${nowSeconds - 60}`].map((one) => readOf(one).candidates[0]?.signedAt);
    expect(times).toEqual([undefined, nowMs - 60_000]);
  });

  test('[MAIL-3] At most four of the first fifty DKIM signatures are tried, those of the exact domain first, and copies once', () => {
    const numbered = (domain: string, index: number) =>
      good.replace('care.example', domain).replace('eHh4', `eHh${index}`);
    const related = Array.from({ length: 5 }, (_, index) => numbered('mail.care.example', index));
    const { candidates } = readOf(...related, numbered('care.example', 9));
    expect(candidates.map(({ domain, alignment }) => `${domain} ${alignment}`)).toEqual([
      'care.example same',
      ...Array.from({ length: 3 }, () => 'mail.care.example related'),
    ]);
    expect(readOf(good, good.replace('Date', 'To')).candidates).toMatchObject([
      { signedFields: ['from', 'subject', 'date'] },
    ]);
    expect(
      readOf(...Array.from({ length: 50 }, () => numbered('other.example', 1)), good).candidates,
    ).toEqual([]);
  });
});

test.each([
  'h=(:from:)subject',
  'd="care.example"',
  "d='care.example'",
  'd=care\\.example',
  'd=care.example; d=care.example',
  'd=care.example;; s=x',
  '=x',
  '1d=x',
  '',
])('[MAIL-3] A DKIM tag list that two readers could read in two ways is refused: %s', (value) => {
  expect(tagsIn(value)).toBeUndefined();
});
