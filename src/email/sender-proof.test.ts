/** Whose mail is believed: signed mails, envelopes, relays and users, and all the ways to forge them. */
import { generateKeyPairSync } from 'node:crypto';
import { BlockList } from 'node:net';
import fc from 'fast-check';
import { dkimSign } from 'mailauth';
import { describe, expect, test } from 'vitest';
import { memoryDns, type Zone } from '../../test/harness/memory-dns.ts';
import { rawMail } from '../../test/harness/raw-mail.ts';
import { assertRuns } from '../../test/harness/runs.ts';
import { addressTest } from '../http/origin.ts';
import { proveSender, type ReceivedMail, type SenderProof } from './sender-proof.ts';

const now = Date.UTC(2024, 5, 3, 10);
const clock = { now: () => now };

function rsaKey(bits: number) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: bits });
  const spki = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    record: `v=DKIM1; k=rsa; p=${spki}`,
  };
}

function ed25519Key() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64');
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    record: `v=DKIM1; k=ed25519; p=${raw}`,
  };
}

const key = rsaKey(2048);
const signingKeys: Zone = {
  's1._domainkey.care.example': [key.record],
  's1._domainkey.mail.care.example': [key.record],
  's1._domainkey.other.example': [key.record],
  's1._domainkey.xn--bcher-kva.example': [key.record],
};

const header = [
  'From: Kari <kari@care.example>',
  'To: 4790000000@sms.example',
  'Subject: Shift',
  'Date: Mon, 03 Jun 2024 10:00:00 +0000',
  'Message-ID: <1@care.example>',
];
const plain = rawMail(header, 'Come at ten.\n');

interface Signing {
  readonly signingDomain?: string;
  readonly selector?: string;
  readonly privateKey?: string;
  readonly algorithm?: string;
  readonly canonicalization?: string;
  readonly maxBodyLength?: number;
  /** With colons between. */
  readonly headerList?: string;
  readonly expires?: Date;
}

async function signed(mail: Buffer, signing: Signing = {}): Promise<Buffer> {
  const {
    headerList,
    expires,
    canonicalization = 'relaxed/relaxed',
    algorithm = 'rsa-sha256',
    ...data
  } = signing;
  const { signatures } = await dkimSign(mail, {
    canonicalization,
    algorithm,
    signTime: new Date(now - 60_000),
    ...(headerList === undefined ? {} : { headerList }),
    ...(expires === undefined ? {} : { expires }),
    signatureData: [{ signingDomain: 'care.example', selector: 's1', privateKey: key.privateKey, ...data }],
  } as unknown as Parameters<typeof dkimSign>[1]);
  return Buffer.concat([Buffer.from(signatures), mail]);
}

const relays = new BlockList();
relays.addSubnet('10.1.0.0', 16, 'ipv4');
relays.addSubnet('2001:db8:1::', 48, 'ipv6');

/** Of a stranger whose envelope is of another domain, unless the test says otherwise. */
async function prove(
  octets: Buffer,
  zone: Zone = signingKeys,
  more: Partial<ReceivedMail> = {},
  timeoutMs = 5_000,
) {
  const dns = memoryDns(zone);
  const proof = await proveSender(
    {
      octets,
      address: '192.0.2.7',
      helo: 'mx.stranger.example',
      envelopeSender: 'x@stranger.example',
      ...more,
    },
    { resolve: dns.resolve, clock, isTrustedRelay: addressTest(relays), timeoutMs },
  );
  return { ...proof, asked: dns.asked };
}

const reasonOf = (proof: SenderProof) => (proof.outcome === 'proven' ? '' : proof.reason);

