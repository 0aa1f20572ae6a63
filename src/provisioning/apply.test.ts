import { beforeEach, expect, test } from 'vitest';
import { named, provisioningOf } from '../../test/harness/provisioning.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { findAccountByUsername } from '../accounts/account.ts';
import { getOrCreateKey, listKeysOfUser } from '../accounts/api-keys.ts';
import { Passwords } from '../accounts/password.ts';
import { listCarriers } from '../carriers/provisioned/carrier-rows.ts';
import { listRoutes } from '../routing/route-records.ts';
import { readNews } from '../storage/news.ts';
import type { Store } from '../storage/store.ts';
import { readState } from './store.ts';

const passwords = new Passwords();

const nordicCare = `
companies:
  - name: Nordic Care
    quotaParts: 100000
    defaultSender: NordicCare
    users:
      - username: alice
        id: 501
        password: the first password
        roles: [send, jobs]
        quotaParts: 5000
        defaultSender: Alice
        senders: [Alice, "46731230001"]
        replaceCharacters: true
      - username: bob
carriers:
  - { name: sim, type: simulator, receiptDelayMs: 20 }
  - { name: spare, type: simulator }
routes:
  - { name: all, prefix: "", carriers: [sim] }
  - { prefix: "4673", carriers: [sim, spare] }
numbers:
  - { number: "46731230001", rentedBy: alice }
  - { number: "46731230002" }
operators:
  - { username: root, password: the password of root }
`;

