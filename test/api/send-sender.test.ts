/** Tests the sender of an SMS: the caller's choice, the defaults, and the senders to which an account is limited. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Credentials } from '../harness/api-client.ts';
import { startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import {
  recipient,
  sendPath,
  singlePath,
  statusesOf,
  storedMessages,
  storedOf,
} from '../harness/messaging.ts';

const password = 'a password of all of them';
const provisioning = `
companies:
  - name: With default
    defaultSender: Company
    users:
      - { username: plain, password: ${password}, roles: [send] }
      - { username: own, password: ${password}, roles: [send], defaultSender: Own }
      - { username: limited, password: ${password}, roles: [send], senders: [Clinic, "46731230001"] }
      - { username: limited well, password: ${password}, roles: [send], senders: [Clinic], defaultSender: Clinic }
  - name: Without
    users:
      - { username: nobody, password: ${password}, roles: [send] }
  - name: Bound
    senders: [Bank, Bank 24, "46731230009"]
    users:
      - { username: bound, password: ${password}, roles: [send] }
      - { username: bound twice, password: ${password}, roles: [send], senders: [Bank, Clinic] }
numbers:
  - { number: "46731230009", rentedBy: bound }
  - { number: "46731239001", pool: true }
carriers:
  - { name: sim, type: simulator, submitDelayMs: 0, receiptDelayMs: 20 }
routes:
  - { name: all, prefix: "", carriers: [sim] }
`;

describe('/send, sender', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning });
  });
  afterAll(() => app?.close());

  const as = (username: string) => app.as({ username, password } satisfies Credentials);
  const post = (body: object, username = 'plain') =>
    as(username).post(sendPath, { to: [recipient(1)], message: 'Hello', ...body });

  test.each<[written: string, stored: string]>([
    ['A', 'A'],
    ['NordicCare1', 'NordicCare1'],
    ['Åsa & Bo', 'Åsa & Bo'],
    ['  Clinic ', 'Clinic'],
    ['1177', '1177'],
    ['123', '123'],
    ['+46 73-123 00 01', '46731230001'],
    ['0046731230001', '46731230001'],
    ['123456789012345', '123456789012345'],
  ])('[SEND-15] The sender id %j is stored as %j, and shown as such in the status', async (from, sender) => {
    const answer = await post({ from });
    const [stored] = await storedOf(app, answer);
    expect(stored?.sender).toBe(sender);
    expect(await statusesOf(as('plain'), [stored?.id ?? ''])).toMatchObject([{ from: sender }]);
    const byGet = await as('plain').get(sendPath, { T: recipient(1), M8: 'Hello', F: from });
    expect(await storedOf(app, byGet)).toMatchObject([{ sender }]);
  });

  test.each([
    ['twelve chars'],
    ['12'],
    ['1234567890123456'],
    ['@home'],
    ['Клиника'],
    ['a\nb'],
    ['...'],
    ['€uro'],
  ])('[SEND-15] The sender id %j is refused, and nothing is sent', async (from) => {
    const before = (await storedMessages(app)).length;
    expect(await post({ from })).toMatchObject({ status: 400, body: { code: 'invalid_sender' } });
    const single = await as('plain').post(singlePath, { to: recipient(1), message: 'Hello', from });
    expect(single).toMatchObject({ status: 400, body: { code: 'invalid_sender' } });
    expect((await storedMessages(app)).length).toBe(before);
  });

  test.each<[username: string, sender: string]>([
    ['plain', 'Company'],
    ['own', 'Own'],
    ['limited well', 'Clinic'],
  ])('[SEND-15] Without a sender id in the call, the user %s sends from %s', async (username, sender) => {
    for (const from of [undefined, null, '']) {
      expect(await storedOf(app, await post({ from }, username))).toMatchObject([{ sender }]);
    }
  });

  test('[SEND-15] Without a sender id, given or by default, nothing is sent', async () => {
    expect(await post({}, 'nobody')).toMatchObject({ status: 400, body: { code: 'no_sender' } });
    expect(await post({ from: 'Any' }, 'nobody')).toMatchObject({ status: 200 });
  });

  test('[SEND-15] An account may be limited to a list of sender ids, which binds its default too', async () => {
    for (const from of ['Clinic', '46731230001', '+46 73 123 00 01']) {
      expect(await post({ from }, 'limited'), from).toMatchObject({ status: 200 });
    }
    for (const from of ['Other', 'CLINIC', '46731230002', undefined]) {
      const answer = await post({ from }, 'limited');
      expect(answer, from).toMatchObject({ status: 400, body: { code: 'sender_not_allowed' } });
      expect(answer.body.error).toContain('Clinic, 46731230001');
    }
  });

  test('[SEND-15] A company may be limited to a list of sender ids, in addition to the lists of its users', async () => {
    for (const from of ['Bank', 'Bank 24', '46731230009'])
      expect(await post({ from }, 'bound'), from).toMatchObject({ status: 200 });
    expect(await post({ from: 'Bank' }, 'bound twice')).toMatchObject({ status: 200 });
    for (const [username, from] of [
      ['bound', 'Clinic'],
      ['bound twice', 'Bank 24'],
      ['bound twice', 'Clinic'],
    ])
      expect(await post({ from }, username)).toMatchObject({
        status: 400,
        body: { code: 'sender_not_allowed' },
      });
  });

  test('[SEND-15] A sender id of another company or of the pool is refused in /send, batches and dry runs alike', async () => {
    const refused = { status: 400, body: { code: 'sender_not_yours' } };
    for (const from of ['Bank', 'BANK', '+46 73 123 00 09', '0046731230009', '46731239001']) {
      expect(await post({ from }), from).toMatchObject(refused);
      const batch = { from, message: 'Hello', batch: [{ t: recipient(1) }] };
      expect(await as('plain').post('/api/v1/batches', batch), from).toMatchObject(refused);
      const preview = { to: [recipient(1)], message: 'Hello', from };
      expect(await as('plain').post('/api/v1/send/preview', preview), from).toMatchObject(refused);
      const contract = await as('plain').post('/restsms/svcrest/batchsend/json', batch);
      expect(contract, from).toMatchObject(refused);
      expect(await as('plain').get(sendPath, { T: recipient(1), M8: 'Hello', F: from }), from).toMatchObject(
        refused,
      );
    }
    expect(await post({ from: '46731239001' }, 'bound')).toMatchObject({ status: 400 });
  });

  test('[SEND-15] A sender id that now belongs to another company is refused, even in resends and as an earlier default', async () => {
    const { id } = (await storedOf(app, await post({ from: 'Ferry' })))[0] ?? { id: '' };
    // The simulator makes this number fail.
    const batch = { from: 'Ferry', message: 'Hello', batch: [{ t: '46731000008' }] };
    const { batchid } = (await as('plain').post('/api/v1/batches', batch)).body;
    const ofBatch = `/api/v1/batches/${batchid}`;
    await until(async () => (await as('plain').get(`${ofBatch}/failed`)).body.failed?.length === 1);
    const listing = 'companies: [{ name: Bound, senders: [Bank, Ferry, Own, "46731230009"] }]';
    expect(await app.apply(listing)).toMatchObject({ exitCode: 0 });
    await until(async () => (await post({ from: 'Ferry' })).status === 400);
    const preview = { to: [recipient(1)], message: 'Hello' };
    const calls = {
      resend: as('plain').post(`/api/v1/messages/${id}/resend`, {}),
      resendFailed: as('plain').post(`${ofBatch}/resend-failed`, {}),
      single: as('plain').post(singlePath, { to: recipient(1), message: 'Hello', from: 'Ferry' }),
      ofDefault: post({}, 'own'),
      previewOfDefault: as('own').post('/api/v1/send/preview', preview),
      batchOfDefault: as('own').post('/api/v1/batches', { message: 'Hello', batch: [{ t: recipient(1) }] }),
    };
    for (const [door, call] of Object.entries(calls))
      expect([door, (await call).body.code]).toEqual([door, 'sender_not_yours']);
    const checked = await as('plain').post('/api/v1/batches/preview', batch);
    expect(JSON.stringify(checked.body)).toContain('sender_not_yours');
    const named = await app.apply(provisioning.replace('Bank 24', 'Ferry, Own'));
    expect(named).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/users\[1\]\.defaultSender .*: Own belongs to another company/),
    });
    await app.apply(provisioning);
    await until(async () => (await post({ from: 'Ferry' })).status === 200);
  });

  test('[SEND-15] A sender id that the operator gives to another company changes hands without a restart', async () => {
    expect(await post({ from: 'Hospital' })).toMatchObject({ status: 200 });
    await app.apply(provisioning.replace('Bank 24', 'Hospital'));
    await until(async () => (await post({ from: 'Hospital' })).status === 400);
    expect(await post({ from: 'Hospital' }, 'bound')).toMatchObject({ status: 200 });
    const moved = await app.apply('numbers: [{ number: "46731230009", rentedBy: plain }]');
    const warning =
      /^numbers\[0\]\.rentedBy .*: 46731230009 is no longer a sender of Bound, but is still named there by the company: SMS from this number are refused until another is named\n$/;
    expect(moved).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(warning) });
    await until(async () => (await post({ from: '46731230009' })).status === 200);
  });
});
