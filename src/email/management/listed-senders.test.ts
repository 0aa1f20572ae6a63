import { beforeEach, expect, test } from 'vitest';
import { emailAdminOf, twoCompanies } from '../../../test/harness/email.ts';
import { provisioningOf } from '../../../test/harness/provisioning.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { listAudit } from '../../audit/audit-log.ts';
import { systemClock } from '../../foundation/clock.ts';
import type { IfMatch } from '../../foundation/if-match.ts';
import { allowed } from '../../resources/declaration.ts';
import type { Store } from '../../storage/store.ts';
import { noSettings } from '../senders/sender-entry.ts';
import { changeCompanyDefaults, readCompanyDefaults } from './company-defaults.ts';
import { decideFor } from './decide.ts';
import { emailSenders } from './listed-sender.ts';
import { listPayers } from './payers.ts';

const care = emailAdminOf(1);
const domain = '@x.shared.example';

eachStore('e-mail senders, for their administrators', (engine) => {
  let store: Store;
  beforeEach(async () => {
    store = (await engine.openFreshStore()).store;
    await linesOf(twoCompanies);
  });

  const { linesOf } = provisioningOf(() => store);
  const services = () => ({ store, clock: systemClock });
  const byAdminOf = (companyId: number) => ({
    companyId,
    scopeId: companyId,
    username: 'admin',
    session: undefined,
    now: 5_000,
    values: {},
  });
  const make = async (email: string, more: object, companyId = 1) =>
    allowed(await store.write(emailSenders.create, { ...byAdminOf(companyId), name: email, more }));
  const change = async (email: string, more: object, ifMatch?: IfMatch) =>
    allowed(
      await store.write(emailSenders.change, {
        ...byAdminOf(1),
        key: email,
        ifMatch,
        rename: undefined,
        more,
      }),
    );
  const remove = (email: string) =>
    store.write(emailSenders.remove, { ...byAdminOf(1), key: email, ifMatch: undefined });
  const read = (email: string) => store.read(emailSenders.find, { scopeId: 1, key: email });
  const changeDefaults = (given: { readonly payingUser?: string; readonly [setting: string]: unknown }) => {
    const { payingUser, ...settings } = given;
    return changeCompanyDefaults(services(), care, {
      ifMatch: undefined,
      change: { payingUser, settings: { ...noSettings, ...settings } },
    });
  };

  test('[E2S-3] [PORT-7] A new e-mail sender takes the defaults, and a change keeps the settings it does not name', async () => {
    await changeDefaults({ payingUser: 'alice', maxSms: 2, sender: 'Care' });
    expect(await make(domain, { includeSubject: true })).toMatchObject({
      key: domain,
      blocked: false,
      payingUser: 'alice',
      maxSms: 2,
      sender: 'Care',
      includeSubject: true,
    });
    await changeDefaults({ sender: 'Other' });
    const changed = await change(domain, { maxSms: null, blocked: true });
    expect(changed).toMatchObject({
      blocked: true,
      payingUser: 'alice',
      maxSms: 255,
      sender: 'Care',
      includeSubject: true,
    });
    expect(await read(domain)).toEqual(changed);
    expect(await remove(domain)).toBeNull();
    const entries = await store.read(listAudit, { companyId: 1, before: null, limit: 10 });
    expect(entries.map(({ act, object }) => `${act} ${object}`)).toEqual([
      `email.sender.remove ${domain}`,
      `email.sender.change ${domain}`,
      'email.defaults.change defaults',
      `email.sender.make ${domain}`,
      'email.defaults.change defaults',
    ]);
  });

  test('[E2S-2] [E2S-4] Each e-mail sender is checked for its payer, its domain, and a listing by another company', async () => {
    await expect(make(domain, {}, 2)).rejects.toMatchObject({
      code: 'missing_parameter',
      errors: [{ field: 'payingUser' }],
    });
    await expect(make(domain, { payingUser: 'tom' })).rejects.toMatchObject({ code: 'invalid_paying_user' });
    const payingUser = 'alice';
    await expect(make('a@elsewhere.example', { payingUser })).rejects.toMatchObject({
      code: 'domain_not_allowed',
      errors: [{ field: 'email' }],
    });
    await make(domain, { payingUser: 'tom' }, 2);
    await expect(make(domain, { payingUser })).rejects.toMatchObject({ code: 'belongs_to_another' });
  });

  test('[PORT-6] E-mail sender settings of a provisioning file can be changed only there, and all others by administrators', async () => {
    const file = `{ email: "${domain}", payinguser: alice, sender: Care }`;
    await linesOf(`companies: [{ name: Care, emailDefaults: { maxSms: 9 }, emailSenders: [${file}] }]`, {
      path: '/etc/senders.yaml',
    });
    const before = await read(domain);
    expect(before?.managedFields).toEqual(expect.arrayContaining(['payingUser', 'sender']));
    for (const set of [{ sender: 'Other' }, { payingUser: 'bob' }])
      await expect(change(domain, set)).rejects.toMatchObject({ code: 'managed' });
    expect(await remove(domain)).toMatchObject({ refused: { code: 'managed' } });
    const version = [String(before?.version)];
    expect(await change(domain, { origMsg: true }, version)).toMatchObject({
      origMsg: true,
      sender: 'Care',
      maxSms: 9,
    });
    await expect(change(domain, { origMsg: false }, version)).rejects.toMatchObject({
      code: 'changed_meanwhile',
    });
    await expect(changeDefaults({ maxSms: 3 })).rejects.toMatchObject({ code: 'managed' });
  });

  test('[PORT-10] [MAIL-1] The search finds a part of any address on the own list, and no sign in it stands for others', async () => {
    const payingUser = 'alice';
    for (const email of [domain, 'anna_b@x.shared.example', 'annaxb@x.shared.example', 'cleo@care.example'])
      await make(email, { payingUser });
    await make('anna@y.shared.example', { payingUser: 'tom' }, 2);
    const found = async (q: string, after?: string) => {
      const rows = await store.read(emailSenders.list, { scopeId: 1, among: { q }, after, limit: 10 });
      return rows.map(({ key }) => key);
    };
    expect(await found('anna')).toEqual(['anna_b@x.shared.example', 'annaxb@x.shared.example']);
    expect(await found('anna', 'anna_b@x.shared.example')).toEqual(['annaxb@x.shared.example']);
    expect(await found('a_b')).toEqual(['anna_b@x.shared.example']);
    expect(await found('%')).toEqual([]);
    expect(await found('@x.shared')).toEqual([domain, 'anna_b@x.shared.example', 'annaxb@x.shared.example']);
    expect(await found('')).toHaveLength(4);
  });

  test('[PORT-10] The list says who of the payers can’t pay now, and only active users of the own company can be chosen', async () => {
    await make('a@care.example', { payingUser: 'alice' });
    await make('b@care.example', { payingUser: 'bob' });
    await linesOf('companies: [{ name: Care, users: [{ username: bob, active: false }] }]');
    const rows = await store.read(emailSenders.list, { scopeId: 1, after: undefined, limit: 10 });
    expect(rows.map(({ key, payingUser, payerProblem }) => [key, payingUser, payerProblem])).toEqual([
      ['a@care.example', 'alice', undefined],
      ['b@care.example', 'bob', 'inactive'],
    ]);
    const payers = (q: string, name?: string) =>
      store.read(listPayers, { companyId: 1, q, from: { language: 'en', name }, limit: 10 });
    expect(await payers('')).toMatchObject([
      { username: 'alice', active: true, smtpSplit: true },
      { username: 'bob', active: false, smtpSplit: false },
    ]);
    expect(await payers('', 'alice')).toMatchObject([{ username: 'bob' }]);
    for (const q of ['li', 'LI']) expect(await payers(q)).toMatchObject([{ username: 'alice' }]);
    expect(await payers('tom')).toEqual([]);
  });

  test('[MAIL-1] [PORT-10] Who decides for an address is looked up as the gateway does, and says nothing of others’ lists', async () => {
    const decide = (address: string) => decideFor(store, care, address);
    expect(await decide('anna@x.shared.example')).toEqual({ decision: 'notListed' });
    await make(domain, { payingUser: 'bob' });
    const ofDomain = { entry: domain, payingUser: 'bob', payerProblem: undefined };
    expect(await decide('Anna@X.Shared.example')).toEqual({ decision: 'allowed', ...ofDomain });
    // An address that can have no entry of its own.
    expect(await decide('jürgen@x.shared.example')).toEqual({ decision: 'allowed', ...ofDomain });
    expect(await decide('anna@lab.x.shared.example')).toEqual({ decision: 'notListed' });
    await make('anna@x.shared.example', { payingUser: 'alice', blocked: true });
    expect(await decide('"anna"@x.shared.example')).toMatchObject({
      decision: 'blocked',
      entry: 'anna@x.shared.example',
    });
    await make('kim@x.shared.example', { payingUser: 'tom' }, 2);
    expect(await decide('kim@x.shared.example')).toEqual({ decision: 'otherCompany' });
    // The other company may not learn of senders in domains that it can't list itself.
    await make('own@care.example', { payingUser: 'alice' });
    expect(await decideFor(store, emailAdminOf(2), 'own@care.example')).toEqual({ decision: 'notListed' });
    await linesOf('companies: [{ name: Care, users: [{ username: bob, active: false }] }]');
    expect(await decide('bo@x.shared.example')).toMatchObject({ payerProblem: 'inactive' });
    for (const wrong of ['anna', '@x.shared.example', 'anna@'])
      await expect(decide(wrong)).rejects.toMatchObject({
        code: 'invalid_email',
        errors: [{ field: 'email' }],
      });
  });

  test('[PORT-10] The e-mail defaults say how many entries of the company they leave as they are', async () => {
    await make('a@care.example', { payingUser: 'alice' });
    await make(domain, { payingUser: 'tom' }, 2);
    expect(await readCompanyDefaults(services(), care)).toMatchObject({ entries: 1 });
    expect(await changeDefaults({ maxSms: 2 })).toMatchObject({ entries: 1 });
  });

  test('[PORT-4] Of two administrators who change the e-mail defaults, the second is refused', async () => {
    const { version } = await readCompanyDefaults(services(), care);
    const to = (costCenter: string) =>
      changeCompanyDefaults(services(), care, {
        ifMatch: [version],
        change: { payingUser: undefined, settings: { ...noSettings, costCenter } },
      });
    await to('7');
    await expect(to('8')).rejects.toMatchObject({ code: 'changed_meanwhile' });
  });
});
