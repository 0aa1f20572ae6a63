/** Tests the SMS by which operators try a carrier, against an SMSC that is not ours: what becomes of each, and what it leaves alone. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandStatus } from '../../src/wire/smpp/command-status.ts';
import { HttpUpstream } from '../carriers/http-upstream.ts';
import { NpmSmsc } from '../carriers/npm-smsc.ts';
import { alice, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { type BrowserSession, beginSession, sessionOf } from '../harness/browser-session.ts';
import { describePostgres, eachEngine } from '../harness/engines.ts';
import { freePort } from '../harness/free-port.ts';
import { query } from '../harness/messaging.ts';

const olle = { username: 'olle', password: "olle's long password" };
const signInPath = '/portal/api/operator/session';

const secret = 'a t0ken of ours';

function provisioning(port: number, closedPort: number, serviceUrl = 'http://127.0.0.1:1'): string {
  const link =
    'type: smpp, host: 127.0.0.1, systemId: me, password: pw, reconnectMinMs: 50, reconnectMaxMs: 200';
  return `
companies:
  - name: Nordic Care
    defaultSender: NordicCare
    quotaParts: 100
    users: [{ username: alice, password: "${alice.password}", roles: [send, companyAdmin] }]
carriers:
  - { name: sim, type: simulator }
  - { name: op1, ${link}, port: ${port}, responseTimeoutMs: 1000 }
  - { name: away, ${link}, port: ${closedPort} }
  - name: web
    type: http
    secrets: { token: "${secret}" }
    submit:
      url: ${serviceUrl}/send
      headers: { Authorization: "Bearer {token}" }
      json: { to: "{to}", text: "{text}" }
      accepted: { id: /id }
      refusals: [{ status: [401], at: /error, then: down }]
routes:
  - { name: all, prefix: "", carriers: [sim], simulated: true }
operators:
  - { username: olle, password: "${olle.password}" }
`;
}

interface Test {
  readonly id: string;
  readonly state: string;
  readonly status?: string;
  readonly reason?: string;
  readonly carrierMessageId?: string;
  readonly conversation?: string;
}

const pathOf = (carrier: string) => `/api/v1/operator/carriers/${carrier}/tests`;

async function testOf(session: BrowserSession, carrier: string, id: string): Promise<Test> {
  const { status, body } = await session.get(pathOf(carrier));
  expect(status).toBe(200);
  return (body.tests as Test[]).find((one) => one.id === id) as Test;
}

async function whenTest(
  session: BrowserSession,
  carrier: string,
  id: string,
  holds: (test: Test) => boolean,
): Promise<Test> {
  await until(async () => holds(await testOf(session, carrier, id)));
  return testOf(session, carrier, id);
}

/** The limit of tests is for a minute. */
const forgetTests = (app: WholeApp) =>
  query(app, 'UPDATE carrier_tests SET asked_at = asked_at - 90000000 RETURNING id');

