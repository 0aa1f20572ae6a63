import { beforeEach, expect, test } from 'vitest';
import { putCompany, putUser } from '../../test/harness/account-verbs.ts';
import { putBook } from '../../test/harness/contact-verbs.ts';
import { provisioningOf } from '../../test/harness/provisioning.ts';
import { purgeOnce } from '../../test/harness/purge-once.ts';
import { eachStore } from '../../test/harness/stores.ts';
import {
  administrationSecret,
  callerNamed,
  userAdministration,
} from '../../test/harness/user-administration.ts';
import type { Caller } from '../accounts/caller.ts';
import { listAudit } from '../audit/audit-log.ts';
import { systemClock } from '../foundation/clock.ts';
import { dayMs, digestOf, maxIdleMs, newToken } from '../portal/session.ts';
import { agedSessions, beginSession, findSession, networkKeptMs } from '../portal/session-store.ts';
import type { NamePlace } from '../storage/name-order.ts';
import type { Store } from '../storage/store.ts';
import {
  changeUser,
  endSessionsOfUser,
  makeUser,
  pageOfUsers,
  readUser,
  sessionsOfUser,
} from './administer-company-users.ts';
import type { UserChange, UserState } from './company-user.ts';
import { namesPerSearch } from './company-user-store.ts';

const companyId = 1;
const code = (expected: string, field?: string) => ({
  code: expected,
  ...(field === undefined ? {} : { errors: [{ field }] }),
});

