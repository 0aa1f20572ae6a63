import { parseOptions } from '@node-rs/argon2';
import { describe, expect, test } from 'vitest';
import { isPasswordHash, maxPasswordLength, Passwords } from './password.ts';

describe('password hashes', () => {
  test('[AUTH-4] Password hashes are Argon2id with 19 MiB and two passes, each with its own salt', async () => {
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

  test('[AUTH-4] Passwords of up to 1,024 characters are hashed, and longer ones are refused', async () => {
    const passwords = new Passwords();
    const longest = '🐎'.repeat(maxPasswordLength / 2);
    expect(await passwords.matches(longest, await passwords.hash(longest))).toBe(true);
    await expect(passwords.hash(`${longest}!`)).rejects.toMatchObject({ code: 'invalid_value' });
  });

  test('[AUTH-4] Argon2 password hashes with sound parameters are told apart from other texts', async () => {
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
  test('[AUTH-3] Verification does as much work for a user without a password as for a wrong password', async () => {
    const passwords = new Passwords();
    const hash = await passwords.hash('correct horse');
    expect(await passwords.matches('wrong', hash)).toBe(false);
    expect(passwords.verifications).toBe(1);
    expect(await passwords.matches('wrong', undefined)).toBe(false);
    expect(passwords.verifications).toBe(2);
  });

  test('[AUTH-6] [CONV-12] Password verification does not wait behind the hashing of new passwords', async () => {
    const passwords = new Passwords();
    const hash = await passwords.hash('correct horse');
    const ended: string[] = [];
    const chosen = Array.from({ length: 20 }, async () => {
      await passwords.hash('another horse');
      ended.push('chosen');
    });
    await passwords.matches('correct horse', hash);
    ended.push('verified');
    await Promise.all(chosen);
    expect(ended.at(-1)).toBe('chosen');
    expect(ended).toHaveLength(21);
  });
});
