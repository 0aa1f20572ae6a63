/**
 * Tests webhooks of a server and in the management API: who sets up which webhook, what is posted, each try, and what
 * is posted again.
 */
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiClient, ifMatch } from '../harness/api-client.ts';
import { alice, bob, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { eachEngine } from '../harness/engines.ts';
import { freePort } from '../harness/free-port.ts';
import { sendOne } from '../harness/messaging.ts';
import { eventsIn, type Receiver, startReceiver } from '../harness/receiver.ts';

const path = '/api/v1/webhooks';
const secret = `whsec_${Buffer.from('w'.repeat(32)).toString('base64')}`;
const dora = { username: 'dora', password: "dora's long password" };
const emil = { username: 'emil', password: "emil's long password" };

const provisioning = (url: string) => `
companies:
  - name: Nordic Care
    defaultSender: NordicCare
    systemUsers: [{ username: nordic-jobs, callback: { type: POST, url: "${url}/jobs" } }]
    users:
      - { username: alice, password: "alice's long password", roles: [send, companyAdmin] }
      - { username: bob, password: "bob's long password", roles: [send] }
    webhooks: [{ id: desk, url: "${url}/desk", events: [batch.status] }]
  - name: Told
    defaultSender: Told
    users:
      - { username: dora, password: "dora's long password", roles: [send, companyAdmin] }
      - { username: emil, password: "emil's long password", roles: [send] }
    webhooks:
      - { id: file, url: "${url}/file", secrets: [${secret}], events: [message.status], text: full }
      - { id: his, url: "${url}/his", secrets: [${secret}], events: [message.status], user: emil, batch: true }
  - name: Other
    defaultSender: Other
    webhooks: [{ id: theirs, url: "${url}/theirs", events: [message.status, message.incoming] }]
carriers:
  - { name: sim, type: simulator, submitDelayMs: 0, receiptDelayMs: 20 }
routes:
  - { name: all, prefix: "", carriers: [sim] }
`;

eachEngine('webhooks by the management API', (engine) => {
  let app: WholeApp;
  let receiver: Receiver;
  let ofAlice: ApiClient;
  let ofBob: ApiClient;
  beforeAll(async () => {
    receiver = await startReceiver();
    app = await startWholeApp({
      engine,
      provisioning: provisioning(receiver.url),
      env: { CARILLON_CALLBACK_ALLOW: '127.0.0.0/8' },
    });
    ofAlice = app.as(alice);
    ofBob = app.as(bob);
  });
  afterAll(async () => {
    await app?.close();
    await receiver?.close();
  });

  const named = async (name: string) => {
    const { webhooks } = (await ofAlice.get(path)).body;
    return webhooks.find((webhook: { name: string }) => webhook.name === name);
  };
  const statusesOf = (id: string) =>
    eventsIn(receiver.received)
      .filter(({ data }) => data.id === id)
      .map(({ data }) => data.status);

  const postsTo = (place: string) => receiver.received.filter(({ url }) => url === `/hook/${place}`);

  test('[HOOK-1] [HOOK-3] Webhooks report what becomes of a message, signed, to its own company and no other', async () => {
    const id = await sendOne(app.as(dora), { message: 'Årets "möte"' });
    await until(() => statusesOf(id).length === 2);
    expect(statusesOf(id)).toEqual(['SENT', 'DELIVERED']);
    const post = receiver.received.find(({ body }) => body.includes(id));
    expect(new Webhook(secret).verify(post?.body ?? '', post?.headers ?? {})).toMatchObject({
      type: 'message.status',
      data: { id, message: 'Årets "möte"' },
    });
    const ofEmil = await sendOne(app.as(emil));
    // Each status is posted to the company's webhook and to emil's own.
    await until(() => statusesOf(ofEmil).length === 4);
    expect(statusesOf(ofEmil).sort()).toEqual(['DELIVERED', 'DELIVERED', 'SENT', 'SENT']);
  });

  test('[HOOK-3] The events of a webhook can be read from any point on, by users who may see that webhook', async () => {
    const path = '/api/v1/events';
    const first = await app.as(dora).get(path, { webhook: 'file', limit: 1 });
    expect(first.body).toMatchObject({ events: [{ seq: 1, data: { status: 'SENT' } }], firstSeq: 1 });
    const rest = await app.as(dora).get(path, { webhook: 'file', after: 1 });
    expect((rest.body as { events: unknown[] }).events[0]).toMatchObject({ seq: 2 });
    expect((await app.as(emil).get(path, { webhook: 'his' })).status).toBe(200);
    expect((await app.as(emil).get(path, { webhook: 'file' })).status).toBe(403);
    expect((await app.as(dora).get(path, { webhook: 'theirs' })).status).toBe(404);
  });

  test('[HOOK-1] [HOOK-3] [PORT-7] An administrator can make a webhook, change its secret and remove it, and the audit log records it', async () => {
    const settings = { name: 'shop', url: `${receiver.url}/shop`, events: ['message.status'] };
    const made = (await ofAlice.post(path, { ...settings, statuses: ['DELIVERED'] })).body;
    expect(made).toMatchObject({
      name: 'shop',
      kind: 'webhook',
      text: 'none',
      managed: false,
      state: 'works',
      secrets: 1,
      events: ['message.status'],
      statuses: ['DELIVERED'],
      version: '1',
    });
    expect((await ofAlice.post(path, settings)).body.code).toBe('name_taken');
    let id = '';
    // Messages accepted before the nodes knew of the webhook are reported to it a little later.
    await until(async () => {
      id = await sendOne(ofAlice, { message: 'Secret text' });
      return postsTo('shop').length > 0;
    });
    await until(() => postsTo('shop').some(({ body }) => body.includes(id)));
    const [{ body, headers } = { body: '', headers: {} }] = postsTo('shop');
    expect(new Webhook(made.secret).verify(body, headers)).toMatchObject({ data: { status: 'DELIVERED' } });
    expect(body).not.toContain('Secret text');

    const rotated = (await ofAlice.post(`${path}/${made.id}/rotate`)).body;
    expect([rotated.secrets, rotated.secret === made.secret]).toEqual([2, false]);
    const lastTest = () => postsTo('shop').findLast(({ body }) => body.includes('webhook.test'));
    let seq = 0;
    // Until the nodes know the new secret, they sign with the old one, which remains valid for a while.
    await until(async () => {
      seq = (await ofAlice.post(`${path}/${made.id}/test`)).body.seq;
      await until(() => lastTest()?.body.includes(`"seq":${seq}`) === true);
      return String(lastTest()?.headers['webhook-signature']).includes(' ');
    });
    const { body: test = '', headers: signed = {} } = lastTest() ?? {};
    for (const secret of [made.secret, rotated.secret])
      expect(new Webhook(secret).verify(test, signed)).toMatchObject({ seq });
    const finish = () => ofAlice.post(`${path}/${made.id}/finish-rotation`);
    expect((await finish()).body).toMatchObject({ secrets: 1, version: '3' });
    expect((await finish()).body).toMatchObject({ secrets: 1, version: '3' });
    expect((await ofAlice.request('DELETE', `${path}/${made.id}`)).status).toBe(200);
    expect((await ofAlice.get(`${path}/${made.id}`)).status).toBe(404);
    const acts = (await ofAlice.get('/api/v1/audit')).body.entries.map(({ act }: { act: string }) => act);
    // The webhook was tested repeatedly until the nodes knew the new secret.
    const inTurn = acts.filter((act: string, place: number) => act !== acts[place - 1]);
    expect(inTurn).toEqual([
      ...['webhook.remove', 'webhook.rotate', 'webhook.test', 'webhook.rotate', 'webhook.make'],
    ]);
  });

  test('[PORT-3] [HOOK-1] A user may make a few webhooks, which report only the user’s own messages, but not with an API key', async () => {
    const own = { url: `${receiver.url}/own`, events: ['message.status'], text: 'full' };
    const made = (await ofBob.post(path, { ...own, name: 'own' })).body;
    expect(made).toMatchObject({ username: 'bob', text: 'full' });
    expect((await ofBob.get(path)).body.webhooks).toMatchObject([{ name: 'own' }]);
    expect((await ofBob.post(path, { ...own, name: 'hers', user: 'alice' })).status).toBe(404);
    expect((await ofBob.patch(`${path}/${made.id}`, { user: 'alice' })).status).toBe(404);
    expect((await ofBob.patch(`${path}/${made.id}`, { user: '' })).body.username).toBe('bob');
    for (const name of ['second', 'third'])
      expect((await ofBob.post(path, { ...own, name })).status).toBe(201);
    expect((await ofBob.post(path, { ...own, name: 'fourth' })).body.code).toBe('too_many_webhooks');
    const { body: key } = await ofAlice.get('/authentication/auth/apikey', { name: 'stolen' });
    const byKey = app.as({ key: String(key) });
    expect((await byKey.post(path, { ...own, name: 'outlives' })).status).toBe(401);
    expect((await byKey.get(path)).status).toBe(200);
  });

  test('[RUN-2] [HOOK-1] A user can be removed only after the webhook for the user’s messages, which is removed along with its waiting events', async () => {
    const { body: cleo } = await ofAlice.post('/api/v1/users', { name: 'cleo', roles: ['send'] });
    const away = `http://127.0.0.1:${await freePort()}/`;
    const settings = { events: ['message.status'], user: 'cleo' };
    const { body: hers } = await ofAlice.post(path, { ...settings, name: 'hers', url: away });
    const { body: ofAll } = await ofAlice.post(path, {
      name: 'all',
      events: ['message.status'],
      url: `${receiver.url}/all`,
    });
    expect((await ofAlice.post(`${path}/${hers.id}/test`)).status).toBe(200);
    const attempts = () => ofAlice.get(`${path}/${hers.id}/attempts`);
    await until(async () => (await attempts()).body.attempts.length > 0);
    const remove = () => ofAlice.request('DELETE', `/api/v1/users/${cleo.id}`);
    expect((await remove()).body).toMatchObject({
      code: 'in_use',
      error: expect.stringContaining('the webhook hers reports the messages of cleo'),
    });
    expect((await ofAlice.request('DELETE', `${path}/${hers.id}`)).status).toBe(200);
    expect((await attempts()).status).toBe(404);
    expect((await remove()).status).toBe(200);
    expect(await named('hers')).toBeUndefined();
    await ofAlice.post(`${path}/${ofAll.id}/test`);
    await until(() => postsTo('all').length > 0);
  });

  test('[HOOK-1] [HOOK-5] A webhook given to a colleague has none of the events and attempts from before', async () => {
    const settings = { name: 'given', url: `${receiver.url}/given`, events: ['message.status'] };
    const { body: before } = await ofAlice.post(path, settings);
    await ofAlice.post(`${path}/${before.id}/test`);
    const attempts = (id: string) => ofBob.get(`${path}/${id}/attempts`);
    await until(async () => (await ofAlice.get(`${path}/${before.id}/attempts`)).body.attempts.length > 0);
    const { body: given } = await ofAlice.patch(`${path}/${before.id}`, { user: 'bob' });
    expect(given).toMatchObject({ name: 'given', username: 'bob' });
    expect(given.id).not.toBe(before.id);
    expect((await attempts(given.id)).body.attempts).toEqual([]);
    const times = { from: '2026-01-01T00:00Z', to: '2100-01-01T00:00Z' };
    expect(await ofBob.post(`${path}/${given.id}/replay`, times)).toMatchObject({
      status: 200,
      body: { events: 0 },
    });
    expect((await ofAlice.get(`${path}/${before.id}`)).status).toBe(404);
    await ofBob.post(`${path}/${given.id}/test`);
    await until(async () => (await attempts(given.id)).body.attempts.length > 0);
    const own = (await attempts(given.id)).body.attempts;
    expect(own).toMatchObject([{ number: '1' }]);
    expect((await ofAlice.patch(`${path}/${given.id}`, { batch: true })).body.id).toBe(given.id);
    expect((await ofAlice.request('DELETE', `${path}/${given.id}`)).status).toBe(200);
  });

  test('[PORT-6] [HOOK-1] Webhook settings from a file stay fixed, and of two concurrent changes to others the second is refused', async () => {
    const desk = await named('desk');
    expect(desk).toMatchObject({ managed: true, managedKeys: ['events', 'url'], version: '1' });
    const change = (json: object, version?: string) =>
      ofAlice.patch(`${path}/${desk.id}`, json, ifMatch(version));
    expect((await change({ events: ['message.status'] })).body.code).toBe('managed');
    expect((await change({ events: ['batch.status'] })).body.version).toBe('1');
    expect((await ofAlice.request('DELETE', `${path}/${desk.id}`)).body.code).toBe('managed');
    const changed = (await change({ costCenter: '7', batch: true }, '1')).body;
    expect(changed).toMatchObject({ costCenter: '7', batch: true, version: '2' });
    expect((await change({ batch: false }, '1')).body.code).toBe('changed_meanwhile');
    expect((await change({ costCenter: '' })).body.costCenter).toBe(undefined);
    expect((await change({ statuses: ['SENT'] })).body.errors).toMatchObject([{ field: 'statuses' }]);
    const callback = await named('nordic-jobs');
    expect(callback).toMatchObject({
      kind: 'callback',
      managed: true,
      events: expect.arrayContaining(['job.start']),
    });
    expect((await ofAlice.patch(`${path}/${callback.id}`, { batch: true })).body.code).toBe('managed');
  });

  test('[PORT-3] [HOOK-1] For a user without rights, webhooks of colleagues and of the company are not found', async () => {
    const settings = { url: `${receiver.url}/kept`, events: ['message.status'] };
    const { body: ofCompany } = await ofAlice.post(path, { ...settings, name: 'of all' });
    const { body: hers } = await ofAlice.post(path, { ...settings, name: 'of alice', user: 'alice' });
    const times = { from: '2026-01-01T00:00Z', to: '2100-01-01T00:00Z' };
    for (const { id } of [ofCompany, hers]) {
      const one = `${path}/${id}`;
      await ofAlice.post(`${one}/test`);
      await until(async () => (await ofAlice.get(`${one}/attempts`)).body.attempts.length > 0);
      const { version, state, secrets } = (await ofAlice.get(one)).body;
      const refusals = [
        await ofBob.get(one),
        await ofBob.patch(one, { batch: true }),
        await ofBob.patch(one, { url: 'http://10.0.0.1/' }),
        await ofBob.request('DELETE', one),
        await ofBob.get(`${one}/attempts`),
        await ofBob.get(`${one}/attempts/1`),
        await ofBob.post(`${one}/attempts/1/replay`),
        await ofBob.post(`${one}/replay`, times),
      ];
      for (const act of ['rotate', 'finish-rotation', 'disable', 'enable', 'test'])
        refusals.push(await ofBob.post(`${one}/${act}`));
      expect(refusals.map(({ status, body }) => [status, body.code])).toEqual(
        refusals.map(() => [404, 'not_found']),
      );
      expect((await ofAlice.get(one)).body).toMatchObject({ version, state, secrets, batch: false });
    }
  });

  test('[HOOK-1] [EVT-3] The address of a webhook is refused if events may not be posted there', async () => {
    for (const url of ['http://10.0.0.1/', 'http://2852039166/', 'http://[::ffff:a9fe:a9fe]/']) {
      const refused = await ofAlice.post(path, { name: 'inside', url, events: ['message.status'] });
      expect([url, refused.status, refused.body.errors?.[0]?.field]).toEqual([url, 400, 'url']);
    }
    for (const url of ['ftp://receiver.example/', 'https://user:word@receiver.example/'])
      expect((await ofAlice.post(path, { name: 'wrong', url, events: ['message.status'] })).status).toBe(400);
  });

  test('[HOOK-4] [HOOK-5] [PORT-7] Each attempt of a webhook is shown, and one attempt or a period can be posted again', async () => {
    const settings = { name: 'fails', url: `${receiver.url}/fails`, events: ['message.status'] };
    const { id } = (await ofAlice.post(path, { ...settings, user: 'bob' })).body;
    receiver.answer = ({ url }, response) =>
      response.writeHead(url.endsWith('fails') ? 503 : 200).end('Later');
    await ofAlice.post(`${path}/${id}/test`);
    const failing = async () => (await ofAlice.get(path, { failing: true })).body.webhooks;
    await until(async () => (await failing()).length > 0);
    expect(await failing()).toMatchObject([{ id, state: 'failing', failingSince: expect.any(String) }]);
    const { attempts } = (await ofAlice.get(`${path}/${id}/attempts`)).body;
    expect(attempts.at(-1)).toMatchObject({
      number: '1',
      statusCode: 503,
      answer: 'Later',
      tries: 1,
      event: 'webhook.test',
    });
    receiver.answer = 200;
    await ofAlice.post(`${path}/${id}/enable`);
    const shown = async () => (await ofAlice.get(`${path}/${id}`)).body;
    await until(async () => (await shown()).state === 'works' && (await shown()).retries === 0);
    const made = (await ofAlice.get(`${path}/${id}/attempts`)).body.attempts as { statusCode: number }[];
    const ok = made.filter(({ statusCode }) => statusCode === 200).length;
    expect([ok > 0, (await named('fails')).lastDay]).toEqual([true, { ok, failed: made.length - ok }]);
    const attempt = (await ofAlice.get(`${path}/${id}/attempts/1`)).body;
    expect(attempt.posted).toMatchObject([{ type: 'webhook.test', seq: 1, data: { test: true } }]);
    const { entries } = (await ofAlice.get('/api/v1/audit', { limit: 1 })).body;
    expect(entries).toMatchObject([{ act: 'webhook.look', object: 'fails, attempt 1', username: 'alice' }]);

    const tests = () => eventsIn(postsTo('fails')).filter(({ seq }) => seq === 1).length;
    const before = tests();
    expect((await ofBob.post(`${path}/${id}/attempts/1/replay`)).body).toEqual({ events: 1 });
    await until(async () => tests() === before + 1 && (await shown()).replay === undefined);
    const time = {
      from: new Date(Date.now() - 3_600_000).toISOString(),
      to: new Date(Date.now() + 3_600_000).toISOString(),
    };
    const begun = await ofBob.post(`${path}/${id}/replay`, time);
    expect(begun.body.events).toBeGreaterThan(0);
    await until(() => tests() === before + 2);
    expect((await ofBob.post(`${path}/${id}/disable`)).body).toMatchObject({
      state: 'disabled',
      disabledWhy: 'company',
    });
    expect((await ofBob.post(`${path}/${id}/test`)).body.code).toBe('webhook_disabled');
    expect(await failing()).toEqual([]);
  });
});
