import { beforeEach, expect, test } from 'vitest';
import { putCompany, putUser, type TestUser } from '../../test/harness/account-verbs.ts';
import { provisioningOf } from '../../test/harness/provisioning.ts';
import { eachStore } from '../../test/harness/stores.ts';
import {
  administrationSecret,
  callerNamed,
  userAdministration,
} from '../../test/harness/user-administration.ts';
import { type Account, findAccountByUsername } from '../accounts/account.ts';
import { type Caller, callerOf } from '../accounts/caller.ts';
import { listAudit } from '../audit/audit-log.ts';
import { systemClock } from '../foundation/clock.ts';
import { digestOf, newToken } from '../portal/session.ts';
import { beginSession, findLink, findSession } from '../portal/session-store.ts';
import { SenderOwners } from '../routing/sender-owners.ts';
import type { Store } from '../storage/store.ts';
import {
  changeUser,
  changeUsersKey,
  linkUser,
  makeUser,
  pageOfUsers,
  readUser,
  removeUser,
} from './administer-company-users.ts';
import { versionOf } from './company-user.ts';

const companyId = 1;
const owners = new SenderOwners({
  numbers: [{ number: '46731230001', pool: 0, companyId: 2 }],
  listed: [{ companyId: 2, senders: ['Bank'] }],
});
const of = (id: number, username: string, ...roles: string[]): TestUser => ({
  id,
  companyId,
  username,
  roles,
});
const code = (expected: string, field?: string) => ({
  code: expected,
  ...(field === undefined ? {} : { errors: [{ field }] }),
});

