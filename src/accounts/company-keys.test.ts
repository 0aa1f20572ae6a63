import { beforeEach, expect, test } from 'vitest';
import { putCompany, putUser } from '../../test/harness/account-verbs.ts';
import { eachStore } from '../../test/harness/stores.ts';
import type { Store } from '../storage/store.ts';
import { expireKeyByName, getOrCreateKey, keepKeyUses, revokeKeyByName } from './api-keys.ts';
import { type KeysOfCompany, listKeysOfCompany, unusedDays } from './company-keys.ts';

const now = 1_700_000_000_000;
const dayMs = 24 * 60 * 60_000;

eachStore('the API keys of a company', (engine) => {
  let store: Store;
  beforeEach(async () => {
    store = (await engine.openFreshStore()).store;
    await store.write(putCompany, { id: 1, name: 'Nordic Care' });
    await store.write(putCompany, { id: 2, name: 'Other' });
  });

  const put = (id: number, username: string, companyId = 1) =>
    store.write(putUser, { id, companyId, username });
  const make = (id: number, userId: number, name = `key ${id}`) =>
    store.write(getOrCreateKey, { id, userId, name, createdAt: now });
  const page = (given: Partial<KeysOfCompany> = {}) =>
    store.read(listKeysOfCompany, { companyId: 1, after: undefined, limit: 50, now, ...given });
  const namesIn = async (given: Partial<KeysOfCompany> = {}) =>
    (await page(given)).keys.map(({ key, username }) => `${username}: ${key.name}`);

  test('[PORT-10] [KEY-1] Keys are listed by user name, oldest first of each user, page by page, and never those of another company', async () => {
    // Ids of users are in another order than their names.
    await put(13, 'anna');
    await put(12, 'bo');
    await put(11, 'zoe');
    await put(14, 'rival', 2);
    await make(5, 11, 'till');
    await make(4, 13, 'second');
    await make(1, 13, 'third but older');
    await make(3, 14, 'foreign');
    const all = ['anna: third but older', 'anna: second', 'zoe: till'];
    expect(await namesIn()).toEqual(all);
    expect((await page()).readTo).toBeUndefined();
    const read: string[] = [];
    let after: KeysOfCompany['after'];
    do {
      const { keys, readTo } = await page({ after, limit: 1 });
      expect(keys).toHaveLength(1);
      read.push(...keys.map(({ key, username }) => `${username}: ${key.name}`));
      after = readTo;
    } while (after !== undefined);
    expect(read).toEqual(all);
  });

  test('[PORT-10] [KEY-1] Keys are found by state, as unused for 90 days or never used, and as having no end', async () => {
    await put(11, 'anna');
    for (const [at, name] of ['busy', 'ended', 'idle', 'never', 'stolen'].entries())
      await make(at + 1, 11, name);
    const used = (id: number, daysAgo: number) =>
      store.write(keepKeyUses, { ids: [id], now: now - daysAgo * dayMs, everyMs: 60_000 });
    await used(1, unusedDays - 1);
    await used(2, 1);
    await used(3, unusedDays);
    await used(5, 1);
    await store.write(expireKeyByName, { username: 'anna', name: 'ended', expiresAt: now });
    await store.write(expireKeyByName, { username: 'anna', name: 'busy', expiresAt: now + dayMs });
    await store.write(revokeKeyByName, { username: 'anna', name: 'stolen' });
    expect(await namesIn({ unused: true })).toEqual(['anna: idle', 'anna: never']);
    expect(await namesIn({ withoutEnd: true })).toEqual(['anna: idle', 'anna: never', 'anna: stolen']);
    expect(await namesIn({ state: 'enabled' })).toEqual(['anna: busy', 'anna: idle', 'anna: never']);
    expect(await namesIn({ state: 'expired' })).toEqual(['anna: ended']);
    expect(await namesIn({ state: 'revoked', withoutEnd: true })).toEqual(['anna: stolen']);
    expect(await namesIn({ state: 'revoked', unused: true })).toEqual([]);
  });

  test('[PORT-10] [CONV-12] A page that has read many users ends before it has found all keys, and the next ones find the rest', async () => {
    const names = Array.from({ length: 250 }, (_, at) => `user${String(1_000 + at)}`);
    await Promise.all(names.map((name, at) => put(100 + at, name)));
    await Promise.all(names.map((_, at) => make(at + 1, 100 + at)));
    await store.write(revokeKeyByName, { username: 'user1249', name: 'key 250' });
    const found: string[] = [];
    let pages = 0;
    let after: KeysOfCompany['after'];
    do {
      const { keys, readTo } = await page({ after, state: 'revoked' });
      found.push(...keys.map(({ username }) => username));
      after = readTo;
      pages += 1;
    } while (after !== undefined);
    expect({ found, pages }).toEqual({ found: ['user1249'], pages: 3 });
    expect(await namesIn({ limit: 200 })).toHaveLength(100);
  });
});
