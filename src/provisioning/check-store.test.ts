import { beforeEach, expect, test } from 'vitest';
import { named, provisioningOf } from '../../test/harness/provisioning.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { findAccountByUsername } from '../accounts/account.ts';
import { listNumbers } from '../routing/number-records.ts';
import type { Store } from '../storage/store.ts';
import { readState } from './store.ts';

const nordicCare = `
companies:
  - name: Nordic Care
    users: [{ username: alice, id: 501 }, { username: bob }]
carriers:
  - { name: sim, type: simulator }
  - { name: spare, type: simulator }
routes:
  - { name: all, prefix: "", carriers: [sim] }
  - { prefix: "4673", carriers: [sim, spare] }
numbers:
  - { number: "46731230001", rentedBy: alice }
`;

eachStore('a provisioning file that the store forbids', (engine) => {
  let store: Store;
  beforeEach(async () => {
    store = (await engine.openFreshStore()).store;
    expect(await apply(nordicCare)).toMatchObject({ kind: 'applied' });
  });

  const { apply, ...provisioning } = provisioningOf(() => store);
  const faultsOf = async (content: string) =>
    (await provisioning.faultsOf(content)).map((line) => line.replace(/ \(line.*?\)/, ''));

  const state = () => store.read(readState, { users: named('alice', 'bob'), numbers: named('46731230001') });

  test('[RUN-3] A provisioning file with any fault applies nothing', async () => {
    const before = await state();
    expect(
      await faultsOf(`
companies:
  - { name: Nordic Care, id: 77 }
  - name: Other
    users: [{ username: alice }, { username: zoe, id: 501 }, { username: yan, pasword: x }]
carriers:
  - { name: new, type: simulator }
  - { name: sim, remove: true }
routes:
  - { name: other, prefix: "4673", carriers: [new, sim, nope], users: [bob, nobody] }
  - { name: twin, prefix: "4673", carriers: [new] }
numbers:
  - { number: 46731230005, rentedBy: xavier }
operators:
  - { username: second }
`),
    ).toEqual([
      expect.stringMatching(
        /^companies\[0\]\.id: the company Nordic Care has the id \d+, and ids cannot be changed$/,
      ),
      'companies[1].users[0].username: the user alice belongs to the company Nordic Care; usernames are unique in the whole service',
      'companies[1].users[1].id: this id belongs to the user alice',
      'companies[1].users[2].pasword: unknown key; did you mean "password"?',
      'carriers[1].remove: the route "4673" uses the carrier sim; change or remove that route too',
      'routes[0].carriers: there is no carrier "sim"',
      'routes[0].carriers: there is no carrier "nope"',
      'routes[0].users: there is no user "nobody"',
      'routes[1].prefix: the route "4673" is for the same numbers, senders and users with the same priority; give one of them another priority, or name all carriers in one of them and remove the other',
      'numbers[0].rentedBy: there is no user "xavier"',
      'operators[0]: a new operator needs a "password" or a "passwordHash"',
    ]);
    expect(await state()).toEqual(before);
  });

  test('[RUN-3] A provisioning file may not lead to a state that contradicts itself', async () => {
    expect(
      await faultsOf(`
companies:
  - name: A
    users:
      - { username: dave, senders: [Dave, "+46 731 230001"], defaultSender: Davy }
      - { username: erin, senders: [Erin, "+46 731 230001"], defaultSender: "46731230001" }
numbers: [{ number: 71000, rentedBy: dave, pool: true }, { number: 71001, company: A }]
`),
    ).toEqual([
      'companies[0].users[0].senders: 46731230001 belongs to another company. Send from a sender of your own',
      'companies[0].users[0].defaultSender: Davy is not among the "senders" that this user is limited to',
      'companies[0].users[1].senders: 46731230001 belongs to another company. Send from a sender of your own',
      'companies[0].users[1].defaultSender: 46731230001 belongs to another company. Send from a sender of your own',
      'numbers[0].pool: a number is either in the pool or rented; this one is rented by dave',
      'numbers[1].company: names the company whose pool has the number, so "pool: true" is needed too',
    ]);
  });

  test('[RUN-3] [SEND-15] The senders of a company, those of its users, and the default senders have to agree', async () => {
    expect(
      await faultsOf(`
companies:
  - name: A
    senders: [Clinic, Ward]
    defaultSender: Other
    users:
      - { username: dave, senders: [Ward, Dave] }
      - { username: erin, senders: [Erin] }
      - { username: fred, senders: [] }
`),
    ).toEqual([
      'companies[0].defaultSender: Other is not among the "senders" that this company is limited to',
      'companies[0].users[1].senders: none of these senders is among the "senders" of A',
    ]);
  });

  test('[RUN-3] A user can’t be removed while the user still rents a number', async () => {
    const expected =
      'the user alice rents the number 46731230001; rent it to another user, or remove the number too';
    expect(await faultsOf('companies: [{ name: Nordic Care, remove: true }]')).toEqual([
      `companies[0].remove: ${expected}`,
    ]);
    const user = 'companies: [{ name: Nordic Care, users: [{ username: alice, remove: true }] }]';
    expect(await faultsOf(user)).toEqual([`companies[0].users[0].remove: ${expected}`]);
    expect(await faultsOf(`${user}\nnumbers: [{ number: 46731230001, rentedBy: alice }]`)).toEqual([
      'numbers[0].rentedBy: there is no user "alice"',
    ]);
    const given = await apply(`${user}\nnumbers: [{ number: 46731230001, rentedBy: bob }]`);
    expect(given.kind === 'applied' && given.lines).toContain('- user alice in Nordic Care');
  });

  test('[RUN-3] [SEND-16] A company can’t be removed while a number of the pool still belongs to it', async () => {
    const number = '46731239001';
    const own = `numbers: [{ number: ${number}, pool: true, company: Nordic Care }]`;
    expect(await apply(own)).toMatchObject({
      lines: [`+ number ${number}: pool true, company Nordic Care`],
    });
    expect(await apply(own)).toMatchObject({ lines: [] });
    expect(await faultsOf(own.replace('Nordic', 'Southern'))).toEqual([
      'numbers[0].company: there is no company "Southern Care"',
    ]);
    const removal = 'companies: [{ name: Nordic Care, remove: true }]\nnumbers: [{ number: 46731230001 }';
    expect(await faultsOf(`${removal}]`)).toEqual([
      `companies[0].remove: the number ${number} is in the pool of the company Nordic Care; leave out its "company", or remove the number too`,
    ]);
    expect(await faultsOf(`${removal}, { number: ${number}, pool: true, company: Nordic Care }]`)).toEqual([
      'numbers[1].company: there is no company "Nordic Care"',
    ]);
    const released = await apply(`${removal}, { number: ${number}, pool: true }]`);
    expect(released.kind === 'applied' && released.lines).toContain(
      `~ number ${number}: company Nordic Care -> any`,
    );
    expect(await store.read(listNumbers, null)).toMatchObject([
      { number: '46731230001', pool: false, rentedBy: undefined, company: undefined },
      { number, pool: true, rentedBy: undefined, company: undefined },
    ]);
  });

  test('[RUN-3] [DLV-2] A user can’t be removed while a route is still limited to that user', async () => {
    const limited = 'routes: [{ name: bobs, prefix: "", carriers: [sim], users: [bob] }]';
    expect(await apply(limited)).toMatchObject({
      lines: ['+ route bobs: prefix "", carriers sim, users bob'],
    });
    const user = 'companies: [{ name: Nordic Care, users: [{ username: bob, remove: true }] }]';
    expect(await faultsOf(user)).toEqual([
      'companies[0].users[0].remove: the route "bobs" is limited to the user bob; change or remove that route too',
    ]);
    expect(await faultsOf(`${user}\n${limited}`)).toEqual(['routes[0].users: there is no user "bob"']);
    const both = await apply(`${user}\nroutes: [{ name: bobs, remove: true }]`);
    expect(both.kind === 'applied' && both.lines).toEqual(['- user bob in Nordic Care', '- route bobs']);
  });

  test('[RUN-3] [DLV-2] A route keeps its senders, users and priority, and changes to them are reported', async () => {
    const wordy = `routes:
  - { name: vip, prefix: 46, carriers: [sim], senders: ["+46 731 230 001", Clinic, Clinic], users: [bob], priority: 7 }`;
    const made = '+ route vip: prefix 46, carriers sim, senders 46731230001 Clinic, users bob, priority 7';
    expect(await apply(wordy)).toEqual({ kind: 'applied', lines: [made], warnings: [] });
    expect(await apply(wordy)).toEqual({ kind: 'applied', lines: [], warnings: [] });
    expect(await apply('routes: [{ name: vip, prefix: 46, carriers: [sim], priority: -1 }]')).toEqual({
      kind: 'applied',
      lines: ['~ route vip: senders 46731230001 Clinic -> any, users bob -> any, priority 7 -> -1'],
      warnings: [],
    });
  });

  test('[RUN-3] [AUTH-5] The ids of removed companies and users are not given again, neither by a file nor automatically', async () => {
    const withIds = `
companies:
  - name: Other
    id: 700
    users: [{ username: zoe, id: 900 }, { username: yan }]
`;
    expect(await apply(withIds)).toMatchObject({ kind: 'applied' });
    const drawn = async (username: string) =>
      (await store.read(findAccountByUsername, username))?.user.id ?? Number.NaN;
    const before = await drawn('yan');
    await apply('companies: [{ name: Other, remove: true }]');
    const again = 'is not reused; choose another, or leave the key out';
    expect(await faultsOf(withIds)).toEqual([
      `companies[0].id: this id belonged to a removed company and ${again}`,
      `companies[0].users[0].id: this id belonged to a removed user and ${again}`,
    ]);
    await apply('companies: [{ name: Other, users: [{ username: zoe }, { username: yan }] }]');
    expect(await drawn('zoe')).toBeGreaterThan(before);
    expect(await drawn('yan')).toBeGreaterThan(before);
    // An existing user keeps the id, and a file may state it.
    const kept = (await store.read(findAccountByUsername, 'yan'))?.user.id;
    const sameAgain = `companies: [{ name: Other, users: [{ username: yan, id: ${kept} }] }]`;
    expect(await apply(sameAgain)).toMatchObject({ kind: 'applied', lines: [] });
  });
});
