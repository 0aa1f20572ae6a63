/** Tests which signatures prove a sender, which keys count, and what invalidates them. */
import { createHash, sign } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assertRuns } from '../../../test/harness/runs.ts';
import {
  ed25519Key,
  key,
  now,
  plain,
  prove,
  reasonOf,
  rsaKey,
  type Signing,
  signed,
} from '../../../test/harness/signed-mail.ts';
import type { SenderProof } from './sender-proof.ts';

/** Follows RFC 6376, section 3.7, without any library, with the simple canonicalisation of header and body. */
function signedByHand(tags: string): Buffer {
  const body = 'Come at ten.\r\n';
  const fields = 'From: kari@care.example\r\nSubject: Shift\r\n';
  const hash = createHash('sha256').update(body).digest('base64');
  const field = `DKIM-Signature: v=1; a=rsa-sha256; c=simple/simple; ${tags}; h=From:Subject; bh=${hash}; b=`;
  const signature = sign('sha256', Buffer.from(fields + field), key.privateKey).toString('base64');
  return Buffer.from(`${field}${signature}\r\n${fields}\r\n${body}`);
}

describe('a DKIM signature', () => {
  test.each<[string, Signing]>([
    ['relaxed', {}],
    ['simple', { canonicalization: 'simple/simple' }],
    ['of a subdomain', { signingDomain: 'mail.care.example' }],
    ['of what decides alone', { headerList: 'From:Subject' }],
    ['that has not expired', { expires: new Date(now + 60_000) }],
  ])('[MAIL-3] A DKIM signature of the domain of From proves the sender: %s', async (_name, signing) => {
    const { outcome, ...rest } = await prove(await signed(plain, signing));
    expect(outcome).toBe('proven');
    expect(rest).toMatchObject({
      sender: { local: 'kari', domain: 'care.example' },
      proof: { method: 'DKIM', domain: signing.signingDomain ?? 'care.example', selector: 's1' },
      remark: undefined,
    });
  });

  test('[MAIL-3] DKIM signatures by Ed25519 (RFC 8463) and by a 4096-bit key in pieces prove the sender', async () => {
    const edwards = ed25519Key();
    const zone = { 's1._domainkey.care.example': [edwards.record] };
    const mail = await signed(plain, { privateKey: edwards.privateKey, algorithm: 'ed25519-sha256' });
    expect(await prove(mail, zone)).toMatchObject({ outcome: 'proven' });
    const long = rsaKey(4096);
    const pieces = { 's1._domainkey.care.example': [[long.record.slice(0, 255), long.record.slice(255)]] };
    expect(await prove(await signed(plain, { privateKey: long.privateKey }), pieces)).toMatchObject({
      outcome: 'proven',
    });
  });

  test('[MAIL-3] A DKIM proof says which fields its signature covers', async () => {
    const { proof } = (await prove(await signed(plain, { headerList: 'From:Subject:Date' }))) as Extract<
      SenderProof,
      { outcome: 'proven' }
    >;
    const [signature] = proof.method === 'DKIM' ? proof.proving : [];
    expect(signature?.signedFields).toEqual(expect.arrayContaining(['from', 'subject', 'date']));
    expect(signature?.signedFields).not.toContain('message-id');
    expect(signature?.signedAt).toBe(now - 60_000);
  });

  test('[MAIL-3] A DKIM signature of another domain proves nothing, and costs no DNS query', async () => {
    const proof = await prove(await signed(plain, { signingDomain: 'other.example' }));
    expect(proof).toMatchObject({ outcome: 'refused', asked: [] });
    expect(reasonOf(proof)).toBe(
      'Nothing proves that the e-mail is from care.example. It needs DKIM or SPF of that domain. ' +
        'The envelope is from stranger.example, whose SPF says nothing about care.example.',
    );
  });

  test('[MAIL-3] One DKIM signature that counts is enough, and the others cost no DNS query', async () => {
    let mail = await signed(plain);
    for (let index = 0; index < 20; index += 1)
      mail = await signed(mail, { signingDomain: `d${index}.example` });
    const sealed = Buffer.concat([
      Buffer.from('ARC-Seal: i=1; a=rsa-sha256; d=seal.example; s=x; b=eA==\r\n'),
      mail,
    ]);
    const { outcome, asked } = await prove(sealed);
    expect(outcome).toBe('proven');
    expect(asked).toEqual(['s1._domainkey.care.example TXT']);
  });

  test('[MAIL-3] A thousand DKIM signatures of the domain lead to at most four DNS queries', async () => {
    const one = (selector: number) =>
      `DKIM-Signature: v=1; a=rsa-sha256; d=care.example; s=k${selector}; h=from:subject; bh=eA==; b=eA${selector}\r\n`;
    const many = Array.from({ length: 1_000 }, (_, index) => one(1_000 + index)).join('');
    const { outcome, asked } = await prove(Buffer.concat([Buffer.from(many), plain]));
    expect(outcome).toBe('refused');
    expect(asked.length).toBeLessThanOrEqual(4);
  });

  test.each<[string, Signing, string]>([
    ['covers a part of the body', { maxBodyLength: 4 }, 'covers only part of the body (l=)'],
    ['has expired', { expires: new Date(now - 1_000) }, 'has expired'],
    ['is by SHA-1', { algorithm: 'rsa-sha1' }, 'does not use a safe algorithm'],
    ['does not cover From', { headerList: 'Subject:Date' }, 'does not cover From'],
    ['does not cover Subject', { headerList: 'From:Date' }, 'does not cover Subject'],
    ['has no key', { selector: 's2' }, 'is not valid (no key)'],
  ])('[MAIL-3] A DKIM signature that %s is refused', async (_name, signing, reason) => {
    const proof = await prove(await signed(plain, signing));
    expect(proof.outcome).toBe('refused');
    expect(reasonOf(proof)).toContain(`The DKIM signature of care.example ${reason}.`);
  });

  test.each<[string, (mail: string) => string]>([
    ['the body', (mail) => mail.replace('ten', 'six')],
    ['behind the body', (mail) => `${mail}And bring money.\r\n`],
    ['the subject', (mail) => mail.replace('Subject: Shift', 'Subject: Money')],
    ['a second subject in front', (mail) => `Subject: Money\r\n${mail}`],
    [
      'a second Content-Type in front',
      (mail) => `Content-Type: text/html\r\nContent-Type: text/plain\r\n${mail}`,
    ],
    ['the sender', (mail) => mail.replace('kari@', 'boss@')],
    [
      'the signature',
      (mail) => mail.replace(/ b=(\w)/, (_all, first: string) => ` b=${first === 'A' ? 'B' : 'A'}`),
    ],
    ['a tag twice', (mail) => mail.replace('d=care.example;', 'd=other.example; d=care.example;')],
    [
      'a comment in the signature',
      (mail) => mail.replace('d=care.example;', 'd=care.example (; d=other.example);'),
    ],
    [
      'an identity of another domain',
      (mail) => mail.replace('d=care.example;', 'd=care.example; i=@other.example;'),
    ],
    ['a part of the body from now on', (mail) => mail.replace('d=care.example;', 'd=care.example; L=5;')],
    [
      'an end of time that is none',
      (mail) => mail.replace('d=care.example;', 'd=care.example; x=99999999999999999;'),
    ],
  ])('[MAIL-3] A DKIM signature breaks when something is changed: %s', async (_name, change) => {
    const mail = (await signed(plain)).toString('latin1');
    expect(change(mail)).not.toBe(mail);
    expect((await prove(Buffer.from(change(mail), 'latin1'))).outcome).toBe('refused');
  });

  test.each([
    ['that is being tested', (record: string) => `${record}; t=y`, 'in test mode'],
    ['that is tested, among flags', (record: string) => `${record}; t=s:y`, 'in test mode'],
    ['not for mail', (record: string) => `${record}; s=other`, 'not for mail'],
    ['not for SHA-256', (record: string) => `${record}; h=sha1`, 'not for SHA-256'],
    ['that was withdrawn', () => 'v=DKIM1; p=', 'not valid'],
    ['of another kind', () => ed25519Key().record, 'not valid'],
    [
      'of 512 bits',
      () =>
        'v=DKIM1; p=MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBALdTu0i9kOQXfKs6mvhX4BwGvXnXqkDq3nFhvDqLZQyTQ6N0yYFz3zSSS7mLxgRzVXUVNzHd5w9dQe8cHuTq6z0CAwEAAQ==',
      'less than 1024 bits',
    ],
    ['that is no key', () => 'v=DKIM1; p=????', 'not valid'],
    ['with a tag twice', (record: string) => `${record}; t=s; t=s`, 'cannot be read'],
    ['as long as a book', (record: string) => `${record}; n=${'x'.repeat(60_000)}`, 'not valid'],
  ])('[MAIL-3] A DKIM signature is refused with a key %s', async (_name, change, reason) => {
    const proof = await prove(await signed(plain), { 's1._domainkey.care.example': [change(key.record)] });
    expect(proof.outcome).toBe('refused');
    expect(reasonOf(proof)).toContain(reason);
  });

  test('[MAIL-3] A DKIM key with notes, or only for its own domain, is as good as any', async () => {
    const zone = { 's1._domainkey.care.example': [`${key.record}; n=the "first" (of two); t=s`] };
    expect((await prove(await signed(plain), zone)).outcome).toBe('proven');
  });

  test('[MAIL-3] A DKIM key for its own domain only is refused for identities of subdomains', async () => {
    const mail = signedByHand('d=care.example; i=@ward.care.example; s=s1');
    expect((await prove(mail)).outcome).toBe('proven');
    const proof = await prove(mail, { 's1._domainkey.care.example': [`${key.record}; t=s`] });
    expect(reasonOf(proof)).toContain('is for a subdomain, which its key forbids (t=s)');
  });

  test('[MAIL-3] An e-mail with lines that do not end in CR LF has no valid DKIM signature', async () => {
    const mail = Buffer.concat([await signed(plain), Buffer.from('one\n')]);
    expect(reasonOf(await prove(mail))).toContain(
      'The e-mail has lines that do not end in CR LF, as DKIM requires.',
    );
  });

  test('[MAIL-3] Thousands of DKIM key records count as no key, and the e-mail is refused', async () => {
    const zone = { 's1._domainkey.care.example': Array.from({ length: 3_000 }, () => key.record) };
    expect((await prove(await signed(plain), zone)).outcome).toBe('refused');
  });
});

