import { beforeEach, describe, expect, test } from 'vitest';
import { administering, emailAdminOf, keyOf, twoCompanies } from '../../../test/harness/email.ts';
import { putEntries, setEntries } from '../../../test/harness/many-rows-verbs.ts';
import { provisioningOf } from '../../../test/harness/provisioning.ts';
import { eachStore, type FreshStore } from '../../../test/harness/stores.ts';
import type { Caller } from '../../accounts/caller.ts';
import { listAudit } from '../../audit/audit-log.ts';
import type { Store } from '../../storage/store.ts';
import { queryDomains, setDefaults, setEntry, unsetEntry } from './administer-senders.ts';
import { maxEntriesOfCompany, noSettings, type SomeSettings } from './sender-entry.ts';
import { findEntry } from './store.ts';

const care = emailAdminOf(1);
const taxi = emailAdminOf(2);
const by = { companyId: 1, username: 'admin', session: undefined, now: 1 };

interface Wanted extends Partial<SomeSettings> {
  readonly payingUser?: string;
  readonly blocked?: boolean;
}

function entryOf(email: string, { payingUser, blocked = false, ...settings }: Wanted = {}) {
  return { key: keyOf(email), blocked, payingUser, settings: { ...noSettings, ...settings } };
}

eachStore('the list of e-mail senders', (engine) => {
  let fresh: FreshStore;
  let store: Store;
  beforeEach(async () => {
    fresh = await engine.openFreshStore();
    store = fresh.store;
    await provisioningOf(() => store).linesOf(twoCompanies);
  });

  const set = (caller: Caller, email: string, wanted?: Wanted) =>
    setEntry(administering(store), caller, entryOf(email, wanted));
  const kindOf = async (address: string) => (await findEntry(store, address)).kind;

  describe('whose entry decides', () => {
    test('[E2S-1] The entry for the whole address decides, or else that for its domain', async () => {
      expect(await kindOf('a@x.shared.example')).toBe('unknown');
      await set(care, '@x.shared.example', { payingUser: 'alice', sender: 'Domain' });
      expect(await findEntry(store, 'A@X.Shared.example')).toMatchObject({
        kind: 'allowed',
        entry: { email: '@x.shared.example', settings: { sender: 'Domain' } },
        payer: { id: 11, username: 'alice', companyId: 1, active: true, roles: ['send'], smtpSplit: true },
      });
      await set(care, 'a@x.shared.example', { payingUser: 'bob', blocked: true });
      expect(await kindOf('a@x.shared.example')).toBe('blocked');
      expect(await kindOf('b@x.shared.example')).toBe('allowed');
      await set(care, 'a@x.shared.example', { payingUser: 'bob' });
      await set(care, '@x.shared.example', { payingUser: 'alice', blocked: true });
      expect(await findEntry(store, '"a"@x.shared.example')).toMatchObject({
        kind: 'allowed',
        entry: { email: 'a@x.shared.example', payingUser: { id: 12, username: 'bob' } },
      });
      expect(await kindOf('b@x.shared.example')).toBe('blocked');
      // Only the domain itself is reserved, neither its subdomains nor its parent.
      expect(await kindOf('a@y.x.shared.example')).toBe('unknown');
      expect(await kindOf('a@shared.example')).toBe('unknown');
      expect(await kindOf('@x.shared.example')).toBe('unknown');
    });

    test('[E2S-1] The entry for a domain also decides for names that can have no entry of their own', async () => {
      const addresses = ['a..b', 'foo.', '.foo', 'jürgen', 'a b', 'a@b', '"a', 'x'.repeat(300)].map(
        (name) => `${name}@X.shared.example`,
      );
      for (const address of addresses) expect(await kindOf(address)).toBe('unknown');
      await set(care, '@x.shared.example', { payingUser: 'alice', blocked: true });
      for (const address of addresses) expect(await kindOf(address)).toBe('blocked');
      await set(care, '@x.shared.example', { payingUser: 'alice' });
      for (const address of addresses) expect(await kindOf(address)).toBe('allowed');
      for (const none of ['@x.shared.example', 'x.shared.example', 'jürgen@', 'jürgen@y.shared.example', ''])
        expect(await kindOf(none)).toBe('unknown');
    });

    test('[E2S-1] The entry for a domain is found in either of its alphabets', async () => {
      await set(care, '@bücher.shared.example', { payingUser: 'alice' });
      expect(await kindOf('a@XN--BCHER-KVA.shared.example')).toBe('allowed');
      expect(await kindOf('a@BÜCHER.shared.example')).toBe('allowed');
    });

    test('[E2S-4] The payer of an entry is read as it is now, not as it was when the entry was set', async () => {
      await set(care, 'a@x.shared.example', { payingUser: 'alice' });
      const inactive = twoCompanies.replace(
        'alice, id: 11, roles: [send]',
        'alice, active: false, roles: []',
      );
      await provisioningOf(() => store).linesOf(inactive);
      expect(await findEntry(store, 'a@x.shared.example')).toMatchObject({
        kind: 'allowed',
        payer: { active: false, roles: [], smtpSplit: true },
      });
      await provisioningOf(() => store).linesOf(
        `${twoCompanies.replace('id: 1\n', 'id: 1\n    active: false\n')}`,
      );
      expect(await findEntry(store, 'a@x.shared.example')).toMatchObject({ payer: { active: false } });
    });
  });

  test('[E2S-3] Of two companies that claim an e-mail domain at the same time, exactly one gets it', async () => {
    const others = await fresh.openAnother();
    for (let round = 0; round < 10; round += 1) {
      const email = `@d${round}.shared.example`;
      const outcomes = await Promise.allSettled([
        setEntry(administering(store), care, entryOf(email, { payingUser: 'alice' })),
        setEntry(administering(others), taxi, entryOf(email, { payingUser: 'tom' })),
      ]);
      const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(refused).toMatchObject([{ reason: { code: 'belongs_to_another', status: 409 } }]);
      const winner = outcomes[0].status === 'fulfilled' ? 1 : 2;
      expect(await findEntry(store, `a${email}`)).toMatchObject({ payer: { companyId: winner } });
    }
  });

  test('[E2S-3] A company can neither set nor unset an entry of another company', async () => {
    const { entry } = await set(care, 'a@x.shared.example', { payingUser: 'alice' });
    const refusal = { code: 'belongs_to_another', status: 409 };
    await expect(set(taxi, 'A@x.shared.example', { payingUser: 'tom' })).rejects.toMatchObject(refusal);
    await expect(unsetEntry(administering(store), taxi, keyOf('a@x.shared.example'))).rejects.toMatchObject(
      refusal,
    );
    expect(await findEntry(store, 'a@x.shared.example')).toMatchObject({ entry });
    // An address in the domain does not reserve it, nor does the domain reserve its addresses.
    await set(taxi, '@x.shared.example', { payingUser: 'tom' });
    await set(care, 'b@x.shared.example', { payingUser: 'alice' });
    await unsetEntry(administering(store), care, keyOf('a@x.shared.example'));
    expect(await findEntry(store, 'a@x.shared.example')).toMatchObject({ payer: { username: 'tom' } });
    await set(taxi, 'a@x.shared.example', { payingUser: 'tom' });
  });

  test('[E2S-1] Unsetting a domain keeps the entries of addresses in it', async () => {
    for (const email of ['@x.shared.example', 'a@x.shared.example'])
      await set(care, email, { payingUser: 'alice' });
    await unsetEntry(administering(store), care, keyOf('@X.shared.example'));
    expect(await kindOf('a@x.shared.example')).toBe('allowed');
    expect(await kindOf('b@x.shared.example')).toBe('unknown');
    await expect(unsetEntry(administering(store), care, keyOf('@x.shared.example'))).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('[E2S-3] Defaults that two administrators set at the same time are both kept', async () => {
    const others = await fresh.openAnother();
    for (let round = 1; round <= 10; round += 1) {
      const change = (settings: Partial<SomeSettings>) => ({
        payingUser: undefined,
        settings: { ...noSettings, ...settings },
      });
      await Promise.all([
        setDefaults(administering(store), care, change({ sender: `Care${round}` })),
        setDefaults(administering(others), care, change({ maxSms: round })),
        setDefaults(administering(store), care, { payingUser: 'bob', settings: noSettings }),
      ]);
      const { defaults } = await setDefaults(administering(store), care, change({}));
      expect(defaults).toEqual({
        payingUser: { id: 12, username: 'bob' },
        settings: { ...noSettings, sender: `Care${round}`, maxSms: round },
      });
    }
    expect(
      (await setDefaults(administering(store), taxi, { payingUser: undefined, settings: noSettings }))
        .defaults,
    ).toEqual({
      payingUser: undefined,
      settings: noSettings,
    });
  });

  test('[E2S-1] [CONV-12] API calls make at most ten thousand entries, and can still change these', async () => {
    const many = { companyId: 1, payingUserId: 11, entries: maxEntriesOfCompany - 2 };
    await store.write(putEntries, many);
    const asked = ['a', 'b', 'c', 'd'].map((name) =>
      entryOf(`${name}@x.shared.example`, { payingUser: 'bob' }),
    );
    // They run in one transaction, and only the first two fit.
    const puts = await store.write(
      setEntries,
      asked.map((entry) => ({ by, companyId: 1, ...entry })),
    );
    expect(puts.map(({ kind }) => kind)).toEqual(['put', 'put', 'tooManyEntries', 'tooManyEntries']);
    for (const email of ['c@x.shared.example', '@x.shared.example']) {
      await expect(set(care, email, { payingUser: 'alice' })).rejects.toMatchObject({
        code: 'too_many_email_senders',
        status: 400,
        message: expect.stringMatching(/10000 e-mail senders.*@domain/),
      });
    }
    await set(care, '7@many.shared.example', { payingUser: 'bob', blocked: true });
    expect(await kindOf('7@many.shared.example')).toBe('blocked');
    await set(taxi, 'c@x.shared.example', { payingUser: 'tom' });
    await expect(set(care, 'c@x.shared.example', { payingUser: 'bob' })).rejects.toMatchObject({
      code: 'belongs_to_another',
    });
    await unsetEntry(administering(store), care, keyOf('8@many.shared.example'));
    await set(care, 'd@x.shared.example', { payingUser: 'alice' });
  });

  test('[PORT-7] Each change of e-mail senders is in the audit log; refused changes and mere queries are not', async () => {
    const email = 'a@x.shared.example';
    await set(care, email, { payingUser: 'alice' });
    await set(care, email, { payingUser: 'bob' });
    await set(taxi, email, { payingUser: 'tom' }).catch(() => undefined);
    await unsetEntry(administering(store), taxi, keyOf(email)).catch(() => undefined);
    await unsetEntry(administering(store), care, keyOf(email));
    await unsetEntry(administering(store), care, keyOf(email)).catch(() => undefined);
    const none = { payingUser: undefined, settings: noSettings };
    await setDefaults(administering(store), care, none);
    await setDefaults(administering(store), care, { ...none, settings: { ...noSettings, maxSms: 3 } });
    const entries = await store.read(listAudit, { companyId: null, before: null, limit: 10 });
    expect(entries.map(({ act, object, channel, username }) => [act, object, channel, username])).toEqual([
      ['email.defaults.change', 'defaults', 'api', 'admin'],
      ['email.sender.remove', email, 'api', 'admin'],
      ['email.sender.change', email, 'api', 'admin'],
      ['email.sender.make', email, 'api', 'admin'],
    ]);
  });

  test('[E2S-2] A company that is gone has no list of e-mail senders', async () => {
    const nobody = emailAdminOf(9);
    const refusal = { code: 'unauthorised' };
    await expect(set(nobody, 'a@x.shared.example', { payingUser: '1' })).rejects.toMatchObject(refusal);
    await expect(unsetEntry(administering(store), nobody, keyOf('a@x.shared.example'))).rejects.toMatchObject(
      refusal,
    );
    await expect(
      setDefaults(administering(store), nobody, { payingUser: undefined, settings: noSettings }),
    ).rejects.toMatchObject(refusal);
    await expect(queryDomains(store, nobody)).rejects.toMatchObject(refusal);
  });
});
