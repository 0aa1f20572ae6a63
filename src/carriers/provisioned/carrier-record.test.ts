import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Sealing } from '../../foundation/sealing.ts';
import { hasPlainSecret, openSettings, sealSettings, shownSettings } from './carrier-record.ts';

const carrier = (password: unknown, name = 'north') => ({
  name,
  type: 'smpp',
  settings: { host: 'smsc.example', password },
});

describe('passwords of carriers', () => {
  const sealing = new Sealing('one secret of the server');

  test('[AUTH-5] Carrier passwords are decrypted to what they were, and never appear in what is stored', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 4 }), (password) => {
        const sealed = sealSettings(sealing, carrier(password));
        expect(sealed.host).toBe('smsc.example');
        expect(JSON.stringify(sealed)).not.toContain(JSON.stringify(password));
        expect(openSettings(sealing, { ...carrier(''), settings: sealed })?.password).toBe(password);
      }),
    );
    expect(hasPlainSecret(carrier('x'))).toBe(true);
    expect(hasPlainSecret({ ...carrier(''), settings: sealSettings(sealing, carrier('x')) })).toBe(false);
    expect(
      hasPlainSecret({ name: 'sim', type: 'simulator', settings: { password: 'no setting of it' } }),
    ).toBe(false);
  });

  test('[RUN-3] An unchanged carrier password keeps its stored form, and a changed one gets a new one', () => {
    const stored = sealSettings(sealing, carrier('first'));
    expect(sealSettings(sealing, carrier('first'), stored)).toEqual(stored);
    expect(sealSettings(sealing, carrier('first'))).not.toEqual(stored);
    const changed = sealSettings(sealing, carrier('second'), stored);
    expect(openSettings(sealing, { ...carrier(''), settings: changed })?.password).toBe('second');
  });

  test('[AUTH-5] A stored carrier password cannot be opened with another secret, for another carrier, or when altered', () => {
    const settings = sealSettings(sealing, carrier('a password'));
    const { sealed } = settings.password as { sealed: string };
    const open = (name: string, text: string, by = sealing) =>
      openSettings(by, { ...carrier({ sealed: text }, name) })?.password;
    expect(open('north', sealed)).toBe('a password');
    expect(open('north', sealed, new Sealing('another secret of the server'))).toBe(undefined);
    expect(open('south', sealed)).toBe(undefined);
    for (let index = 0; index < sealed.length; index++) {
      const other = sealed[index] === 'A' ? 'B' : 'A';
      const text = sealed.slice(0, index) + other + sealed.slice(index + 1);
      // The last characters of base64 may hold bits that are ignored.
      if (Buffer.from(text.slice(2), 'base64url').equals(Buffer.from(sealed.slice(2), 'base64url'))) continue;
      expect(open('north', text)).toBe(undefined);
    }
    expect(open('north', '2.AAAA')).toBe(undefined);
  });

  test('[HTTPC-4] Each secret of a carrier by HTTP is encrypted in its place, whatever its name, and an unchanged one keeps its stored form', () => {
    const http = (secrets: Readonly<Record<string, unknown>>, password: unknown = 'pw of ours') => ({
      name: 'own',
      type: 'http',
      settings: { username: 'nordic', password, secrets, values: { token: 'shown' } },
    });
    const plain = http({ token: 'first of all', sealed: 'second of all' });
    const stored = sealSettings(sealing, plain);
    expect(JSON.stringify(stored)).not.toMatch(/of all|of ours/);
    expect(stored.values).toEqual({ token: 'shown' });
    const carrier = { ...plain, settings: stored };
    expect(openSettings(sealing, carrier)).toEqual(plain.settings);
    expect(hasPlainSecret(carrier)).toBe(false);
    expect(shownSettings(carrier)).toEqual({ username: 'nordic', values: { token: 'shown' } });
    expect(sealSettings(sealing, plain, stored)).toEqual(stored);

    const { token, sealed } = stored.secrets as { readonly token: object; readonly sealed: object };
    const changed = sealSettings(sealing, http({ token: 'first of all', sealed: 'third' }), stored);
    expect(changed.secrets).toEqual({ token, sealed: expect.not.objectContaining(sealed) });
    expect(openSettings(sealing, http({ token: sealed, sealed: token }, ''))).toBe(undefined);
    expect(hasPlainSecret(http({ token, sealed: 'plain' }, { sealed: '1.x' }))).toBe(true);
  });
});
