/** Receipts and SMS from phones that a carrier reports by calls, to a server behind a proxy that adds a path of its own. */
import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HttpUpstream, type Submission } from '../carriers/http-upstream.ts';
import { alice, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { eachEngine } from '../harness/engines.ts';
import { incomingPath, query, sendOne, statusesOf } from '../harness/messaging.ts';

const publicUrl = 'https://sms.example/gateway';
const password = 'the carrier’s password';

/** `up` signs its calls; `fenced` is to call from a network that this machine is not in; `plain` has only its token. */
function provisioning(baseUrl: string): string {
  const carriers = ['up', 'fenced', 'plain'];
  const proofs: Readonly<Record<string, string>> = {
    up: 'signature: { hmac: sha256, header: X-Signature, secret: password, over: "{url} {body}" }',
    fenced: 'networks: [192.0.2.0/24]',
    plain: 'answer: { status: 204 }',
  };
  const all = carriers.map(
    (name) => `
  - name: ${name}
    type: http
    baseUrl: ${baseUrl}
    password: ${password}
    submit:
      url: "{baseUrl}/${name}"
      json: { text: "{text}", receipts: "{receiptUrl}", incoming: "{incomingUrl}" }
      accepted: { id: /id }
    receipts: { id: /id, state: /state, states: { sent: SENT, delivered: DELIVERED, failed: UNDELIVERABLE }, error: /code, errors: { 7: ABSENTSUBSCRIBER }, ${proofs[name]} }
    incoming: { each: /sms, from: /from, to: /to, text: /text, ${proofs[name]} }`,
  );
  return `
companies:
  - name: Nordic Care
    defaultSender: NordicCare
    users:
      - { username: alice, password: "alice's long password", roles: [send] }
carriers:${all.join('')}
routes:
${carriers.map((name, index) => `  - { name: ${name}, prefix: "467${index}", carriers: [${name}] }`).join('\n')}
numbers:
  - { number: "46731230001", rentedBy: alice }
`;
}

eachEngine('a carrier that reports by calls', (engine) => {
  let upstream: HttpUpstream;
  let app: WholeApp;
  beforeAll(async () => {
    upstream = await HttpUpstream.listen();
    app = await startWholeApp({
      engine,
      provisioning: provisioning(upstream.url),
      env: { CARILLON_PUBLIC_URL: publicUrl },
    });
  });
  afterAll(async () => {
    await app?.close();
    await upstream?.close();
  });

  const send = (prefix: string) => sendOne(app.as(alice), { to: [`467${prefix}1234567`] });
  const statusOf = async (id: string) => (await statusesOf(app.as(alice), [id]))[0]?.status;
  const statusIs = (id: string, status: string) => until(async () => (await statusOf(id)) === status);
  /** The address in the latest submission, as the proxy would pass calls on, without its own path. */
  const here = (url: unknown) => String(url).replace(publicUrl, app.baseUrl);
  const fieldsOf = (carrier: string) =>
    (upstream.submissions.findLast(({ path }) => path === `/${carrier}`) as Submission).fields;

  async function call(url: unknown, body: object | string, headers: Record<string, string> = {}) {
    const content = typeof body === 'string' ? body : JSON.stringify(body);
    const signature = createHmac('sha256', password).update(`${url} ${content}`).digest('hex');
    const answer = await fetch(here(url), {
      method: 'POST',
      body: content,
      headers: { 'content-type': 'application/json', 'x-signature': signature, ...headers },
    });
    return { status: answer.status, body: await answer.text() };
  }

  const securityEvents = () =>
    app.stderr.split('\n').filter((line) => line.includes('"event":"carrier_call_forged"'));

  test('[HTTPC-3] A receipt that comes before the answer, twice and followed by an older one, decides the status', async () => {
    let receipts: unknown;
    let early: unknown;
    upstream.rule = async ({ fields }, response) => {
      receipts = fields.receipts;
      early = await call(receipts, { id: 'early-1', state: 'delivered' });
      upstream.accept(response, 'early-1');
    };
    const id = await send('0');
    await statusIs(id, 'DELIVERED');
    expect(early).toEqual({ status: 200, body: '' });
    upstream.rule = (_, response) => void upstream.accept(response);
    expect(receipts).toMatch(/^https:\/\/sms\.example\/gateway\/carriers\/up\/[\w-]{32}\/receipts$/);
    for (const state of ['delivered', 'sent', 'delivered'])
      expect((await call(receipts, { id: 'early-1', state })).status).toBe(200);
    expect(await statusOf(id)).toBe('DELIVERED');
  });

  test('[HTTPC-3] A forged call changes nothing and is a security event; the genuine one counts, with its reason', async () => {
    upstream.rule = (_, response) => void upstream.accept(response, 'up-2');
    const id = await send('0');
    await statusIs(id, 'SENT');
    const { receipts } = fieldsOf('up');
    const report = { id: 'up-2', state: 'failed', code: 7 };
    const forged = await call(receipts, report, { 'x-signature': '00' });
    expect(forged).toEqual({ status: 403, body: 'This call is not accepted.\n' });
    // Signed for another address.
    const other = createHmac('sha256', password)
      .update(`${receipts}?x ${JSON.stringify(report)}`)
      .digest('hex');
    expect((await call(receipts, report, { 'x-signature': other })).status).toBe(403);
    expect(await statusOf(id)).toBe('SENT');
    await until(() => securityEvents().length > 0);
    expect(JSON.parse(securityEvents()[0] as string)).toMatchObject({
      level: 'warn',
      event: 'carrier_call_forged',
      object: 'up',
      reason: 'signature',
      address: '127.0.0.1',
    });
    // A proxy may also keep its path.
    const kept = String(receipts).replace('https://sms.example', app.baseUrl);
    const signature = createHmac('sha256', password)
      .update(`${receipts} ${JSON.stringify(report)}`)
      .digest('hex');
    const answer = await fetch(kept, {
      method: 'POST',
      body: JSON.stringify(report),
      headers: { 'x-signature': signature },
    });
    expect(answer.status).toBe(200);
    await statusIs(id, 'ABSENTSUBSCRIBER');
  });

  test('[HTTPC-3] A call from outside the carrier’s networks is forged, however it is signed', async () => {
    upstream.rule = (_, response) => void upstream.accept(response, 'fenced-1');
    const id = await send('1');
    await statusIs(id, 'SENT');
    expect((await call(fieldsOf('fenced').receipts, { id: 'fenced-1', state: 'delivered' })).status).toBe(
      403,
    );
    await until(() => securityEvents().some((line) => line.includes('"reason":"network"')));
    expect(await statusOf(id)).toBe('SENT');
  });

  test('[HTTPC-3] Receipts come by GET and as forms too; what can’t be read is shown to the operator or refused', async () => {
    upstream.rule = (_, response) => void upstream.accept(response, `plain-${upstream.submissions.length}`);
    const ids = [await send('2'), await send('2')];
    for (const id of ids) await statusIs(id, 'SENT');
    const receipts = here(fieldsOf('plain').receipts);
    const [byGet, byForm] = upstream.submissions
      .slice(-2)
      .map((_, index) => `plain-${upstream.submissions.length - 1 + index}`);
    expect((await fetch(`${receipts}?id=${byGet}&state=delivered`)).status).toBe(204);
    const form = new URLSearchParams({ id: byForm as string, state: 'failed' });
    expect((await fetch(receipts, { method: 'POST', body: form })).status).toBe(204);
    await statusIs(ids[0] as string, 'DELIVERED');
    await statusIs(ids[1] as string, 'UNDELIVERABLE');
    // Some services try an address before they use it.
    expect((await fetch(receipts)).status).toBe(204);
    expect((await fetch(`${receipts}?id=plain-9&state=lost`)).status).toBe(204);
    const shown = await query(
      app,
      "SELECT carrier_message_id FROM unmatched_receipts WHERE carrier_message_id = 'plain-9'",
    );
    expect(shown).toHaveLength(1);
    for (const body of ['{"hello":', '[]', '"text"', '\u0000'])
      expect((await fetch(receipts, { method: 'POST', body })).status).toBe(400);
  });

  test('[HTTPC-3] SMS from phones reach the user whose number they were sent to', async () => {
    const incoming = fieldsOf('up').incoming;
    const sms = [
      { from: '+46701740605', to: '+46731230001', text: 'Jag kommer 👋' },
      { to: '+46731230001' },
      { from: '+46701740605', to: '+46731230001', text: 'strax' },
    ];
    expect((await call(incoming, { sms })).status).toBe(200);
    const read = await app.as(alice).get(incomingPath, {});
    expect(read.body.incoming).toMatchObject([
      { from: '46701740605', to: '46731230001', message: 'Jag kommer 👋' },
      { from: '46701740605', to: '46731230001', message: 'strax' },
    ]);
    await until(() => app.stderr.includes('incoming SMS in a call of a carrier could not be read'));
    expect((await call(incoming, { sms: [{ to: '+46731230001' }] })).status).toBe(400);
    expect((await call(incoming, { sms: [] })).status).toBe(200);
  });

  test('[HTTPC-3] Other addresses, and those of other carriers, lead nowhere; a large body is refused before it comes', async () => {
    const genuine = String(fieldsOf('up').receipts);
    const nowhere = await fetch(`${app.baseUrl}/nowhere`);
    const expected = await nowhere.json();
    const token = genuine.split('/').at(-2) as string;
    const wrong = [
      genuine.replace('/up/', '/plain/'),
      genuine.replace(token, `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`),
      genuine.replace(token, ''),
      genuine.replace('/receipts', '/other'),
      `${genuine}/more`,
      genuine.slice(0, genuine.indexOf('/', publicUrl.length + 1)),
    ];
    for (const url of wrong) {
      const answer = await fetch(here(url), { method: 'POST', body: '{}' });
      expect([answer.status, await answer.json()], url).toEqual([404, expected]);
    }
    expect((await fetch(here(genuine), { method: 'DELETE' })).status).toBe(404);
    for (const [url, status] of [
      [genuine, 413],
      [genuine.replace('/up/', '/plain/'), 404],
    ] as const) {
      const { pathname, host } = new URL(here(url));
      const socket = connect(Number(host.split(':')[1]), '127.0.0.1');
      socket.write(`POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 52428800\r\n\r\n{`);
      expect(await text(socket)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    }
    const chunks = 'x'.repeat(530_000);
    expect((await call(genuine, chunks)).status).toBe(413);
  });

  test('[HTTPC-3] The addresses stay the same through a restart, and end with the carrier', async () => {
    const { receipts } = fieldsOf('plain');
    await app.restart();
    expect((await call(receipts, { id: 'x', state: 'sent' })).status).toBe(204);
    await app.apply(
      'carriers:\n  - { name: plain, remove: true }\nroutes:\n  - { name: plain, remove: true }\n',
    );
    await until(async () => (await call(receipts, { id: 'x', state: 'sent' })).status === 404);
  });
});
