/** Tests that security-related actions of callers and operators appear in the log, one line each. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alice, bob, carol, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { keyPath, sendOne, sendPath } from '../harness/messaging.ts';

const email = '/restsms/svcrest/emailtosms';
const provisioning = standardProvisioning
  .replace(
    'defaultSender: NordicCare',
    'defaultSender: NordicCare\n    allowedDomainEndings: [.care.example]',
  )
  .replace(
    'password: "alice\'s long password", roles: [send]',
    'password: "alice\'s long password", roles: [send, emailAdmin]',
  );

describe('security events', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning });
  });
  afterAll(() => app.close());

  const events = () =>
    app.stderr
      .split('\n')
      .filter((line) => line.includes('"msg":"security event"'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const untilLogged = (expected: Record<string, unknown>) =>
    until(() =>
      events().some((event) =>
        Object.entries(expected).every(([name, value]) =>
          value instanceof RegExp ? value.test(String(event[name])) : event[name] === value,
        ),
      ),
    );

  test('[RUN-4] [AUTH-1] The log records a user who logged in but may not make a call', async () => {
    expect((await app.as(carol).post(sendPath, { to: ['46701740699'], message: 'Hi' })).status).toBe(403);
    const who = { username: 'carol', address: '127.0.0.1', channel: 'http' };
    await untilLogged({
      event: 'access_denied',
      ...who,
      path: sendPath,
      reason: 'role_missing',
      level: 'warn',
    });
    expect((await app.as(bob).post(`${email}/set`, { email: 'a@b.care.example' })).status).toBe(403);
    await untilLogged({ event: 'access_denied', username: 'bob', path: `${email}/set` });
  });

  test('[RUN-4] [KEY-1] [AUTH-5] The log records API keys being issued, revoked, enabled and set to expire, by the API and by the operator', async () => {
    await app.as(bob).get(keyPath, { name: 'work' });
    await untilLogged({ event: 'key_issued', username: 'bob', object: 'work', path: keyPath, level: 'info' });
    await app.run('keys', 'revoke', 'bob', 'work');
    await untilLogged({ event: 'key_revoked', username: 'bob', object: /^work, by ./ });
    expect((await app.as(bob).get(keyPath, { name: 'work' })).status).toBe(403);
    await untilLogged({ event: 'access_denied', username: 'bob', reason: 'key_revoked' });
    await app.run('keys', 'enable', 'bob', 'work');
    await untilLogged({ event: 'key_enabled', username: 'bob', object: /^work, by ./ });
    await app.run('keys', 'expire', 'bob', 'work', '2040-12-31T23:59Z');
    await untilLogged({ event: 'key_expiry_set', username: 'bob', object: /^work: 2040-12-31T23:59Z, by ./ });
  });

  test('[RUN-4] [E2S-2] The log records changes to e-mail senders and their defaults, but not the reading of them', async () => {
    const client = app.as(alice);
    const entry = { email: 'Ward@a.care.example', payinguser: 'bob' };
    expect((await client.post(`${email}/set`, entry)).status).toBe(200);
    await untilLogged({ event: 'email_entry_set', username: 'alice', object: 'ward@a.care.example' });
    await client.post(`${email}/unset`, { email: 'ward@a.care.example' });
    await untilLogged({ event: 'email_entry_removed', username: 'alice', object: 'ward@a.care.example' });
    await client.post(`${email}/default`, {});
    await client.post(`${email}/default`, { maxSms: 4 });
    await untilLogged({ event: 'email_defaults_set', username: 'alice' });
    expect(events().filter(({ event }) => event === 'email_defaults_set')).toHaveLength(1);
  });

  test('[RUN-4] The log records the operator’s commands that change something, and no others', async () => {
    await app.apply(provisioning.replace('roles: []', 'roles: [jobs]'));
    await untilLogged({ event: 'operator_command', object: /^apply .*provisioning\.yaml: 1 changed, by ./ });
    const inADay = new Date(Date.now() + 86_400_000).toISOString().replace(/:\d\d\.\d+/, '');
    const scheduled = await sendOne(app.as(alice), { scheduletime: inADay });
    await app.run('message', 'cancel', scheduled);
    await untilLogged({
      event: 'operator_command',
      object: new RegExp(`^message cancel ${scheduled}, by .`),
    });
    const logged = events().length;
    await app.run('message', 'cancel', scheduled);
    await app.run('keys', 'list', 'bob');
    await app.apply(provisioning.replace('roles: []', 'roles: [jobs]'));
    expect(events()).toHaveLength(logged);
  });

  test('[RUN-4] The operator’s commands work even without a server whose log could record them', async () => {
    await app.stop();
    writeFileSync(
      join(app.env.CARILLON_DATA as string, '..', 'later.yaml'),
      'operators: [{ username: o, password: a password for o }]',
    );
    const { exitCode, stderr } = await app.run('apply', 'later.yaml');
    expect([exitCode, stderr]).toEqual([0, '']);
  });
});