describe('a DKIM signature', () => {
  test.each<[string, Signing]>([
    ['relaxed', {}],
    ['simple', { canonicalization: 'simple/simple' }],
    ['of a subdomain', { signingDomain: 'mail.care.example' }],
    ['of what decides alone', { headerList: 'From:Subject' }],
    ['that has not expired', { expires: new Date(now + 60_000) }],
  ])('[MAIL-3] of the domain of From proves it: %s', async (_name, signing) => {
    const { outcome, ...rest } = await prove(await signed(plain, signing));
    expect(outcome).toBe('proven');
    expect(rest).toMatchObject({
      sender: { local: 'kari', domain: 'care.example' },
      proof: { method: 'DKIM', domain: signing.signingDomain ?? 'care.example', selector: 's1' },
      remark: undefined,
    });
  });

  test('[MAIL-3] by Ed25519 (RFC 8463), and by a key of 4096 bits in pieces, prove it', async () => {
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

  test('[MAIL-3] says which fields it covers', async () => {
    const { proof } = (await prove(await signed(plain, { headerList: 'From:Subject:Date' }))) as Extract<
      SenderProof,
      { outcome: 'proven' }
    >;
    expect(proof).toMatchObject({ signedFields: expect.arrayContaining(['from', 'subject', 'date']) });
    expect(proof.method === 'DKIM' ? proof.signedFields : []).not.toContain('message-id');
  });

  test('[MAIL-3] of another domain proves nothing, and costs no question to DNS', async () => {
    const proof = await prove(await signed(plain, { signingDomain: 'other.example' }));
    expect(proof).toMatchObject({ outcome: 'refused', asked: [] });
    expect(reasonOf(proof)).toBe(
      'Nothing proves that the mail is of care.example: it needs DKIM or SPF of that domain. ' +
        'The envelope is of stranger.example, for which SPF says nothing about care.example.',
    );
  });

  test('[MAIL-3] one that counts among others is enough, and others cost nothing', async () => {
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

  test('[MAIL-3] a thousand signatures of the domain lead to four questions at most', async () => {
    const one = (selector: number) =>
      `DKIM-Signature: v=1; a=rsa-sha256; d=care.example; s=k${selector}; h=from:subject; bh=eA==; b=eA${selector}\r\n`;
    const many = Array.from({ length: 1_000 }, (_, index) => one(1_000 + index)).join('');
    const { outcome, asked } = await prove(Buffer.concat([Buffer.from(many), plain]));
    expect(outcome).toBe('refused');
    expect(asked.length).toBeLessThanOrEqual(4);
  });

  test.each<[string, Signing, string]>([
    ['covers a part of the body', { maxBodyLength: 4 }, 'covers only a part of the body (l=)'],
    ['has expired', { expires: new Date(now - 1_000) }, 'has expired'],
    ['is by SHA-1', { algorithm: 'rsa-sha1' }, 'is by no algorithm that is safe'],
    ['does not cover From', { headerList: 'Subject:Date' }, 'does not cover From'],
    ['does not cover Subject', { headerList: 'From:Date' }, 'does not cover Subject'],
    ['has no key', { selector: 's2' }, 'is not valid (no key)'],
  ])('[MAIL-3] that %s is refused', async (_name, signing, reason) => {
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
  ])('[MAIL-3] breaks when something is changed: %s', async (_name, change) => {
    const mail = (await signed(plain)).toString('latin1');
    expect(change(mail)).not.toBe(mail);
    expect((await prove(Buffer.from(change(mail), 'latin1'))).outcome).toBe('refused');
  });

  test.each([
    ['that is being tested', (record: string) => `${record}; t=y`, 'being tested'],
    ['that is tested, among flags', (record: string) => `${record}; t=s:y`, 'being tested'],
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
  ])('[MAIL-3] is refused with a key %s', async (_name, change, reason) => {
    const proof = await prove(await signed(plain), { 's1._domainkey.care.example': [change(key.record)] });
    expect(proof.outcome).toBe('refused');
    expect(reasonOf(proof)).toContain(reason);
  });

  test('[MAIL-3] with notes, or only for its own domain, a key is as good as any', async () => {
    const zone = { 's1._domainkey.care.example': [`${key.record}; n=the "first" (of two); t=s`] };
    expect((await prove(await signed(plain), zone)).outcome).toBe('proven');
  });

  test('[MAIL-3] thousands of records are no key, and no reason to come again', async () => {
    const zone = { 's1._domainkey.care.example': Array.from({ length: 3_000 }, () => key.record) };
    expect((await prove(await signed(plain), zone)).outcome).toBe('refused');
  });
});

describe('alignment', () => {
  test.each<[string, string, string, boolean]>([
    ['a subdomain in From', 'kari@ward.care.example', 'care.example', true],
    ['siblings', 'kari@ward.care.example', 'mail.care.example', true],
    ['another organisation below the same public suffix', 'kari@care.co.uk', 'other.co.uk', false],
    ['the public suffix itself', 'kari@care.co.uk', 'co.uk', false],
    ['customers of one host', 'kari@a.github.io', 'b.github.io', false],
    ['a name that only ends alike', 'kari@care.example', 'notcare.example', false],
    ['another alphabet, in From', 'kari@bücher.example', 'xn--bcher-kva.example', true],
    ['another alphabet, as A-label in From', 'kari@xn--bcher-kva.example', 'xn--bcher-kva.example', true],
    ['capitals', 'Kari@CARE.Example', 'care.example', true],
  ])('[MAIL-3] %s', async (_name, from, signingDomain, isProven) => {
    const mail = rawMail([`From: ${from}`, 'Subject: x'], 'Hello\n');
    const zone = { [`s1._domainkey.${signingDomain}`]: [key.record] };
    const proof = await prove(await signed(mail, { signingDomain }), zone);
    expect(proof.outcome).toBe(isProven ? 'proven' : 'refused');
  });

  const ward = rawMail(['From: kari@ward.care.example', 'Subject: x'], 'Hello\n');

  test.each<[string, Zone, SenderProof['outcome']]>([
    ['no policy', {}, 'proven'],
    ['a policy that asks for nothing', { '_dmarc.care.example': ['v=DMARC1; p=none'] }, 'proven'],
    ['a strict one of the organisation', { '_dmarc.care.example': ['v=DMARC1; p=none; adkim=s'] }, 'refused'],
    [
      'a relaxed one of the subdomain before it',
      {
        '_dmarc.ward.care.example': ['v=DMARC1; p=reject; adkim=r'],
        '_dmarc.care.example': ['v=DMARC1; p=none; adkim=s'],
      },
      'proven',
    ],
    ['two, which are none', { '_dmarc.care.example': ['v=DMARC1; adkim=s', 'v=DMARC1; adkim=s'] }, 'proven'],
    ['texts of others', { '_dmarc.care.example': ['v=spf1 -all', 'adkim=s'] }, 'proven'],
    ['one that cannot be asked for', { '_dmarc.care.example': 'ESERVFAIL' }, 'undecided'],
  ])('[MAIL-3] a subdomain with %s', async (_name, policy, outcome) => {
    const proof = await prove(await signed(ward), { ...signingKeys, ...policy });
    expect(proof.outcome).toBe(outcome);
  });

  test('[MAIL-3] strict about SPF is not strict about DKIM, and the other way round', async () => {
    const zone = {
      ...signingKeys,
      '_dmarc.care.example': ['v=DMARC1; p=none; aspf=s'],
      'care.example': ['v=spf1 +ip4:192.0.2.7 -all'],
    };
    expect((await prove(await signed(ward), zone)).outcome).toBe('proven');
    const proof = await prove(ward, zone, { envelopeSender: 'x@care.example' });
    expect(proof.outcome).toBe('refused');
    expect(reasonOf(proof)).toContain(
      'The policy of ward.care.example (DMARC) does not let care.example stand for it.',
    );
  });
});

describe('SPF', () => {
  const mine = { envelopeSender: 'bounce@care.example', address: '192.0.2.7' };

  test.each<[string, Zone]>([
    ['by address', { 'care.example': ['v=spf1 ip4:192.0.2.0/24 -all'] }],
    ['among other texts, in pieces', { 'care.example': ['x=y', ['v=spf1 ip4:192', '.0.2.7 -all']] }],
    [
      'by its mail exchangers',
      {
        'care.example': ['v=spf1 mx -all'],
        'care.example MX': [{ exchange: 'mx.care.example', priority: 1 }],
        'mx.care.example A': ['192.0.2.7'],
      },
    ],
    [
      'by another domain',
      { 'care.example': ['v=spf1 include:host.example -all'], 'host.example': ['v=spf1 ip4:192.0.2.7 -all'] },
    ],
  ])('[MAIL-3] of the envelope’s domain proves it: %s', async (_name, zone) => {
    expect(await prove(plain, zone, mine)).toMatchObject({
      outcome: 'proven',
      proof: { method: 'SPF', domain: 'care.example' },
      remark: undefined,
    });
  });

  test('[MAIL-3] by IPv6, and by IPv4 as IPv6 writes it', async () => {
    const zone = { 'care.example': ['v=spf1 ip6:2001:db8:7::/48 ip4:192.0.2.7 -all'] };
    for (const address of ['2001:db8:7::1', '::ffff:192.0.2.7'])
      expect((await prove(plain, zone, { ...mine, address })).outcome).toBe('proven');
  });

  test('[MAIL-3] of a subdomain, and for a bounce of EHLO’s name', async () => {
    const zone = { 'mail.care.example': ['v=spf1 ip4:192.0.2.7 -all'] };
    expect((await prove(plain, zone, { envelopeSender: 'x@mail.care.example' })).outcome).toBe('proven');
    expect((await prove(plain, zone, { envelopeSender: '', helo: 'mail.care.example' })).outcome).toBe(
      'proven',
    );
    expect((await prove(plain, zone, { envelopeSender: '', helo: '[192.0.2.7]' })).outcome).toBe('refused');
  });

  test('[MAIL-3] permits nothing to what is no address', async () => {
    const zone = { 'care.example': ['v=spf1 ip4:192.0.2.7 -all'] };
    expect((await prove(plain, zone, { ...mine, address: 'nowhere' })).outcome).not.toBe('proven');
  });

  test('[MAIL-3] that permits the whole world counts, and is told', async () => {
    const proof = await prove(plain, { 'care.example': ['v=spf1 +all'] }, mine);
    expect(proof).toMatchObject({
      outcome: 'proven',
      remark: expect.stringContaining('permits every server (+all)'),
    });
  });

  const chain = Object.fromEntries(
    Array.from({ length: 15 }, (_, index) => [
      `i${index}.example`,
      [`v=spf1 include:i${index + 1}.example -all`],
    ]),
  );

  test.each<[string, Zone]>([
    ['fail', { 'care.example': ['v=spf1 -all'] }],
    ['softfail', { 'care.example': ['v=spf1 ~all'] }],
    ['neutral', { 'care.example': ['v=spf1 ?all'] }],
    ['none', {}],
    ['permerror', { 'care.example': ['v=spf1 nonsense:x -all'] }],
    ['permerror', { 'care.example': ['v=spf1 ip4:192.0.2.7 -all', 'v=spf1 ip4:192.0.2.7 -all'] }],
    ['permerror', { ...chain, 'care.example': ['v=spf1 include:i0.example ip4:192.0.2.7 -all'] }],
  ])('[MAIL-3] that says %s is none', async (result, zone) => {
    const proof = await prove(plain, zone, mine);
    expect(proof.outcome).toBe('refused');
    expect(reasonOf(proof)).toContain(`SPF of care.example does not permit 192.0.2.7 (${result}).`);
    expect(proof.asked.length).toBeLessThanOrEqual(12);
  });

  test('[MAIL-3] of the stranger’s own domain is not asked for', async () => {
    const proof = await prove(plain, { 'stranger.example': ['v=spf1 +all'] });
    expect(proof).toMatchObject({ outcome: 'refused', asked: [] });
  });

  test('[MAIL-3] with mail exchangers without number ends', async () => {
    const exchangers = Array.from({ length: 900 }, (_, index) => ({
      exchange: `mx${index}.care.example`,
      priority: 1,
    }));
    const zone = { 'care.example': ['v=spf1 mx a:care.example -all'], 'care.example MX': exchangers };
    const proof = await prove(plain, zone, mine);
    expect(proof.outcome).toBe('refused');
    expect(proof.asked.length).toBeLessThanOrEqual(60);
  });
});

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
      const started = performance.now();
      expect((await prove(mail, signingKeys, {}, limitMs)).outcome).toBe('refused');
      expect(performance.now() - started).toBeLessThan(limitMs);
    },
    2 * limitMs,
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
    const started = performance.now();
    const proof = await prove(plain, zone, { envelopeSender: `${'a'.repeat(64)}@care.example` });
    expect(proof.outcome).toBe('refused');
    expect(performance.now() - started).toBeLessThan(limitMs);
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
    const proof = await proveSender(
      { octets: await signed(plain), address: '192.0.2.7', helo: 'x', envelopeSender: 'x@care.example' },
      { resolve, clock, isTrustedRelay: () => false },
    );
    expect(proof.outcome).toBe('undecided');
  });
});

