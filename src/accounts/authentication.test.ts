import { beforeAll, expect, test } from 'vitest';
import { putCompany, putUser, removeUser, type TestUser } from '../../test/harness/account-verbs.ts';
import { type Engine, eachStore } from '../../test/harness/stores.ts';
import { Ids } from '../storage/ids.ts';
import { News } from '../storage/news.ts';
import type { Store } from '../storage/store.ts';
import { enableKey, expireKey, revokeKey } from './administer-api-keys.ts';
import { apiKeySecret, writeApiKey } from './api-key.ts';
import { authentication } from './authentication.ts';
import type { Caller } from './caller.ts';
import { issueApiKey } from './issue-api-key.ts';
import { Passwords } from './password.ts';

const secret = apiKeySecret('the secret of a server under test');
const company = { id: 1, name: 'Nordic Care', defaultSender: 'NordicCare' };
const home = '192.0.2.1';
const minuteMs = 60_000;
const app = { username: 'alice', name: 'app' };
let aliceHash: string;
let otherHash: string;

beforeAll(async () => {
  const passwords = new Passwords();
  aliceHash = await passwords.hash('correct horse');
  otherHash = await passwords.hash('battery staple');
});

function alice(): TestUser {
  return { id: 11, companyId: 1, username: 'alice', passwordHash: aliceHash, roles: ['send'] };
}

