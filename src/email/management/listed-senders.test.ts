import { beforeEach, expect, test } from 'vitest';
import { emailAdminOf, keyOf, twoCompanies } from '../../../test/harness/email.ts';
import { provisioningOf } from '../../../test/harness/provisioning.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { listAudit } from '../../audit/audit-log.ts';
import { systemClock } from '../../foundation/clock.ts';
import type { IfMatch } from '../../foundation/if-match.ts';
import type { Store } from '../../storage/store.ts';
import {
  changeCompanyDefaults,
  changeEntry,
  pageOfEntries,
  readCompanyDefaults,
  readEntry,
  removeSender,
} from './administer.ts';
import { type EntryChange, versionOf } from './store.ts';

const care = emailAdminOf(1);
const taxi = emailAdminOf(2);
const nothing = { payinguser: undefined } as EntryChange;

eachStore('e-mail senders, for their administrators', (engine) => {
  let store: Store;
  beforeEach(async () => {
    store = (await engine.openFreshStore()).store;
    await linesOf(twoCompanies);
  });

  const { linesOf } = provisioningOf(() => store);
  const services = () => ({ store, clock: systemClock });
  const write = (email: string, change: object, ifMatch?: IfMatch | 'new', by = care) =>
    changeEntry(services(), by, { key: keyOf(email), change: { ...nothing, ...change }, ifMatch });
  const remove = (email: string) => removeSender(services(), care, { key: keyOf(email), ifMatch: undefined });
  const changeDefaults = (change: object, ifMatch?: IfMatch) =>
    changeCompanyDefaults(services(), care, { change: { ...nothing, ...change }, ifMatch });
  const read = (email: string) => readEntry(services(), care, keyOf(email));
  const domain = '@x.shared.example';

  test('[E2S-3] [PORT-7] a new entry takes the defaults, and a change leaves what it does not say', async () => {
    await changeDefaults({ payinguser: 'alice', maxSms: 2, sender: 'Care' });
    const { entry } = await write(domain, { includeSubject: true }, 'new');
    expect(entry).toMatchObject({
      email: domain,
      blocked: false,
      payingUser: { username: 'alice' },
      settings: { maxSms: 2, sender: 'Care', includeSubject: true },
    });
    await changeDefaults({ sender: 'Other' });
    const changed = await write(domain, { maxSms: null, blocked: true });
    expect(changed.entry).toMatchObject({
      blocked: true,
      payingUser: { username: 'alice' },
      settings: { maxSms: 255, sender: 'Care', includeSubject: true },
    });
    expect(await read(domain)).toEqual(changed);
    await expect(write(domain, {}, 'new')).rejects.toMatchObject({ code: 'taken' });
    await expect(write(domain, {}, 'new', taxi)).rejects.toMatchObject({ code: 'missing_parameter' });
    await expect(write('@y.shared.example', { payinguser: 'tom' }, 'new')).rejects.toMatchObject({
      code: 'invalid_paying_user',
    });
    await expect(write('a@elsewhere.example', {}, 'new')).rejects.toMatchObject({
      code: 'domain_not_allowed',
    });
    await remove(domain);
    await expect(read(domain)).rejects.toMatchObject({ code: 'not_found' });
    const entries = await store.read(listAudit, { companyId: 1, before: null, limit: 10 });
    expect(entries.map(({ act, object }) => `${act} ${object}`)).toEqual([
      `email.sender.remove ${domain}`,
      `email.sender.change ${domain}`,
      'email.defaults.change defaults',
      `email.sender.make ${domain}`,
      'email.defaults.change defaults',
    ]);
  });

  test('[PORT-4] they are listed by their keys, those of the own company', async () => {
    await changeDefaults({ payinguser: 'alice' });
    for (const email of ['b@care.example', domain, 'a@care.example']) await write(email, {}, 'new');
    await write('a@x.shared.example', { payinguser: 'tom' }, 'new', taxi);
    const keysOf = async (after: string, limit: number) =>
      (await pageOfEntries(services(), care, { after, limit })).map(({ entry }) => entry.email);
    expect(await keysOf('', 2)).toEqual([domain, 'a@care.example']);
    expect(await keysOf('a@care.example', 2)).toEqual(['b@care.example']);
    await expect(write('a@x.shared.example', {}, 'new')).rejects.toMatchObject({
      code: 'belongs_to_another',
    });
    await expect(read('a@x.shared.example')).rejects.toMatchObject({ code: 'not_found' });
  });

  test('[PORT-6] what a provisioning file has set is changed there, and all else here', async () => {
    const file = `{ email: "${domain}", payinguser: alice, sender: Care }`;
    await linesOf(`companies: [{ name: Care, emailDefaults: { maxSms: 9 }, emailSenders: [${file}] }]`, {
      path: '/etc/senders.yaml',
    });
    expect((await read(domain)).managedKeys).toEqual(expect.arrayContaining(['payinguser', 'sender']));
    for (const change of [{ sender: 'Other' }, { payinguser: 'bob' }])
      await expect(write(domain, change)).rejects.toMatchObject({ code: 'managed' });
    await expect(remove(domain)).rejects.toMatchObject({ code: 'managed' });
    const version = versionOf((await read(domain)).entry);
    expect((await write(domain, { origMsg: true }, [version])).entry.settings).toMatchObject({
      origMsg: true,
      sender: 'Care',
      maxSms: 9,
    });
    await expect(write(domain, { origMsg: false }, [version])).rejects.toMatchObject({
      code: 'changed_meanwhile',
    });
    await expect(changeDefaults({ maxSms: 3 })).rejects.toMatchObject({ code: 'managed' });
    const before = await readCompanyDefaults(services(), care);
    await changeDefaults({ costCenter: '7' }, [versionOf(before.defaults)]);
    await expect(changeDefaults({ costCenter: '8' }, [versionOf(before.defaults)])).rejects.toMatchObject({
      code: 'changed_meanwhile',
    });
  });
});
