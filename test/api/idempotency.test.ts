/** Tests calls that are repeated because their answer was lost: with an `Idempotency-Key` they send once. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWholeApp, type WholeApp } from '../harness/app.ts';
import { recipient, sendPath, singlePath, storedMessages } from '../harness/messaging.ts';
import { describeTwoNodes } from '../harness/two-nodes.ts';

const password = 'a password of all of them';
const provisioning = `
companies:
  - name: Clinic
    defaultSender: Clinic
    users:
      - { username: anna, password: ${password}, roles: [send] }
      - { username: bo, password: ${password}, roles: [send] }
      - { username: poor, password: ${password}, roles: [send], quotaParts: 1 }
carriers:
  - { name: sim, type: simulator, submitDelayMs: 0, receiptDelayMs: 20 }
routes:
  - { name: all, prefix: "", carriers: [sim] }
`;

const mismatch = { status: 422, body: { result: 'ERROR', code: 'idempotency_mismatch' } };
const body = { to: [recipient(1), 'abc', recipient(2)], message: 'Hello', shownumberparts: true };

let count = 0;
function newKey(): string {
  count += 1;
  return `key ${count}`;
}

function post(app: WholeApp, key: string, parameters: object = body, username = 'anna') {
  return app.as({ username, password }).post(sendPath, parameters, { 'idempotency-key': key });
}

async function messagesMade(app: WholeApp, work: () => Promise<unknown>): Promise<number> {
  const before = (await storedMessages(app)).length;
  await work();
  return (await storedMessages(app)).length - before;
}

/** Tests with one node, or with several that share a store. */
function testConcurrentCalls(nodes: () => readonly WholeApp[]): void {
  const node = (index: number) => nodes()[index % nodes().length] as WholeApp;

  test('[SEND-20] Concurrent calls with one idempotency key send once, whichever node they reach, and all get the same response', async () => {
    const key = newKey();
    const made = await messagesMade(node(0), async () => {
      const answers = await Promise.all(Array.from({ length: 25 }, (_, index) => post(node(index), key)));
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect(answers[0]?.status).toBe(200);
    });
    expect(made).toBe(2);
  });

  test('[SEND-20] Of concurrent calls with one idempotency key and two bodies, only one body is sent', async () => {
    const key = newKey();
    const made = await messagesMade(node(0), async () => {
      const calls = Array.from({ length: 20 }, (_, index) =>
        post(node(index >> 1), key, { to: [recipient(1)], message: `Hello ${index % 2}` }),
      );
      const answers = await Promise.all(calls);
      const successes = answers.filter(({ status }) => status === 200);
      expect(successes).toHaveLength(10);
      expect(new Set(successes.map(({ text }) => text)).size).toBe(1);
      for (const answer of answers) if (answer.status !== 200) expect(answer).toMatchObject(mismatch);
    });
    expect(made).toBe(1);
  });

  test('[SEND-19] [SEND-20] Concurrent calls with one idempotency key are all refused if the quota does not cover them', async () => {
    const key = newKey();
    const made = await messagesMade(node(0), async () => {
      const calls = Array.from({ length: 25 }, (_, index) => post(node(index), key, body, 'poor'));
      for (const answer of await Promise.all(calls)) {
        expect(answer).toMatchObject({ status: 400, body: { code: 'quota_exceeded' } });
      }
    });
    expect(made).toBe(0);
    const affordable = await post(node(0), key, { to: [recipient(1)], message: 'Hello' }, 'poor');
    expect(affordable.status).toBe(200);
    // The quota is used up now, but a repeated answer costs nothing.
    const again = await post(node(1), key, { to: [recipient(1)], message: 'Hello' }, 'poor');
    expect(again).toMatchObject({ status: 200, text: affordable.text });
  });
}

