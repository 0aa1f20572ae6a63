/** Tests which domains are equivalent, by the public suffix list and by their DMARC policies. */
import { describe, expect, test } from 'vitest';
import type { Zone } from '../../../test/harness/memory-dns.ts';
import { rawMail } from '../../../test/harness/raw-mail.ts';
import { key, prove, reasonOf, signed, signingKeys } from '../../../test/harness/signed-mail.ts';
import type { SenderProof } from './sender-proof.ts';

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
  ])(
    '[MAIL-3] Domains are aligned, or not, by the public suffix list: %s',
    async (_name, from, signingDomain, isProven) => {
      const mail = rawMail([`From: ${from}`, 'Subject: x'], 'Hello\n');
      const zone = { [`s1._domainkey.${signingDomain}`]: [key.record] };
      const proof = await prove(await signed(mail, { signingDomain }), zone);
      expect(proof.outcome).toBe(isProven ? 'proven' : 'refused');
    },
  );

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
  ])('[MAIL-3] A subdomain is aligned as DMARC asks, with %s', async (_name, policy, outcome) => {
    const proof = await prove(await signed(ward), { ...signingKeys, ...policy });
    expect(proof.outcome).toBe(outcome);
  });

  test('[MAIL-3] A DMARC policy that is strict about SPF is not strict about DKIM', async () => {
    const zone = {
      ...signingKeys,
      '_dmarc.care.example': ['v=DMARC1; p=none; aspf=s'],
      'care.example': ['v=spf1 +ip4:192.0.2.7 -all'],
    };
    expect((await prove(await signed(ward), zone)).outcome).toBe('proven');
    const proof = await prove(ward, zone, { envelopeSender: 'x@care.example' });
    expect(proof.outcome).toBe('refused');
    expect(reasonOf(proof)).toContain(
      'The policy of ward.care.example (DMARC) does not let care.example vouch for it.',
    );
  });
});