test('[MAIL-3] Random octets and damaged e-mails get a verdict, and a broken signature never proves them', async () => {
  const whole = await signed(plain);
  const original = whole.toString('latin1');
  const damaged = fc
    .tuple(fc.nat(whole.length), fc.nat(20), fc.uint8Array({ maxLength: 20 }))
    .map(([at, removed, octets]) =>
      Buffer.concat([whole.subarray(0, at), octets, whole.subarray(Math.min(whole.length, at + removed))]),
    );
  const random = fc.uint8Array({ maxLength: 300 }).map((octets) => Buffer.from(octets));
  // Removes what relaxed canonicalisation ignores (RFC 6376, section 3.4): white space, the case of names, empty lines
  // at the end.
  const essence = (mail: string) => mail.replace(/\s+/g, '').toLowerCase();
  await assertRuns(
    fc.asyncProperty(fc.oneof({ weight: 4, arbitrary: damaged }, random), async (octets) => {
      const proof = await prove(octets);
      expect(['proven', 'refused']).toContain(proof.outcome);
      if (proof.outcome !== 'proven') return;
      const [head = '', ...body] = octets.toString('latin1').split('\r\n\r\n');
      expect(head.toLowerCase()).toContain('kari@care.example');
      expect(essence(body.join(''))).toBe(essence(original.split('\r\n\r\n')[1] ?? ''));
    }),
    300,
  );
});
