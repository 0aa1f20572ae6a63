import { expect, test } from 'vitest';
import { putCompany, putUser } from '../../test/harness/account-verbs.ts';
import { countAssigned, putConversations } from '../../test/harness/conversation-verbs.ts';
import { provisioningOf } from '../../test/harness/provisioning.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { findAccountByUsername } from '../accounts/account.ts';
import type { Role } from '../accounts/role.ts';
import { beginByProvider, type Identity } from './provider-store.ts';
import { findSession } from './session-store.ts';

const issuer = 'https://login.example';
const company = { id: 1, name: 'Nordic Care' };
const now = 1_700_000_000_000;
const provider = { name: 'care', company: company.name, create: true };

let count = 0;
function signInOf(identity: Partial<Identity>) {
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
  test('[PORT-12] Two nodes where somebody signs in for the first time at the same moment make one user, and begin two sessions', async () => {
    const { store, openAnother } = await engine.openFreshStore();
    const nodes = [store, await openAnother()];
    await store.write(putCompany, company);
    await store.write(putUser, { id: 11, companyId: 1, username: 'bo', roles: ['send'] });
    const both = (identity: Partial<Identity>) =>
      Promise.all(
        nodes.flatMap((node) =>
          [1, 2].map(() =>
            node
              .write(beginByProvider, signInOf(identity))
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

  test('[PORT-12] [PORT-2] Sessions begun at an identity provider end when a file removes it, and no others', async () => {
    const { store } = await engine.openFreshStore();
    const { linesOf } = provisioningOf(() => store);
    const providerOf = (name: string) => `{ name: ${name}, issuer: "${issuer}", clientId: carillon }`;
    await linesOf(
      `oidc: [${providerOf('care')}, ${providerOf('other')}]\ncompanies: [{ name: Nordic Care, id: 1 }]`,
    );
    const begin = async (name: string) => {
      const signIn = signInOf({});
      const session = { ...signIn.session, provider: name };
      await store.write(beginByProvider, { ...signIn, provider: { ...provider, name }, session });
      return session.digest;
    };
    const [here, elsewhere] = [await begin('care'), await begin('other')];
    expect(await linesOf('oidc: [{ name: care, remove: true }]')).toHaveLength(1);
    expect(await store.read(findSession, here)).toBeUndefined();
    expect(await store.read(findSession, elsewhere)).toBeDefined();
  });

  test('[PORT-12] [PORT-4] An administrator whom the provider makes a sender keeps no conversations of others', async () => {
    const { store } = await engine.openFreshStore();
    await store.write(putCompany, company);
    await store.write(putUser, { id: 11, companyId: 1, username: 'anna', roles: ['companyAdmin', 'send'] });
    await store.write(putUser, { id: 12, companyId: 1, username: 'bo', roles: ['send'] });
    await store.write(putConversations, { first: 1, count: 2, userId: 12, assigneeId: 11 });
    await store.write(putConversations, { first: 3, count: 1, userId: 11, assigneeId: 11 });
    expect(await store.write(beginByProvider, signInOf({}))).toMatchObject({ account: { user: { id: 11 } } });
    expect((await store.read(findAccountByUsername, 'anna'))?.user.roles).toEqual(['send']);
    expect(await store.read(countAssigned, null)).toEqual(['11 of 11: 1']);
  });
});
