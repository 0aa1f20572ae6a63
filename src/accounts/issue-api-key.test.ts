import { expect, test } from 'vitest';
import { putCompany, putUser, removeUser } from '../../test/harness/account-verbs.ts';
import { putKeys } from '../../test/harness/many-rows-verbs.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { Ids } from '../storage/ids.ts';
import {
  apiKeySecret,
  enableKey,
  expireKey,
  issueApiKey,
  listKeys,
  maxKeysOfUser,
  readApiKey,
  revokeKey,
} from './api-keys.ts';

const secret = apiKeySecret('the secret of a server under test');
const alice = { userId: 11, username: 'alice' };
const app = { username: 'alice', name: 'app' };

eachStore('API keys', (engine) => {
  async function open() {
    const { store } = await engine.openFreshStore();
    await store.write(putCompany, { id: 1, name: 'Nordic Care' });
    await store.write(putUser, { id: 11, companyId: 1, username: 'alice' });
    await store.write(putUser, { id: 12, companyId: 1, username: 'bob' });
    const clock = { time: 1_700_000_000_000, now: () => clock.time };
    const issuer = { store, ids: new Ids(store, 'apiKey', 8), clock, secret };
    return { store, clock, issue: (name: string, caller = alice) => issueApiKey(issuer, caller, name) };
  }

  test('[KEY-1] The same name gives the same API key, even to several concurrent requests', async () => {
    const { issue } = await open();
    const texts = await Promise.all([issue('app'), issue('app'), issue('app')]);
    expect(new Set([...texts, await issue('app')]).size).toBe(1);
    expect(readApiKey(secret, texts[0])).toMatchObject({ username: 'alice', generation: 1 });
  });

  test('[KEY-1] Another name or another user gets another API key', async () => {
    const { issue } = await open();
    const texts = [
      await issue('app'),
      await issue('App'),
      await issue('app', { userId: 12, username: 'bob' }),
    ];
    expect(new Set(texts.map((text) => readApiKey(secret, text)?.keyId)).size).toBe(3);
  });

  test('[KEY-1] A revoked name is refused until it is enabled, then gives another API key text', async () => {
    const { store, clock, issue } = await open();
    const before = await issue('app');
    expect(await revokeKey(store, app)).toMatchObject({ revoked: true });
    await expect(issue('app')).rejects.toMatchObject({
      code: 'key_revoked',
      status: 403,
      message: expect.stringContaining('was revoked'),
    });
    await enableKey(store, clock, app);
    const after = await issue('app');
    expect(after).not.toBe(before);
    expect(readApiKey(secret, after)).toEqual({ ...readApiKey(secret, before), generation: 2 });
  });

  test('[KEY-1] An API key does not expire unless a time is set; an expired one is refused as expired', async () => {
    const { store, clock, issue } = await open();
    const text = await issue('app');
    clock.time += 100 * 365 * 86_400_000;
    expect(await issue('app')).toBe(text);
    await expireKey(store, app, clock.time + 1);
    expect(await issue('app')).toBe(text);
    clock.time += 1;
    await expect(issue('app')).rejects.toMatchObject({
      code: 'key_revoked',
      message: expect.stringContaining('has expired'),
    });
    await expireKey(store, app, undefined);
    expect(await issue('app')).toBe(text);
  });

  test('[KEY-1] A user removed in the meantime gets no API key', async () => {
    const { store, issue } = await open();
    await store.write(removeUser, alice.userId);
    await expect(issue('app')).rejects.toMatchObject({ code: 'unauthorised' });
  });

  test('[KEY-1] [CONV-12] A user who has the maximum number of API keys gets an error that says what to do', async () => {
    const { store, issue } = await open();
    await store.write(putKeys, { userId: alice.userId, keys: maxKeysOfUser });
    await expect(issue('app')).rejects.toMatchObject({
      code: 'too_many_keys',
      status: 400,
      message: expect.stringMatching(/1000 API keys.*carillon keys list/),
    });
    expect(readApiKey(secret, await issue('key 7'))).toMatchObject({ keyId: 7 });
  });

  test('[AUTH-5] Nothing in the store reveals an API key', async () => {
    const { store, issue } = await open();
    const proof = (await issue('app')).split('.').at(-1) as string;
    expect(JSON.stringify(await listKeys(store, 'alice'))).not.toContain(proof);
    expect(Object.keys((await listKeys(store, 'alice'))[0] ?? {}).sort()).toEqual([
      'createdAt',
      'expiresAt',
      'generation',
      'id',
      'name',
      'networks',
      'revoked',
      'scopes',
      'usedAt',
      'userId',
    ]);
  });

  test('[AUTH-5] An error about an unknown user or API key names it and lists the keys the user has', async () => {
    const { store, clock, issue } = await open();
    expect(await listKeys(store, 'alice')).toEqual([]);
    await expect(revokeKey(store, app)).rejects.toThrow(
      'The user alice has no API key named "app": it has none.',
    );
    await issue('app');
    await issue('till 3');
    expect((await listKeys(store, 'alice')).map(({ name }) => name)).toEqual(['app', 'till 3']);
    const wrong = { username: 'alice', name: 'til 3' };
    for (const attempt of [
      () => revokeKey(store, wrong),
      () => enableKey(store, clock, wrong),
      () => expireKey(store, wrong, clock.time),
    ]) {
      await expect(attempt()).rejects.toThrow('no API key named "til 3": it has "app", "till 3".');
    }
    await expect(listKeys(store, 'alise')).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('There is no user alise.'),
    });
    await expect(revokeKey(store, { username: 'alise', name: 'app' })).rejects.toThrow('no user alise');
  });
});