/** A node on the store. Its news are read when the test says so, unless they arrive by themselves. */
async function startNode(store: Store, newsArrive: boolean) {
  const clock = { time: 1_700_000_000_000, now: () => clock.time };
  const passwords = new Passwords();
  const news = new News(store);
  const authenticate = authentication({ store, news, clock, secret, passwords });
  if (newsArrive) await news.start();
  else await news.read();
  const outcome = async (work: () => Caller | Promise<Caller>) => {
    try {
      return (await work()).username;
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  const keyCall = (key: string) => authenticate({ kind: 'key', key }, { address: home });
  const passwordCall = (username: string, password: string, address = home) =>
    authenticate({ kind: 'password', username, password }, { address });
  return {
    clock,
    news,
    passwords,
    keyCall,
    passwordCall,
    byKey: (key: string) => outcome(() => keyCall(key)),
    byPassword: (username: string, password: string, address = home) =>
      outcome(() => passwordCall(username, password, address)),
    issue: (name: string, caller = { userId: 11, username: 'alice' }) =>
      issueApiKey({ store, ids: new Ids(store, 'apiKey', 8), clock, secret }, caller, name),
  };
}

async function openNode(engine: Engine, newsArrive = false) {
  const fresh = await engine.openFreshStore();
  await fresh.store.write(putCompany, company);
  await fresh.store.write(putUser, alice());
  await fresh.store.write(putUser, { id: 12, companyId: 1, username: 'keys only' });
  return { fresh, store: fresh.store, ...(await startNode(fresh.store, newsArrive)) };
}

eachStore('authentication by password', (engine) => {
  test('[AUTH-3] a caller is known with what its account and company grant', async () => {
    const node = await openNode(engine);
    await node.store.write(putUser, {
      ...alice(),
      quotaParts: 10,
      senders: ['Alice'],
      replaceCharacters: true,
    });
    expect(await node.passwordCall('alice', 'correct horse')).toEqual({
      userId: 11,
      username: 'alice',
      companyId: 1,
      roles: new Set(['send']),
      defaultSender: 'NordicCare',
      allowedSenders: new Set(['Alice']),
      replaceCharacters: true,
      hasUserQuota: true,
      hasCompanyQuota: false,
    });
  });

  test('[AUTH-3] a wrong password, an unknown user and one without a password get the same answer for the same work', async () => {
    const node = await openNode(engine);
    const refusals: unknown[] = [];
    for (const username of ['alice', 'nobody', 'keys only']) {
      const before = node.passwords.verifications;
      await Promise.resolve(node.passwordCall(username, 'wrong')).catch((error) =>
        refusals.push({
          message: error.message,
          code: error.code,
          status: error.status,
          headers: error.headers,
        }),
      );
      expect(node.passwords.verifications).toBe(before + 1);
    }
    expect(refusals).toHaveLength(3);
    expect(refusals[0]).toMatchObject({ code: 'unauthorised', status: 401 });
    expect(refusals[1]).toEqual(refusals[0]);
    expect(refusals[2]).toEqual(refusals[0]);
  });

  test('[AUTH-3] names and passwords that no account can have are refused on both engines', async () => {
    const node = await openNode(engine);
    expect(await node.byPassword('ali\u0000ce', 'correct horse')).toBe('unauthorised');
    expect(await node.byPassword('x'.repeat(100_000), 'correct horse')).toBe('unauthorised');
    expect(await node.byPassword('alice', 'x'.repeat(100_000))).toBe('unauthorised');
    expect(await node.byPassword('alice', 'correct\u0000horse')).toBe('unauthorised');
    expect(await node.byPassword('alice', 'correct horse')).toBe('alice');
  });

  test('[AUTH-4] a verified password is known at once for ten minutes, then verified again', async () => {
    const node = await openNode(engine);
    const caller = await node.passwordCall('alice', 'correct horse');
    expect(node.passwordCall('alice', 'correct horse')).toBe(caller);
    node.clock.time += 10 * minuteMs - 1;
    expect(node.passwordCall('alice', 'correct horse')).toBe(caller);
    expect(node.passwords.verifications).toBe(1);
    node.clock.time += 1;
    expect(await node.byPassword('alice', 'correct horse')).toBe('alice');
    expect(node.passwords.verifications).toBe(2);
  });

  test('[AUTH-4] first requests that come together share one verification', async () => {
    const node = await openNode(engine);
    const calls = Array.from({ length: 50 }, () => node.byPassword('alice', 'correct horse'));
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['alice']));
    expect(node.passwords.verifications).toBe(1);
  });

  test('[AUTH-4] a changed password is out with its news; one that stayed needs no verification', async () => {
    const node = await openNode(engine);
    expect(await node.byPassword('alice', 'correct horse')).toBe('alice');
    await node.store.write(putUser, { ...alice(), roles: ['jobs'] });
    await node.news.read();
    expect((await node.passwordCall('alice', 'correct horse')).roles).toEqual(new Set(['jobs']));
    expect(node.passwords.verifications).toBe(1);
    await node.store.write(putUser, { ...alice(), passwordHash: otherHash });
    await node.news.read();
    expect(await node.byPassword('alice', 'correct horse')).toBe('unauthorised');
    expect(await node.byPassword('alice', 'battery staple')).toBe('alice');
  });

  test('[AUTH-4] a password that is changed while it is verified is not remembered for the new one', async () => {
    const node = await openNode(engine);
    const call = node.byPassword('alice', 'correct horse');
    await node.store.write(putUser, { ...alice(), passwordHash: otherHash });
    await call;
    await node.news.read();
    expect(await node.byPassword('alice', 'correct horse')).toBe('unauthorised');
  });

  test('[AUTH-7] an inactive user or company is out with its news, and back when active again', async () => {
    const node = await openNode(engine);
    const key = await node.issue('app');
    const both = async () => [await node.byPassword('alice', 'correct horse'), await node.byKey(key)];
    expect(await both()).toEqual(['alice', 'alice']);
    await node.store.write(putUser, { ...alice(), active: false });
    await node.news.read();
    expect(await both()).toEqual(['unauthorised', 'unauthorised']);
    await node.store.write(putUser, alice());
    await node.store.write(putCompany, { ...company, active: false });
    await node.news.read();
    expect(await both()).toEqual(['unauthorised', 'unauthorised']);
    await node.store.write(putCompany, company);
    await node.news.read();
    expect(await both()).toEqual(['alice', 'alice']);
  });

  test('[AUTH-7] an inactive user with the right password is refused as one with a wrong password', async () => {
    const node = await openNode(engine);
    await node.store.write(putUser, { ...alice(), active: false });
    expect(await node.byPassword('alice', 'correct horse')).toBe('unauthorised');
    expect(node.passwords.verifications).toBe(1);
  });

  test('[AUTH-7] a removed user is out with its news', async () => {
    const node = await openNode(engine);
    const key = await node.issue('app');
    expect(await node.byPassword('alice', 'correct horse')).toBe('alice');
    expect(await node.byKey(key)).toBe('alice');
    await node.store.write(removeUser, 11);
    await node.news.read();
    expect(await node.byPassword('alice', 'correct horse')).toBe('unauthorised');
    expect(await node.byKey(key)).toBe('unauthorised');
  });
});

