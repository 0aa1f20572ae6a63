/** Tests the one call of the front page: it answers what the calls for its parts answer, to those who may make them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { inAnHour, sendOne, whenAllAre } from '../harness/messaging.ts';
import { type Receiver, startReceiver } from '../harness/receiver.ts';

const user = (username: string) => ({ username, password: `${username}'s long password` });
const [admin, sender, emailer] = [user('admin'), user('sender'), user('emailer')] as const;
const account = ({ username, password }: typeof admin, roles: string) =>
  `{ username: ${username}, password: "${password}", roles: [${roles}] }`;
const provisioning = `
companies:
  - name: Nordic Care
    defaultSender: NordicCare
    users: [${account(admin, 'send, companyAdmin')}, ${account(sender, 'send')}, ${account(emailer, 'emailAdmin')}]
  - name: Rivals
    users: [${account(user('rival'), 'send, companyAdmin')}]
carriers: [{ name: sim, type: simulator }]
routes: [{ name: all, prefix: "", carriers: [sim] }]
`;

let app: WholeApp;
let receiver: Receiver;
let message: string;
beforeAll(async () => {
  receiver = await startReceiver();
  app = await startWholeApp({
    engine: 'sqlite',
    provisioning,
    env: { CARILLON_CALLBACK_ALLOW: '127.0.0.0/8' },
  });
  message = await sendOne(app.as(sender), { to: ['46701740699'] });
  await whenAllAre(app.as(sender), [message], 'DELIVERED');
  const batch = { name: 'Open house', message: 'Come', batch: [{ t: '46701740699' }] };
  const { body } = await app.as(sender).post('/api/v1/batches', { ...batch, scheduletime: inAnHour() });
  await app.as(sender).post(`/api/v1/batches/${body.batchid}/pause`);
  receiver.answer = (_, response) => response.writeHead(503, { 'retry-after': '3600' }).end();
  const webhook = { name: 'orders', url: receiver.url, events: ['message.status'] };
  const made = await app.as(admin).post('/api/v1/webhooks', webhook);
  await app.as(admin).post(`/api/v1/webhooks/${made.body.id}/test`);
  await until(async () => {
    const { body: failing } = await app.as(admin).get('/api/v1/webhooks', { failing: true });
    return failing.webhooks.length === 1;
  });
});
afterAll(async () => {
  await app?.close();
  await receiver?.close();
});

/** Without the time at which a node last told about a carrier, which may pass between two calls. */
const untimed = (carriers: object) =>
  JSON.parse(JSON.stringify(carriers, (name, value) => (name === 'told' ? undefined : value)));

test('[PORT-4] The call of the front page answers what each of its parts answers by its own call', async () => {
  const get = async (path: string, query = {}) => (await app.as(admin).get(`/api/v1/${path}`, query)).body;
  const start = await get('start');
  expect({ ...start, carriers: untimed(start.carriers) }).toEqual({
    batches: await get('batches', { limit: 50 }),
    paused: await get('batches', { limit: 50, paused: true }),
    sendings: await get('sendings', { limit: 10 }),
    quota: await get('quota'),
    webhooks: await get('webhooks', { limit: 5, failing: true }),
    attempts: [await get(`webhooks/${start.webhooks.webhooks[0].id}/attempts`, { limit: 1 })],
    assigned: await get('conversations', { limit: 20, assigned: 'me' }),
    messages: await get('messages', { limit: 8 }),
    carriers: untimed(await get('carriers')),
    unrouted: await get('unrouted', { limit: 20 }),
  });
  expect(start.paused.batches).toMatchObject([{ name: 'Open house', state: 'paused' }]);
  expect(start.attempts[0].attempts).toMatchObject([{ statusCode: 503 }]);
});

test('[PORT-4] Who is no administrator gets the own part of it, another company nothing, a key only what its scopes allow, and a user without messages a refusal', async () => {
  const own = (await app.as(sender).get('/api/v1/start')).body;
  expect(own.messages.messages).toMatchObject([{ id: message }]);
  expect(own.webhooks.webhooks).toEqual([]);
  expect(own).not.toHaveProperty('carriers');
  expect(own).not.toHaveProperty('unrouted');
  const theirs = (await app.as(user('rival')).get('/api/v1/start')).body;
  for (const part of ['batches', 'paused', 'sendings', 'webhooks', 'messages', 'unrouted'])
    expect([part, Object.values(theirs[part]).flat()]).toEqual([part, []]);
  const { body } = await app.as(admin).post('/api/v1/apikeys', { name: 'grafana', scopes: ['read'] });
  const read = (await app.as({ key: body.apiKey }).get('/api/v1/start')).body;
  expect(read).toMatchObject({ webhooks: { webhooks: [] }, attempts: [], carriers: expect.anything() });
  expect(read).not.toHaveProperty('unrouted');
  const refused = await app.as(emailer).get('/api/v1/start');
  expect([refused.status, refused.body.code]).toEqual([403, 'role_missing']);
});
