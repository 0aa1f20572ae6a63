/** Mails and domains made to keep a server busy, and DNS that keeps it waiting. */
import { describe, expect, test } from 'vitest';
import { computedMs } from '../../../test/harness/awake.ts';
import type { Zone } from '../../../test/harness/memory-dns.ts';
import { clock, plain, prove, reasonOf, signed, signingKeys } from '../../../test/harness/signed-mail.ts';
import { Turns } from '../../foundation/turns.ts';
import { readHeader } from '../../wire/mail/header-fields.ts';
import { proveSender } from './sender-proof.ts';

describe('mails made to keep a server busy', () => {
  /** Each takes some 0.1 to 1 s alone on a slow core; what is quadratic in it took 10 s and more. */
  const limitMs = 15_000;
  const fake =
    'DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=care.example; s=s1; h=from:subject:x; bh=eA==; b=eA==';
  const big = 25 * 1024 * 1024;

  test.each<[string, () => Buffer]>([
    ['25 MB of line feeds', () => Buffer.concat([plain, Buffer.from('ab\n'.repeat(big / 3))])],
    ['a line of 25 MB', () => Buffer.concat([plain, Buffer.alloc(big, 'a'), Buffer.from('\r\n')])],
    ['25 MB of blank lines', () => Buffer.concat([plain, Buffer.alloc(big, '\r\n')])],
    ['a field of many lines', () => Buffer.concat([Buffer.from(`X: y\r\n${' z\r\n'.repeat(6_000)}`), plain])],
    ['many fields', () => Buffer.concat([Buffer.from('X: y\r\n'.repeat(1_900)), plain])],
    [
      'a Content-Type of 200 kB',
      () => Buffer.concat([Buffer.from(`Content-Type: a/b${'; c=d'.repeat(40_000)}\r\n`), plain]),
    ],
  ])(
    '[MAIL-3] %s',
    async (_name, octets) => {
      const mail = Buffer.concat([Buffer.from(`${fake}\r\n`), octets()]);
      const started = computedMs();
      expect((await prove(mail, signingKeys, {}, 4 * limitMs)).outcome).toBe('refused');
      expect(computedMs() - started).toBeLessThan(limitMs);
    },
    5 * limitMs,
  );

  test('[MAIL-3] others have their turns while a signature over 25 MB is verified', async () => {
    const lines = `${'A'.repeat(76)}\r\n`.repeat(320_000);
    const mail = await signed(Buffer.concat([plain, Buffer.from(lines)]));
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    expect((await prove(mail, signingKeys, {}, 60_000)).outcome).toBe('proven');
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
  }, 60_000);

  test('[MAIL-3] SPF with macros without number', async () => {
    const zone = { 'care.example': [`v=spf1 exists:${'%{s}'.repeat(1_000)}! -all`] };
    const started = computedMs();
    const proof = await prove(plain, zone, { envelopeSender: `${'a'.repeat(64)}@care.example` });
    expect(proof.outcome).toBe('refused');
    expect(computedMs() - started).toBeLessThan(limitMs);
  });
});

describe('DNS that does not answer', () => {
  test.each<[string, Zone]>([
    ['the key', { 's1._domainkey.care.example': 'ESERVFAIL' }],
    ['SPF', { 'care.example': 'ESERVFAIL' }],
    ['a server that is refused', { 's1._domainkey.care.example': 'EREFUSED' }],
    ['silence about the key', { 's1._domainkey.care.example': 'hangs' }],
    ['silence about SPF', { 'care.example': 'hangs' }],
  ])('[MAIL-3] leaves it open: %s', async (_name, zone) => {
    const proof = await prove(await signed(plain), zone, { envelopeSender: 'x@care.example' }, 200);
    expect(proof.outcome).toBe('undecided');
    expect(reasonOf(proof)).toBe(
      'DNS does not answer, so that it cannot be seen now whether the mail is of care.example.',
    );
  });

  test('[MAIL-3] about one proof does not matter when the other is there', async () => {
    const zone = { ...signingKeys, 'care.example': 'ESERVFAIL' } as const;
    expect((await prove(await signed(plain), zone, { envelopeSender: 'x@care.example' })).outcome).toBe(
      'proven',
    );
  });

  test('[MAIL-3] a failure of the resolver itself is such silence, not a crash', async () => {
    const resolve = () => {
      throw new TypeError('broken');
    };
    const octets = await signed(plain);
    const proof = await proveSender(
      { octets, address: '192.0.2.7', helo: 'x', envelopeSender: 'x@care.example' },
      readHeader(octets),
      { resolve, clock, isTrustedRelay: () => false, turns: new Turns() },
    );
    expect(proof.outcome).toBe('undecided');
  });
});
