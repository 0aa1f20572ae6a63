import { expect, test } from 'vitest';
import { putCompany } from '../../test/harness/account-verbs.ts';
import {
  type AuthenticationNode,
  company,
  minuteMs,
  openNode,
  startNode,
} from '../../test/harness/authentication-node.ts';
import { countRows } from '../../test/harness/login-verbs.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { keepFailures, purgeLogins } from './login-store.ts';

/** A failure may count this much longer than its window. */
const slotMs = 15_000;

async function failTimes(node: AuthenticationNode, times: number, username = 'alice'): Promise<void> {
  for (let attempt = 1; attempt <= times; attempt++)
    expect(await node.byPassword(username, `wrong ${attempt}`, `198.51.${attempt}.1`)).toBe('unauthorised');
}

eachStore('failed attempts', (engine) => {
  test('[AUTH-6] After eight failures on an account no new password is verified; API keys and cached passwords still work', async () => {
    const node = await openNode(await engine.openFreshStore());
    const key = await node.issue('app');
    expect(await node.byPassword('alice', 'correct horse')).toBe('alice');
    await failTimes(node, 8);
    const tried = node.passwords.verifications;
    expect(await node.byPassword('alice', 'wrong 9', '203.0.113.1')).toBe('too_many_attempts');
    expect(await node.byPassword('alice', 'correct horse', '203.0.113.1')).toBe('alice');
    expect(await node.byKey(key)).toBe('alice');
    await node.store.write(putCompany, company);
    await node.news.read();
    expect(await node.byPassword('alice', 'correct horse', '203.0.113.1')).toBe('alice');
    expect(node.passwords.verifications).toBe(tried);
    node.stopwatch.time += 5 * minuteMs + slotMs;
    node.clock.time += 5 * minuteMs + slotMs;
    expect(await node.byPassword('alice', 'wrong 10', '203.0.113.1')).toBe('unauthorised');
  });

  test('[AUTH-6] During a lock-out a correct password that is not cached is refused too, with the time to wait', async () => {
    const node = await openNode(await engine.openFreshStore());
    await failTimes(node, 8);
    node.stopwatch.time += minuteMs;
    expect(() => node.passwordCall('alice', 'correct horse')).toThrow(
      expect.objectContaining({ code: 'too_many_attempts', status: 429, headers: { 'retry-after': '255' } }),
    );
  });

  test('[AUTH-6] At most 2,000 logins wait for one verification; the next is refused with 503', async () => {
    const node = await openNode(await engine.openFreshStore());
    const call = () => node.passwordCall('alice', 'wrong');
    const waiting = Array.from({ length: 2_000 }, async () => call());
    expect(call).toThrow(expect.objectContaining({ code: 'overloaded', status: 503 }));
    const ended = await Promise.allSettled(waiting);
    expect(ended.every(({ status }) => status === 'rejected')).toBe(true);
    expect(node.passwords.verifications).toBe(1);
    expect(call).toThrow(expect.objectContaining({ code: 'too_many_attempts' }));
  });

  test('[AUTH-6] An unknown user is locked out just like a known one, on every node', async () => {
    const fresh = await engine.openFreshStore();
    const node = await openNode(fresh);
    const other = await startNode(fresh.store, false);
    for (const username of ['alice', 'nobody']) {
      await failTimes(node, 8, username);
      expect(await node.byPassword(username, 'wrong')).toBe('too_many_attempts');
      await node.records.stop();
      expect(await other.byPassword(username, 'wrong', '203.0.113.1')).toBe('too_many_attempts');
    }
    expect(other.passwords.verifications).toBe(0);
  });

  test('[AUTH-6] After fifty failures on any accounts an address has to wait; other addresses do not', async () => {
    const node = await openNode(await engine.openFreshStore());
    for (let attempt = 1; attempt <= 50; attempt++)
      expect(await node.byPassword(`user ${attempt}`, 'wrong')).toBe('unauthorised');
    expect(await node.byPassword('alice', 'correct horse')).toBe('too_many_attempts');
    expect(await node.byPassword('alice', 'correct horse', '198.51.100.1')).toBe('alice');
    expect(await node.byPassword('alice', 'correct horse')).toBe('alice');
  });

  test('[AUTH-6] Guesses sent at the same time get no more verifications than guesses sent one after the other', async () => {
    const node = await openNode(await engine.openFreshStore());
    const guesses = Array.from({ length: 100 }, (_, index) =>
      node.byPassword('alice', `guess ${index}`, `198.51.${index}.1`),
    );
    const outcomes = await Promise.all(guesses);
    expect(node.passwords.verifications).toBe(8);
    expect(outcomes.filter((outcome) => outcome === 'too_many_attempts')).toHaveLength(92);
  });

  test('[AUTH-6] The same wrong password sent many times at once counts as a failure each time', async () => {
    const node = await openNode(await engine.openFreshStore());
    await Promise.all(Array.from({ length: 8 }, () => node.byPassword('alice', 'wrong')));
    expect(await node.byPassword('alice', 'correct horse')).toBe('too_many_attempts');
    expect(node.passwords.verifications).toBe(1);
  });

  test('[AUTH-6] Correct passwords never count as failures, nor do forged API keys or impossible user names', async () => {
    const node = await openNode(await engine.openFreshStore());
    for (let login = 1; login <= 20; login++) {
      expect(await node.byPassword('alice', 'correct horse')).toBe('alice');
      node.stopwatch.time += 10 * minuteMs;
    }
    for (let attempt = 1; attempt <= 100; attempt++) {
      expect(await node.byKey(`alice.1.1.${attempt}`)).toBe('unauthorised');
      expect(await node.byPassword('x'.repeat(300), 'wrong')).toBe('unauthorised');
    }
    expect(await node.byPassword('alice', 'correct horse')).toBe('alice');
  });

  test('[AUTH-6] Failures counted before a restart still count after it', async () => {
    const fresh = await engine.openFreshStore();
    const node = await openNode(fresh);
    await failTimes(node, 8);
    await node.records.stop();
    const after = await startNode(await fresh.reopen(), false);
    expect(await after.byPassword('alice', 'correct horse', '203.0.113.1')).toBe('too_many_attempts');
    expect(after.passwords.verifications).toBe(0);
  });

  test('[AUTH-6] Failures on several nodes add up, and nodes soon share their counts', async () => {
    const fresh = await engine.openFreshStore();
    const node = await openNode(fresh);
    const other = await startNode(engine.name === 'sqlite' ? fresh.store : await fresh.openAnother(), false);
    await failTimes(node, 4);
    for (let attempt = 5; attempt <= 8; attempt++)
      expect(await other.byPassword('alice', `wrong ${attempt}`, `203.0.${attempt}.1`)).toBe('unauthorised');
    // The node stores the failures on its own once it has gathered some.
    await expect
      .poll(() => countRows(fresh.store, 'login_failures'), { timeout: 100_000 })
      .toBeGreaterThan(1);
    await node.records.stop();
    await other.records.stop();
    for (const one of [node, other]) {
      const tried = one.passwords.verifications;
      expect(await one.byPassword('alice', 'correct horse', '192.0.2.77')).toBe('too_many_attempts');
      expect(one.passwords.verifications).toBe(tried);
    }
  });

  test('[AUTH-6] Unauthenticated clients cannot lock a user out of a network known from earlier logins, on any node', async () => {
    const fresh = await engine.openFreshStore();
    const node = await openNode(fresh);
    expect(await node.byPassword('alice', 'correct horse', '192.0.2.1')).toBe('alice');
    await node.records.stop();
    const other = await startNode(fresh.store, false);
    await failTimes(other, 8);
    // Strangers on the same IP network remain strangers.
    for (let attempt = 1; attempt <= 200; attempt++)
      await other.byPassword(`user ${attempt}`, 'wrong', `192.0.2.${2 + (attempt % 250)}`);
    expect(await other.byPassword('alice', 'correct horse', '192.0.2.2')).toBe('too_many_attempts');
    expect(await other.byPassword('bob', 'wrong', '192.0.2.1')).toBe('too_many_attempts');
    expect(await other.byPassword('alice', 'correct horse', '192.0.2.1')).toBe('alice');
    for (let attempt = 1; attempt <= 8; attempt++)
      expect(await other.byPassword('alice', `wrong ${attempt}`, '192.0.2.1')).toBe('unauthorised');
    expect(await other.byPassword('alice', 'wrong', '192.0.2.1')).toBe('too_many_attempts');
  });

  test('[AUTH-6] A node learns of a network that became known on another node', async () => {
    const fresh = await engine.openFreshStore();
    const node = await openNode(fresh);
    const other = await startNode(fresh.store, false);
    await failTimes(other, 8);
    expect(await node.byPassword('alice', 'correct horse', '192.0.2.1')).toBe('alice');
    await node.records.stop();
    expect(await other.byPassword('alice', 'correct horse', '192.0.2.1')).toBe('too_many_attempts');
    await other.news.read();
    expect(await other.byPassword('alice', 'correct horse', '192.0.2.1')).toBe('alice');
  });

  test('[AUTH-6] The eight latest networks of a user are kept, and other nodes know them', async () => {
    const fresh = await engine.openFreshStore();
    const node = await openNode(fresh);
    for (let network = 1; network <= 10; network++) {
      expect(await node.byPassword('alice', 'correct horse', `192.0.2.${network}`)).toBe('alice');
      await node.records.stop();
      node.stopwatch.time += 11 * minuteMs;
      node.clock.time += 11 * minuteMs;
    }
    expect(await countRows(fresh.store, 'login_networks')).toBe(8);
    const other = await startNode(fresh.store, false);
    other.clock.time = node.clock.time;
    const isKnown = (address: string) => other.records.isKnown({ username: 'alice', address });
    expect([1, 2, 3, 10].map((network) => isKnown(`192.0.2.${network}`))).toEqual([false, false, true, true]);
    expect(other.records.isKnown({ username: 'bob', address: '192.0.2.10' })).toBe(false);
  });

  test('[AUTH-6] Login failures and known networks are stored without names and addresses', async () => {
    const fresh = await engine.openFreshStore();
    const node = await openNode(fresh);
    await node.byPassword('a password in the wrong field', 'x', '203.0.113.99');
    await node.byPassword('alice', 'correct horse', '203.0.113.99');
    await node.records.stop();
    const counts = JSON.stringify([
      await countRows(fresh.store, 'login_failures', '%wrong field%'),
      await countRows(fresh.store, 'login_failures', '%203.0.113%'),
      await countRows(fresh.store, 'login_networks', '%203.0.113%'),
    ]);
    expect(counts).toBe('[0,0,0]');
  });

  test('[AUTH-6] The table of login failures is bounded, and old rows and rows dated by a wrong clock are purged', async () => {
    const { store } = await engine.openFreshStore();
    const rows = Array.from({ length: 500 }, (_, index) => ({
      subject: `subject ${index}`,
      node: 'one',
      failures: 1,
      slot: 1_000 + index,
    }));
    await store.write(keepFailures, rows);
    const purge = { beforeSlot: 1_100, afterSlot: 1_450, maxFailures: 200, seenBefore: 0 };
    await store.write(purgeLogins, purge);
    expect(await countRows(store, 'login_failures')).toBe(200);
    await store.write(purgeLogins, { ...purge, maxFailures: 1_000 });
    expect(await countRows(store, 'login_failures')).toBe(200);
  });

  test('[AUTH-6] While the store refuses writes, a node keeps counting failures in memory and stores them later', async () => {
    const fresh = await engine.openFreshStore();
    const node = await openNode(fresh);
    const { write } = fresh.store;
    Object.assign(fresh.store, { write: () => Promise.reject(new Error('the disk is full')) });
    await failTimes(node, 8);
    await node.records.stop();
    expect(await node.byPassword('alice', 'wrong', '203.0.113.1')).toBe('too_many_attempts');
    expect(node.warned).toHaveLength(1);
    Object.assign(fresh.store, { write });
    await node.records.stop();
    const other = await startNode(fresh.store, false);
    expect(await other.byPassword('alice', 'wrong', '203.0.113.1')).toBe('too_many_attempts');
  });

  test('[RUN-4] The operator’s security log shows a lock-out and the logins refused during it', async () => {
    const node = await openNode(await engine.openFreshStore());
    await failTimes(node, 8);
    await node.byPassword('alice', 'wrong', '203.0.113.1');
    expect(node.recorded.filter(({ event }) => event !== 'login_failed')).toEqual([
      {
        event: 'login_locked',
        channel: 'http',
        address: '198.51.8.1',
        username: 'alice',
        object: 'account',
      },
      { event: 'login_refused', channel: 'http', address: '203.0.113.1' },
    ]);
  });
});
