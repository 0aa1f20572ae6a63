import { expect, test } from 'vitest';
import { putCompany, putProvider, putUser } from '../../test/harness/account-verbs.ts';
import { countAssigned, putConversations } from '../../test/harness/conversation-verbs.ts';
import { provisioningOf } from '../../test/harness/provisioning.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { findAccountByUsername } from '../accounts/account.ts';
import { passwordMarkOf } from '../accounts/caller.ts';
import { type IdentityProvider, listProviders } from '../accounts/identity-providers.ts';
import type { Role } from '../accounts/role.ts';
import type { Store } from '../storage/store.ts';
import { beginByProvider, type Identity } from './provider-store.ts';
import { beginSession, findSession } from './session-store.ts';

const issuer = 'https://login.example';
const company = { id: 1, name: 'Nordic Care' };
const now = 1_700_000_000_000;
const care: IdentityProvider = {
  name: 'care',
  company: company.name,
  label: 'Care',
  issuer,
  clientId: 'carillon',
  clientSecret: undefined,
  scopes: [],
  username: 'preferred_username',
  roles: undefined,
  create: true,
  shown: false,
};

let count = 0;
function signInOf(identity: Partial<Identity>, provider: IdentityProvider) {
  count += 1;
  const id = `s${count}`;
  const session = { digest: id, id, createdAt: now, usedAt: now, network: '', browser: '', byLink: false };
  return {
    provider,
    identity: { issuer, subject: 'anna', username: 'anna', roles: ['send'] as readonly Role[], ...identity },
    session: { ...session, provider: provider.name, confirmedAt: now },
    confirms: undefined,
    address: '192.0.2.1',
    mailDomain: undefined,
  };
}

eachStore('sessions by identity providers', (engine) => {
  async function named(store: Store, name: string): Promise<IdentityProvider> {
    const found = (await store.read(listProviders, null)).find((one) => one.name === name);
    if (found === undefined) throw new Error(`there is no provider ${name}`);
    return found;
  }

  test('[PORT-12] Two nodes where somebody signs in for the first time at the same moment make one user, and begin two sessions', async () => {
    const { store, openAnother } = await engine.openFreshStore();
    const nodes = [store, await openAnother()];
    await store.write(putCompany, company);
    await store.write(putProvider, care);
    await store.write(putUser, { id: 11, companyId: 1, username: 'bo', roles: ['send'] });
    const provider = await named(store, 'care');
    const both = (identity: Partial<Identity>) =>
      Promise.all(
        nodes.flatMap((node) =>
          [1, 2].map(() =>
            node
              .write(beginByProvider, signInOf(identity, provider))
              .then((begun) => (typeof begun === 'string' ? begun : begun.account.user.id)),
          ),
        ),
      );
    for (const name of ['anna', 'eva', 'ida'])
      expect(new Set(await both({ subject: name, username: name })).size).toBe(1);
    expect(await both({ subject: 'bo', username: 'bo', roles: undefined })).toEqual([11, 11, 11, 11]);
    expect(await both({ subject: 'mallory', username: 'bo' })).toEqual(Array(4).fill('other_identity'));
    expect(await both({ subject: 'x', username: 'no\u0000name' })).toEqual(Array(4).fill('unknown_user'));
  });

  /** A store with two providers, which a file can change or remove. */
  async function openWithFile() {
    const { store } = await engine.openFreshStore();
    const { linesOf } = provisioningOf(() => store);
    const written = (name: string, more = '') =>
      `{ name: ${name}, issuer: "${issuer}", clientId: carillon${more} }`;
    await linesOf(
      `oidc: [${written('care')}, ${written('other')}]\ncompanies: [{ name: Nordic Care, id: 1 }]`,
    );
    await store.write(putUser, { id: 11, companyId: 1, username: 'anna' });
    const begin = (provider: IdentityProvider) => {
      const signIn = signInOf({ roles: undefined }, provider);
      return store
        .write(beginByProvider, signIn)
        .then((begun) => (typeof begun === 'string' ? begun : signIn.session.digest));
    };
    return { store, linesOf, written, named: (name: string) => named(store, name), begin };
  }

  test('[PORT-12] [PORT-2] Sessions begun at an identity provider end when a file removes it, and no others', async () => {
    const { store, linesOf, named, begin } = await openWithFile();
    const [here, elsewhere] = [await begin(await named('care')), await begin(await named('other'))];
    expect(await linesOf('oidc: [{ name: care, remove: true }]')).toHaveLength(1);
    expect(await store.read(findSession, here)).toBeUndefined();
    expect(await store.read(findSession, elsewhere)).toBeDefined();
  });

  test('[PORT-12] [PORT-2] A sign-in under way at an identity provider that a file changes or removes meanwhile begins no session', async () => {
    const { store, linesOf, written, named, begin } = await openWithFile();
    const first = await named('care');
    const from = await begin(first);
    await linesOf(`oidc: [${written('care', ', company: Nordic Care')}]`);
    expect(await begin(first)).toBe('over');
    const changed = await named('care');
    expect(await begin(changed)).toMatch(/^s\d+$/);
    const { session, address, mailDomain } = signInOf({}, changed);
    const goOn = (digest: string) => {
      const own = { ...session, digest, id: digest, userId: 11 };
      const order = { address, mailDomain, passwordMark: passwordMarkOf(undefined) };
      return store.write(beginSession, { ...order, session: own });
    };
    expect(from).toMatch(/^s\d+$/);
    expect(await goOn('on')).toMatchObject({ account: { user: { id: 11 } } });
    expect(await linesOf('oidc: [{ name: care, remove: true }]')).toHaveLength(1);
    expect([await begin(changed), await goOn('off')]).toEqual(['over', undefined]);
  });

  test('[PORT-12] [PORT-4] An administrator whom the provider makes a sender keeps no conversations of others', async () => {
    const { store } = await engine.openFreshStore();
    await store.write(putCompany, company);
    await store.write(putProvider, care);
    await store.write(putUser, { id: 11, companyId: 1, username: 'anna', roles: ['companyAdmin', 'send'] });
    await store.write(putUser, { id: 12, companyId: 1, username: 'bo', roles: ['send'] });
    await store.write(putConversations, { first: 1, count: 2, userId: 12, assigneeId: 11 });
    await store.write(putConversations, { first: 3, count: 1, userId: 11, assigneeId: 11 });
    expect(await store.write(beginByProvider, signInOf({}, await named(store, 'care')))).toMatchObject({
      account: { user: { id: 11 } },
    });
    expect((await store.read(findAccountByUsername, 'anna'))?.user.roles).toEqual(['send']);
    expect(await store.read(countAssigned, null)).toEqual(['11 of 11: 1']);
  });
});
