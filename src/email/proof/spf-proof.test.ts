/** Tests which servers may send for a domain, and how far its records are followed. */
import { describe, expect, test } from 'vitest';
import type { Zone } from '../../../test/harness/memory-dns.ts';
import { plain, prove, reasonOf } from '../../../test/harness/signed-mail.ts';

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
  ])('[MAIL-3] SPF of the envelope’s domain proves the sender: %s', async (_name, zone) => {
    expect(await prove(plain, zone, mine)).toMatchObject({
      outcome: 'proven',
      proof: { method: 'SPF', domain: 'care.example' },
      remark: undefined,
    });
  });

  test('[MAIL-3] SPF proves a sender by IPv6, and by IPv4 written as IPv6', async () => {
    const zone = { 'care.example': ['v=spf1 ip6:2001:db8:7::/48 ip4:192.0.2.7 -all'] };
    for (const address of ['2001:db8:7::1', '::ffff:192.0.2.7'])
      expect((await prove(plain, zone, { ...mine, address })).outcome).toBe('proven');
  });

  test('[MAIL-3] SPF of a subdomain proves the sender, and for a bounce SPF of the EHLO name does', async () => {
    const zone = { 'mail.care.example': ['v=spf1 ip4:192.0.2.7 -all'] };
    expect((await prove(plain, zone, { envelopeSender: 'x@mail.care.example' })).outcome).toBe('proven');
    expect((await prove(plain, zone, { envelopeSender: '', helo: 'mail.care.example' })).outcome).toBe(
      'proven',
    );
    expect((await prove(plain, zone, { envelopeSender: '', helo: '[192.0.2.7]' })).outcome).toBe('refused');
  });

  test('[MAIL-3] SPF permits nothing to a client whose address is invalid', async () => {
    const zone = { 'care.example': ['v=spf1 ip4:192.0.2.7 -all'] };
    expect((await prove(plain, zone, { ...mine, address: 'nowhere' })).outcome).not.toBe('proven');
  });

  test('[MAIL-3] An SPF record that permits every server counts, and the proof remarks on it', async () => {
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
  ])('[MAIL-3] SPF that says %s proves nothing', async (result, zone) => {
    const proof = await prove(plain, zone, mine);
    expect(proof.outcome).toBe('refused');
    expect(reasonOf(proof)).toContain(`SPF of care.example does not permit 192.0.2.7 (${result}).`);
    expect(proof.asked.length).toBeLessThanOrEqual(12);
  });

  test('[MAIL-3] SPF of an unrelated envelope domain is not queried', async () => {
    const proof = await prove(plain, { 'stranger.example': ['v=spf1 +all'] });
    expect(proof).toMatchObject({ outcome: 'refused', asked: [] });
  });

  test('[MAIL-3] SPF with countless mail exchangers ends after a limited number of queries', async () => {
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
