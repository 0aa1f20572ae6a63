import { beforeEach, expect, test } from 'vitest';
import { administering } from '../../test/harness/email.ts';
import { provisioningOf } from '../../test/harness/provisioning.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { findAccountByUsername, findCompanyId } from '../accounts/account.ts';
import { setPasswordHash } from '../accounts/logins.ts';
import { setDefaults, setEntry } from '../email/senders/administer-senders.ts';
import { noSettings } from '../email/senders/sender-entry.ts';
import type { Store } from '../storage/store.ts';
import { readPlan } from './file.ts';
import type { Plan } from './kind-list.ts';
import { applyPlan } from './store.ts';

const user = (keys: string) => `companies: [{ name: Care, users: [{ username: alice${keys} }] }]`;
const teamA = { path: '/etc/a.yaml' };
const teamB = { path: '/etc/b.yaml' };

eachStore('keys that a provisioning file sets', (engine) => {
  let store: Store;
  beforeEach(async () => {
    store = (await engine.openFreshStore()).store;
  });

  const { linesOf, faultsOf } = provisioningOf(() => store);
  const alice = async () => (await store.read(findAccountByUsername, 'alice'))?.user;

  test('[RUN-3] A key that a provisioning file leaves out again gets its default, and the change is reported', async () => {
    await linesOf(user(', roles: [send, jobs], quotaParts: 5, senders: [Care]'));
    const without = user(', roles: [send]');
    const lines = [
      '~ user alice in Care: roles send jobs -> send, quotaParts 5 -> unlimited, senders Care -> any',
    ];
    expect(await linesOf(without, { dryRun: true })).toEqual(lines);
    expect(await linesOf(without)).toEqual(lines);
    expect(await linesOf(without)).toEqual([]);
    expect(await linesOf(user(''))).toEqual(['~ user alice in Care: roles send -> none']);
  });

  test('[RUN-3] A short provisioning file at another path that sets a password leaves the user’s roles alone', async () => {
    await linesOf(user(', roles: [send], defaultSender: Care, password: correct horse battery'), teamA);
    const passwd = user(', password: another horse battery');
    expect(await linesOf(passwd, teamB)).toEqual(['~ user alice in Care: password changed']);
    expect(await alice()).toMatchObject({ roles: ['send'], defaultSender: 'Care' });
  });

  test('[RUN-3] A key that two provisioning files have set stays until both leave it out', async () => {
    await linesOf(user(', roles: [send], maxBatch: 7'), teamA);
    await linesOf(user(', roles: [send]'), teamB);
    expect(await linesOf(user(', maxBatch: 7'), teamA)).toEqual([]);
    expect(await linesOf(user(''), teamB)).toEqual(['~ user alice in Care: roles send -> none']);
    expect(await linesOf(user(''), teamA)).toEqual([expect.stringContaining('maxBatch 7 -> ')]);
  });

  test('[RUN-3] A key set to null in a provisioning file gets its default, no matter which file has set it', async () => {
    await linesOf(user(', roles: [send], senders: [Care], active: false'), teamA);
    expect(await linesOf(user(', roles: null, active: ~'), teamB)).toEqual([
      '~ user alice in Care: roles send -> none, active false -> true',
    ]);
    expect(await faultsOf(user(', password: null, id: null'))).toHaveLength(2);
    expect(await alice()).toMatchObject({ roles: [], senders: ['Care'] });
  });

  test('[RUN-3] Changes made by other means than files stay, and so do values set before keys were remembered', async () => {
    // The state left by a version that remembered nothing about files.
    const plan = readPlan(user(', roles: [send], quotaParts: 5')).plan as Plan;
    await store.write(applyPlan, { plan, when: 'always', file: undefined, now: 0 });
    await store.write(setPasswordHash, { kind: 'user', username: 'alice', passwordHash: 'by hand', now: 0 });
    expect(await linesOf(user(''))).toEqual([]);
    expect(await alice()).toMatchObject({ roles: ['send'], quotaParts: 5, passwordHash: 'by hand' });
  });

  test('[RUN-3] An object that is removed and made again has no key that an earlier file set', async () => {
    await linesOf(user(', roles: [send]'), teamA);
    await linesOf(user(', remove: true'), teamB);
    await linesOf(user(', roles: [jobs]'), teamB);
    expect(await linesOf(user(''), teamA)).toEqual([]);
    expect(await alice()).toMatchObject({ roles: ['jobs'] });
  });

  test('[RUN-3] [E2S-3] Settings of e-mail senders that calls have set stay, and those that nobody set follow the defaults', async () => {
    const company = (more: string) => `
companies:
  - name: Care
    allowedDomainEndings: [care.example]
    users: [{ username: alice, roles: [send] }, { username: bob, roles: [send] }]
    emailSenders: [{ email: a@care.example, costCenter: Ward }]
    ${more}`;
    await linesOf(company('emailDefaults: { payinguser: alice, maxSms: 3 }'));
    const account = await alice();
    const admin = {
      companyId: (await store.read(findCompanyId, 'Care')) as number,
      userId: account?.id,
      username: 'alice',
      roles: new Set(['companyAdmin']),
    } as never;
    await setEntry(administering(store), admin, {
      key: { email: 'a@care.example', domain: 'care.example' },
      blocked: true,
      payingUser: undefined,
      settings: { ...noSettings, costCenter: 'Ward', sender: 'Nurse' },
    });
    await setDefaults(administering(store), admin, {
      payingUser: undefined,
      settings: { ...noSettings, checkMobile: true },
    });
    expect(await linesOf(company('emailDefaults: { payinguser: bob }'))).toEqual([
      '~ e-mail defaults of Care: payinguser alice -> bob, maxSms 3 -> none',
      '~ e-mail sender a@care.example in Care: payinguser alice -> bob, maxSms 3 -> 255',
    ]);
  });

  test('[RUN-3] Keys of carriers, routes, numbers and companies get their default when a file leaves them out again', async () => {
    const whole = `
companies: [{ name: Care, quotaParts: 9, defaultSender: Care }]
carriers: [{ name: sim, type: simulator, submitDelayMs: 3, window: 9 }]
routes: [{ name: all, prefix: "", carriers: [sim], senders: [Care], priority: 4 }]
numbers: [{ number: 71000, pool: true, company: Care }]`;
    await linesOf(whole, teamA);
    const bare = `
companies: [{ name: Care }]
carriers: [{ name: sim, type: simulator }]
routes: [{ name: all, prefix: "", carriers: [sim] }]
numbers: [{ number: 71000 }]`;
    expect(await linesOf(bare, teamB)).toEqual([]);
    expect(await linesOf(bare, teamA)).toEqual([
      '~ company Care: quotaParts 9 -> unlimited, defaultSender Care -> none',
      '~ carrier sim: submitDelayMs 3 -> 0, window 9 -> 1000',
      '~ route all: senders Care -> any, priority 4 -> 0',
      '~ number 71000: pool true -> false, company Care -> any',
    ]);
  });
});
