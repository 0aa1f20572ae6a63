/** Signed e-mails and the check of who sent them, for tests of sender proof. */
import { generateKeyPairSync } from 'node:crypto';
import { BlockList } from 'node:net';
import { dkimSign } from 'mailauth';
import { proveSender, type ReceivedMail, type SenderProof } from '../../src/email/proof/sender-proof.ts';
import { Turns } from '../../src/foundation/turns.ts';
import { addressTest } from '../../src/http/origin.ts';
import { readHeader } from '../../src/wire/mail/header-fields.ts';
import { memoryDns, type Zone } from './memory-dns.ts';
import { rawMail } from './raw-mail.ts';

export const now = Date.UTC(2024, 5, 3, 10);
export const clock = { now: () => now };

export function rsaKey(bits: number) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: bits });
  const spki = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    record: `v=DKIM1; k=rsa; p=${spki}`,
  };
}

export function ed25519Key() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64');
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    record: `v=DKIM1; k=ed25519; p=${raw}`,
  };
}

export const key = rsaKey(2048);
export const signingKeys: Zone = {
  's1._domainkey.care.example': [key.record],
  's1._domainkey.mail.care.example': [key.record],
  's1._domainkey.other.example': [key.record],
  's1._domainkey.xn--bcher-kva.example': [key.record],
};

/** A plain e-mail to these addresses. */
export function plainTo(...to: readonly string[]): Buffer {
  const header = [
    'From: Kari <kari@care.example>',
    `To: ${to.join(', ')}`,
    'Subject: Shift',
    'Date: Mon, 03 Jun 2024 10:00:00 +0000',
    'Message-ID: <1@care.example>',
  ];
  return rawMail(header, 'Come at ten.\n');
}

export const plain = plainTo('4790000000@sms.example');

export interface Signing {
  readonly signingDomain?: string;
  readonly selector?: string;
  readonly privateKey?: string;
  readonly algorithm?: string;
  readonly canonicalization?: string;
  readonly maxBodyLength?: number;
  /** Separated by colons. */
  readonly headerList?: string;
  readonly expires?: Date;
  /** One minute ago unless the test says otherwise. */
  readonly signTime?: Date;
}

export async function signed(mail: Buffer, signing: Signing = {}): Promise<Buffer> {
  const {
    headerList,
    expires,
    canonicalization = 'relaxed/relaxed',
    algorithm = 'rsa-sha256',
    signTime = new Date(now - 60_000),
    ...data
  } = signing;
  const { signatures } = await dkimSign(mail, {
    canonicalization,
    algorithm,
    signTime,
    ...(headerList === undefined ? {} : { headerList }),
    ...(expires === undefined ? {} : { expires }),
    signatureData: [{ signingDomain: 'care.example', selector: 's1', privateKey: key.privateKey, ...data }],
  } as unknown as Parameters<typeof dkimSign>[1]);
  return Buffer.concat([Buffer.from(signatures), mail]);
}

const relays = new BlockList();
relays.addSubnet('10.1.0.0', 16, 'ipv4');
relays.addSubnet('2001:db8:1::', 48, 'ipv6');

/** Checks an e-mail from an unknown client whose envelope has another domain, unless the test says otherwise. */
export async function prove(
  octets: Buffer,
  zone: Zone = signingKeys,
  more: Partial<ReceivedMail> = {},
  timeoutMs = 3_600_000,
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
    readHeader(octets),
    { resolve: dns.resolve, clock, isTrustedRelay: addressTest(relays), turns: new Turns(), timeoutMs },
  );
  return { ...proof, asked: dns.asked };
}

export const reasonOf = (proof: SenderProof) => (proof.outcome === 'proven' ? '' : proof.reason);