eachStore('the users of a company, for its administrators', (engine) => {
  let store: Store;
  let anna: Caller;
  beforeEach(async () => {
    store = (await engine.openFreshStore()).store;
    await store.write(putCompany, { id: companyId, name: 'Nordic Care' });
    await store.write(putCompany, { id: 2, name: 'Other' });
    await store.write(putUser, {
      ...of(11, 'anna', 'send', 'companyAdmin'),
      senders: ['Care', 'Ward'],
      maxBatch: 50,
    });
    await store.write(putUser, { ...of(12, 'bo', 'send'), passwordHash: 'a hash' });
    anna = await callerNamed(store, 'anna');
  });

  const { linesOf } = provisioningOf(() => store);
  const administration = () => userAdministration(store, owners);
  const found = async (name: string) => (await store.read(findAccountByUsername, name)) as Account;
  const change = (id: number, given: object, version?: string, by = anna) =>
    changeUser(administration(), by, {
      id: String(id),
      ifMatch: version === undefined ? undefined : [version],
      change: given,
    });
  const acts = async () =>
    (await store.read(listAudit, { companyId, before: null, limit: 10 })).map(
      ({ act, object, username, details }) => [act, object, username, details].join('|'),
    );

  test('[PORT-3] [PORT-7] A user made by an administrator gets the administrator’s limits and a link to choose a password', async () => {
    const change = { roles: ['send'] as const, defaultSender: 'Ward' };
    const { one, link } = await makeUser(administration(), anna, { name: 'carl', change });
    expect(one).toMatchObject({
      user: { username: 'carl', roles: ['send'], senders: ['Care', 'Ward'], maxBatch: 50, active: true },
      isManaged: false,
    });
    expect(link).toMatch(/^https:\/\/sms\.example\/portal\/link#/);
    const digest = digestOf(link.split('#')[1] ?? '');
    expect(await store.read(findLink, { digest, now: systemClock.now() })).toMatchObject({
      user: { username: 'carl' },
    });
    expect(await acts()).toEqual(['user.make|carl|anna|roles send']);
    for (const name of ['carl', 'bo'])
      await expect(makeUser(administration(), anna, { name, change })).rejects.toMatchObject(
        code('name_taken', 'name'),
      );
  });

  test('[PORT-3] An administrator lists users by name in pages, and finds users of their own company only', async () => {
    await store.write(putUser, { ...of(21, 'cilla', 'send'), companyId: 2 });
    const page = async (asked: { readonly name?: string; readonly after?: string }) =>
      (
        await pageOfUsers(administration(), anna, {
          name: asked.name,
          from: { language: 'en', name: asked.after },
          limit: 5,
        })
      ).users.map(({ user }) => user.username);
    expect(await page({})).toEqual(['anna', 'bo']);
    expect(await page({ after: 'anna' })).toEqual(['bo']);
    expect(await page({ name: 'bo' })).toEqual(['bo']);
    expect(await page({ name: 'bo', after: 'bo' })).toEqual([]);
    for (const name of ['cilla', 'b', '']) expect(await page({ name })).toEqual([]);
  });

  test('[SEND-15] A sender of another company is refused as soon as a user is saved with it', async () => {
    for (const sender of ['bank', '46731230001']) {
      const making = makeUser(administration(), anna, {
        name: 'carl',
        change: { roles: ['send'], defaultSender: sender },
      });
      await expect(making).rejects.toMatchObject(code('sender_not_yours', 'defaultSender'));
      await expect(change(12, { senders: ['Ward', sender] })).rejects.toMatchObject(
        code('sender_not_yours', 'senders'),
      );
    }
    expect(await acts()).toEqual([]);
  });

  test('[PORT-3] An administrator can grant only their own rights, and cannot make a link for a user with more rights', async () => {
    await store.write(putUser, of(13, 'jon', 'send', 'jobs'));
    const wide: readonly [object, string][] = [
      [{ roles: ['send', 'jobs'] }, 'roles'],
      [{ senders: null }, 'senders'],
      [{ senders: ['Care', 'Else'] }, 'senders'],
      [{ maxBatch: 51 }, 'maxBatch'],
      [{ smtpSplit: true }, 'smtpSplit'],
    ];
    for (const [given, field] of wide) {
      const make = makeUser(administration(), anna, { name: 'dan', change: given });
      await expect(make).rejects.toMatchObject(code('beyond_own_rights', field));
    }
    // Nor may she give such a role to herself.
    await expect(change(11, { roles: ['send', 'companyAdmin', 'jobs'] })).rejects.toMatchObject(
      code('beyond_own_rights', 'roles'),
    );
    await expect(linkUser(administration(), anna, '13')).rejects.toMatchObject(code('beyond_own_rights'));
    // Rights that the user already has may stay, and a company administrator may also grant the administration of e-mail
    // senders.
    const { user } = await change(13, { roles: ['jobs', 'emailAdmin'], partsPerDay: 500 });
    expect(user).toMatchObject({ roles: ['jobs', 'emailAdmin'], limits: { partsPerDay: 500 } });
    await expect(change(12, { senders: ['Care'], defaultSender: 'Ward' })).rejects.toMatchObject(
      code('sender_not_allowed', 'defaultSender'),
    );
  });

  test('[AUTH-10] [PORT-3] [PORT-2] A session can manage users within ten minutes of giving its password, and never if it began with a link', async () => {
    const minuteMs = 60_000;
    const by = (ageMs: number, isByLink = false): Caller => ({
      ...anna,
      session: { digest: 'd', isByLink, begunAt: systemClock.now() - ageMs },
    });
    const make = (caller: Caller) =>
      makeUser(administration(), caller, { name: 'dora', change: { roles: ['send'] } });
    const others = (caller: Caller, id: string): readonly (() => Promise<unknown>)[] => [
      () => linkUser(administration(), caller, id),
      () => change(Number(id), { maxBatch: 5 }, undefined, caller),
      () => removeUser(administration(), caller, { id, ifMatch: undefined }),
    ];
    const revoke = (caller: Caller) =>
      changeUsersKey(administration(), caller, { id: '12', key: '1', change: { revoked: true } });
    // In the last case the clock was set back after the sign-in.
    for (const stale of [by(11 * minuteMs), by(0, true), by(-11 * minuteMs)])
      for (const act of [() => make(stale), () => revoke(stale), ...others(stale, '12')])
        await expect(act()).rejects.toMatchObject(code('password_needed'));
    expect((await found('bo')).user).toMatchObject({ passwordHash: 'a hash', maxBatch: undefined });
    const fresh = by(9 * minuteMs);
    const { one } = await make(fresh);
    for (const act of others(fresh, String(one.user.id))) await act();
    await expect(revoke(fresh)).rejects.toMatchObject(code('not_found'));
  });

  test('[PORT-2] [PORT-7] Administrators set and clear addresses for sign-in e-mails; a session cannot change the address of its own user', async () => {
    const session = { digest: 'd', isByLink: false, begunAt: systemClock.now() };
    const signedIn: Caller = { ...anna, session };
    const { user } = await change(12, { email: 'bo@care.example' }, undefined, signedIn);
    expect(user.email).toBe('bo@care.example');
    expect((await acts())[0]).toBe('user.change|bo|anna|email');
    const [before] = [versionOf(await readUser(administration(), anna, '12'))];
    expect((await change(12, { maxBatch: 5 })).user.email).toBe('bo@care.example');
    expect((await change(12, { email: null })).user.email).toBeUndefined();
    await expect(change(12, { email: 'b@care.example' }, before)).rejects.toMatchObject(
      code('changed_meanwhile'),
    );
    for (const email of ['thief@example.com', null]) {
      await change(11, { email: 'anna@care.example' });
      await expect(change(11, { email }, undefined, signedIn)).rejects.toMatchObject(
        code('own_email', 'email'),
      );
    }
    // Any other change to her own account works as before, including setting the same address.
    const own = await change(11, { email: 'anna@care.example', maxBatch: 20 }, undefined, signedIn);
    expect(own.user).toMatchObject({ email: 'anna@care.example', maxBatch: 20 });
  });

  test('[PORT-2] A deactivated user loses its session, and activating the user does not bring it back', async () => {
    const token = newToken(administrationSecret, 'session');
    const session = {
      digest: digestOf(token),
      id: 's1',
      userId: 12,
      createdAt: 1,
      usedAt: 1,
      network: '',
      browser: '',
      byLink: false,
    };
    const { passwordMark } = callerOf(await found('bo'));
    const from = { address: '192.0.2.1', mailDomain: undefined };
    await store.write(beginSession, { ...from, session, passwordMark });
    await change(12, { active: false });
    await expect(linkUser(administration(), anna, '12')).rejects.toMatchObject(code('too_late'));
    await change(12, { active: true });
    expect(await store.read(findSession, session.digest)).toBeUndefined();
    expect((await found('bo')).user).toMatchObject({ active: true, passwordHash: 'a hash' });
    expect((await acts()).slice(0, 2)).toEqual([
      'user.activate|bo|anna|active',
      'user.deactivate|bo|anna|active',
    ]);
  });

  test('[PORT-3] A company keeps its last active administrator, even when two deactivate each other at the same time', async () => {
    await expect(change(11, { roles: ['send'] })).rejects.toMatchObject(code('last_administrator'));
    await expect(change(11, { active: false })).rejects.toMatchObject(code('last_administrator'));
    const gone = removeUser(administration(), anna, { id: '11', ifMatch: undefined });
    await expect(gone).rejects.toMatchObject(code('last_administrator'));
    await change(12, { roles: ['send', 'companyAdmin'] });
    const bo = await callerNamed(store, 'bo');
    const outcomes = await Promise.allSettled([
      change(12, { active: false }),
      change(11, { active: false }, undefined, bo),
    ]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const [first, second] = [await found('anna'), await found('bo')];
    expect([first.user.active, second.user.active].filter((isActive) => isActive)).toHaveLength(1);
    // A former administrator cannot change anything, whatever a node may still have cached.
    const closed = first.user.active ? bo : anna;
    await expect(change(12, { maxBatch: 5 }, undefined, closed)).rejects.toMatchObject(code('role_missing'));
  });

  test('[PORT-6] A user’s settings from a provisioning file can be changed only in the file, all others by administrators', async () => {
    await linesOf(
      'companies: [{ name: Nordic Care, users: [{ username: bo, roles: [send], limits: { partsPerDay: 9 } }] }]',
    );
    const before = await readUser(administration(), anna, '12');
    expect(before).toMatchObject({ isManaged: true, managedKeys: ['limits', 'roles', 'username'] });
    await expect(change(12, { roles: [] })).rejects.toMatchObject(code('managed'));
    await expect(change(12, { countries: ['SE'] })).rejects.toMatchObject(code('managed'));
    const removal = removeUser(administration(), anna, { id: '12', ifMatch: undefined });
    await expect(removal).rejects.toMatchObject(code('managed'));
    const version = versionOf(before);
    await change(12, { defaultSender: 'Care' }, version);
    await expect(change(12, { defaultSender: 'Ward' }, version)).rejects.toMatchObject(
      code('changed_meanwhile'),
    );
    expect((await found('bo')).user).toMatchObject({ defaultSender: 'Care', roles: ['send'] });
  });

  test('[RUN-2] A user can be removed unless something still needs it, such as a rented number', async () => {
    await linesOf('numbers: [{ number: "46731230001", rentedBy: bo }]');
    const remove = (id: string) => removeUser(administration(), anna, { id, ifMatch: undefined });
    await expect(remove('12')).rejects.toMatchObject({
      code: 'in_use',
      message: expect.stringContaining('rents the number 46731230001'),
    });
    const numbers = Array.from({ length: 13 }, (_, index) => `"467312300${String(index).padStart(2, '0')}"`);
    await linesOf(`numbers: [${numbers.map((number) => `{ number: ${number}, rentedBy: bo }`).join()}]`);
    await expect(remove('12')).rejects.toMatchObject({
      message: expect.stringContaining('; and 3 more. Nothing was removed.'),
    });
    await linesOf(`numbers: [${numbers.map((number) => `{ number: ${number}, remove: true }`).join()}]`);
    await remove('12');
    expect(await found('bo')).toBeUndefined();
    await expect(remove('12')).rejects.toMatchObject(code('not_found'));
    await store.write(putUser, { ...of(31, 'olle', 'send'), companyId: 2 });
    await expect(remove('31')).rejects.toMatchObject(code('not_found'));
    await expect(change(31, { active: false })).rejects.toMatchObject(code('not_found'));
  });
});
