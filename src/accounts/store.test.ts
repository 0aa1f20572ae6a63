import { expect, test } from 'vitest';
import { putCompany, putUser, removeUser } from '../../test/harness/account-verbs.ts';
import { askForKeys, putKeys } from '../../test/harness/many-rows-verbs.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { readNews } from '../storage/news.ts';
import type { Store } from '../storage/store.ts';
import * as accounts from './account.ts';
import * as keys from './api-keys.ts';
import { type ApiKey, maxKeysOfUser } from './api-keys.ts';
import { callerOf } from './caller.ts';

const verbs = { ...accounts, ...keys };

const company = { id: 1, name: 'Nordic Care' };
const alice = { id: 11, companyId: 1, username: 'alice' };
const bob = { id: 12, companyId: 1, username: 'bob' };
const app = { username: 'alice', name: 'app' };
const createdAt = 1_700_000_000_000;
const now = createdAt + 1_000;

async function newsOf(store: Store): Promise<number> {
  const news = await store.read(readNews, null);
  return news.find(({ topic }) => topic === 'accounts')?.version ?? 0;
}

eachStore('the store of accounts', (engine) => {
  async function openWithAccounts(): Promise<Store> {
    const { store } = await engine.openFreshStore();
    await store.write(putCompany, company);
    await store.write(putUser, alice);
    await store.write(putUser, bob);
    return store;
  }

  const ask = (store: Store, id: number, name = 'app', userId = alice.id) =>
    store.write(verbs.getOrCreateKey, { id, userId, name, createdAt });

  async function create(...asked: Parameters<typeof ask>): Promise<ApiKey> {
    const key = await ask(...asked);
    if (typeof key === 'string') throw new Error(key);
    return key;
  }

  test('[AUTH-7] An account is found with all its fields by user name and by id, active or not', async () => {
    const store = await openWithAccounts();
    const { companyId: _, ...named } = alice;
    const full = {
      ...named,
      passwordHash: '$argon2id$…',
      roles: ['send', 'emailAdmin', 'a role of a later version'],
      active: false,
      quotaParts: 5_000,
      defaultSender: 'Alice',
      senders: ['Alice', '46731230001'],
      replaceCharacters: true,
    };
    await store.write(putUser, { ...full, companyId: 1 });
    await store.write(putCompany, { ...company, quotaParts: 0, defaultSender: 'NordicCare' });
    const account = await store.read(verbs.findAccountByUsername, 'alice');
    expect(account).toEqual({
      user: { ...full, company: company.name, roles: ['send', 'emailAdmin'], smtpSplit: false },
      company: {
        ...company,
        active: true,
        quotaParts: 0,
        defaultSender: 'NordicCare',
        allowedDomainEndings: [],
        mailCut: undefined,
        signInMails: false,
      },
    });
    expect(await store.read(verbs.findAccountById, alice.id)).toEqual(account);
  });

  test('[RUN-3] [PORT-10] A caller has the time zone of the company, unless this node does not know it', async () => {
    const store = await openWithAccounts();
    const zoneOf = async (timeZone?: string) => {
      await store.write(putCompany, { ...company, ...(timeZone !== undefined && { timeZone }) });
      const account = await store.read(verbs.findAccountByUsername, 'alice');
      return account && callerOf(account).timeZone;
    };
    expect(await zoneOf()).toBeUndefined();
    expect(await zoneOf('Europe/Stockholm')).toBe('Europe/Stockholm');
    expect(await zoneOf('Mars/Base')).toBe('UTC');
  });

  test('[AUTH-7] Fields that an account lacks are undefined, and user names are case-sensitive', async () => {
    const store = await openWithAccounts();
    await store.write(putCompany, { ...company, active: false });
    const account = await store.read(verbs.findAccountByUsername, 'alice');
    expect(account).toStrictEqual({
      user: {
        id: alice.id,
        username: alice.username,
        company: company.name,
        passwordHash: undefined,
        roles: [],
        active: true,
        quotaParts: undefined,
        limits: undefined,
        defaultSender: undefined,
        senders: undefined,
        replaceCharacters: false,
        maxBatch: undefined,
        smtpSplit: false,
        email: undefined,
        category: undefined,
      },
      company: {
        ...company,
        active: false,
        quotaParts: undefined,
        limits: undefined,
        defaultSender: undefined,
        senders: undefined,
        sendHours: undefined,
        allowedDomainEndings: [],
        mailCut: undefined,
        mailsPerDay: undefined,
        countryCode: undefined,
        timeZone: undefined,
        costCenters: undefined,
        language: undefined,
        signInMails: false,
        secondFactor: undefined,
        optOuts: undefined,
      },
    });
    expect(await store.read(verbs.findAccountByUsername, 'Alice')).toBeUndefined();
    expect(await store.read(verbs.findAccountById, 999)).toBeUndefined();
  });

  test('[KEY-1] One API key is made per user and name, however many requests arrive at the same time', async () => {
    const store = await openWithAccounts();
    const keys = await Promise.all([1, 2, 3, 4, 5].map((id) => create(store, id)));
    expect(new Set(keys.map((key) => key?.id)).size).toBe(1);
    expect(keys[0]).toStrictEqual({
      id: keys[0]?.id,
      userId: alice.id,
      name: 'app',
      generation: 1,
      revoked: false,
      expiresAt: undefined,
      usedAt: undefined,
      scopes: undefined,
      networks: undefined,
      createdAt,
    });
    expect(await store.read(verbs.findKeyByName, { userId: alice.id, name: 'app' })).toEqual(keys[0]);
    expect(await store.read(verbs.findKeyByName, { userId: bob.id, name: 'app' })).toBeUndefined();
  });

  test('[KEY-1] Two nodes that make the same API key at the same time get the same key', async () => {
    const fresh = await engine.openFreshStore();
    const another = await fresh.openAnother();
    await fresh.store.write(putCompany, company);
    await fresh.store.write(putUser, alice);
    for (let round = 1; round <= 10; round++) {
      const keys = await Promise.all([
        create(fresh.store, 2 * round, `key ${round}`),
        create(another, 2 * round + 1, `key ${round}`),
      ]);
      expect(keys[0]).toEqual(keys[1]);
    }
  });

  test('[KEY-1] [CONV-12] A user has at most a thousand API keys, even when many are requested at once', async () => {
    const store = await openWithAccounts();
    await store.write(putKeys, { userId: alice.id, keys: maxKeysOfUser - 2 });
    const asked = ['a', 'b', 'c', 'd', 'e'];
    // All of these are requested in one transaction.
    const answers = await store.write(
      askForKeys,
      asked.map((name, place) => ({ id: 8_000 + place, userId: alice.id, name, createdAt })),
    );
    expect(answers.map((answer) => (typeof answer === 'string' ? answer : answer.name))).toEqual([
      ...['a', 'b'],
      ...['tooManyKeys', 'tooManyKeys', 'tooManyKeys'],
    ]);
    // A revoked key still counts towards the limit, since it can be enabled again.
    await store.write(verbs.revokeKeyByName, { username: 'alice', name: 'a' });
    const late = await Promise.all(asked.map((name, place) => ask(store, 9_000 + place, `late ${name}`)));
    expect(new Set(late)).toEqual(new Set(['tooManyKeys']));
    // Existing names return their keys as before, and other users still have room.
    expect(await create(store, 9_100, 'b')).toMatchObject({ name: 'b', revoked: false });
    expect(await create(store, 9_101, 'key 1')).toMatchObject({ id: 1 });
    expect(await create(store, 9_102, 'c', bob.id)).toMatchObject({ id: 9_102 });
    expect(await store.read(verbs.listKeysOfUser, 'alice')).toHaveLength(maxKeysOfUser);
  });

  test('[KEY-1] Another name or user gets another API key, and an unknown user gets none', async () => {
    const store = await openWithAccounts();
    expect((await create(store, 1))?.id).toBe(1);
    expect((await create(store, 2, 'APP'))?.id).toBe(2);
    expect((await create(store, 3, 'app', bob.id))?.id).toBe(3);
    expect(await ask(store, 4, 'app', 999)).toBe('unknownUser');
  });

  test('[AUTH-5] An API key is found by its id, together with its account, until the account is removed', async () => {
    const store = await openWithAccounts();
    const key = await create(store, 7);
    const account = await store.read(verbs.findAccountById, alice.id);
    expect(await store.read(verbs.findKeyById, 7)).toEqual({ key, account });
    expect(await store.read(verbs.findKeyById, 8)).toBeUndefined();
    await store.write(removeUser, alice.id);
    expect(await store.read(verbs.findKeyById, 7)).toBeUndefined();
  });

  test('[AUTH-5] Enabling a revoked API key gives it a new generation, and revoking and enabling are announced', async () => {
    const store = await openWithAccounts();
    const made = await create(store, 1);
    await create(store, 2, 'other');
    const before = await newsOf(store);
    expect(await store.write(verbs.revokeKeyByName, app)).toEqual({ ...made, revoked: true });
    expect(await newsOf(store)).toBe(before + 1);
    expect(await store.write(verbs.revokeKeyByName, app)).toMatchObject({ revoked: true, generation: 1 });
    expect(await create(store, 3)).toMatchObject({ id: 1, revoked: true });
    expect(await store.write(verbs.enableKeyByName, { ...app, now })).toEqual({ ...made, generation: 2 });
    expect(await newsOf(store)).toBe(before + 3);
    const others = await store.read(verbs.findKeyByName, { userId: alice.id, name: 'other' });
    expect(others).toMatchObject({ revoked: false, generation: 1 });
  });

  test('[AUTH-5] Enabling leaves an enabled API key unchanged and keeps an expiry that lies ahead', async () => {
    const store = await openWithAccounts();
    const made = await create(store, 1);
    expect(await store.write(verbs.enableKeyByName, { ...app, now })).toEqual(made);
    await store.write(verbs.expireKeyByName, { ...app, expiresAt: now + 1 });
    expect(await store.write(verbs.enableKeyByName, { ...app, now })).toEqual({
      ...made,
      expiresAt: now + 1,
    });
    await store.write(verbs.revokeKeyByName, app);
    expect(await store.write(verbs.enableKeyByName, { ...app, now })).toEqual({
      ...made,
      expiresAt: now + 1,
      generation: 2,
    });
  });

  test('[AUTH-5] The expiry of an API key can be set and cleared, and an expired key can be enabled again', async () => {
    const store = await openWithAccounts();
    const made = await create(store, 1);
    const before = await newsOf(store);
    const expire = (expiresAt: number | undefined) =>
      store.write(verbs.expireKeyByName, { ...app, expiresAt });
    expect(await expire(now)).toEqual({ ...made, expiresAt: now });
    expect(await expire(undefined)).toEqual(made);
    expect(await newsOf(store)).toBe(before + 2);
    await expire(now);
    expect(await store.write(verbs.enableKeyByName, { ...app, now })).toEqual({ ...made, generation: 2 });
  });

  test('[AUTH-5] A change to an unknown user or API key is refused and announces nothing', async () => {
    const store = await openWithAccounts();
    const before = await newsOf(store);
    for (const [named, answer] of [
      [{ username: 'nobody', name: 'app' }, 'unknownUser'],
      [app, 'unknownKey'],
    ] as const) {
      expect(await store.write(verbs.revokeKeyByName, named)).toBe(answer);
      expect(await store.write(verbs.enableKeyByName, { ...named, now })).toBe(answer);
      expect(await store.write(verbs.expireKeyByName, { ...named, expiresAt: now })).toBe(answer);
    }
    expect(await newsOf(store)).toBe(before);
  });

  test('[AUTH-5] A user’s API keys are listed in the order in which they were made', async () => {
    const store = await openWithAccounts();
    const keys = [await create(store, 1, 'second name'), await create(store, 2, 'first name')];
    await create(store, 3, 'app', bob.id);
    expect(await store.read(verbs.listKeysOfUser, 'alice')).toEqual(keys);
    expect(await store.read(verbs.listKeysOfUser, 'nobody')).toBe('unknownUser');
  });

  test('[KEY-1] Making an API key announces no change, since nothing cached becomes stale', async () => {
    const store = await openWithAccounts();
    const before = await newsOf(store);
    await create(store, 1);
    expect(await newsOf(store)).toBe(before);
  });
});
