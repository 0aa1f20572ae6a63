/** Tests what From must contain, and who is trusted without DNS. */
import { describe, expect, test } from 'vitest';
import type { Zone } from '../../../test/harness/memory-dns.ts';
import { rawMail } from '../../../test/harness/raw-mail.ts';
import { plain, prove, reasonOf, signed, signingKeys } from '../../../test/harness/signed-mail.ts';
import type { ReceivedMail, SenderProof } from './sender-proof.ts';

describe('From', () => {
  test.each<[string, string[], string]>([
    ['none', [], 'The e-mail has no From field; it needs exactly one.'],
    [
      'two fields',
      ['From: a@care.example', 'From: b@care.example'],
      'The e-mail has more than one From field',
    ],
    [
      'two fields, one with a space before its colon',
      ['From: a@care.example', 'From : b@care.example'],
      'more than one From',
    ],
    ['two addresses', ['From: a@care.example, b@care.example'], 'several addresses'],
    ['a group', ['From: People: a@care.example;'], 'has a group'],
    ['an empty group', ['From: People:;'], 'has a group'],
    ['no address', ['From: Kari'], 'has a name without an address'],
    ['nothing', ['From: '], 'no address'],
    ['an address of a machine', ['From: a@[192.0.2.1]'], 'an invalid address'],
    ['a number for a domain', ['From: a@192.0.2.1'], 'no domain that can be in DNS'],
    ['a host without a domain', ['From: a@localhost'], 'no domain that can be in DNS'],
    [
      'a space outside of ASCII before the @',
      ['From: "k\u2003e"@care.example'],
      'not one that mail servers accept',
    ],
    ['signs that a URL would decode', ['From: a@c%61re.example'], 'no domain that can be in DNS'],
    [
      'a line that is no field',
      ['From: a@care.example', '\u00a0folded: by some readers only'],
      'has a line that is not a field',
    ],
    ['a carriage return alone', ['From: a@care.example', 'X: y\rFrom: b@care.example'], 'carriage return'],
  ])(
    '[MAIL-3] A From that is not one address is refused, even from a relay or user: %s',
    async (_name, fields, reason) => {
      for (const more of [{}, { address: '10.1.2.3' }, { user: '7' }]) {
        const proof = await prove(rawMail(fields, 'Hello\n'), {}, more);
        expect(proof).toMatchObject({ outcome: 'refused', asked: [] });
        expect(reasonOf(proof)).toContain(reason);
        expect(reasonOf(proof)).toMatch(/^[ -~]+$/);
      }
    },
  );

  test('[MAIL-3] A From that other servers would find elsewhere, since lines end in LF, is refused, even from a relay or user', async () => {
    const smuggled =
      'X-A: 1\nFrom: boss@care.example\n\nFrom: me@evil.example\r\nSubject: x\r\n\r\nHello\r\n';
    for (const more of [{}, { address: '10.1.2.3' }, { user: '7' }])
      expect(reasonOf(await prove(Buffer.from(smuggled), {}, more))).toContain('does not end in CR LF');
  });

  test('[MAIL-3] A From with another address as its name is proven by its real address', async () => {
    const mail = rawMail(['From: "boss@bank.example" <kari@care.example>', 'Subject: x'], 'Hello\n');
    expect(await prove(await signed(mail))).toMatchObject({
      sender: { local: 'kari', domain: 'care.example' },
    });
  });

  test('[MAIL-1] [MAIL-3] A From address may have letters beyond ASCII before the @ and still be proven', async () => {
    const mail = rawMail(['From: Kåre <kåre@care.example>', 'Subject: x'], 'Hello\n');
    expect(await prove(await signed(mail))).toMatchObject({
      outcome: 'proven',
      sender: { local: 'kåre', domain: 'care.example' },
    });
  });

  test('[MAIL-3] A From with a local part that needs quotes keeps them, in the form of entries', async () => {
    const mail = rawMail(['From: "Kari Nordmann"@care.example', 'Subject: x'], 'Hello\n');
    expect(await prove(await signed(mail))).toMatchObject({ sender: { local: '"kari nordmann"' } });
  });
});

