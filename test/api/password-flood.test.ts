/** Tests that a flood of wrong passwords takes nothing from callers who have a right to be let in. */
import { request } from 'node:http';
import { expect, test } from 'vitest';
import { alice, bob, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';

const path = '/restsms/svcrest/send';
const body = JSON.stringify({ to: ['46701740699'], message: 'Hello' });

type Headers = Readonly<Record<string, string>>;

function basic({ username, password }: { readonly username: string; readonly password: string }): Headers {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

/** Calls from an address, as a proxy on this machine would pass it on. */
function call({ baseUrl }: WholeApp, address: string, headers: Headers): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      baseUrl + path,
      { method: 'POST', headers: { 'x-forwarded-for': address, 'x-forwarded-proto': 'https', ...headers } },
      (answer) => answer.resume().on('end', () => resolve(answer.statusCode ?? 0)),
    );
    sent.on('error', reject).end(body);
  });
}

/**
 * Strangers' passwords are checked one at a time, with pauses, so a slow machine takes long for those that it does not refuse
 * unchecked.
 */
const patienceMs = 100_000;

const count = (statuses: readonly number[]) =>
  Object.fromEntries(
    [...new Set(statuses)].map((status) => [status, statuses.filter((one) => one === status).length]),
  );

test('[AUTH-6] [CONV-12] A flood of wrong passwords shuts out no API key, remembered password or known network of a user', async () => {
  const app = await startWholeApp({
    engine: 'sqlite',
    provisioning: standardProvisioning,
    env: { CARILLON_TRUSTED_PROXIES: '127.0.0.1' },
  });
  try {
    const key = await app.as(alice).get('/authentication/auth/apikey?name=flood');
    expect(await call(app, '192.0.2.1', basic(alice))).toBe(200);
    expect(await call(app, '192.0.2.1', basic(bob))).toBe(200);
    // After the restart, bob has logged in from that network before, but his password is no longer cached.
    await app.restart();
    expect(await call(app, '203.0.113.1', basic(alice))).toBe(200);

    let isOver = false;
    const flooded: number[] = [];
    const flood = Array.from({ length: 150 }, async (_, index) => {
      for (let turn = 0; !isOver; turn++) {
        const address = `${10 + (index % 50)}.${turn % 250}.${index}.${turn % 200}`;
        const username = ['alice', 'bob', `nobody ${index} ${turn}`][turn % 3] as string;
        flooded.push(await call(app, address, basic({ username, password: `wrong ${index} ${turn}` })));
      }
    });
    await until(() => flooded.includes(429), patienceMs);
    const [byKey, remembered] = [[] as number[], [] as number[]];
    for (let turn = 0; turn < 100; turn++) {
      byKey.push(await call(app, '203.0.113.1', { 'x-api-key': String(key.body) }));
      remembered.push(await call(app, '203.0.113.1', basic(alice)));
    }
    // Strangers use up only the allowance for strangers.
    const stranger = () => call(app, '198.51.100.1', basic({ ...bob, password: 'wrong' }));
    await until(async () => (await stranger()) === 429, patienceMs);
    const known = await call(app, '192.0.2.1', basic(bob));
    isOver = true;
    await Promise.all(flood);
    expect(count(byKey)).toEqual({ 200: 100 });
    expect(count(remembered)).toEqual({ 200: 100 });
    expect(known).toBe(200);
    expect(Object.keys(count(flooded)).sort()).toEqual(expect.arrayContaining(['401', '429']));
    expect(flooded).not.toContain(200);
    const lines = app.stderr.split('\n').filter((line) => line.includes('login_failed'));
    expect(lines.length).toBeLessThan(flooded.length);
  } finally {
    await app.close();
  }
});
