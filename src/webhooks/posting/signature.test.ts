import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { keyOfSecret } from '../endpoint.ts';
import { faultOfSigned, signedHeaders } from './signature.ts';

const secretOf = (sign: string) => `whsec_${Buffer.from(sign.repeat(32)).toString('base64')}`;
const keyOf = (sign: string) => keyOfSecret(secretOf(sign)) as Buffer;

describe('signatures', () => {
  test('[HOOK-3] [EVT-3] The standardwebhooks package verifies the signatures of webhook posts', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.stringMatching(/^\w{1,20}$/), (text, id) => {
        const body = JSON.stringify({ text });
        const signed = signedHeaders({ id, at: Date.now(), body }, [keyOf('a')]);
        expect(new Webhook(secretOf('a')).verify(body, { ...signed })).toEqual({ text });
      }),
    );
  });

  test('[HOOK-3] During a rotation, a signature is valid for receivers with either secret, and for no others', () => {
    const body = '{"a":1}';
    const signed = { ...signedHeaders({ id: 'evt_1', at: Date.now(), body }, [keyOf('a'), keyOf('b')]) };
    expect(signed['webhook-signature']?.split(' ')).toHaveLength(2);
    for (const sign of ['a', 'b']) expect(new Webhook(secretOf(sign)).verify(body, signed)).toEqual({ a: 1 });
    expect(() => new Webhook(secretOf('c')).verify(body, signed)).toThrow();
    expect(() => new Webhook(secretOf('a')).verify('{"a":2}', signed)).toThrow();
    expect(signedHeaders({ id: 'x', at: 1_000, body }, [])).toEqual({
      'webhook-id': 'x',
      'webhook-timestamp': '1',
    });
  });

  test('[HOOK-5] Signatures that the standardwebhooks package makes are verified', () => {
    const now = 1_700_000_000_000;
    const body = '{"a":"å"}';
    const signature = new Webhook(secretOf('a')).sign('evt_1', new Date(now), body);
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(now / 1_000),
      'webhook-signature': `v1,AAAA ${signature}`,
    };
    const fault = (more: object, key = keyOf('a'), at = now) =>
      faultOfSigned({ ...headers, ...more }, body, { key, now: at });
    expect(fault({})).toBe(undefined);
    expect(fault({}, keyOf('b'))).toContain('another secret');
    expect(fault({ 'webhook-id': 'evt_2' })).toContain('another');
    expect(fault({}, keyOf('a'), now + 6 * 60_000)).toContain('timestamp');
    expect(fault({ 'webhook-timestamp': 'soon' })).toContain('timestamp');
    expect(fault({ 'webhook-signature': undefined })).toBe('not signed');
  });

  test('[HOOK-3] A webhook secret is whsec_ and 24 to 64 octets', () => {
    const of = (octets: number) => `whsec_${Buffer.alloc(octets, 7).toString('base64')}`;
    expect([23, 24, 32, 64, 65].map((octets) => keyOfSecret(of(octets))?.length)).toEqual([
      undefined,
      24,
      32,
      64,
      undefined,
    ]);
    expect(keyOfSecret(of(32).slice(6))).toBe(undefined);
    expect(keyOfSecret(`${of(32)}!`)).toBe(undefined);
  });
});