eachEngine('tests of carriers', (engine) => {
  let app: WholeApp;
  let smsc: NpmSmsc;
  let service: HttpUpstream;
  let session: BrowserSession;
  beforeAll(async () => {
    smsc = await NpmSmsc.listen();
    service = await HttpUpstream.listen();
    const file = provisioning(smsc.port, await freePort(), service.url);
    app = await startWholeApp({ engine, provisioning: file });
    session = await beginSession(app, olle, signInPath);
    await until(() => smsc.binds.length > 0);
  });
  afterAll(async () => {
    await app?.close();
    await smsc?.close();
    await service?.close();
  });

  const send = async (carrier: string, more: object = {}): Promise<Test> => {
    const { status, body } = await session.post(pathOf(carrier), { to: '+46 70 174 06 99', ...more });
    expect(status).toBe(200);
    return body as unknown as Test;
  };
  const ended = async (carrier: string, { id }: Test) =>
    whenTest(session, carrier, id, ({ state }) => state !== 'waiting');

  test('[PORT-11] [DLV-5] A test goes out by the chosen carrier past the routes, and its answer and receipt are shown', async () => {
    await until(async () => (await session.get('/api/v1/operator/carriers/op1')).body.state === 'up');
    const asked = await send('op1', { from: 'Tester', message: 'Hello there' });
    expect(asked).toMatchObject({ to: '46701740699', from: 'Tester', operator: 'olle' });
    const done = await whenTest(session, 'op1', asked.id, ({ status }) => status === 'DELIVERED');
    const [taken] = smsc.taken;
    expect(done).toMatchObject({
      state: 'accepted',
      carrierMessageId: taken?.id,
      reported: expect.any(String),
    });
    expect(taken).toMatchObject({
      text: 'Hello there',
      pdu: { source_addr: 'Tester', destination_addr: '46701740699' },
    });
    expect(smsc.taken).toHaveLength(1);
  });

  test('[PORT-11] A test concerns no company: no message, no quota, no usage, no unmatched receipt, and one entry of the audit log', async () => {
    const client = app.as(alice);
    expect((await client.get('/api/v1/messages')).body.messages).toEqual([]);
    expect((await client.get('/api/v1/quota')).body).toMatchObject({ company: { quota: { left: 100 } } });
    expect((await client.get('/api/v1/usage')).body.usage).toEqual([]);
    const left = [
      'messages',
      'message_parts',
      'message_log',
      'message_events',
      'parked_receipts',
      'unmatched_receipts',
    ];
    for (const table of left)
      expect([table, await query(app, `SELECT * FROM ${table}`)]).toEqual([table, []]);
    const entries = await query(
      app,
      "SELECT company_id, channel, username, object, details FROM audit_log WHERE act = 'carrier.test'",
    );
    expect(entries.map((entry) => ({ ...entry, company_id: Number(entry.company_id) }))).toEqual([
      { company_id: 0, channel: 'operator', username: 'olle', object: 'op1', details: '' },
    ]);
  });

  test('[PORT-11] A refusal is shown with its status, whether for good or for now, and nothing is sent again', async () => {
    await forgetTests(app);
    const before = smsc.taken.length;
    smsc.refusals.push(commandStatus.ESME_RINVDSTADR);
    expect(await ended('op1', await send('op1'))).toMatchObject({
      state: 'refused',
      status: 'INVALIDDESTINATION',
      reason: 'the SMSC refused it: ESME_RINVDSTADR (0x0B)',
      reasonValues: { sentence: 'smsc_refused' },
    });
    smsc.refusals.push(commandStatus.ESME_RTHROTTLED);
    expect(await ended('op1', await send('op1'))).toMatchObject({
      state: 'notTaken',
      reason: 'the SMSC refused it: ESME_RTHROTTLED (0x58)',
    });
    const { body } = await session.get(pathOf('op1'), {}, { 'accept-language': 'sv' });
    expect(body.tests[0].reason).toBe('operatören tog inte emot det: ESME_RTHROTTLED (0x58)');
    smsc.refusals.push('silence');
    const silent = await ended('op1', await send('op1'));
    expect(silent).toMatchObject({ state: 'unanswered' });
    expect(silent.carrierMessageId).toBe(undefined);
    expect(smsc.taken).toHaveLength(before);
  });

  test('[PORT-11] [DLV-5] A receipt that comes before the response finds its test, and so does the same one again', async () => {
    await forgetTests(app);
    await until(async () => (await session.get('/api/v1/operator/carriers/op1')).body.state === 'up');
    smsc.holdsAnswers = true;
    const asked = await send('op1');
    const count = smsc.taken.length;
    await until(() => smsc.taken.length > count);
    const id = smsc.taken.at(-1)?.id ?? '';
    await until(async () => (await query(app, 'SELECT * FROM parked_receipts')).length > 0);
    smsc.releaseAnswers();
    await whenTest(session, 'op1', asked.id, ({ status }) => status === 'DELIVERED');
    smsc.tell({ id, from: '46701740699' });
    await until(async () => (await query(app, 'SELECT * FROM parked_receipts')).length === 0);
    expect((await session.get('/api/v1/operator/receipts/unmatched')).body.receipts).toEqual([]);
    expect(await testOf(session, 'op1', asked.id)).toMatchObject({ state: 'accepted', status: 'DELIVERED' });
  });

  test('[PORT-11] [HTTPC-4] A test of a carrier by HTTP tells the conversation, and no secret is shown, logged or stored', async () => {
    await forgetTests(app);
    await until(async () => (await session.get('/api/v1/operator/carriers/web')).body.state === 'up');
    const said = (conversation: string | undefined) =>
      conversation?.split('\n').filter((line) => line !== '');
    const request = [
      `POST ${service.url}/send`,
      ...['user-agent: Carillon', 'content-type: application/json', 'authorization: Bearer ***'],
      '{"to":"46701740699","text":"Hi"}',
    ];
    const accepted = await ended('web', await send('web', { message: 'Hi' }));
    expect(accepted).toMatchObject({ state: 'accepted', carrierMessageId: 'up-1' });
    expect(said(accepted.conversation)).toEqual([
      ...request,
      ...['HTTP 200', 'content-type: application/json', '{"id":"up-1"}'],
    ]);
    expect(service.submissions[0]?.headers.authorization).toBe(`Bearer ${secret}`);
    service.rule = ({ headers }, response) =>
      service.answer(response, 401, { error: `no ${headers.authorization}` });
    const command = await app.run('carriers', 'test', 'web', '--to', '46701740699', '--text', 'Hi');
    expect(command.exitCode).toBe(1);
    const refusing = async () =>
      JSON.stringify((await session.get('/api/v1/operator/carriers/web')).body.nodes);
    await until(async () => (await refusing()).includes('HTTP 401, no Bearer ***'));
    for (const line of [...request, 'HTTP 401', '{"error":"no Bearer ***"}'])
      expect(command.stdout.split('\n')).toContain(`    ${line}`);
    const { body: shown } = await session.get('/api/v1/operator/carriers/web');
    expect(shown.settings).toContainEqual({
      name: 'submit',
      value: expect.stringContaining('Bearer {token}'),
    });
    const { body: tests } = await session.get(pathOf('web'));
    const stored = [
      await query(app, 'SELECT * FROM carriers'),
      await query(app, 'SELECT outcome, conversation FROM carrier_tests'),
    ];
    expect(JSON.stringify([shown, tests, command, stored])).not.toContain(secret);
    expect(app.stdout + app.stderr).not.toContain(secret);
  });

  test('[PORT-11] A carrier without a connection gets nothing, now or later', async () => {
    await forgetTests(app);
    const asked = await send('away');
    expect(asked.state).toBe('waiting');
    const done = await ended('away', asked);
    expect(done).toMatchObject({ state: 'notBound' });
    expect(done).not.toHaveProperty('node');
  });

  test('[PORT-11] Wrong numbers, senders and texts are refused, and so is a sixth test in a minute', async () => {
    await forgetTests(app);
    const refused = async (more: object, carrier = 'op1') => {
      const { status, body } = await session.post(pathOf(carrier), { to: '46701740699', ...more });
      return [status, body.errors?.[0]?.field ?? body.code];
    };
    expect(await refused({ to: '070' })).toEqual([400, 'to']);
    expect(await refused({ from: 'A sender that is too long' })).toEqual([400, 'from']);
    for (const message of ['ж'.repeat(71), ' ']) expect(await refused({ message })).toEqual([400, 'message']);
    expect(await refused({}, 'nowhere')).toEqual([404, 'not_found']);
    const sent = await Promise.all(Array.from({ length: 8 }, () => refused({}, 'sim')));
    expect(sent.filter(([status]) => status === 200)).toHaveLength(5);
    expect(sent.filter(([, code]) => code === 'too_many_tests')).toHaveLength(3);
    expect(await refused({})).toEqual([429, 'too_many_tests']);
  });

  test('[PORT-11] [RUN-3] A command tries a carrier too, and its exit code says whether the carrier took the SMS', async () => {
    await forgetTests(app);
    const to = ['--to', '46701740699'];
    const good = await app.run('carriers', 'test', 'op1', ...to, '--from', 'Tester', '--text', 'Hi');
    expect(good).toMatchObject({ exitCode: 0, stderr: '' });
    expect(good.stdout).toMatch(
      /^To 46701740699 from Tester by op1: "Hi"\nThe carrier accepted it as npm\d+\.\nIts receipt says DELIVERED\.\n$/,
    );
    smsc.refusals.push(commandStatus.ESME_RINVDSTADR);
    const bad = await app.run('carriers', 'test', 'op1', ...to, '--json');
    expect([bad.exitCode, JSON.parse(bad.stdout)]).toMatchObject([
      1,
      { carrier: 'op1', state: 'refused', status: 'INVALIDDESTINATION', carrierMessageId: null },
    ]);
    const none = await app.run('carriers', 'test', 'nowhere', ...to);
    expect(none).toMatchObject({ exitCode: 1, stdout: '' });
    expect(none.stderr).toContain('There is no carrier');
    expect((await app.run('carriers', '--json', 'test', 'op1', ...to)).exitCode).toBe(1);
  });
});

describePostgres('tests of carriers at another node', () => {
  test('[PORT-11] [RUN-4] A test that is asked for at a node without carriers goes out at the node that has the connection', async () => {
    const smsc = await NpmSmsc.listen();
    const first = await startWholeApp({
      engine: 'postgres',
      provisioning: provisioning(smsc.port, await freePort()),
    });
    const second = await startWholeApp({ engine: 'postgres', besides: first, serve: ['--roles', 'http'] });
    try {
      const session = sessionOf(second, (await beginSession(first, olle, signInPath)).begun);
      await until(async () => (await session.get('/api/v1/operator/carriers/op1')).body.state === 'up');
      const { body } = await session.post(pathOf('op1'), { to: '46701740699' });
      await whenTest(session, 'op1', String(body.id), ({ status }) => status === 'DELIVERED');
      expect(smsc.taken).toHaveLength(1);
    } finally {
      await second.close();
      await first.close();
      await smsc.close();
    }
  });
});
