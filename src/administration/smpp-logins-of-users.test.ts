import { beforeEach, expect, test } from 'vitest';
import { putCompany, putUser } from '../../test/harness/account-verbs.ts';
import { provisioningOf } from '../../test/harness/provisioning.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { callerNamed, userAdministration } from '../../test/harness/user-administration.ts';
import { findAccountByUsername } from '../accounts/account.ts';
import type { Caller } from '../accounts/caller.ts';
import { Passwords } from '../accounts/password.ts';
import { findSmppAccount } from '../accounts/smpp-logins.ts';
import { listAudit } from '../audit/audit-log.ts';
import type { Store } from '../storage/store.ts';
import { changeUser, makeSmppPasswordOf, makeUser, readUser } from './administer-company-users.ts';
import { type UserChange, versionOf } from './company-user.ts';

const companyId = 1;
const code = (expected: string, field?: string) => ({
  code: expected,
  ...(field === undefined ? {} : { errors: [{ field }] }),
});
const login = (systemId: string, more: object = {}) => ({
  smpp: { systemId, binds: 2, window: 100, throughput: 0, networks: undefined, ...more },
});

eachStore('the SMPP logins of a company’s users, for its administrators', (engine) => {
  let store: Store;
  let openAnother: () => Promise<Store>;
  let anna: Caller;
  let rival: Caller;
  const passwords = new Passwords();

  beforeEach(async () => {
    ({ store, openAnother } = await engine.openFreshStore());
    await store.write(putCompany, { id: companyId, name: 'Nordic Care' });
    await store.write(putCompany, { id: 2, name: 'Other' });
    const roles = ['send', 'companyAdmin'];
    await store.write(putUser, { id: 11, companyId, username: 'anna', roles });
    await store.write(putUser, { id: 12, companyId, username: 'bo', roles: ['send'] });
    await store.write(putUser, { id: 21, companyId: 2, username: 'rival', roles });
    [anna, rival] = [await callerNamed(store, 'anna'), await callerNamed(store, 'rival')];
  });

  const { linesOf } = provisioningOf(() => store);
  const administration = () => userAdministration(store);
  const change = (id: number, given: UserChange, { by = anna, version }: ByOptions = {}) =>
    changeUser(administration(), by, {
      id: String(id),
      ifMatch: version === undefined ? undefined : [version],
      change: given,
    });
  interface ByOptions {
    readonly by?: Caller;
    readonly version?: string;
  }
  const newPassword = (id: number, by = anna) => makeSmppPasswordOf(administration(), by, String(id));
  const shown = async (id: number, by = anna) => (await readUser(administration(), by, String(id))).smpp;
  const hashOf = async (systemId: string) =>
    (await store.read(findSmppAccount, systemId))?.login.passwordHash ?? '';
  const acts = async () =>
    (await store.read(listAudit, { companyId, before: null, limit: 10 })).map(
      ({ act, object, username, details }) => [act, object, username, details].join('|'),
    );

  test('[ESME-1] [PORT-3] An administrator makes, changes and removes a login; its password stays, and each act is in the audit log', async () => {
    const before = versionOf(await readUser(administration(), anna, '12'));
    const made = await change(12, login('ward', { networks: ['10.0.0.0/8'] }), { version: before });
    expect(made.smpp).toEqual({
      ...login('ward', { networks: ['10.0.0.0/8'] }).smpp,
      passwordHash: '',
    });
    expect(await shown(12)).toEqual(made.smpp);
    await expect(change(12, login('late'), { version: before })).rejects.toMatchObject(
      code('changed_meanwhile'),
    );
    const { systemId, password } = await newPassword(12);
    expect(systemId).toBe('ward');
    expect(password).toMatch(/^[a-zA-Z2-9]{8}$/);
    const hash = await hashOf('ward');
    expect(await passwords.matches(password, hash)).toBe(true);
    expect(versionOf(await readUser(administration(), anna, '12'))).not.toBe(versionOf(made));
    await change(12, login('ward2', { binds: 1 }));
    expect(await shown(12)).toEqual({ ...login('ward2', { binds: 1 }).smpp, passwordHash: hash });
    const again = await newPassword(12);
    expect(await passwords.matches(password, await hashOf('ward2'))).toBe(false);
    expect(await passwords.matches(again.password, await hashOf('ward2'))).toBe(true);
    await change(12, { smpp: null });
    expect(await shown(12)).toBeUndefined();
    await expect(newPassword(12)).rejects.toMatchObject(code('not_found'));
    expect(await acts()).toEqual([
      'user.change|bo|anna|smpp',
      'password.set|SMPP login ward2|anna|',
      'user.change|bo|anna|smpp',
      'password.set|SMPP login ward|anna|',
      'user.change|bo|anna|smpp',
    ]);
  });

  test('[ESME-1] [PORT-3] A system id of another company is taken, and nothing tells whose it is', async () => {
    await change(21, login('shared'), { by: rival });
    const { password } = await newPassword(21, rival);
    for (const act of [
      () => change(12, login('shared')),
      () => makeUser(administration(), anna, { name: 'carl', change: login('shared') }),
    ]) {
      const refused = await act().catch((error: Error) => error);
      expect(refused).toMatchObject(code('name_taken', 'smpp.systemId'));
      expect(JSON.stringify([refused, (refused as Error).message])).not.toMatch(/Other|rival/);
    }
    expect(await passwords.matches(password, await hashOf('shared'))).toBe(true);
    expect(await shown(21, rival)).toMatchObject({ systemId: 'shared' });
    expect(await store.read(findAccountByUsername, 'carl')).toBeUndefined();
    for (const act of [() => change(12, login('mine'), { by: rival }), () => newPassword(12, rival)])
      await expect(act()).rejects.toMatchObject(code('not_found'));
    expect(await shown(12)).toBeUndefined();
    const { one } = await makeUser(administration(), anna, { name: 'carl', change: login('mine') });
    expect(one.smpp).toMatchObject({ systemId: 'mine' });
  });

  test('[ESME-1] Of two who take a system id at the same time, one gets it and the other is refused', async () => {
    const other = { ...administration(), store: await openAnother() };
    const ofRival = { id: '21', ifMatch: undefined, change: login('race') };
    const outcomes = await Promise.allSettled([change(12, login('race')), changeUser(other, rival, ofRival)]);
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? outcome.reason : []));
    expect(refused).toMatchObject([code('name_taken', 'smpp.systemId')]);
    expect([await shown(12), await shown(21, rival)].filter((one) => one !== undefined)).toHaveLength(1);
  });

  test('[ESME-1] [PORT-3] An administrator gives no more of a login than they have, and no password of a user with more rights', async () => {
    const wide: readonly [object, string][] = [
      [{ binds: 3 }, 'smpp.binds'],
      [{ window: 101 }, 'smpp.window'],
    ];
    for (const [more, field] of wide)
      await expect(change(12, login('ward', more))).rejects.toMatchObject(code('beyond_own_rights', field));
    await linesOf(`companies:
  - name: Nordic Care
    users:
      - username: anna
        smpp: { systemId: anna, binds: 5, window: 500, throughput: 50, networks: [10.0.0.0/8] }
`);
    const held = { binds: 5, window: 500, throughput: 0, networks: undefined };
    const more: readonly [object, string][] = [
      [{ ...held, binds: 6 }, 'smpp.binds'],
      [{ ...held, window: 501 }, 'smpp.window'],
    ];
    for (const [given, field] of more)
      await expect(change(12, login('ward', given))).rejects.toMatchObject(code('beyond_own_rights', field));
    expect((await change(12, login('ward', held))).smpp).toMatchObject(held);
    await store.write(putUser, { id: 13, companyId, username: 'jon', roles: ['send', 'jobs'] });
    await change(13, login('jon', held));
    await expect(newPassword(13)).rejects.toMatchObject(code('beyond_own_rights', 'roles'));
    expect(await hashOf('jon')).toBe('');
  });

  test('[ESME-1] [AUTH-10] What a file has set of a login stays the file’s, and a session must have given its password lately', async () => {
    const file = (smpp: string) => `companies:
  - name: Nordic Care
    users: [{ username: bo, smpp: ${smpp} }]
`;
    await linesOf(file('{ systemId: filed }'));
    expect((await readUser(administration(), anna, '12')).managedKeys).toEqual(['smpp', 'username']);
    for (const given of [login('mine'), { smpp: null }])
      await expect(change(12, given)).rejects.toMatchObject(code('managed'));
    // The file says nothing about the password.
    const { password } = await newPassword(12);
    await linesOf(file('{ systemId: filed, binds: 3 }'));
    expect(await passwords.matches(password, await hashOf('filed'))).toBe(true);
    const old: Caller = { ...anna, session: { digest: 'd', isByLink: false, begunAt: 0 } };
    await expect(newPassword(12, old)).rejects.toMatchObject(code('password_needed'));
    await linesOf(file('{ systemId: filed, password: "of-file" }'));
    await expect(newPassword(12)).rejects.toMatchObject(code('managed'));
    expect(await passwords.matches('of-file', await hashOf('filed'))).toBe(true);
  });
});
