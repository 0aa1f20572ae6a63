import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { apiKeySecret, apiKeyState, readApiKey, writeApiKey } from './api-keys.ts';

const secret = apiKeySecret('the secret of a server under test');
const claim = { username: 'alice', keyId: 12, generation: 1 };

/** Any text that can be stored, which means well-formed Unicode. */
const username = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 200 })
  .filter((text) => !/\p{Cs}/u.test(text));
const claims = fc.record({
  username,
  keyId: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  generation: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
});

describe('the text of an API key', () => {
  test('[AUTH-5] An API key consists of the user name, the key id, its generation and an HMAC-SHA256', () => {
    expect(writeApiKey(secret, claim)).toMatch(/^alice\.12\.1\.[A-Za-z0-9_-]{43}$/);
  });

  test('[AUTH-5] An API key is parsed back into the values it was made from, for any user name', () => {
    fc.assert(
      fc.property(claims, (any) => {
        expect(readApiKey(secret, writeApiKey(secret, any))).toEqual(any);
      }),
    );
  });

  test('[AUTH-5] An API key can stand in a URL and a header without escaping, whatever the user name', () => {
    fc.assert(
      fc.property(claims, (any) => {
        const text = writeApiKey(secret, any);
        expect(text).toMatch(/^[A-Za-z0-9._~-]+$/);
        expect(decodeURIComponent(text)).toBe(text);
      }),
    );
    const written = (name: string) => writeApiKey(secret, { ...claim, username: name });
    expect(written('anna.berg@care.example')).toMatch(/^anna\.berg~40care\.example\.12\.1\./);
    expect(written('åsa~40')).toMatch(/^~C3~A5sa~7E40\.12\.1\./);
  });

  test('[AUTH-5] An API key with any character changed, removed or added is refused', () => {
    const text = writeApiKey(secret, claim);
    for (let index = 0; index < text.length; index++) {
      const other = text[index] === 'A' ? 'B' : 'A';
      const [before, after] = [text.slice(0, index), text.slice(index + 1)];
      expect(readApiKey(secret, before + other + after)).toBeUndefined();
      expect(readApiKey(secret, before + after)).toBeUndefined();
      expect(readApiKey(secret, `${before}A${text.slice(index)}`)).toBeUndefined();
    }
    expect(readApiKey(secret, `${text}A`)).toBeUndefined();
    expect(readApiKey(secret, ` ${text}`)).toBeUndefined();
  });

  test('[AUTH-5] An API key signed with another secret is refused, and so is text that is not a key', () => {
    expect(readApiKey(apiKeySecret('another secret'), writeApiKey(secret, claim))).toBeUndefined();
    for (const text of [
      '',
      '.',
      '...',
      'alice',
      'alice.12.1.',
      'é'.repeat(43),
      `.${'A'.repeat(10_000_000)}`,
    ]) {
      expect(readApiKey(secret, text)).toBeUndefined();
    }
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(readApiKey(secret, text)).toBeUndefined();
      }),
    );
  });

  test('[AUTH-5] The HMAC of an API key differs by user, key and generation', () => {
    const texts = [
      claim,
      { ...claim, username: 'alice.12' },
      { ...claim, keyId: 121 },
      { ...claim, generation: 2 },
    ].map((one) => writeApiKey(secret, one).split('.').at(-1));
    expect(new Set(texts).size).toBe(4);
  });
});

test('[AUTH-5] An API key is enabled until it is revoked or expires', () => {
  const key = { revoked: false, expiresAt: undefined };
  expect(apiKeyState(key, 1_000)).toBe('enabled');
  expect(apiKeyState({ ...key, expiresAt: 1_001 }, 1_000)).toBe('enabled');
  expect(apiKeyState({ ...key, expiresAt: 1_000 }, 1_000)).toBe('expired');
  expect(apiKeyState({ revoked: true, expiresAt: 1_000 }, 1_000)).toBe('revoked');
});
