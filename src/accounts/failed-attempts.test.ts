import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { putCompany } from '../../test/harness/account-verbs.ts';
import { company, minuteMs, openNode } from '../../test/harness/authentication-node.ts';
import { type FreshStore, openFreshStore } from '../../test/harness/stores.ts';

// One engine will do: what is tested here is held in memory.
describe('failed attempts', () => {
  let fresh: FreshStore;

  beforeEach(async () => {
    fresh = await openFreshStore('sqlite');
  });

  afterEach(() => fresh.dispose());

  test('[AUTH-6] after ten on an account nothing more is tried; keys and remembered passwords go on', async () => {
    const node = await openNode(fresh);
    const key = await node.issue('app');
    expect(await node.byPassword('alice', 'correct horse')).toBe('alice');
    for (let attempt = 1; attempt <= 10; attempt++) {
      expect(await node.byPassword('alice', `wrong ${attempt}`, `198.51.100.${attempt}`)).toBe(
        'unauthorised',
      );
    }
    const tried = node.passwords.verifications;
    expect(await node.byPassword('alice', 'wrong 11', '203.0.113.1')).toBe('too_many_attempts');
    expect(node.passwords.verifications).toBe(tried);
    expect(await node.byPassword('alice', 'correct horse')).toBe('alice');
    expect(await node.byPassword('alice', 'correct horse', '203.0.113.1')).toBe('alice');
    expect(await node.byKey(key)).toBe('alice');
    await node.store.write(putCompany, company);
    await node.news.read();
    expect(await node.byPassword('alice', 'correct horse')).toBe('alice');
    expect(node.passwords.verifications).toBe(tried);
    node.stopwatch.time += 5 * minuteMs;
    expect(await node.byPassword('alice', 'wrong 12', '203.0.113.1')).toBe('unauthorised');
  });

  test('[AUTH-6] a right password that is not remembered waits too, and is told how long', async () => {
    const node = await openNode(fresh);
    for (let attempt = 1; attempt <= 10; attempt++) await node.byPassword('alice', 'wrong');
    node.stopwatch.time += minuteMs;
    expect(() => node.passwordCall('alice', 'correct horse')).toThrow(
      expect.objectContaining({ code: 'too_many_attempts', status: 429, headers: { 'retry-after': '240' } }),
    );
  });

  test('[AUTH-6] an unknown user is refused as a known one', async () => {
    const node = await openNode(fresh);
    for (let attempt = 1; attempt <= 10; attempt++) {
      expect(await node.byPassword('nobody', `wrong ${attempt}`)).toBe('unauthorised');
    }
    expect(await node.byPassword('nobody', 'wrong')).toBe('too_many_attempts');
  });

  test('[AUTH-6] after fifty from an address, whatever the accounts, it has to wait, and others have not', async () => {
    const node = await openNode(fresh);
    for (let attempt = 1; attempt <= 50; attempt++) {
      expect(await node.byPassword(`user ${attempt}`, 'wrong')).toBe('unauthorised');
    }
    expect(await node.byPassword('alice', 'correct horse')).toBe('too_many_attempts');
    expect(await node.byPassword('alice', 'correct horse', '198.51.100.1')).toBe('alice');
    expect(await node.byPassword('alice', 'correct horse')).toBe('alice');
  });

  test('[AUTH-6] guesses sent all at once are tried no more often than one after the other', async () => {
    const node = await openNode(fresh);
    const guesses = Array.from({ length: 100 }, (_, index) => node.byPassword('alice', `guess ${index}`));
    const outcomes = await Promise.all(guesses);
    expect(node.passwords.verifications).toBe(10);
    expect(outcomes.filter((outcome) => outcome === 'too_many_attempts')).toHaveLength(90);
  });

  test('[AUTH-6] the same wrong password many times at once counts as often as it is given', async () => {
    const node = await openNode(fresh);
    await Promise.all(Array.from({ length: 10 }, () => node.byPassword('alice', 'wrong')));
    expect(await node.byPassword('alice', 'correct horse')).toBe('too_many_attempts');
  });

  test('[AUTH-6] setting the time of day neither ends a refusal nor prolongs it', async () => {
    const node = await openNode(fresh);
    for (let attempt = 1; attempt <= 10; attempt++) await node.byPassword('alice', 'wrong');
    node.clock.time += 60 * minuteMs;
    expect(await node.byPassword('alice', 'correct horse')).toBe('too_many_attempts');
    node.clock.time -= 24 * 60 * minuteMs;
    node.stopwatch.time += 5 * minuteMs;
    expect(await node.byPassword('alice', 'correct horse')).toBe('alice');
  });

  test('[AUTH-6] right passwords never count, and false keys are no attempts at a password', async () => {
    const node = await openNode(fresh);
    for (let login = 1; login <= 20; login++) {
      expect(await node.byPassword('alice', 'correct horse')).toBe('alice');
      node.stopwatch.time += 10 * minuteMs;
    }
    for (let attempt = 1; attempt <= 100; attempt++) {
      expect(await node.byKey(`alice.1.1.${attempt}`)).toBe('unauthorised');
    }
    expect(await node.byPassword('alice', 'correct horse')).toBe('alice');
  });
});