describe('Idempotency-Key, one node', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning });
  });
  afterAll(() => app?.close());

  testConcurrentCalls(() => [app]);

  test('[SEND-20] A call repeated with its idempotency key gets the first response again and sends nothing', async () => {
    const key = newKey();
    const first = await post(app, key);
    expect(first).toMatchObject({ status: 200, body: { accepted: [{}, {}], rejected: ['abc'] } });
    const made = await messagesMade(app, async () => {
      for (let time = 0; time < 3; time++)
        expect(await post(app, key)).toMatchObject({ status: 200, text: first.text });
      // The order of an object's fields does not matter.
      const { to, ...rest } = body;
      expect((await post(app, key, { ...rest, to })).text).toBe(first.text);
    });
    expect(made).toBe(0);
  });

  test('[SEND-20] [CONV-2] The same call by GET and by POST counts as a repetition under one idempotency key', async () => {
    const key = newKey();
    const tosubst = [{ to: recipient(3), subst: { NAME: 'Anna' } }];
    const first = await post(app, key, { to: [recipient(1)], tosubst, message: 'Hej NAME' });
    const url = `T=${recipient(1)}&TS=${recipient(3)},Anna&H=NAME&M8=Hej+NAME`;
    const anna = app.as({ username: 'anna', password });
    const again = await anna.get(sendPath, url, { 'idempotency-key': key });
    expect(again).toMatchObject({ status: 200, text: first.text });
  });

  test('[SEND-20] A different body with a used idempotency key is refused and sends nothing', async () => {
    const key = newKey();
    const first = await post(app, key);
    const made = await messagesMade(app, async () => {
      for (const change of [
        { message: 'Bye' },
        { to: [recipient(1)] },
        { flash: true },
        { conversation: 'x' },
      ]) {
        expect(await post(app, key, { ...body, ...change })).toMatchObject(mismatch);
      }
      const single = { to: recipient(1), message: 'Hello' };
      const anna = app.as({ username: 'anna', password });
      expect(await anna.post(singlePath, single, { 'idempotency-key': key })).toMatchObject(mismatch);
    });
    expect(made).toBe(0);
    expect((await post(app, key)).text).toBe(first.text);
  });

  test('[SEND-20] [SEND-18] An idempotency key works for /send/single too', async () => {
    const key = newKey();
    const single = { to: recipient(1), message: 'x'.repeat(161) };
    const anna = app.as({ username: 'anna', password });
    const first = await anna.post(singlePath, single, { 'idempotency-key': key });
    expect(first).toMatchObject({ status: 200, body: { parts: '2' } });
    const again = await anna.post(singlePath, single, { 'idempotency-key': key });
    expect(again).toMatchObject({ status: 200, text: first.text });
  });

  test('[SEND-20] An idempotency key belongs to a user, and the same key of another user sends', async () => {
    const key = newKey();
    const first = await post(app, key);
    const other = await post(app, key, { to: [recipient(1)], message: 'Of bo' }, 'bo');
    expect(other.status).toBe(200);
    expect(other.body.accepted[0].id).not.toBe(first.body.accepted[0].id);
  });

  test('[SEND-20] Without an idempotency key, or with different ones, the same call sends again', async () => {
    const made = await messagesMade(app, async () => {
      const anna = app.as({ username: 'anna', password });
      await Promise.all([anna.post(sendPath, body), anna.post(sendPath, body)]);
      await Promise.all([post(app, newKey()), post(app, newKey())]);
    });
    expect(made).toBe(8);
  });

  test('[SEND-20] A refused call leaves its idempotency key free for a retry or a different call', async () => {
    const key = newKey();
    const refused = await post(app, key, { to: ['abc'], message: 'Hello' });
    expect(refused).toMatchObject({ status: 400, body: { code: 'nothing_queued' } });
    expect(await post(app, key)).toMatchObject({ status: 200 });
  });

  test('[SEND-20] An idempotency key survives a restart of the server', async () => {
    const key = newKey();
    const first = await post(app, key);
    await app.restart();
    expect((await post(app, key)).text).toBe(first.text);
  });

  test('[SEND-20] An idempotency key has 1 to 255 printable ASCII characters', async () => {
    expect(await post(app, `${newKey()}${'k'.repeat(240)}`)).toMatchObject({ status: 200 });
    for (const key of ['', 'k'.repeat(256), 'å']) {
      const answer = await post(app, key);
      expect(answer, key).toMatchObject({ status: 400, body: { errors: [{ field: 'Idempotency-Key' }] } });
    }
  });
});

describeTwoNodes('Idempotency-Key', provisioning, (nodes) => {
  testConcurrentCalls(() => [nodes.first, nodes.second]);
});
