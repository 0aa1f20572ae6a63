import { parseOptions } from '@node-rs/argon2';
import { describe, expect, test } from 'vitest';
import { isPasswordHash, maxPasswordLength, Passwords } from './password.ts';

describe('password hashes', () => {
  test('[AUTH-4] are Argon2id with 19 MiB and two passes, each with a salt of its own', async () => {
    const passwords = new Passwords();
    const [first, second] = await Promise.all([
      passwords.hash('correct horse'),
      passwords.hash('correct horse'),
    ]);
    expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(parseOptions(first)).toMatchObject({ saltLen: 16, outputLen: 32 });
    expect(first).not.toBe(second);
    expect(await passwords.matches('correct horse', first)).toBe(true);
    expect(await passwords.matches('correct horsf', first)).toBe(false);
  });

  test('[AUTH-4] hold any text of up to 1,024 characters', async () => {
    const passwords = new Passwords();
    const longest = '🐎'.repeat(maxPasswordLength / 2);
    expect(await passwords.matches(longest, await passwords.hash(longest))).toBe(true);
    await expect(passwords.hash(`${longest}!`)).rejects.toMatchObject({ code: 'invalid_value' });
  });

  test('[AUTH-4] are told from other texts', async () => {
    const hash = await new Passwords().hash('correct horse');
    expect(isPasswordHash(hash)).toBe(true);
    expect(isPasswordHash(hash.replace('argon2id', 'argon2i'))).toBe(true);
    for (const text of [
      '',
      'correct horse',
      '$2b$10$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01234',
      hash.slice(0, -40),
      `${hash}\n`,
      hash.replace('m=19456', 'm=4'),
      hash.replace('m=19456', 'm=4194304'),
      hash.replace('t=2', 't=0'),
    ]) {
      expect(isPasswordHash(text), text).toBe(false);
    }
  });
});

describe('verifying', () => {
  test('[AUTH-3] computes as much for a user without a hash as for a wrong password', async () => {
    const passwords = new Passwords();
    const hash = await passwords.hash('correct horse');
    expect(await passwords.matches('wrong', hash)).toBe(false);
    expect(passwords.verifications).toBe(1);
    expect(await passwords.matches('wrong', undefined)).toBe(false);
    expect(passwords.verifications).toBe(2);
  });

  test('[AUTH-4] is done for a few at a time, in the order of arrival; past the bound it is refused as overload', async () => {
    const passwords = new Passwords({ concurrency: 1, maxWaiting: 2 });
    const begun: number[] = [];
    const verify = (number: number) => passwords.matches('any', undefined, () => begun.push(number));
    const first = [verify(1), verify(2), verify(3)];
    await expect(verify(4)).rejects.toMatchObject({ code: 'overloaded', headers: { 'retry-after': '1' } });
    expect(begun).toEqual([1]);
    expect(await Promise.all(first)).toEqual([false, false, false]);
    expect(begun).toEqual([1, 2, 3]);
    expect(await verify(5)).toBe(false);
  });

  test('[AUTH-6] is given up, and its turn passed on, when the check made at its turn says so', async () => {
    const passwords = new Passwords({ concurrency: 1 });
    const refused = passwords.matches('any', undefined, () => {
      throw new Error('no longer');
    });
    const next = passwords.matches('any', undefined);
    await expect(refused).rejects.toThrow('no longer');
    expect(await next).toBe(false);
    expect(passwords.verifications).toBe(1);
  });
});