describe('From', () => {
  test.each<[string, string[], string]>([
    ['none', [], 'The mail has no From field; it needs exactly one.'],
    ['two fields', ['From: a@care.example', 'From: b@care.example'], 'The mail has more than one From field'],
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
    ['an address of a machine', ['From: a@[192.0.2.1]'], 'an address that is none'],
    ['a number for a domain', ['From: a@192.0.2.1'], 'no domain that can be in DNS'],
    ['a host without a domain', ['From: a@localhost'], 'no domain that can be in DNS'],
    ['signs that a URL would decode', ['From: a@c%61re.example'], 'no domain that can be in DNS'],
    [
      'a line that is no field',
      ['From: a@care.example', '\u00a0folded: by some readers only'],
      'has a line that is no field',
    ],
    ['a carriage return alone', ['From: a@care.example', 'X: y\rFrom: b@care.example'], 'carriage return'],
  ])(
    '[MAIL-3] that is not one address is refused, relay and user or not: %s',
    async (_name, fields, reason) => {
      for (const more of [{}, { address: '10.1.2.3' }, { user: '7' }]) {
        const proof = await prove(rawMail(fields, 'Hello\n'), {}, more);
        expect(proof).toMatchObject({ outcome: 'refused', asked: [] });
        expect(reasonOf(proof)).toContain(reason);
        expect(reasonOf(proof)).toMatch(/^[ -~]+$/);
      }
    },
  );

  test('[MAIL-3] of another name in front of the address is proven by the address', async () => {
    const mail = rawMail(['From: "boss@bank.example" <kari@care.example>', 'Subject: x'], 'Hello\n');
    expect(await prove(await signed(mail))).toMatchObject({
      sender: { local: 'kari', domain: 'care.example' },
    });
  });

  test('[MAIL-3] with a local part that needs quotes has them', async () => {
    const mail = rawMail(['From: "kari nordmann"@care.example', 'Subject: x'], 'Hello\n');
    expect(await prove(await signed(mail))).toMatchObject({ sender: { local: '"kari nordmann"' } });
  });
});

