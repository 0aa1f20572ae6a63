import { beforeEach, expect, test } from 'vitest';
import { provisioningOf } from '../../../test/harness/provisioning.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { findSmppAccount } from '../../accounts/smpp-logins.ts';
import type { Store } from '../../storage/store.ts';

eachStore('users of a provisioning file', (engine) => {
  let store: Store;
  beforeEach(async () => {
    store = (await engine.openFreshStore()).store;
  });
  const { linesOf } = provisioningOf(() => store);

  test('[ESME-1] One file may move a system id from a user who loses it, gets another or is removed to a new one', async () => {
    const apply = (users: string) => linesOf(`companies: [{ name: Care, users: [${users}] }]`);
    const owner = async () => (await store.read(findSmppAccount, 'shared'))?.user.username;
    const login = (systemId: string) => `smpp: { systemId: ${systemId} }`;
    await apply(`{ username: alice, ${login('shared')} }`);
    await apply(`{ username: alice, smpp: null }, { username: bob, ${login('shared')} }`);
    expect(await owner()).toBe('bob');
    await apply(`{ username: bob, ${login('other')} }, { username: carol, ${login('shared')} }`);
    expect([await owner(), (await store.read(findSmppAccount, 'other'))?.user.username]).toEqual([
      'carol',
      'bob',
    ]);
    await apply(`{ username: carol, remove: true }, { username: dan, ${login('shared')} }`);
    expect(await owner()).toBe('dan');
  });
});
