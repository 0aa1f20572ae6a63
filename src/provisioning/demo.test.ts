import { expect, test } from 'vitest';
import { named, provisioningOf } from '../../test/harness/provisioning.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { findAccountByUsername } from '../accounts/account.ts';
import { Passwords } from '../accounts/password.ts';
import { roles } from '../accounts/role.ts';
import { listCarriers } from '../carriers/provisioned/carrier-rows.ts';
import { listReadableBooks } from '../contacts/address-book.ts';
import { selectNumbers } from '../contacts/select-recipients.ts';
import { systemClock } from '../foundation/clock.ts';
import { listRoutes } from '../routing/route-records.ts';
import { addDemoContacts, createDemoCompany, randomPassword } from './demo.ts';
import { readState } from './store.ts';

eachStore('the demo company', (engine) => {
  test('[RUN-1] The demo company is created with random credentials on the first start, and only then', async () => {
    const { store } = await engine.openFreshStore();
    const demo = await createDemoCompany(store, systemClock);
    const account = await store.read(findAccountByUsername, demo?.username ?? '');
    expect(account?.user.roles).toEqual(roles);
    expect(account?.company).toMatchObject({ name: 'Demo', active: true });
    expect(demo?.password).toMatch(/^[A-Za-z0-9]{16}$/);
    const passwords = new Passwords();
    expect(await passwords.matches(demo?.password ?? '', account?.user.passwordHash)).toBe(true);
    expect(await store.read(listCarriers, null)).toMatchObject([
      { name: 'sim', type: 'simulator', settings: { receiptDelayMs: 500 } },
    ]);
    expect(await store.read(listRoutes, null)).toMatchObject([
      { name: 'all', prefix: '', carriers: ['sim'] },
    ]);
    const { objects } = await store.read(readState, { numbers: named('46701740605') });
    expect(objects.numbers).toEqual([{ number: '46701740605', rentedBy: 'demo', pool: false }]);
    expect(await createDemoCompany(store, systemClock)).toBeUndefined();
  });

  test('[RUN-1] [ABOOK-1] The demo company has an address book with people, and a filter and a group to which SMS can be sent', async () => {
    const { store } = await engine.openFreshStore();
    await createDemoCompany(store, systemClock);
    await addDemoContacts(store);
    const account = await store.read(findAccountByUsername, 'demo');
    const userId = account?.user.id ?? 0;
    expect(await store.read(listReadableBooks, userId)).toEqual([{ id: 11, name: 'Staff', isDefault: true }]);
    const nobody = { filter: undefined, savedFilters: [], groups: [], limit: 10 };
    const wanted = { ...nobody, companyId: 1_001, userId, savedFilters: ['nurses'], groups: ['board'] };
    expect(await selectNumbers(store, wanted)).toMatchObject({
      kind: 'selected',
      byFilters: ['46701740620', '46701740622'],
      byGroups: ['46701740629', '46701740621'],
    });
  });

  test('[RUN-1] The demo company is not created in a store that has anything in it', async () => {
    for (const content of [
      'companies: [{ name: A }]',
      'carriers: [{ name: sim, type: simulator, receiptDelayMs: 7 }]',
    ]) {
      const { store } = await engine.openFreshStore();
      await provisioningOf(() => store).linesOf(content);
      expect(await createDemoCompany(store, systemClock)).toBeUndefined();
      expect(await store.read(findAccountByUsername, 'demo')).toBeUndefined();
    }
  });

  test('[RUN-1] The demo company is created once when nodes start together', async () => {
    const fresh = await engine.openFreshStore();
    const nodes = [fresh.store, await fresh.openAnother(), await fresh.openAnother()];
    const made = await Promise.all(nodes.map((store) => createDemoCompany(store, systemClock)));
    expect(made.filter((demo) => demo !== undefined)).toHaveLength(1);
  });
});

test('[RUN-1] The demo company’s password has only letters and digits, so that it needs no quotes', () => {
  const passwords = Array.from({ length: 2_000 }, randomPassword);
  for (const password of passwords) expect(password).toMatch(/^[A-Za-z0-9]{16}$/);
  expect(new Set(passwords).size).toBe(passwords.length);
});
