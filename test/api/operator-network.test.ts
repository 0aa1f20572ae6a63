/** Tests the operators' calls about carriers, routes, numbers, and what belongs to nobody. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alice, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { type BrowserSession, beginSession } from '../harness/browser-session.ts';

const olle = { username: 'olle', password: "olle's long password" };
const provisioning = `
companies:
  - name: Nordic Care
    defaultSender: NordicCare
    countryCode: "46"
    users:
      - { username: alice, password: "${alice.password}", roles: [send] }
      - { username: karin, password: "karin's long password", roles: [send, companyAdmin] }
carriers:
  - { name: sim, type: simulator, submitDelayMs: 0, receiptDelayMs: 20, throughput: 50 }
  - { name: off, type: simulator, down: true }
  - { name: op1, type: smpp, host: 127.0.0.1, port: 9, systemId: nordic, password: "s3cretpw" }
routes:
  - { name: all, prefix: "", carriers: [sim], simulated: true }
  - { name: norway, prefix: "47", carriers: [op1] }
  - { name: sweden, prefix: "46", carriers: [off], simulated: true }
  - { name: reserve, prefix: "46", carriers: [sim], priority: -1, simulated: true }
  - { name: clinic, prefix: "46", carriers: [sim], users: [karin], senders: [Clinic], simulated: true }
numbers:
  - { number: "46731230001", rentedBy: alice }
  - { number: "46731230100", pool: true }
operators:
  - { username: olle, password: "${olle.password}" }
`;
const base = '/api/v1/operator';

interface Named {
  readonly name: string;
}

describe('what operators see of the network', () => {
  let app: WholeApp;
  let session: BrowserSession;
  const signIn = () => beginSession(app, olle, '/portal/api/operator/session');
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning });
    session = await signIn();
  });
  afterAll(() => app?.close());

  const read = async (path: string, query: Record<string, string> = {}) => {
    const { status, body } = await session.get(`${base}${path}`, query);
    return { status, ...(body as object) } as unknown as Record<string, never>;
  };

  test('[PORT-11] [PORT-3] Operators see how each carrier does at each node, its routes and settings, and no password', async () => {
    const seen = async () =>
      (await read('/carriers')).carriers as unknown as (Named & {
        state: string;
        nodes: { reason?: string }[];
      })[];
    await until(async () => (await seen()).every(({ state }) => state === 'up' || state === 'down'));
    expect(await seen()).toMatchObject([
      { name: 'sim', type: 'simulator', state: 'up', throughput: 50, waiting: 0, inFlight: 0, routes: 3 },
      { name: 'off', state: 'down', routes: 1, nodes: [{ reason: 'it is set to be down', silent: false }] },
      {
        name: 'op1',
        type: 'smpp',
        state: 'down',
        nodes: [{ binds: 1, bindsUp: 0, window: expect.any(Number) }],
      },
    ]);
    const one = await read('/carriers/op1');
    const settings = one.settings as unknown as Named[];
    expect(settings).toContainEqual({ name: 'systemId', value: '"nordic"' });
    expect(settings.map(({ name }) => name)).not.toContain('password');
    expect(JSON.stringify(one)).not.toContain('s3cretpw');
    expect(JSON.stringify(one)).not.toContain('sealed');
    expect(await read('/carriers/nowhere')).toMatchObject({
      status: 404,
      values: { sentence: 'no_carrier' },
    });
  });

  test('[PORT-11] Operators see what waits for a carrier that is down, and which way a message would take now', async () => {
    const sent = await app.as(alice).post('/restsms/svcrest/send', { to: ['4712345678'], message: 'Hei' });
    expect(sent.status).toBe(200);
    await until(async () => Number((await read('/carriers/op1')).waiting) === 1);
    expect(await read('/explain-route', { number: '4712345678' })).toMatchObject({
      number: '4712345678',
      carriers: [{ name: 'op1', state: 'down' }],
      waits: true,
      more: false,
      steps: [
        { route: { name: 'norway' }, taken: true, reason: 'waits' },
        { route: { name: 'all' }, taken: false, reason: 'shorterPrefix' },
      ],
    });
    const reasons = async (query: Record<string, string>) => {
      const { steps, carriers, ...explained } = await read('/explain-route', query);
      const of = steps as unknown as { route: Named; reason: string }[];
      return {
        ...(explained as object),
        carriers: (carriers as unknown as Named[]).map(({ name }) => name),
        steps: of.map(({ route, reason }) => `${route.name} ${reason}`),
      };
    };
    expect(await reasons({ number: '070-174 06 00', user: 'alice' })).toMatchObject({
      number: '46701740600',
      company: 'Nordic Care',
      sender: 'NordicCare',
      carriers: ['sim'],
      waits: false,
      steps: ['clinic limited', 'sweden down', 'reserve takes', 'all shorterPrefix'],
    });
    expect(await reasons({ number: '46701740600', user: 'karin', sender: 'Clinic' })).toMatchObject({
      steps: ['clinic takes', 'sweden failover', 'reserve failover', 'all shorterPrefix'],
    });
    expect(await read('/explain-route', { number: '46701740600', user: 'nobody' })).toMatchObject({
      status: 404,
      errors: [{ field: 'user', values: { sentence: 'no_account' } }],
    });
    expect(await read('/explain-route', { number: '07' })).toMatchObject({
      status: 400,
      errors: [{ field: 'number' }],
    });
  });

  test('[PORT-11] [PORT-4] Operators page through the routes, longest prefix first, and those of one carrier', async () => {
    const names: string[] = [];
    let after: string | undefined;
    do {
      const page = await read('/routes', { limit: '2', ...(after === undefined ? {} : { after }) });
      names.push(...(page.routes as unknown as Named[]).map(({ name }) => name));
      after = page.next;
    } while (after !== undefined);
    expect(names).toEqual(['clinic', 'norway', 'sweden', 'reserve', 'all']);
    expect((await read('/routes', { carrier: 'off' })).routes).toMatchObject([
      { name: 'sweden', prefix: '46', carriers: ['off'], priority: 0 },
    ]);
    expect((await session.get(`${base}/routes`, { after: 'wrong' })).status).toBe(400);
  });

  test('[PORT-11] Operators see who rents each number, and how many phones may answer to one of the pool', async () => {
    const to = ['46701740600', '46701740601'];
    const asked = { to, message: 'Come?', twoway: true };
    expect((await app.as(alice).post('/restsms/svcrest/send', asked)).status).toBe(200);
    expect((await read('/numbers')).numbers).toMatchObject([
      { number: '46731230001', use: 'rented', username: 'alice', company: 'Nordic Care', leases: 0 },
      { number: '46731230100', use: 'pool', leases: 2, lastUsed: expect.any(String) },
    ]);
    expect((await read('/numbers', { use: 'pool' })).numbers).toMatchObject([{ number: '46731230100' }]);
    expect((await read('/numbers', { number: '467312300' })).numbers).toMatchObject([
      { number: '46731230001' },
    ]);
  });

  test('[PORT-11] [PORT-3] [PORT-7] Unclaimed SMS show no text; an operator gives one to a user, and the company can read who did', async () => {
    const secret = 'A text that no operator reads';
    const simulated = await app.run(
      ...['simulate', 'incoming', '--to', '46101', '--from', '46701740699', '--text', secret],
    );
    expect(simulated).toMatchObject({ exitCode: 0 });
    const page = await session.get(`${base}/unrouted`);
    expect(page.body.unrouted).toMatchObject([{ from: '46701740699', to: '46101' }]);
    expect(JSON.stringify(page.body)).not.toContain(secret);
    const [{ id }] = page.body.unrouted as [{ id: string }];
    const give = (user: string) => session.post(`${base}/unrouted/${id}/assign`, { user });
    expect(await give('nobody')).toMatchObject({ status: 404, body: { values: { sentence: 'no_account' } } });
    expect(await give('alice')).toMatchObject({ status: 200, body: { id, username: 'alice' } });
    expect(await give('alice')).toMatchObject({ status: 404 });
    expect((await read('/unrouted')).unrouted).toEqual([]);
    const incoming = await app.as(alice).get('/restsms/svcrest/incoming');
    expect(JSON.stringify(incoming.body)).toContain(secret);
    const karin = app.as({ username: 'karin', password: "karin's long password" });
    expect((await karin.get('/api/v1/audit')).body.entries).toContainEqual(
      expect.objectContaining({ act: 'incoming.assign', username: 'olle', channel: 'operator' }),
    );
  });

  test('[PORT-11] Operators see that every receipt belongs to a message', async () => {
    expect(await read('/receipts/unmatched')).toEqual({ status: 200, receipts: [] });
    expect(await read('/receipts/unmatched/carriers')).toEqual({ status: 200, carriers: [] });
  });
});
