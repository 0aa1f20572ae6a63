/** Tests what operators see of companies, messages and nodes, and that texts show only where they may. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { type BrowserSession, beginSession } from '../harness/browser-session.ts';
import { eachEngine } from '../harness/engines.ts';
import { inAnHour, sendOne } from '../harness/messaging.ts';

const olle = { username: 'olle', password: "olle's long password" };
const provisioning = `${standardProvisioning}operators:
  - { username: olle, password: "${olle.password}" }
`.replace('defaultSender: NordicCare', 'defaultSender: NordicCare\n    quotaParts: 500');

const companies = '/api/v1/operator/companies';

describe.each([
  ['off', undefined],
  ['on', 'Hello from the ward'],
] as const)('with CARILLON_OPERATORS_READ %s', (setting, shown) => {
  let app: WholeApp;
  let session: BrowserSession;
  beforeAll(async () => {
    app = await startWholeApp({
      engine: 'sqlite',
      provisioning,
      env: { CARILLON_OPERATORS_READ: setting },
    });
    session = await beginSession(app, olle, '/portal/api/operator/session');
  });
  afterAll(() => app?.close());

  test('[PORT-3] [PORT-11] An operator sees a message of any company, and its text only where that is allowed', async () => {
    const id = await sendOne(app.as(alice), { message: 'Hello from the ward' });
    const [company] = (await session.get(companies)).body.companies;
    const path = `${companies}/${company.id}/messages/${id}`;
    await until(async () => (await session.get(path)).body.status === 'DELIVERED');
    const answer = await session.get(path);
    expect(answer.body).toMatchObject({ id, username: 'alice', status: 'DELIVERED', carrier: 'sim' });
    expect(answer.body.message).toBe(shown);
    expect(answer.text.includes('Hello')).toBe(shown !== undefined);
    expect((await session.get(`${companies}/${company.id}/messages/999999`)).status).toBe(404);
    expect((await session.get(`${companies}/999/messages/${id}`)).status).toBe(404);
    expect((await session.get('/portal/api/operator/session')).body.readsTexts).toBe(shown !== undefined);
  });

  test('[PORT-11] An operator sees companies and their users, and each company’s log records who has looked', async () => {
    const { body } = await session.get(companies);
    expect(body.companies).toMatchObject([
      { name: 'Nordic Care', active: true, users: 3, quotaParts: 500, quotaUsed: 1, sentToday: 1 },
    ]);
    const { id } = body.companies[0];
    expect((await session.get(`${companies}/${id}`)).body).toMatchObject({ defaultSender: 'NordicCare' });
    const first = (await session.get(`${companies}/${id}/users`, { limit: '2' })).body;
    const rest = (await session.get(`${companies}/${id}/users`, { limit: '2', after: first.next })).body;
    const names = [...first.users, ...rest.users].map(({ username }: { username: string }) => username);
    expect([names, rest.next]).toEqual([['alice', 'bob', 'carol'], undefined]);
    expect((await session.get(`${companies}/77`)).status).toBe(404);
    const log = JSON.parse((await app.run('audit', '--json')).stdout) as {
      act: string;
      company: string;
      channel: string;
    }[];
    const looks = log.filter(({ channel, company }) => channel === 'operator' && company === 'Nordic Care');
    expect(looks.map(({ act }) => act).sort()).toEqual(['company.look', 'message.read']);
  });
});

eachEngine('the state of the service', (engine) => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine, provisioning });
  });
  afterAll(() => app?.close());

  test('[PORT-11] An operator sees the nodes, what waits, the store, and when the file was applied', async () => {
    await sendOne(app.as(alice), { scheduletime: inAnHour() });
    const session = await beginSession(app, olle, '/portal/api/operator/session');
    const { status, body } = await session.get('/api/v1/operator/service');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      nodes: [{ silent: false, roles: ['http', 'dispatch', 'mail', 'jobs'] }],
      waiting: [],
      store: { engine, damaged: false },
      files: [{}],
    });
    const [node] = body.nodes;
    expect(Date.parse(node.lastBeat)).toBeGreaterThan(Date.parse(node.started) - 60_000);
    expect(body.store.bytes).toBeGreaterThan(100_000);
    expect(body.store.schema).toBeGreaterThan(60);
  });
});