test.each([
  ['as long as may be', 'a'.repeat(64), 'a'.repeat(64)],
  ['quoted without need', '"Kari"', 'kari'],
  ['with quotation marks of its own', '"\\"kari\\""', '"\\"kari\\""'],
])('[MAIL-3] A local part %s is brought into the form of entries', async (_name, written, local) => {
  const mail = rawMail([`From: ${written}@care.example`], 'Hello\n');
  expect(await prove(mail, {}, { user: '7' })).toMatchObject({ sender: { local, domain: 'care.example' } });
});

test('[MAIL-3] The reason of a refusal fits into a line of SMTP, however long the names', async () => {
  const domain = `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(50)}.example`;
  let mail = rawMail([`From: kari@${domain}`, 'Subject: x'], 'Hello\n');
  for (const selector of ['s1', 's2', 's3']) mail = await signed(mail, { signingDomain: domain, selector });
  const proof = await prove(mail, {}, { envelopeSender: `x@${domain}` });
  expect(proof.outcome).toBe('refused');
  expect(reasonOf(proof).length).toBeLessThanOrEqual(480);
});

describe('a signature', () => {
  const of = (domain: string) => ({ envelopeSender: `x@${domain}` });
  const spf = 'v=spf1 ip4:192.0.2.7 -all';

  test.each<[string, string, Zone, Partial<ReceivedMail>]>([
    ['by a server of the domain', 'pass', { 'care.example': [spf] }, of('care.example')],
    ['by another', 'fail', { 'care.example': ['v=spf1 -all'] }, of('care.example')],
    ['for another domain', 'fail', { 'other.example': [spf] }, of('other.example')],
    ['while DNS does not answer', 'undecided', { 'care.example': 'ESERVFAIL' }, of('care.example')],
    [
      'by a server of a subdomain, which the policy forbids',
      'fail',
      { 'a.care.example': [spf], '_dmarc.care.example': ['v=DMARC1; p=none; aspf=s'] },
      of('a.care.example'),
    ],
    [
      'by a server of a subdomain, while the policy is unknown',
      'undecided',
      { 'a.care.example': [spf], '_dmarc.care.example': 'ESERVFAIL' },
      of('a.care.example'),
    ],
  ])(
    '[MAIL-3] A DKIM signature proves the sender, and SPF the server that delivers: %s',
    async (_name, outcome, zone, more) => {
      const proof = await prove(await signed(plain), { ...signingKeys, ...zone }, more);
      expect(proof).toMatchObject({ outcome: 'proven', proof: { method: 'DKIM', spf: outcome } });
    },
  );

  test('[MAIL-2] [MAIL-3] A DKIM proof lists all valid signatures, including those that do not count', async () => {
    const twice = await signed(await signed(plain), { signingDomain: 'mail.care.example' });
    const strict = { '_dmarc.care.example': ['v=DMARC1; p=none; adkim=s'] };
    const { proof } = (await prove(twice, { ...signingKeys, ...strict })) as Extract<
      SenderProof,
      { outcome: 'proven' }
    >;
    expect(proof.method === 'DKIM' && [proof.proving.length, proof.valid.length]).toEqual([1, 2]);
  });
});

describe('those who need no DNS', () => {
  test.each(['10.1.2.3', '::ffff:10.1.2.3', '2001:db8:1::5'])(
    '[MAIL-3] A trusted relay at %s is believed without DNS',
    async (address) => {
      expect(await prove(plain, {}, { address })).toMatchObject({
        outcome: 'proven',
        proof: { method: 'trusted relay', address: address.replace('::ffff:', '') },
        asked: [],
      });
    },
  );

  test.each(['10.2.2.3', '2001:db8:2::5', '::ffff:10.2.0.1', 'nowhere'])(
    '[MAIL-3] A server at %s, just outside the trusted networks, is not believed',
    async (address) => {
      expect((await prove(plain, {}, { address })).outcome).toBe('refused');
    },
  );

  test('[MAIL-3] A user who has logged in is believed without DNS', async () => {
    expect(await prove(plain, {}, { user: '7' })).toMatchObject({
      outcome: 'proven',
      proof: { method: 'user', user: '7' },
      asked: [],
    });
  });
});
