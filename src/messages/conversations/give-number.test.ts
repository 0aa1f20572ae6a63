/** Tests that an administrator gives a rented number to another user of the company, and to nobody else. */
import { beforeEach, expect, test } from 'vitest';
import { putNumber } from '../../../test/harness/account-verbs.ts';
import { provisioningOf } from '../../../test/harness/provisioning.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { listAudit } from '../../audit/audit-log.ts';
import type { Store } from '../../storage/store.ts';
import { giveNumber, listNumbersOfCompany, versionOf } from './numbers.ts';

const file = `
companies:
  - name: Care
    id: 1
    users:
      - { username: alice, id: 11, roles: [send] }
      - { username: bob, id: 12, roles: [send] }
      - { username: gone, id: 13, roles: [send], active: false }
  - { name: Taxi, id: 2, users: [{ username: tom, id: 21, roles: [send] }] }
numbers: [{ number: "46731230100", pool: true }, { number: "46731230009", rentedBy: alice }]
`;
const number = '46731230001';

eachStore('a number that is given to another user', (engine) => {
  let store: Store;
  beforeEach(async () => {
    store = (await engine.openFreshStore()).store;
    await provisioningOf(() => store).linesOf(file);
    await store.write(putNumber, { number, userId: 11 });
  });

  const by = { channel: 'portal', username: 'per' } as const;
  const give = (username: string, of = number, more: { companyId?: number; version?: string } = {}) =>
    store.write(giveNumber, {
      companyId: more.companyId ?? 1,
      number: of,
      username,
      ifMatch: more.version === undefined ? undefined : [more.version],
      by,
      now: 1_000,
    });
  const renters = async () => {
    const query = { companyId: 1, after: '', limit: 10, now: 1_000 };
    const { numbers } = await store.read(listNumbersOfCompany, query);
    return numbers.map((one) => [one.number, one.username, one.managed]);
  };
  const others = [
    ['46731230009', 'alice', true],
    ['46731230100', null, false],
  ];

  test('[PORT-10] [PORT-7] A rented number goes to another user of the company, which the audit log records once', async () => {
    expect(await renters()).toEqual([[number, 'alice', false], ...others]);
    expect(await give('bob')).toEqual({ username: 'bob' });
    expect(await give('bob')).toEqual({ username: 'bob' });
    expect(await renters()).toEqual([[number, 'bob', false], ...others]);
    const entries = await store.read(listAudit, { companyId: 1, before: null, limit: 10 });
    expect(entries.filter(({ act }) => act === 'number.give')).toMatchObject([
      { object: number, details: 'from alice to bob', username: 'per', channel: 'portal' },
    ]);
  });

  test.each([
    ['to a user of another company', 'not_found', () => give('tom')],
    ['to nobody that there is', 'not_found', () => give('nobody')],
    ['to a user who is not active', 'too_late', () => give('gone')],
    ['by an administrator of another company', 'not_found', () => give('tom', number, { companyId: 2 })],
    ['if it is of the pool', 'not_found', () => give('bob', '46731230100')],
    ['if there is no such number', 'not_found', () => give('bob', '46731230777')],
    ['if a provisioning file has its user', 'managed', () => give('bob', '46731230009')],
    [
      'if somebody else gave it away meanwhile',
      'changed_meanwhile',
      () => give('bob', number, { version: versionOf({ username: 'carl' }) }),
    ],
  ] as const)('[PORT-10] [PORT-6] A number is not given away %s (%s)', async (_, code, tried) => {
    expect(await tried()).toMatchObject({ refused: { code } });
    expect(await renters()).toEqual([[number, 'alice', false], ...others]);
  });
});