eachStore('finding users, their address books and their sessions', (engine) => {
  let store: Store;
  let anna: Caller;
  beforeEach(async () => {
    store = (await engine.openFreshStore()).store;
    await store.write(putCompany, { id: companyId, name: 'Nordic Care' });
    await store.write(putCompany, { id: 2, name: 'Other' });
    const roles = ['send', 'companyAdmin'];
    await store.write(putUser, { id: 11, companyId, username: 'anna', roles, passwordHash: 'her hash' });
    await store.write(putUser, { id: 12, companyId, username: 'Åsa.Öberg', passwordHash: 'a hash' });
    await store.write(putBook, { id: 21, companyId, name: 'Staff', defaultOf: [11] });
    await store.write(putBook, { id: 22, companyId, name: 'Board', readers: [11] });
    await store.write(putBook, { id: 23, companyId, name: 'Secret', readers: [12] });
    anna = await callerNamed(store, 'anna');
  });

  const { linesOf } = provisioningOf(() => store);
  const administration = () => userAdministration(store);
  const change = (id: number, given: UserChange) =>
    changeUser(administration(), anna, { id: String(id), ifMatch: undefined, change: given });
  const booksOf = async (id: number) => {
    const { addressBooks, defaultAddressBook } = await readUser(administration(), anna, String(id));
    return [...addressBooks, defaultAddressBook];
  };

  /** All pages of a search, one line each. */
  async function found(search: { readonly q?: string; readonly state?: UserState }, limit = 5) {
    const pages: string[] = [];
    for (let from: NamePlace | undefined = { language: 'sv' }; from !== undefined; ) {
      const { users, readTo } = await pageOfUsers(administration(), anna, { ...search, from, limit });
      pages.push(users.map(({ user }) => user.username).join(' '));
      from = readTo === undefined ? undefined : { language: 'sv', name: readTo };
    }
    return pages;
  }

  test('[PORT-4] [PORT-10] Users are found by any part of their names in any case, and by state, in pages', async () => {
    await store.write(putUser, { id: 13, companyId, username: 'bo', passwordHash: 'x', active: false });
    await store.write(putUser, { id: 14, companyId, username: 'carl.oberg' });
    await store.write(putUser, { id: 15, companyId: 2, username: 'other.oberg' });
    expect(await found({ q: 'OBERG' })).toEqual(['carl.oberg Åsa.Öberg']);
    expect(await found({ q: 'Öberg' }, 1)).toEqual(['carl.oberg', 'Åsa.Öberg']);
    expect(await found({ q: '%' })).toEqual(['']);
    expect(await found({ state: 'active' })).toEqual(['anna Åsa.Öberg']);
    expect(await found({ state: 'noPassword' })).toEqual(['carl.oberg']);
    expect(await found({ state: 'inactive' })).toEqual(['bo']);
    expect(await found({ q: 'b', state: 'inactive' })).toEqual(['bo']);
    expect(await found({}, 3)).toEqual(['anna bo carl.oberg', 'Åsa.Öberg']);
  });

  test('[PORT-4] A search among many users reads a bounded number of names at a time, and then goes on', async () => {
    const users = Array.from({ length: namesPerSearch }, (_, place) => ({
      id: 1_000 + place,
      companyId,
      username: `m${String(place).padStart(5, '0')}`,
    }));
    await Promise.all(users.map((user) => store.write(putUser, user)));
    expect(await found({ q: 'asa' })).toEqual(['', 'Åsa.Öberg']);
    expect(await found({ q: 'anna' })).toEqual(['anna', '']);
  });

  test('[PORT-6] [PORT-10] Administrators give users the address books that they read themselves, one of them as the default', async () => {
    const { one } = await makeUser(administration(), anna, { name: 'carl', change: { roles: ['send'] } });
    expect(await booksOf(one.user.id)).toEqual(['Board', 'Staff', 'Staff']);
    const few = { roles: ['send'] as const, addressBooks: ['Board'], defaultAddressBook: 'Board' };
    const dora = await makeUser(administration(), anna, { name: 'dora', change: few });
    expect(await booksOf(dora.one.user.id)).toEqual(['Board', 'Board']);
    // A book that the administrator does not read may stay, but not be given.
    await change(12, { addressBooks: ['Staff', 'Secret', 'Staff'] });
    expect(await booksOf(12)).toEqual(['Secret', 'Staff', undefined]);
    for (const name of ['Secret', 'Missing'])
      await expect(change(one.user.id, { addressBooks: [name] })).rejects.toMatchObject(
        code('beyond_own_rights', 'addressBooks'),
      );
    await expect(change(12, { defaultAddressBook: 'Board' })).rejects.toMatchObject(
      code('invalid_value', 'defaultAddressBook'),
    );
    await change(12, { defaultAddressBook: 'Secret' });
    await change(12, { addressBooks: ['Staff'] });
    expect(await booksOf(12)).toEqual(['Staff', undefined]);
    await change(12, { addressBooks: [] });
    expect(await booksOf(12)).toEqual([undefined]);
    expect((await change(one.user.id, { defaultAddressBook: 'Board' })).defaultAddressBook).toBe('Board');
    expect((await change(one.user.id, { defaultAddressBook: null })).defaultAddressBook).toBeUndefined();
  });

  test('[PORT-6] Address books that a provisioning file gives a user can be changed only in the file', async () => {
    await linesOf(
      'companies: [{ name: Nordic Care, users: [{ username: carl, roles: [send], addressBooks: [Staff], defaultAddressBook: Staff }, { username: dora, roles: [send], defaultAddressBook: Staff }] }]',
    );
    const [carl, dora] = [
      (await callerNamed(store, 'carl')).userId,
      (await callerNamed(store, 'dora')).userId,
    ];
    for (const given of [{ addressBooks: ['Board'] }, { defaultAddressBook: null }])
      await expect(change(carl, given)).rejects.toMatchObject(code('managed'));
    await change(dora, { addressBooks: ['Board', 'Staff'] });
    expect(await booksOf(dora)).toEqual(['Board', 'Staff', 'Staff']);
    // Without the book there would be no default either.
    await expect(change(dora, { addressBooks: ['Board'] })).rejects.toMatchObject(code('managed'));
  });

  const begin = async (username: string, id: string, createdAt = systemClock.now()) => {
    const { userId, passwordMark } = await callerNamed(store, username);
    const digest = digestOf(newToken(administrationSecret, 'session'));
    const session = { digest, id, userId, createdAt, usedAt: createdAt, network: '192.0.2.0/24' };
    const from = { address: '192.0.2.1', mailDomain: undefined };
    const begun = { ...session, browser: 'Firefox, Linux', byLink: false };
    await store.write(beginSession, { ...from, session: begun, passwordMark });
    return digest;
  };
  const lastSignIn = async (id: string) => (await readUser(administration(), anna, id)).lastSignIn;

  test('[PORT-2] [PORT-10] The last sign-in of a user is shown with its time, and with its day once the network is forgotten', async () => {
    expect(await lastSignIn('12')).toBeUndefined();
    const at = 20_000 * dayMs + 12_345;
    await begin('Åsa.Öberg', 's1', at);
    await begin('Åsa.Öberg', 's2', at + 1);
    expect(await lastSignIn('12')).toBe(at + 1);
    const now = at + networkKeptMs + dayMs;
    await purgeOnce(store, agedSessions, { now, before: now });
    expect(await lastSignIn('12')).toBe(20_000 * dayMs);
  });

  test('[PORT-2] [AUTH-10] An administrator sees the sessions of a user and ends them all, with a fresh password only', async () => {
    const [first, second] = [
      await begin('Åsa.Öberg', 's1', systemClock.now() - 60_000),
      await begin('Åsa.Öberg', 's2'),
    ];
    // Ended long ago, though not yet purged: it is neither listed nor counted.
    await begin('Åsa.Öberg', 's0', systemClock.now() - maxIdleMs);
    const own = await begin('anna', 's3');
    const sessions = async (id: string) => (await sessionsOfUser(administration(), anna, id)).sessions;
    expect((await sessions('12')).map(({ id, browser }) => [id, browser])).toEqual([
      ['s2', 'Firefox, Linux'],
      ['s1', 'Firefox, Linux'],
    ]);
    const withSession = (begunAt: number): Caller => ({
      ...anna,
      session: { digest: own, isByLink: false, begunAt },
    });
    const end = (id: string, ageMs = 0) =>
      endSessionsOfUser(administration(), withSession(systemClock.now() - ageMs), id);
    await expect(end('12', 11 * 60_000)).rejects.toMatchObject(code('password_needed'));
    expect(await end('12')).toEqual({ username: 'Åsa.Öberg', ended: 2 });
    for (const digest of [first, second]) expect(await store.read(findSession, digest)).toBeUndefined();
    expect(await sessions('12')).toEqual([]);
    const [entry] = await store.read(listAudit, { companyId, before: null, limit: 1 });
    expect(entry).toMatchObject({ act: 'session.end', username: 'anna' });
    // A user who ends all of her own sessions stays signed in with the one that she uses.
    await begin('anna', 's4');
    expect(await end('11')).toEqual({ username: 'anna', ended: 1 });
    expect((await sessions('11')).map(({ id }) => id)).toEqual(['s3']);
    await store.write(putUser, { id: 31, companyId: 2, username: 'olle' });
    await expect(sessions('31')).rejects.toMatchObject(code('not_found'));
    await expect(end('31')).rejects.toMatchObject(code('not_found'));
  });

  test('[PORT-2] A session that an additional role has ended is not listed', async () => {
    await begin('Åsa.Öberg', 's1');
    expect((await sessionsOfUser(administration(), anna, '12')).sessions).toHaveLength(1);
    await change(12, { roles: ['send'] });
    expect((await sessionsOfUser(administration(), anna, '12')).sessions).toEqual([]);
  });
});