eachStore('applying a provisioning file', (engine) => {
  let store: Store;
  beforeEach(async () => {
    store = (await engine.openFreshStore()).store;
  });

  const { apply, linesOf, faultsOf } = provisioningOf(() => store);

  const scope = { users: named('alice', 'bob'), numbers: named('46731230001', '46731230002') };
  const state = async () => (await store.read(readState, scope)).objects;

  async function newsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
    const before = new Map((await store.read(readNews, null)).map(({ topic, version }) => [topic, version]));
    await work();
    const after = await store.read(readNews, null);
    return after
      .filter(({ topic, version }) => before.get(topic) !== version)
      .map(({ topic }) => topic)
      .sort();
  }

  test('[RUN-3] Applying a provisioning file creates what it names, and reports it', async () => {
    expect(await linesOf(nordicCare)).toEqual([
      '+ company Nordic Care: quotaParts 100000, defaultSender NordicCare',
      '+ user alice in Nordic Care: id 501, roles send jobs, quotaParts 5000, defaultSender Alice, senders Alice 46731230001, replaceCharacters true',
      '+ user bob in Nordic Care: roles none',
      '+ carrier sim: type simulator, submitDelayMs 0, receiptDelayMs 20, window 1000, throughput 0',
      '+ carrier spare: type simulator, submitDelayMs 0, receiptDelayMs 500, window 1000, throughput 0',
      '+ route all: prefix "", carriers sim',
      '+ route 4673: prefix 4673, carriers sim spare',
      '+ number 46731230001: rentedBy alice',
      '+ number 46731230002',
      '+ operator root',
    ]);
    const alice = await store.read(findAccountByUsername, 'alice');
    expect(alice?.company).toMatchObject({
      name: 'Nordic Care',
      quotaParts: 100_000,
      defaultSender: 'NordicCare',
    });
    expect(alice?.user).toMatchObject({
      id: 501,
      roles: ['send', 'jobs'],
      active: true,
      quotaParts: 5_000,
      senders: ['Alice', '46731230001'],
      replaceCharacters: true,
    });
    expect(await passwords.matches('the first password', alice?.user.passwordHash)).toBe(true);
    const bob = await store.read(findAccountByUsername, 'bob');
    expect(bob?.user).toMatchObject({ passwordHash: undefined, roles: [], senders: undefined });
    expect((await store.read(listCarriers, null)).map(({ name }) => name)).toEqual(['sim', 'spare']);
    expect((await store.read(listRoutes, null)).map(({ prefix }) => prefix).sort()).toEqual(['', '4673']);
    expect((await state()).numbers).toContainEqual({
      number: '46731230001',
      rentedBy: 'alice',
      pool: false,
    });
  });

  test('[RUN-3] Applying a provisioning file twice changes nothing the second time, not even a password hash', async () => {
    await linesOf(nordicCare);
    const before = await state();
    expect(await newsOf(async () => expect(await linesOf(nordicCare)).toEqual([]))).toEqual([]);
    expect(await state()).toEqual(before);
  });

  test('[RUN-3] Applying a provisioning file changes what differs, and leaves alone what the file does not name', async () => {
    await linesOf(nordicCare);
    const before = await state();
    const lines = await linesOf(`
companies:
  - name: Nordic Care
    defaultSender: NordicCare
    users:
      - username: alice
        password: the second password
        roles: [send]
        quotaParts: 6000
        active: false
numbers:
  - { number: "46731230001", rentedBy: bob }
`);
    expect(lines).toEqual([
      '~ company Nordic Care: quotaParts 100000 -> unlimited',
      '~ user alice in Nordic Care: password changed, roles send jobs -> send, active true -> false, quotaParts 5000 -> 6000, defaultSender Alice -> none, senders Alice 46731230001 -> any, replaceCharacters true -> false',
      '~ number 46731230001: rentedBy alice -> bob',
    ]);
    const after = await state();
    expect(after.users.find(({ username }) => username === 'bob')).toEqual(
      before.users.find(({ username }) => username === 'bob'),
    );
    expect(after.carriers).toEqual(before.carriers);
    expect(after.routes).toEqual(before.routes);
    expect(after.operators).toEqual(before.operators);
    const alice = await store.read(findAccountByUsername, 'alice');
    expect(alice?.user).toMatchObject({ id: 501, roles: ['send'], active: false, quotaParts: 6_000 });
    expect(await passwords.matches('the second password', alice?.user.passwordHash)).toBe(true);
  });

  test('[RUN-3] A password or an id that the provisioning file leaves out stays the same', async () => {
    await linesOf(nordicCare);
    const lines = await linesOf(`
companies:
  - { name: Nordic Care, quotaParts: 100000, defaultSender: NordicCare, users: [{ username: alice, roles: [send] }] }
operators: [{ username: root }]
`);
    expect(lines.join()).not.toContain('password');
    const alice = await store.read(findAccountByUsername, 'alice');
    expect(alice?.user.id).toBe(501);
    expect(await passwords.matches('the first password', alice?.user.passwordHash)).toBe(true);
  });

  test('[RUN-3] A short password is refused if it is new or changed, but not if it was set before', async () => {
    const file = (alice: string, root: string, others = '') => `
companies:
  - name: A
    users:
      - { username: alice, ${alice} }
${others}
operators: [{ username: root, ${root} }]
`;
    const hash = `passwordHash: "${await passwords.hash('eleven char')}"`;
    const short = 'password: eleven char';
    await linesOf(file(hash, hash));
    expect(await linesOf(file(short, short))).toEqual([]);
    const long = `password: ${'a'.repeat(1_025)}`;
    const others = `      - { username: bob, ${short} }\n      - { username: carol, ${long} }`;
    expect(await faultsOf(file('password: another one', short, others))).toEqual([
      'companies[0].users[0].password (line 5, column 38): must have at least 12 characters',
      'companies[0].users[1].password (line 6, column 36): must have at least 12 characters',
      'companies[0].users[2].password (line 7, column 38): must have at most 1024 characters',
    ]);
    expect(await faultsOf(file(short, 'password: ""'))).toEqual([
      'operators[0].password (line 7, column 41): must have at least 12 characters',
    ]);
  });

  test('[RUN-3] A dry run of a provisioning file reports the same changes and makes none', async () => {
    const dry = await apply(nordicCare, { dryRun: true });
    expect((await state()).companies).toEqual([]);
    expect(dry).toEqual({ kind: 'applied', lines: await linesOf(nordicCare), warnings: [] });
    const before = await state();
    const changed = nordicCare.replace('5000', '6000').replace('the first password', 'the second password');
    expect(await newsOf(() => apply(changed, { dryRun: true }))).toEqual([]);
    expect(await state()).toEqual(before);
    const wouldBe = ['~ user alice in Nordic Care: password changed, quotaParts 5000 -> 6000'];
    expect(await apply(changed, { dryRun: true })).toEqual({ kind: 'applied', lines: wouldBe, warnings: [] });
  });

  test('[RUN-3] Applying a provisioning file removes what is marked for removal, and with a company its users and their keys', async () => {
    await linesOf(nordicCare);
    await store.write(getOrCreateKey, { id: 1, userId: 501, name: 'key', createdAt: 0 });
    const removal = `
companies: [{ name: Nordic Care, remove: true }]
carriers: [{ name: spare, remove: true }]
routes: [{ prefix: "4673", remove: true }, { prefix: "46", remove: true }]
numbers: [{ number: "46731230001" }, { number: "46731230002", remove: true }]
operators: [{ username: root, remove: true }]
`;
    expect(await linesOf(removal)).toEqual([
      '- company Nordic Care',
      '- user alice in Nordic Care',
      '- user bob in Nordic Care',
      '- carrier spare',
      '- route 4673',
      '~ number 46731230001: rentedBy alice -> nobody',
      '- number 46731230002',
      '- operator root',
    ]);
    const left = await state();
    expect(left).toMatchObject({ companies: [], users: [], operators: [] });
    expect(left.numbers).toEqual([{ number: '46731230001', rentedBy: undefined, pool: false }]);
    expect(await store.read(listKeysOfUser, 'alice')).toBe('unknownUser');
    expect(await linesOf(removal)).toEqual([]);
  });

  test('[RUN-3] A provisioning file puts a number into the pool, and takes it out by renting it to a user', async () => {
    await linesOf(nordicCare);
    const pooled = 'numbers: [{ number: "46731239001", pool: true }]';
    expect(await linesOf(pooled)).toEqual(['+ number 46731239001: pool true']);
    expect(await linesOf(pooled)).toEqual([]);
    expect(await linesOf('numbers: [{ number: "46731239001", rentedBy: alice }]')).toEqual([
      '~ number 46731239001: rentedBy nobody -> alice, pool true -> false',
    ]);
  });

  test('[RUN-3] A user who is removed and made again is a new user, and does not inherit the API keys', async () => {
    await linesOf(nordicCare);
    const bob = (await store.read(findAccountByUsername, 'bob'))?.user;
    await store.write(getOrCreateKey, { id: 1, userId: bob?.id ?? 0, name: 'key', createdAt: 0 });
    const only = (user: string) =>
      `companies: [{ name: Nordic Care, quotaParts: 100000, defaultSender: NordicCare, users: [${user}] }]`;
    expect(await linesOf(only('{ username: bob, remove: true }'))).toEqual(['- user bob in Nordic Care']);
    await linesOf(only('{ username: bob }'));
    expect((await store.read(findAccountByUsername, 'bob'))?.user.id).toBeGreaterThan(bob?.id ?? 0);
    expect(await store.read(listKeysOfUser, 'bob')).toEqual([]);
  });

  test('[RUN-3] Generated ids skip the ids that a provisioning file has given', async () => {
    const users = (...given: readonly string[]) =>
      linesOf(`companies: [{ name: A, id: 1005, users: [${given.join(', ')}] }]`);
    await users(
      '{ username: a }',
      '{ username: b, id: 10002 }',
      '{ username: c }',
      '{ username: d, id: 10004 }',
    );
    await users(
      '{ username: e }',
      '{ username: f, id: 3 }',
      '{ username: g, id: 900000000000 }',
      '{ username: h }',
    );
    await linesOf('companies: [{ name: B }, { name: C }]');
    const { objects } = await store.read(readState, { users: named(...'abcdefgh') });
    const { users: kept, companies } = objects;
    const ids = kept.map(({ id }) => id);
    expect(new Set(ids).size).toBe(8);
    expect(kept.find(({ username }) => username === 'h')?.id).toBeGreaterThan(900_000_000_000);
    expect(companies.map(({ id }) => id).sort()).toEqual([1_005, 1_006, 1_007]);
  });

  test('[RUN-3] Applying a provisioning file tells running servers which cached data is out of date', async () => {
    const base = 'companies: [{ name: A, users: [{ username: a }] }]\n';
    const carrier = 'carriers: [{ name: sim, type: simulator }]\n';
    expect(await newsOf(() => apply(base))).toEqual(['accounts', 'senders']);
    expect(await newsOf(() => apply(carrier))).toEqual(['carriers']);
    expect(await newsOf(() => apply('routes: [{ prefix: "", carriers: [sim] }]'))).toEqual(['carriers']);
    expect(await newsOf(() => apply('numbers: [{ number: 46731230001 }]'))).toEqual(['accounts', 'senders']);
    expect(await newsOf(() => apply(base + carrier))).toEqual([]);
  });

  test('[RUN-3] A provisioning file that is applied several times at once creates everything once', async () => {
    const results = await Promise.all(
      [1, 2, 3, 4].map(() => apply(nordicCare.replaceAll(/^.*password.*$/gm, ''))),
    );
    const outcomes = results.map((result) => (result.kind === 'applied' ? result.lines.length : result.kind));
    expect(outcomes.sort()).toEqual([0, 0, 0, 9]);
  });
});
