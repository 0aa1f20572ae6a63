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
import { enableKey, expireKey, listKeys, revokeKey, writeApiKey } from './api-keys.ts';

const app = { username: 'alice', name: 'app' };

eachStore('authentication by API key', (engine) => {
  test('[AUTH-5] a key lets its user in, the second time without a look into the store', async () => {
    const node = await openNode(await engine.openFreshStore());
    const key = await node.issue('app');
    await node.news.read();
    const caller = await node.keyCall(key);
    expect(caller).toMatchObject({ userId: 11, username: 'alice', companyId: 1 });
    expect(node.keyCall(key)).toBe(caller);
  });

  test('[AUTH-5] a key does not depend on the password, nor on having one', async () => {
    const node = await openNode(await engine.openFreshStore());
    const key = await node.issue('app');
    await node.store.write(putUser, await aliceWithOtherPassword());
    expect(await node.byKey(key)).toBe('alice');
    expect(await node.byKey(await node.issue('app', { userId: 12, username: 'keys only' }))).toBe(
      'keys only',
    );
  });

  test('[AUTH-5] the last use of a key is known, and written once a minute at most, whichever node it is at', async () => {
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
    // It is written at the end, too.
    await other.uses.stop();
    expect(await usedAt()).toBe(start + minuteMs);
    await revokeKey(store, app);
    await node.news.read();
    node.clock.time += 2 * minuteMs;
    expect(await node.byKey(key)).toBe('unauthorised');
    await node.uses.write();
    expect(await usedAt()).toBe(start + minuteMs);
  });

  test('[AUTH-5] a false key, or one of an unknown id, generation or user, lets nobody in', async () => {
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

  test('[AUTH-5] a revoked key is out with its news; enabled again, only its new text gets in', async () => {
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

  test('[AUTH-5] a key ends at its time to the millisecond, without any news', async () => {
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

  test('[AUTH-5] revoking a key takes effect within a second on another node', async () => {
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

  test('[AUTH-5] a node that news do not reach asks the store each time', async () => {
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

  test('[AUTH-5] a node cut off from the store lets nobody in, and says why', async () => {
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
