import { Value } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { expressionFaults, faultsOf } from './check.ts';
import { declarationOf, presets } from './presets.ts';
import { type HttpSettings, httpSettings } from './settings.ts';

/** As they are after the defaults have been filled in. */
function settingsOf(settings: object): HttpSettings {
  return Value.Default(httpSettings, structuredClone(settings)) as HttpSettings;
}

const secrets = { publicKey: 'key', signingKey: 'key', signatureSecret: 'key', webhookSecret: 'key' };

describe('presets', () => {
  test.each(Object.keys(presets))(
    '[HTTPC-1] [HTTPC-4] The preset %s is a declaration without faults once it has credentials',
    async (preset) => {
      const { signsOnRequest: _, ...data } = presets[preset] ?? {};
      expect([...Value.Errors(httpSettings, Value.Default(httpSettings, structuredClone(data)))]).toEqual([]);
      const baseUrl = presets[preset]?.baseUrl ?? 'https://sms.example';
      const settings = settingsOf({ preset, baseUrl, username: 'nordic', password: 'pw', secrets });
      expect(faultsOf(settings)).toEqual([]);
      expect(await expressionFaults(declarationOf(settings) as HttpSettings)).toEqual([]);
    },
  );

  test('[HTTPC-1] What the operator sets is put over the preset: objects key by key, lists and signatures as a whole', () => {
    const set = {
      preset: 'telnyx',
      username: 'nordic',
      values: { messagingProfile: 'abc' },
      submit: { json: { use_profile_webhooks: false }, refusals: [] },
      receipts: {
        errors: { 40001: 'UNDELIVERABLE' },
        signature: { hmac: 'sha256', header: 'x-sig', secret: 'password' },
      },
    };
    const { submit, receipts, values, throughput, window, baseUrl } = declarationOf(settingsOf(set));
    expect(submit).toMatchObject({
      url: '{baseUrl}/v2/messages',
      json: { to: '+{to}', use_profile_webhooks: false },
      refusals: [],
    });
    expect(receipts?.errors).toMatchObject({ 40001: 'UNDELIVERABLE', 40300: 'REJECTED' });
    expect(receipts?.signature).toEqual(set.receipts.signature);
    expect([values, throughput, window, baseUrl]).toEqual([
      { messagingProfile: 'abc' },
      50,
      10,
      'https://api.telnyx.com',
    ]);
    expect(declarationOf(settingsOf({ ...set, throughput: 7 })).throughput).toBe(7);
  });

  test('[HTTPC-3] Where a service signs only on request, its signatures are required once their key is set', () => {
    const unsigned = declarationOf(settingsOf({ preset: 'sinch' }));
    expect([unsigned.receipts, unsigned.incoming].map((one) => one && 'signature' in one)).toEqual([
      false,
      false,
    ]);
    const signed = declarationOf(settingsOf({ preset: 'sinch', secrets }));
    expect(signed.incoming?.signature).toMatchObject({ secret: 'webhookSecret' });
    const always = settingsOf({ preset: 'telnyx', password: 'pw' });
    expect(faultsOf(always)[0]?.sentence).toContain('the preset needs the secret "publicKey"');
  });

  test('[HTTPC-4] What neither the preset nor the operator says is a fault', () => {
    const settings = settingsOf({ submit: { url: 'https://sms.example' }, receipts: { id: '/id' } });
    expect(faultsOf(settings).map(({ path, sentence }) => `${path.join('.')}: ${sentence}`)).toEqual([
      'submit: needs a key "accepted"',
      'receipts: needs a key "state"',
      'receipts: needs a key "states"',
    ]);
  });
});