describe('those who need no DNS', () => {
  test.each(['10.1.2.3', '::ffff:10.1.2.3', '2001:db8:1::5'])(
    '[MAIL-3] a trusted relay: %s',
    async (address) => {
      expect(await prove(plain, {}, { address })).toMatchObject({
        outcome: 'proven',
        proof: { method: 'trusted relay', address: address.replace('::ffff:', '') },
        asked: [],
      });
    },
  );

  test.each(['10.2.2.3', '2001:db8:2::5', '::ffff:10.2.0.1', 'nowhere'])(
    '[MAIL-3] not one beside it: %s',
    async (address) => {
      expect((await prove(plain, {}, { address })).outcome).toBe('refused');
    },
  );

  test('[MAIL-3] a user who authenticated', async () => {
    expect(await prove(plain, {}, { user: '7' })).toMatchObject({
      outcome: 'proven',
      proof: { method: 'user', user: '7' },
      asked: [],
    });
  });
});

test('[MAIL-3] random octets, and mails that are damaged, are answered and never proven by a signature that broke', async () => {
  const whole = await signed(plain);
  const original = whole.toString('latin1');
  const damaged = fc
    .tuple(fc.nat(whole.length), fc.nat(20), fc.uint8Array({ maxLength: 20 }))
    .map(([at, removed, octets]) =>
      Buffer.concat([whole.subarray(0, at), octets, whole.subarray(Math.min(whole.length, at + removed))]),
    );
  const random = fc.uint8Array({ maxLength: 300 }).map((octets) => Buffer.from(octets));
  // What relaxed canonicalisation forgives (RFC 6376 3.4): white space, the case of names, empty lines at the end.
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
