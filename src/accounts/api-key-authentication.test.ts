import { expect, test } from 'vitest';
import { putUser } from '../../test/harness/account-verbs.ts';
import {
  alice,
  aliceWithOtherPassword,
  minuteMs,
  openNode,
  secret,
  startNode,
} from '../../test/harness/authentication-node.ts';
import { pause } from '../../test/harness/awake.ts';
import { eachStore, type FreshStore } from '../../test/harness/stores.ts';
import { enableKey, expireKey, limitKey, listKeys, revokeKey, writeApiKey } from './api-keys.ts';

const app = { username: 'alice', name: 'app' };

eachStore('authentication by API key', (engine) => {
  test('[AUTH-5] A valid API key authenticates its user, and its second use needs no store lookup', async () => {
    const node = await openNode(await engine.openFreshStore());
    const key = await node.issue('app');
    await node.news.read();
    const caller = await node.keyCall(key);
    expect(caller).toMatchObject({ userId: 11, username: 'alice', companyId: 1 });
    expect(node.keyCall(key)).toBe(caller);
  });

  test('[AUTH-5] An API key works whatever the user’s password, and for a user who has none', async () => {
    const node = await openNode(await engine.openFreshStore());
    const key = await node.issue('app');
    await node.store.write(putUser, await aliceWithOtherPassword());
    expect(await node.byKey(key)).toBe('alice');
    expect(await node.byKey(await node.issue('app', { userId: 12, username: 'keys only' }))).toBe(
      'keys only',
    );
  });

  test('[AUTH-5] The last use of an API key is recorded at most once a minute, whichever node sees it', async () => {
    const { store } = await engine.openFreshStore();
    const node = await openNode({ store } as FreshStore);
    const other = await startNode(store, false);
    other.clock.time = node.clock.time;
    const key = await node.issue('app');
    const usedAt = async () => (await listKeys(store, 'alice'))[0]?.usedAt;
    const start = node.clock.time;
    expect(await usedAt()).toBeUndefined();
    await node.byKey(key);
    await node.uses.write();
    expect(await usedAt()).toBe(start);
    other.clock.time += minuteMs - 1;
    await other.byKey(key);
    await other.uses.write();
    expect(await usedAt()).toBe(start);
    for (const one of [node, other]) one.clock.time = start + minuteMs;
    await other.byKey(key);
    await node.byKey(key);
    // Stopping also writes the pending use.
    await other.uses.stop();
    expect(await usedAt()).toBe(start + minuteMs);
    await revokeKey(store, app);
    await node.news.read();
    node.clock.time += 2 * minuteMs;
    expect(await node.byKey(key)).toBe('unauthorised');
    await node.uses.write();
    expect(await usedAt()).toBe(start + minuteMs);
  });

  test('[AUTH-5] A forged API key, or one with an unknown id, generation or user, is refused', async () => {
    const node = await openNode(await engine.openFreshStore());
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

  test('[AUTH-5] A revoked API key is refused once the node hears of it; after enabling, only its new text works', async () => {
    const node = await openNode(await engine.openFreshStore());
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

  test('[AUTH-5] An API key expires at its set time to the millisecond, even while the node has it cached', async () => {
    const node = await openNode(await engine.openFreshStore());
    const key = await node.issue('app');
    await expireKey(node.store, app, node.clock.time + 1_000);
    const { time } = node.clock;
    node.clock.time = time;
    await node.news.read();
    const caller = await node.keyCall(key);
    node.clock.time += 999;
    expect(node.keyCall(key)).toBe(caller);
    node.clock.time += 1;
    expect(await node.byKey(key)).toBe('unauthorised');
  });

  test('[ALERT-4] An API key is accepted from its networks only, and its caller has its scopes, as soon as the node hears of them', async () => {
    const node = await openNode(await engine.openFreshStore());
    const key = await node.issue('app');
    const from = (address: string) => async () => node.authenticate({ kind: 'key', key }, { address });
    expect((await from('192.0.2.1')()).scopes).toBeUndefined();
    const networks = ['192.0.2.0/25', '2001:db8::/32', '198.51.100.7'];
    const limited = await limitKey(node.store, app, { scopes: ['read', 'send'], networks });
    expect(limited).toMatchObject({ scopes: ['read', 'send'], networks });
    await node.news.read();
    for (const address of ['192.0.2.127', '2001:db8:1::7', '198.51.100.7'])
      expect((await from(address)()).scopes).toEqual(new Set(['read', 'send']));
    for (const address of ['192.0.2.128', '2001:db9::7', '198.51.100.8', 'nowhere'])
      await expect(from(address)()).rejects.toMatchObject({ code: 'network_not_allowed', status: 403 });
    expect(node.recorded.at(-1)).toMatchObject({
      event: 'login_failed',
      username: 'alice',
      reason: 'network_not_allowed',
    });
    // The same name gives the same key, and a new generation keeps the limits.
    expect(await node.issue('app')).toBe(key);
    await limitKey(node.store, app, { networks: null });
    await node.news.read();
    expect((await from('203.0.113.9')()).scopes).toEqual(new Set(['read', 'send']));
    await revokeKey(node.store, app);
    expect(await enableKey(node.store, node.clock, app)).toMatchObject({ scopes: ['read', 'send'] });
    await limitKey(node.store, app, { networks: ['of a later version'] });
    expect(await node.byKey(await node.issue('app'))).toBe('network_not_allowed');
  });

  test('[ALERT-4] An expired API key is told that it has expired, and a revoked one no more than a forged one', async () => {
    const node = await openNode(await engine.openFreshStore());
    const key = await node.issue('app');
    const call = async () => node.keyCall(key);
    await expireKey(node.store, app, node.clock.time);
    await expect(call()).rejects.toThrow('The API key has expired. Its user,');
    await revokeKey(node.store, app);
    await node.news.read();
    await expect(call()).rejects.toThrow(/^The credentials are wrong or no longer valid,/);
  });

  test('[AUTH-5] Revoking an API key takes effect on another node within a second', async () => {
    const fresh = await engine.openFreshStore();
    const node = await openNode(fresh, true);
    const another = await startNode(await fresh.openAnother(), true);
    const key = await node.issue('app');
    expect(await another.byKey(key)).toBe('alice');
    expect(await another.byPassword('alice', 'correct horse')).toBe('alice');
    await revokeKey(node.store, app);
    await node.store.write(putUser, { ...(await alice()), active: false });
    await pause(1_000);
    expect(await another.byKey(key)).toBe('unauthorised');
    expect(await another.byPassword('alice', 'correct horse')).toBe('unauthorised');
    node.news.stop();
    another.news.stop();
  });

  test('[AUTH-5] A node that receives no change notices checks the store at every login', async () => {
    const node = await openNode(await engine.openFreshStore());
    const key = await node.issue('app');
    expect(await node.byKey(key)).toBe('alice');
    expect(await node.byPassword('alice', 'correct horse')).toBe('alice');
    await revokeKey(node.store, app);
    await node.store.write(putUser, await aliceWithOtherPassword());
    node.newsWatch.time += 1_000;
    expect(node.news.trusted).toBe(false);
    expect(await node.byKey(key)).toBe('unauthorised');
    expect(await node.byPassword('alice', 'correct horse')).toBe('unauthorised');
  });

  test('[AUTH-5] A node cut off from the store refuses all logins and gives the store as the reason', async () => {
    const fresh = await engine.openFreshStore();
    const node = await openNode(fresh);
    const key = await node.issue('app');
    expect(await node.byKey(key)).toBe('alice');
    expect(await node.byPassword('alice', 'correct horse')).toBe('alice');
    await fresh.dispose();
    node.newsWatch.time += 1_000;
    expect(await node.byKey(key)).toBe('store_unavailable');
    expect(await node.byPassword('alice', 'correct horse')).toBe('store_unavailable');
  });
});