eachStore('failed attempts', (engine) => {
  test('[AUTH-6] after ten on an account nothing more is tried; keys and remembered passwords go on', async () => {
    const node = await openNode(engine);
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
    node.clock.time += 5 * minuteMs;
    expect(await node.byPassword('alice', 'wrong 12', '203.0.113.1')).toBe('unauthorised');
  });

  test('[AUTH-6] a right password that is not remembered waits too, and is told how long', async () => {
    const node = await openNode(engine);
    for (let attempt = 1; attempt <= 10; attempt++) await node.byPassword('alice', 'wrong');
    node.clock.time += minuteMs;
    expect(() => node.passwordCall('alice', 'correct horse')).toThrow(
      expect.objectContaining({ code: 'too_many_attempts', status: 429, headers: { 'retry-after': '240' } }),
    );
  });

  test('[AUTH-6] an unknown user is refused as a known one', async () => {
    const node = await openNode(engine);
    for (let attempt = 1; attempt <= 10; attempt++) {
      expect(await node.byPassword('nobody', `wrong ${attempt}`)).toBe('unauthorised');
    }
    expect(await node.byPassword('nobody', 'wrong')).toBe('too_many_attempts');
  });

  test('[AUTH-6] after fifty from an address, whatever the accounts, it has to wait, and others have not', async () => {
    const node = await openNode(engine);
    for (let attempt = 1; attempt <= 50; attempt++) {
      expect(await node.byPassword(`user ${attempt}`, 'wrong')).toBe('unauthorised');
    }
    expect(await node.byPassword('alice', 'correct horse')).toBe('too_many_attempts');
    expect(await node.byPassword('alice', 'correct horse', '198.51.100.1')).toBe('alice');
    expect(await node.byPassword('alice', 'correct horse')).toBe('alice');
  });

  test('[AUTH-6] guesses sent all at once are tried no more than one after the other', async () => {
    const node = await openNode(engine);
    const guesses = Array.from({ length: 100 }, (_, index) => node.byPassword('alice', `guess ${index}`));
    const outcomes = await Promise.all(guesses);
    // One more may be under way when the tenth fails.
    expect(node.passwords.verifications).toBeLessThanOrEqual(11);
    expect(outcomes.filter((outcome) => outcome === 'too_many_attempts').length).toBeGreaterThanOrEqual(89);
  });

  test('[AUTH-6] the same wrong password many times at once counts as often as it is given', async () => {
    const node = await openNode(engine);
    await Promise.all(Array.from({ length: 10 }, () => node.byPassword('alice', 'wrong')));
    expect(await node.byPassword('alice', 'correct horse')).toBe('too_many_attempts');
  });

  test('[AUTH-6] right passwords never count, and false keys are no attempts at a password', async () => {
    const node = await openNode(engine);
    for (let login = 1; login <= 20; login++) {
      expect(await node.byPassword('alice', 'correct horse')).toBe('alice');
      node.clock.time += 10 * minuteMs;
    }
    for (let attempt = 1; attempt <= 100; attempt++) {
      expect(await node.byKey(`alice.1.1.${attempt}`)).toBe('unauthorised');
    }
    expect(await node.byPassword('alice', 'correct horse')).toBe('alice');
  });
});

