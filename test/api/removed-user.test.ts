/** Tests that someone who gets the username of a removed user gets nothing that the removed user had. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { command } from '../../src/app/control.ts';
import { bob, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import {
  incomingPath,
  keyPath,
  recipient,
  sendOne,
  sendPath,
  statusPath,
  whenAllAre,
} from '../harness/messaging.ts';

const alice = { username: 'alice', password: 'a password of the first alice' };
const secondAlice = { username: 'alice', password: 'a password of the second alice' };

const provisioning = (users: string, numbers: string) => `
companies:
  - name: Nordic Care
    defaultSender: NordicCare
    users:
      - { username: bob, password: "${bob.password}", roles: [send] }
      - ${users}
carriers:
  - { name: sim, type: simulator, submitDelayMs: 0, receiptDelayMs: 20 }
routes:
  - { name: all, prefix: "", carriers: [sim] }
numbers:
  - ${numbers}
`;
const user = ({ username, password }: typeof alice) =>
  `{ username: ${username}, password: "${password}", roles: [send] }`;
const rentedBy = (name: string) => `{ number: "46731230001", rentedBy: ${name} }`;

describe('a username that is given again', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({
      engine: 'sqlite',
      provisioning: provisioning(user(alice), rentedBy('alice')),
    });
  });
  afterAll(() => app.close());

  test('[AUTH-5] [KEY-1] [STAT-2] [INC-2] A username given again admits no old keys, shows no old messages, and is billed apart', async () => {
    const call = { to: [recipient(0)], message: 'Hello' };
    const idempotency = { 'idempotency-key': 'the same' };
    const key = String((await app.as(alice).get(keyPath, { name: 'work' })).body);
    const id = await sendOne(app.as(alice));
    await whenAllAre(app.as(alice), [id], 'DELIVERED');
    const first = await app.as(alice).post(sendPath, call, idempotency);
    const incoming = { to: '46731230001', from: '46701740699', text: 'For the first' };
    await command(app.env.CARILLON_DATA as string, 'simulate-incoming', incoming);

    await app.apply(provisioning('{ username: alice, remove: true }', rentedBy('bob')));
    const made = await app.apply(provisioning(user(secondAlice), rentedBy('alice')));
    expect(made.stdout).toMatch(/^\+ user alice in Nordic Care: roles send/m);

    // A running server notices the change a little later.
    await until(async () => (await app.as(secondAlice).get(statusPath)).status === 200);
    expect(await app.as(alice).get(statusPath)).toMatchObject({ status: 401 });
    expect(await app.as({ key }).get(statusPath)).toMatchObject({ status: 401 });
    const client = app.as(secondAlice);
    expect(await client.post(statusPath, { id: [id] })).toMatchObject({
      body: { statuses: [], notfound: [id] },
    });
    expect(await client.get(statusPath)).toMatchObject({ body: { statuses: [] } });
    expect(await client.get(incomingPath)).toMatchObject({ status: 200, body: { incoming: [] } });
    const second = await client.post(sendPath, call, idempotency);
    expect(second.body.accepted[0].id).not.toBe(first.body.accepted[0].id);
    const keys = await app.run('keys', 'list', 'alice');
    expect(keys.stdout).toBe('The user alice has no API keys.\n');
    const newKey = String((await client.get(keyPath, { name: 'work' })).body);
    expect(newKey).not.toBe(key);
    expect(await app.as({ key: newKey }).get(statusPath)).toMatchObject({ status: 200 });

    // The bill lists both by name, and tells them apart.
    const { stdout } = await app.run('usage', '--json');
    const billed = JSON.parse(stdout).map(({ company, username }: Record<string, string>) => [
      company,
      username,
    ]);
    expect(billed).toEqual([
      ['Nordic Care', 'alice'],
      ['Nordic Care', 'alice (removed)'],
    ]);
  });
});
