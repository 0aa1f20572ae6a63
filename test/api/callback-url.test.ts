/** Tests the `callbackurl` of calls that send, with a receiver that shows what is posted to it. */
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alice, bob, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { recipient, sendOne, sendPath } from '../harness/messaging.ts';
import { eventsIn, type Receiver, startReceiver } from '../harness/receiver.ts';

const provisioning = `
companies:
  - name: Nordic Care
    defaultSender: NordicCare
    users:
      - { username: alice, password: "alice's long password", roles: [send, companyAdmin] }
      - { username: bob, password: "bob's long password", roles: [send] }
carriers:
  - { name: sim, type: simulator, submitDelayMs: 0, receiptDelayMs: 20 }
routes:
  - { name: all, prefix: "", carriers: [sim] }
`;
const path = '/api/v1/send';
const secretPath = '/api/v1/webhooks/callback-secret';

describe('callback URLs', () => {
  let app: WholeApp;
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver();
    app = await startWholeApp({
      engine: 'sqlite',
      provisioning,
      env: { CARILLON_CALLBACK_ALLOW: '127.0.0.0/8' },
    });
  });
  afterAll(async () => {
    await app?.close();
    await receiver?.close();
  });

  const send = (body: object, as = bob, headers: Readonly<Record<string, string>> = {}) =>
    app.as(as).post(path, { to: [recipient(1)], message: 'Hello', ...body }, headers);
  const urlOf = (place: string) => `${receiver.url}/${place}`;
  const postsTo = (place: string) => receiver.received.filter(({ url }) => url === `/hook/${place}`);
  const endsAt = (place: string) =>
    eventsIn(postsTo(place)).filter(({ data }) => data.status === 'DELIVERED');
  const idsOf = (answer: { readonly body: { readonly accepted: readonly { readonly id: string }[] } }) =>
    answer.body.accepted.map(({ id }) => id);
  const webhookAt = async (place: string, as = bob) => {
    const { webhooks } = (await app.as(as).get('/api/v1/webhooks')).body;
    return webhooks.find(({ url }: { readonly url: string }) => url === urlOf(place));
  };

  test('[HOOK-1] [HOOK-3] What becomes of the messages of a call is posted to its callback URL, signed with the secret of the user', async () => {
    const rotated = await app.as(bob).post(`${secretPath}/rotate`);
    expect(rotated).toMatchObject({ status: 200, body: { secrets: 1 } });
    const sent = await send({
      to: [recipient(1), recipient(2)],
      callbackurl: urlOf('one'),
      conversation: 'w7',
    });
    expect(sent.status).toBe(200);
    const ids = idsOf(sent);
    // Neither the call of somebody else nor another of one's own is reported there.
    await sendOne(app.as(alice));
    const other = await send({ callbackurl: urlOf('two') });
    await until(() => endsAt('one').length === 2 && endsAt('two').length === 1);
    expect(new Set(eventsIn(postsTo('one')).map(({ data }) => data.id))).toEqual(new Set(ids));
    expect(new Set(eventsIn(postsTo('two')).map(({ data }) => data.id))).toEqual(new Set(idsOf(other)));
    for (const { body, headers } of [...postsTo('one'), ...postsTo('two')]) {
      expect(new Webhook(rotated.body.secret).verify(body, headers)).toMatchObject({
        type: 'message.status',
        data: { from: 'NordicCare' },
      });
      expect(headers['webhook-id']).toMatch(/^evt_\d+_\d+$/);
      expect(body).not.toContain('Hello');
    }
    expect(endsAt('one')[0]?.data).toMatchObject({ conversation: 'w7', statuscode: '2' });
    // The statuses of each message are in order.
    for (const id of ids) {
      const own = eventsIn(postsTo('one')).filter(({ data }) => data.id === id);
      expect(own.map(({ data }) => data.status)).toEqual(['SENT', 'DELIVERED']);
    }
  });

  test('[HOOK-3] The secret of callback URLs is changed while both sign, by its user alone', async () => {
    const known = (await webhookAt('one')).secrets;
    const rotated = (await app.as(bob).post(`${secretPath}/rotate`)).body;
    expect([known, rotated.secrets]).toEqual([1, 2]);
    await app.as(alice).post(`${secretPath}/rotate`);
    const signaturesOf = async () => {
      const before = endsAt('one').length;
      await send({ callbackurl: urlOf('one') });
      await until(() => endsAt('one').length > before);
      const { body = '', headers = {} } = postsTo('one').at(-1) ?? {};
      expect(new Webhook(rotated.secret).verify(body, headers)).toBeTruthy();
      return headers['webhook-signature']?.split(' ').length;
    };
    // The server takes a changed secret up within seconds.
    await until(async () => (await webhookAt('one')).secrets === 2);
    const { id } = await webhookAt('one');
    expect(await app.as(bob).post(`/api/v1/webhooks/${id}/rotate`)).toMatchObject({
      status: 409,
      body: { code: 'of_callback_url' },
    });
    await until(async () => (await signaturesOf().catch(() => 0)) === 2);
    expect((await app.as(bob).post(`${secretPath}/finish-rotation`)).body).toEqual({ secrets: 1 });
    await until(async () => (await signaturesOf()) === 1);
  });

  test('[HOOK-1] [CONV-9] A repeated call is not reported twice, and the same key with another callback URL is another call', async () => {
    const key = { 'Idempotency-Key': 'one call' };
    const first = await send({ callbackurl: urlOf('repeated') }, bob, key);
    const again = await send({ callbackurl: urlOf('repeated') }, bob, key);
    expect(again.body).toEqual(first.body);
    expect(await send({ callbackurl: urlOf('other') }, bob, key)).toMatchObject({
      status: 422,
      body: { code: 'idempotency_mismatch' },
    });
    expect(await webhookAt('other')).toBeUndefined();
    await until(() => endsAt('repeated').length === 1);
    expect(eventsIn(postsTo('repeated')).map(({ data }) => data.id)).toEqual([
      ...idsOf(first),
      ...idsOf(first),
    ]);
  });

  test('[HOOK-1] A callback URL is a webhook of its user, which is shown with the message, disabled and removed, but not changed', async () => {
    const [id = ''] = idsOf(await send({ callbackurl: urlOf('shown') }));
    await until(() => endsAt('shown').length === 1);
    const webhook = await webhookAt('shown');
    expect(webhook).toMatchObject({ kind: 'callbackUrl', username: 'bob', text: 'none', state: 'works' });
    expect(webhook).toMatchObject({ name: `callback ${webhook.id}`, events: ['message.status'] });
    expect((await app.as(bob).get(`/api/v1/messages/${id}`)).body.webhookId).toBe(webhook.id);
    // An administrator sees it too.
    expect(await webhookAt('shown', alice)).toMatchObject({ id: webhook.id });
    const place = `/api/v1/webhooks/${webhook.id}`;
    expect(await app.as(bob).patch(place, { text: 'full' })).toMatchObject({
      status: 409,
      body: { code: 'of_callback_url' },
    });
    expect((await app.as(bob).get(`${place}/attempts`)).body.attempts[0]).toMatchObject({ statusCode: 200 });
    expect((await app.as(bob).request('DELETE', place)).status).toBe(200);
    expect(await webhookAt('shown')).toBeUndefined();
    const [next] = idsOf(await send({ callbackurl: urlOf('shown') }));
    await until(() => endsAt('shown').some(({ data }) => data.id === next));
    expect((await webhookAt('shown')).id).not.toBe(webhook.id);
    // One sent again is a message of another call.
    const { body } = await app.as(bob).post(`/api/v1/messages/${id}/resend`);
    expect((await app.as(bob).get(`/api/v1/messages/${body.id}`)).body).not.toHaveProperty('webhookId');
  });

  test('[HOOK-1] [EVT-3] A URL that can’t be posted to is refused, and nothing is sent', async () => {
    const refused = { status: 400, body: { errors: [{ field: 'callbackurl', code: 'invalid_value' }] } };
    for (const callbackurl of [
      'http://10.0.0.1/',
      'http://[::ffff:10.0.0.1]/',
      'http://169.254.169.254/latest/meta-data',
      'ftp://receiver.example/',
      'https://user:word@receiver.example/',
      'https://receiver.example/#part',
      'receiver',
    ])
      expect([callbackurl, await send({ callbackurl })]).toMatchObject([callbackurl, refused]);
    const long = `https://receiver.example/${'x'.repeat(2_000)}`;
    expect(await send({ callbackurl: long })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'callbackurl' }] },
    });
    const { webhooks } = (await app.as(bob).get('/api/v1/webhooks')).body;
    expect(webhooks.every(({ url }: { readonly url: string }) => url.startsWith(receiver.url))).toBe(true);
  });

  test('[SEND-1] The path of the contract does not know the parameter, nor does a preview', async () => {
    const body = { to: [recipient(1)], message: 'Hello', callbackurl: urlOf('contract') };
    expect((await app.as(bob).post(sendPath, body)).status).toBe(200);
    expect(await webhookAt('contract')).toBeUndefined();
    expect(await app.as(bob).post(`${path}/preview`, body)).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'callbackurl', code: 'unknown_parameter' }] },
    });
  });

  test('[HOOK-1] There is a limit to the callback URLs of a user, who can go on with those in use', async () => {
    const answers = [];
    for (let one = 0; one < 11; one++) answers.push(await send({ callbackurl: urlOf(`many/${one}`) }, alice));
    expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(200), 409]);
    expect(answers.at(-1)?.body).toMatchObject({ code: 'too_many_webhooks' });
    expect((await send({ callbackurl: urlOf('many/0') }, alice)).status).toBe(200);
  });

  test('[HOOK-4] [RUN-2] What the receiver did not take is posted after the server was killed', async () => {
    receiver.answer = 503;
    const inSeconds = new Date(Date.now() + 3_000).toISOString();
    const ids = [
      ...idsOf(await send({ callbackurl: urlOf('killed') })),
      ...idsOf(await send({ callbackurl: urlOf('killed'), scheduletime: inSeconds })),
    ];
    await app.kill();
    receiver.answer = 200;
    await app.restart();
    await until(() => new Set(endsAt('killed').map(({ data }) => data.id)).size === 2);
    expect(new Set(endsAt('killed').map(({ data }) => data.id))).toEqual(new Set(ids));
  });
});
