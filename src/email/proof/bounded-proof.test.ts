/** Tests e-mails and domains made to keep a server busy, and DNS that keeps it waiting. */
import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { expectLinearTime, turnsDuring } from '../../../test/harness/linear-time.ts';
import type { Zone } from '../../../test/harness/memory-dns.ts';
import { clock, plain, prove, reasonOf, signed, signingKeys } from '../../../test/harness/signed-mail.ts';
import { Turns } from '../../foundation/turns.ts';
import { readHeader } from '../../wire/mail/header-fields.ts';
import { proveSender } from './sender-proof.ts';

describe('e-mails made to keep a server busy', () => {
  const fake =
    'DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=care.example; s=s1; h=from:subject:x; bh=eA==; b=eA==\r\n';
  const mebibyte = 1024 * 1024;

  /** The large e-mail has the longest header that is read of any e-mail, or a body of 16 MiB. */
  test.each<[name: string, from: number, octets: (size: number) => Buffer]>([
    ['line feeds', 2 * mebibyte, (size) => Buffer.concat([plain, Buffer.from('ab\n'.repeat(size / 3))])],
    [
      'one line',
      2 * mebibyte,
      (size) => Buffer.concat([plain, Buffer.alloc(size, 'a'), Buffer.from('\r\n')]),
    ],
    ['blank lines', 2 * mebibyte, (size) => Buffer.concat([plain, Buffer.alloc(size, '\r\n')])],
    [
      'a field of lines',
      480,
      (size) => Buffer.concat([Buffer.from(`X: y\r\n${' z\r\n'.repeat(size)}`), plain]),
    ],
    ['fields', 120, (size) => Buffer.concat([Buffer.from('X: y\r\n'.repeat(size)), plain])],
    [
      'parameters of Content-Type',
      2_500,
      (size) => Buffer.concat([Buffer.from(`Content-Type: a/b${'; c=d'.repeat(size)}\r\n`), plain]),
    ],
  ])('[MAIL-3] Proving an e-mail costs in proportion to what fills it: %s', async (_name, from, octets) => {
    const costs = async (size: number) => {
      const mail = Buffer.concat([Buffer.from(fake), octets(size)]);
      expect((await prove(mail)).outcome).toBe('refused');
    };
    await expectLinearTime(costs, { from, times: 8 });
  });

  test('[MAIL-3] Addresses in an e-mail are parsed in time proportional to their length', async () => {
    // `overrides` gives mailauth a version of nodemailer that parses an address in linear time; the version that mailauth
    // asks for takes quadratic time.
    const ofMailauth = createRequire(createRequire(import.meta.url).resolve('mailauth'));
    const parse = ofMailauth('nodemailer/lib/addressparser') as (addresses: string) => readonly unknown[];
    await expectLinearTime((size) => parse(`${'a.'.repeat(size)}@`), { from: 4_000, times: 8 });
    await expectLinearTime((size) => parse('a@care.example,'.repeat(size)), { from: 500, times: 8 });
  });

  test('[MAIL-3] Other work gets its turns while a signature over 16 MB is verified', async () => {
    const lines = `${'A'.repeat(76)}\r\n`.repeat(200_000);
    const mail = await signed(Buffer.concat([plain, Buffer.from(lines)]));
    const { count, longestMs, totalMs } = await turnsDuring(async () => {
      expect((await prove(mail)).outcome).toBe('proven');
    });
    expect(count).toBeGreaterThan(10);
    expect(longestMs).toBeLessThan(totalMs / 3);
  });

  test('[MAIL-3] An SPF record with countless macros is not followed', async () => {
    const zone = { 'care.example': [`v=spf1 exists:${'%{s}'.repeat(1_000)}! -all`] };
    const proof = await prove(plain, zone, { envelopeSender: `${'a'.repeat(64)}@care.example` });
    expect(proof.outcome).toBe('refused');
    expect(proof.asked).toEqual(['care.example TXT']);
  });
});

describe('DNS that does not answer', () => {
  test.each<[string, Zone]>([
    ['the key', { 's1._domainkey.care.example': 'ESERVFAIL' }],
    ['SPF', { 'care.example': 'ESERVFAIL' }],
    ['a server that is refused', { 's1._domainkey.care.example': 'EREFUSED' }],
    ['silence about the key', { 's1._domainkey.care.example': 'hangs' }],
    ['silence about SPF', { 'care.example': 'hangs' }],
  ])('[MAIL-3] DNS that does not answer leaves the proof undecided: %s', async (_name, zone) => {
    const proof = await prove(await signed(plain), zone, { envelopeSender: 'x@care.example' }, 200);
    expect(proof.outcome).toBe('undecided');
    expect(reasonOf(proof)).toBe(
      'DNS does not answer, so whether the e-mail is from care.example cannot be checked now.',
    );
  });

  test('[MAIL-3] Missing DNS for one proof does not matter when the other proof is there', async () => {
    const zone = { ...signingKeys, 'care.example': 'ESERVFAIL' } as const;
    expect((await prove(await signed(plain), zone, { envelopeSender: 'x@care.example' })).outcome).toBe(
      'proven',
    );
  });

  test('[MAIL-3] A failure of the resolver itself counts as missing DNS, not as a crash', async () => {
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
