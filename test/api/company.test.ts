/** Tests the calls by which administrators read and change their company, and give its numbers to other users. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ifMatch } from '../harness/api-client.ts';
import { alice, bob, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { sendPath } from '../harness/messaging.ts';

const path = '/api/v1/company';
const erin = { username: 'erin', password: "erin's long password" };
const provisioning = standardProvisioning
  .replace('roles: [send] }', 'roles: [send, companyAdmin] }')
  .replace(
    '\ncarriers:',
    `
    limits: { partsPerDay: 20000, countries: [SE] }
  - name: Others
    defaultSender: Others
    senders: [Others, Reserved]
    users: [{ username: erin, password: "erin's long password", roles: [companyAdmin] }]
carriers:`,
  )
  .concat('  - { number: "46731230002", pool: true }\n');

describe('a company through the management API', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning });
  });
  afterAll(() => app?.close());

  test('[PORT-10] [SEND-2] A change of the company holds from the next call on, and its limits are shown only', async () => {
    const client = app.as(alice);
    const before = await client.get(path);
    expect(before.body).toMatchObject({
      name: 'Nordic Care',
      defaultSender: 'NordicCare',
      language: 'en',
      partsPerDay: 20_000,
      countries: ['SE'],
      managed: true,
      managedKeys: ['defaultSender', 'limits'],
    });
    expect(before.headers.get('etag')).toBe(`"${before.body.version}"`);
    const changed = await client.patch(path, { countryCode: '46' }, ifMatch(before.body.version));
    expect(changed.body).toMatchObject({ countryCode: '46', partsPerDay: 20_000 });
    const sent = await client.post(sendPath, { to: ['0701740699'], message: 'Hello' });
    expect(sent.body).toMatchObject({ accepted: [{ to: '46701740699' }] });
    const late = await client.patch(path, { language: 'sv' }, ifMatch(before.body.version));
    expect(late).toMatchObject({ status: 412, body: { code: 'changed_meanwhile' } });
    expect((await client.patch(path, { partsPerDay: 1 })).status).toBe(400);
    const audit = (await client.get('/api/v1/audit')).body.entries;
    expect(audit[0]).toMatchObject({ act: 'company.change', object: 'Nordic Care', details: 'countryCode' });
    const cleared = await client.patch(path, { countryCode: '' });
    expect(cleared.body.countryCode).toBeUndefined();
  });

  test.each<[object, code: string, field: string | undefined]>([
    [{ defaultSender: 'Another' }, 'managed', undefined],
    [{ countryCode: '046' }, 'invalid_value', 'countryCode'],
    [{ language: 'fi' }, 'invalid_value', 'language'],
    [{ secondFactor: 'some' }, 'invalid_value', 'secondFactor'],
    [{ sendHoursFrom: '7' }, 'invalid_value', 'sendHoursFrom'],
    [{ sendHoursFrom: '07:00', sendHoursTo: '21:00' }, 'missing_parameter', 'sendHoursZone'],
    [
      { sendHoursFrom: '07:00', sendHoursTo: '21:00', sendHoursZone: 'Stockholm' },
      'invalid_value',
      'sendHoursZone',
    ],
    [{ timeZone: '+02:00' }, 'invalid_value', 'timeZone'],
    [{ costCenters: [{ code: '4711' }] }, 'missing_parameter', 'costCenters[0].name'],
    [{ costCenters: [{ code: '4;7', name: 'Ward' }] }, 'invalid_value', 'costCenters'],
    [{ costCenters: [{ code: ' ', name: 'Ward' }] }, 'invalid_value', 'costCenters'],
    [{ costCenters: [{ code: '4711', name: ' ' }] }, 'invalid_value', 'costCenters'],
    [{ costCenters: new Array(101).fill({ code: '1', name: 'Ward' }) }, 'invalid_value', 'costCenters'],
    [{ sendHoursFrom: '07:00', sendHoursTo: '07:00', sendHoursZone: 'UTC' }, 'invalid_value', 'sendHoursTo'],
  ])(
    '[PORT-6] [PORT-10] A change to %j is refused as %s, and nothing changes',
    async (change, code, field) => {
      const client = app.as(alice);
      const { version } = (await client.get(path)).body;
      const { body } = await client.patch(path, change);
      expect(body.errors?.[0] ?? body).toMatchObject(field === undefined ? { code } : { code, field });
      expect((await client.get(path)).body.version).toBe(version);
    },
  );

  test('[PORT-10] Cost centres that administrators have named are suggested to everybody, and others are still taken', async () => {
    const costCenters = [{ code: '4711', name: 'Ward 7' }];
    expect((await app.as(alice).patch(path, { costCenters })).body).toMatchObject({ costCenters });
    expect((await app.as(bob).get(`${path}/costcenters`)).body).toEqual({ costCenters });
    expect((await app.as(erin).get(`${path}/costcenters`)).body).toEqual({ costCenters: [] });
    const sent = await app
      .as(bob)
      .post(sendPath, { to: ['+46701740699'], message: 'Hello', costcenter: 'another' });
    expect(sent.body).toMatchObject({ accepted: [{ to: '46701740699' }] });
  });

  test('[PORT-10] A default sender must be one that the company may use', async () => {
    const client = app.as(erin);
    expect((await client.patch(path, { defaultSender: 'Reserved' })).body).toMatchObject({ code: 'managed' });
    await app.apply('companies: [{ name: Others, senders: [Others, Reserved] }]');
    await until(async () => (await client.get(path)).body.managedKeys.includes('defaultSender') === false);
    expect((await client.patch(path, { defaultSender: 'Free' })).body.errors).toMatchObject([
      { field: 'defaultSender', code: 'sender_not_allowed' },
    ]);
    expect((await client.patch(path, { defaultSender: 'Reserved' })).body).toMatchObject({
      defaultSender: 'Reserved',
    });
  });

  test('[PORT-6] A number of which the provisioning file says who rents it is marked, and stays with that user', async () => {
    const client = app.as(alice);
    const listed = async () => (await client.get('/api/v1/numbers')).body.numbers;
    const before = await listed();
    expect(before).toMatchObject([
      { number: '46731230001', username: 'alice', managed: true },
      { number: '46731230002', use: 'pool', managed: false },
    ]);
    const given = await client.patch('/api/v1/numbers/46731230001', { user: 'bob' });
    expect(given).toMatchObject({ status: 409, body: { code: 'managed' } });
    expect(await listed()).toEqual(before);
  });

  test('[PORT-10] Numbers of the pool or of others, and users who are not of the company, are refused', async () => {
    const client = app.as(alice);
    for (const number of ['46731230002', '46700000000'])
      expect((await client.patch(`/api/v1/numbers/${number}`, { user: 'bob' })).body).toMatchObject({
        code: 'not_found',
      });
    expect((await app.as(erin).patch('/api/v1/numbers/46731230001', { user: 'erin' })).body).toMatchObject({
      code: 'not_found',
    });
    expect(await app.as(bob).patch('/api/v1/numbers/46731230001', { user: 'bob' })).toMatchObject({
      status: 403,
      body: { code: 'role_missing' },
    });
  });
});
