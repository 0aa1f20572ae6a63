/** The API keys of everybody in a company, as its administrators list, end and revoke them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ifMatch } from '../harness/api-client.ts';
import { alice, bob, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { eachEngine } from '../harness/engines.ts';

const zoe = { username: 'zoe', password: "zoe's very long password" };
const provisioning = `
companies:
  - name: Nordic Care
    users:
      - { username: ${alice.username}, password: "${alice.password}", roles: [send, companyAdmin] }
      - { username: ${bob.username}, password: "${bob.password}", roles: [send] }
  - name: Southern Care
    users: [{ username: ${zoe.username}, password: "${zoe.password}", roles: [send, companyAdmin] }]
`;
const path = '/api/v1/company/apikeys';

interface Listed {
  readonly id: string;
  readonly userId: string;
  readonly username: string;
  readonly name: string;
  readonly version: string;
}

eachEngine('the API keys of everybody in a company', (engine) => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine, provisioning });
    for (const [user, name] of [
      [bob, 'till'],
      [bob, 'desk'],
      [alice, 'reports'],
      [zoe, 'foreign'],
    ] as const)
      expect((await app.as(user).post('/api/v1/apikeys', { name })).status).toBe(201);
  });
  afterAll(() => app?.close());

  const list = async (given: Readonly<Record<string, string>> = {}) => {
    const { body } = await app.as(alice).get(path, given);
    return body as unknown as { readonly apiKeys: readonly Listed[]; readonly next?: string };
  };
  const named = async (name: string) => (await list()).apiKeys.find((key) => key.name === name) as Listed;
  const entries = async () => {
    const { body } = await app.as(alice).get('/api/v1/audit', { limit: 200 });
    return (body.entries as { act: string; details: string }[]).map(
      ({ act, details }) => `${act} ${details}`,
    );
  };

  test('[PORT-10] [KEY-1] An administrator pages through the keys of all users, and sees those of no other company', async () => {
    const { apiKeys, next } = await list({ limit: '2' });
    expect(apiKeys).toMatchObject([
      { username: 'alice', name: 'reports', state: 'enabled' },
      { username: 'bob', name: 'till', state: 'enabled' },
    ]);
    expect(await list({ limit: '2', after: next as string })).toMatchObject({
      apiKeys: [{ username: 'bob', name: 'desk' }],
    });
    expect((await list({ limit: '2', after: next as string })).next).toBeUndefined();
    expect((await app.as(zoe).get(path)).body.apiKeys).toMatchObject([{ name: 'foreign' }]);
    expect((await app.as(bob).get(path)).body).toMatchObject({ code: 'role_missing' });
    expect((await app.as(alice).get(path, { after: 'nonsense' })).status).toBe(400);
    expect(JSON.stringify(apiKeys)).not.toContain('bob.');
  });

  test('[PORT-10] [AUTH-5] An administrator sets and removes the end of another user’s key by the version in the list, and it is audited', async () => {
    const { id, userId, version } = await named('till');
    const one = `/api/v1/users/${userId}/apikeys/${id}`;
    const read = (await app.as(bob).get(`/api/v1/apikeys/${id}`)).body;
    expect(read.version).toBe(version);
    const expires = '2040-01-01T00:00:00.000Z';
    const set = await app.as(alice).patch(one, { expires }, ifMatch(version));
    expect(set).toMatchObject({ status: 200, body: { id, name: 'till', expires, state: 'enabled' } });
    expect((await list({ withoutEnd: 'true' })).apiKeys.map(({ name }) => name)).toEqual(['reports', 'desk']);
    expect((await app.as(alice).patch(one, { expires: '' }, ifMatch(version))).status).toBe(412);
    expect((await app.as(alice).patch(one, { expires: 'tomorrow' })).body).toMatchObject({
      errors: [{ field: 'expires', code: 'invalid_time' }],
    });
    const past = await app.as(alice).patch(one, { expires: '2020-01-01T00:00Z' });
    expect(past.body).toMatchObject({ state: 'expired' });
    expect((await list({ state: 'expired' })).apiKeys).toMatchObject([{ name: 'till' }]);
    const never = await app.as(alice).patch(one, { expires: '' });
    expect(never.body).toMatchObject({ state: 'enabled' });
    expect(never.body).not.toHaveProperty('expires');
    const acts = (await entries()).filter((entry) => entry.includes('till'));
    expect(acts.slice(0, 3)).toEqual(Array(3).fill('apikey.expire till, of bob'));
    // Through the keys of another user it is not there, nor for another company.
    const own = (await named('reports')).userId;
    expect((await app.as(alice).patch(`/api/v1/users/${own}/apikeys/${id}`, { expires: '' })).status).toBe(
      404,
    );
    expect((await app.as(zoe).patch(one, { expires: '' })).status).toBe(404);
    expect((await app.as(bob).patch(one, { expires: '' })).body).toMatchObject({ code: 'role_missing' });
  });

  test('[PORT-10] [AUTH-5] A key of another user whose end has passed, or that is revoked, is refused, and a key can’t set an end', async () => {
    const made = await app.as(bob).post('/api/v1/apikeys', { name: 'short' });
    const key = made.body.apiKey as string;
    const { id, userId } = await named('short');
    const one = `/api/v1/users/${userId}/apikeys/${id}`;
    const status = async () => (await app.as({ key }).get('/api/v1/messages')).status;
    expect(await status()).toBe(200);
    const ofAlice = await app.as(alice).post('/api/v1/apikeys', { name: 'stolen' });
    const byKey = await app.as({ key: ofAlice.body.apiKey as string }).patch(one, { expires: '' });
    expect(byKey.status).toBe(401);
    await app.as(alice).patch(one, { expires: '2020-01-01T00:00Z' });
    await until(async () => (await status()) === 401, 10_000);
    expect((await app.as(alice).post(`${one}/revoke`)).body).toMatchObject({ state: 'revoked' });
    expect((await list({ state: 'revoked' })).apiKeys).toMatchObject([{ name: 'short' }]);
  });
});