eachStore('authentication by API key', (engine) => {
  test('[AUTH-5] a key lets its user in, the second time without a look into the store', async () => {
    const node = await openNode(engine);
    const key = await node.issue('app');
    const caller = await node.keyCall(key);
    expect(caller).toMatchObject({ userId: 11, username: 'alice', companyId: 1 });
    expect(node.keyCall(key)).toBe(caller);
  });

  test('[AUTH-5] a key does not depend on the password, nor on having one', async () => {
    const node = await openNode(engine);
    const key = await node.issue('app');
    await node.store.write(putUser, { ...alice(), passwordHash: otherHash });
    expect(await node.byKey(key)).toBe('alice');
    expect(await node.byKey(await node.issue('app', { userId: 12, username: 'keys only' }))).toBe(
      'keys only',
    );
  });

  test('[AUTH-5] a false key, or one of an unknown id, generation or user, lets nobody in', async () => {
    const node = await openNode(engine);
    const key = await node.issue('app');
    const keyId = Number(key.split('.')[1]);
    expect(await node.byKey(`${key.slice(0, -1)}_`)).toBe('unauthorised');
    expect(await node.byKey(key.replace('alice', 'alicf'))).toBe('unauthorised');
    expect(await node.byKey('')).toBe('unauthorised');
    for (const claim of [
      { username: 'alice', keyId: keyId + 1, generation: 1 },
      { username: 'alice', keyId, generation: 2 },
      { username: 'bob', keyId, generation: 1 },
    ]) {
      expect(await node.byKey(writeApiKey(secret, claim))).toBe('unauthorised');
    }
    expect(await node.byKey(key)).toBe('alice');
  });

  test('[AUTH-5] a revoked key is out with its news; enabled again, only its new text gets in', async () => {
    const node = await openNode(engine);
    const before = await node.issue('app');
    expect(await node.byKey(before)).toBe('alice');
    await revokeKey(node.store, app);
    await node.news.read();
    expect(await node.byKey(before)).toBe('unauthorised');
    expect(await node.byKey(before)).toBe('unauthorised');
    await enableKey(node.store, node.clock, app);
    await node.news.read();
    expect(await node.byKey(before)).toBe('unauthorised');
    expect(await node.byKey(await node.issue('app'))).toBe('alice');
  });

  test('[AUTH-5] a key ends at its time to the millisecond, without any news', async () => {
    const node = await openNode(engine);
    const key = await node.issue('app');
    await expireKey(node.store, app, node.clock.time + 1_000);
    await node.news.read();
    const caller = await node.keyCall(key);
    node.clock.time += 999;
    expect(node.keyCall(key)).toBe(caller);
    node.clock.time += 1;
    expect(await node.byKey(key)).toBe('unauthorised');
  });

  test('[AUTH-5] revoking a key takes effect within a second on another node', async () => {
    const node = await openNode(engine, true);
    const another = await startNode(await node.fresh.openAnother(), true);
    const key = await node.issue('app');
    expect(await another.byKey(key)).toBe('alice');
    expect(await another.byPassword('alice', 'correct horse')).toBe('alice');
    await revokeKey(node.store, app);
    await node.store.write(putUser, { ...alice(), active: false });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await another.byKey(key)).toBe('unauthorised');
    expect(await another.byPassword('alice', 'correct horse')).toBe('unauthorised');
    node.news.stop();
    another.news.stop();
  });

  test('[AUTH-5] a node that news do not reach asks the store each time', async () => {
    const node = await openNode(engine);
    const key = await node.issue('app');
    expect(await node.byKey(key)).toBe('alice');
    expect(await node.byPassword('alice', 'correct horse')).toBe('alice');
    await revokeKey(node.store, app);
    await node.store.write(putUser, { ...alice(), passwordHash: otherHash });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(node.news.trusted).toBe(false);
    expect(await node.byKey(key)).toBe('unauthorised');
    expect(await node.byPassword('alice', 'correct horse')).toBe('unauthorised');
  });

  test('[AUTH-5] a node cut off from the store lets nobody in, and says why', async () => {
    const node = await openNode(engine);
    const key = await node.issue('app');
    expect(await node.byKey(key)).toBe('alice');
    expect(await node.byPassword('alice', 'correct horse')).toBe('alice');
    await node.fresh.dispose();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await node.byKey(key)).toBe('store_unavailable');
    expect(await node.byPassword('alice', 'correct horse')).toBe('store_unavailable');
  });
});
