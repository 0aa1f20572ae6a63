/**
 * Tests batches as JSON: accepted as a whole or not at all, no matter who sends them and what is wrong with them.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alice, bob, carol, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { finalCode, jsonPath, messagesOf, storedBatches, to } from '../harness/batch-calls.ts';
import { keyPath, query } from '../harness/messaging.ts';
import { converse, requestsWith } from '../harness/raw-socket.ts';

const provisioning = standardProvisioning
  .replace('username: alice,', 'username: alice, replaceCharacters: true,')
  .replace('username: bob,', 'username: bob, maxBatch: 5, senders: [Bob], defaultSender: Bob,');

const hello = { message: 'Hello', batch: [{ t: to(1) }] };
describe('batches as JSON', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning });
  });
  afterAll(() => app?.close());
  const post = (body: object | string, headers = {}, who: Parameters<WholeApp['as']>[0] = alice) =>
    app.as(who).post(jsonPath, body, headers);
  const sent = (body: object) => messagesOf(app, app.as(alice), () => post(body));

  /** Checks that the batch is refused with this code and leaves nothing behind. */
  async function refused(body: object | string, status: number, code: string, who = alice) {
    const before = await storedBatches(app);
    const answer = await post(body, {}, who);
    expect(answer, answer.text).toMatchObject({ status, body: { result: 'ERROR', code } });
    expect(await storedBatches(app)).toBe(before);
    return answer.body;
  }

  test('[BATCH-1] [BATCH-2] A JSON batch becomes messages with the texts, sender, validity and other parameters that it gives', async () => {
    const body = {
      from: 'Ward 7',
      message: 'Dear NAME, see you at TIME',
      batchconversation: 'May',
      costcenter: 'ward',
      validminutes: '60',
      defaultcountrycode: '46',
      holders: ['NAME', 'TIME'],
      unknown: { a: [1] },
      batch: [
        { t: `+${to(1).replace(/(..)/g, '$1 ')}`, s: ['Anna', '10:30', 'more'] },
        { t: `0${to(2).slice(2)}`, s: ['Bo'] },
        { t: to(3), m: 'NAME and TIME', i: 'mine' },
      ],
    };
    let answer: Awaited<ReturnType<typeof post>> | undefined;
    const messages = await messagesOf(app, app.as(alice), async () => {
      answer = await post(body);
      return answer;
    });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        batchid: expect.stringMatching(/^[0-9]+$/),
        batchconversation: 'May',
        batchstatuscode: 1,
        batchstatusdescription: 'Received',
      },
    });
    expect(messages.map(({ recipient, text, conversation }) => [recipient, text, conversation])).toEqual([
      [to(1), 'Dear Anna, see you at 10:30', 'May'],
      [to(2), 'Dear Bo, see you at ', 'May'],
      [to(3), 'NAME and TIME', 'mine'],
    ]);
    for (const { sender, costCenter, createdAt, expiresAt } of messages) {
      expect([sender, costCenter]).toEqual(['Ward 7', 'ward']);
      expect(expiresAt - createdAt).toBeGreaterThanOrEqual(60 * 60_000);
      expect(expiresAt - createdAt).toBeLessThan(61 * 60_000);
    }
  });

  test('[BATCH-1] In a JSON batch, replacecharacters takes effect for an account that may use it', async () => {
    const body = { ...hello, message: 'a “b”', replacecharacters: true };
    expect((await sent(body))[0]?.text).toBe('a "b"');
    expect((await sent({ ...body, replacecharacters: false }))[0]?.text).toBe('a “b”');
  });

  test('[BATCH-4] A JSON batch sends the same text to the same number only once', async () => {
    const batch = [{ t: to(1) }, { t: `+${to(1)}`, m: 'Hello' }, { t: to(1), m: 'Another' }, { t: to(2) }];
    const messages = await sent({ message: 'Hello', batch });
    expect(messages.map(({ recipient, text }) => [recipient, text])).toEqual([
      [to(1), 'Hello'],
      [to(1), 'Another'],
      [to(2), 'Hello'],
    ]);
  });

  test('[AUTH-1] [BATCH-1] Credentials may be in the body of a JSON batch, before or after the list', async () => {
    const { batch, message } = hello;
    const key = (await app.as(alice).get(keyPath, { name: 'batch' })).body as string;
    for (const body of [
      { ...alice, ...hello },
      { batch, message, ...alice },
      { batch, apikey: key, message },
    ]) {
      expect(await app.as().post(jsonPath, body)).toMatchObject({ status: 200 });
    }
    expect(await app.as().post(`${jsonPath}?key=${key}`, hello)).toMatchObject({ status: 200 });
  });

  test('[AUTH-2] [BATCH-1] A JSON batch from an unauthenticated client, or with credentials given twice, is refused and not stored', async () => {
    const before = await storedBatches(app);
    const big = { batch: Array.from({ length: 20_000 }, (_, index) => ({ t: to(index) })), message: 'Hi' };
    const strangers = [
      await app.as().post(jsonPath, { ...big, username: 'alice', password: 'wrong' }),
      await app.as().post(jsonPath, big),
      await app.as().post(jsonPath, { batch: ['not even a recipient'], validminutes: 0 }),
      await post({ ...hello, ...alice }),
      await app.as().post(`${jsonPath}?U=alice&P=${encodeURIComponent(alice.password)}`, hello),
    ];
    for (const answer of strangers)
      expect(answer).toMatchObject({ status: 401, body: { code: 'unauthorised' } });
    expect(await post(hello, {}, carol)).toMatchObject({ status: 403, body: { code: 'role_missing' } });
    expect(await storedBatches(app)).toBe(before);
  });

  test('[BATCH-5] Every fault in a JSON batch is reported with its index, and nothing is stored', async () => {
    const batch: unknown[] = Array.from({ length: 30 }, (_, index) => ({ t: to(index) }));
    batch[17] = { t: 17 };
    batch[18] = { t: 'abc' };
    batch[29] = { t: to(29), i: 'x'.repeat(101) };
    const { errors } = await refused({ message: 'Hi', batch }, 400, 'invalid_type');
    expect(errors.map(({ field, code }: Record<string, string>) => [field, code])).toEqual([
      ['batch[17].t', 'invalid_type'],
      ['batch[18].t', 'invalid_number'],
      ['batch[29].i', 'invalid_value'],
    ]);
  });

  test('[BATCH-5] A JSON batch with a missing or out-of-bounds parameter is refused', async () => {
    await refused('', 400, 'missing_parameter');
    await refused({ message: 'Hi' }, 400, 'missing_parameter');
    await refused({ message: 'Hi', batch: null }, 400, 'missing_parameter');
    await refused({ message: 'Hi', batch: [] }, 400, 'no_recipients');
    await refused({ message: 'Hi', batch: { t: to(1) } }, 400, 'invalid_type');
    await refused({ batch: [{ t: to(1) }] }, 400, 'no_text');
    await refused({ message: '', batch: [{ t: to(1), m: '' }] }, 400, 'no_text');
    for (const wrong of [
      ...[{ batchconversation: 'x'.repeat(101) }, { validminutes: 0 }, { validminutes: '10081' }],
      ...[{ replacecharacters: 'T' }, { holders: 'NAME' }, { message: 5 }, { defaultcountrycode: 'SE' }],
    ]) {
      const answer = await post({ ...hello, ...wrong });
      expect([answer.status, answer.body.errors[0].field]).toEqual([400, Object.keys(wrong)[0]]);
    }
    const long = await refused({ ...hello, holders: ['a', 'x'.repeat(101)] }, 400, 'invalid_value');
    expect(long.errors[0].field).toBe('holders[1]');
    await refused({ ...hello, from: 'much too long a name' }, 400, 'invalid_sender');
    await refused({ ...hello, from: 'Alice' }, 400, 'sender_not_allowed', bob);
    expect(await post({ ...hello, batchconversation: 'x'.repeat(100) })).toMatchObject({ status: 200 });
  });

  test('[BATCH-5] A batch with too many recipients, or a text that becomes empty or too long, is reported only by /batchinfo', async () => {
    const batch = Array.from({ length: 5 }, (_, index) => ({ t: to(index) }));
    const codeOf = async (body: object) => finalCode(app.as(bob), await post(body, {}, bob));
    expect(await codeOf({ message: 'Hi', batch })).toBe(0);
    expect(await codeOf({ message: 'Hi', batch: [...batch, { t: to(1) }] })).toBe(12);
    expect(await codeOf({ message: 'X', holders: ['X'], batch })).toBe(14);
    expect(await codeOf({ message: 'x'.repeat(40_000), batch })).toBe(14);
  });

  test('[CONV-8] [BATCH-1] A JSON batch whose body ends too early sends nothing, wherever it ends', async () => {
    const whole = JSON.stringify({
      message: 'Hå',
      holders: ['N'],
      batch: [{ t: to(1), s: ['a\n'] }, { t: to(2) }],
    });
    const bytes = Buffer.from(whole);
    const before = await storedBatches(app);
    const posted = Array.from({ length: bytes.length - 1 }, async (_, index) => {
      const body = bytes.subarray(0, index + 1);
      return [index + 1, await app.as(alice).request('POST', jsonPath, { body })] as const;
    });
    for (const [end, answer] of await Promise.all(posted)) {
      expect([end, answer.status]).toEqual([end, 400]);
      expect(answer.body.code, answer.text).toMatch(/^bad_(json|encoding)$/);
      expect(answer.body.error).toMatch(/line 1, column \d+ \(character \d+\)|byte \d+/);
    }
    expect(await storedBatches(app)).toBe(before);
  });

  test('[CONV-8] [BATCH-1] A batch body that is not JSON in UTF-8 is refused with the place of the fault', async () => {
    const latin1 = Buffer.from(JSON.stringify({ batch: [{ t: to(1), m: 'é' }] }), 'latin1');
    const answer = await app.as(alice).request('POST', jsonPath, { body: latin1 });
    expect(answer).toMatchObject({ status: 400, body: { code: 'bad_encoding' } });
    expect(answer.body.error).toContain(`byte ${latin1.indexOf(0xe9) + 1} `);
    const deep = await refused(
      `{"message":"Hi","batch":[\n{"t":"${to(1)}"},\n{"t":"${to(2)}",}]}`,
      400,
      'bad_json',
    );
    expect(deep.error).toContain(`line 3, column ${9 + to(2).length}`);
    await refused('{"batch":[],"batch":[]}', 400, 'duplicate_parameter');
    await refused(`{"batch":[{"t":"${to(1)}","m":"${'x'.repeat(10_000_000)}"}]}`, 400, 'invalid_value');
    await refused(`{"batch":${'['.repeat(1_000_000)}`, 400, 'bad_json');
    await refused('[]', 400, 'bad_json');
  });

  test('[BATCH-1] A JSON batch is read with a byte order mark, white space and Content-Type text/plain, but not as multipart', async () => {
    const body = `\uFEFF \n${JSON.stringify(hello, undefined, 2)}\r\n\t`;
    expect(await post(body, { 'content-type': 'text/plain' })).toMatchObject({ status: 200 });
    expect(await post(body, { 'content-type': 'multipart/form-data; boundary=x' })).toMatchObject({
      status: 415,
    });
    expect(await app.as(alice).get(jsonPath)).toMatchObject({ status: 405 });
  });

  test('[BATCH-10] A JSON batch repeated with its idempotency key is the same batch, and a different one with that key is refused', async () => {
    const batch = Array.from({ length: 1_200 }, (_, index) => ({ t: to(index) }));
    const body = { message: 'Once', batch };
    const before = await storedBatches(app);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => post(body, { 'idempotency-key': 'once' })),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    const again = await post({ apikey: '', batch, message: 'Once' }, { 'idempotency-key': 'once' });
    expect(again.text).toBe(answers[0]?.text);
    const other = await post({ ...body, message: 'Twice' }, { 'idempotency-key': 'once' });
    expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_mismatch' } });
    expect(await storedBatches(app)).toBe(before + 1);
    expect(await post(body, { 'idempotency-key': 'once' }, bob)).toMatchObject({ status: 200 });
  });
});

describe('large bodies', () => {
  let app: WholeApp;
  let port: number;
  let key: string;
  beforeAll(async () => {
    const env = { CARILLON_MAX_BODY: '3MiB' };
    app = await startWholeApp({ engine: 'sqlite', provisioning, env });
    port = Number(new URL(app.baseUrl).port);
    key = (await app.as(alice).get(keyPath, { name: 'large' })).body;
  });
  afterAll(() => app?.close());

  const { head } = requestsWith(() => key);

  test('[BATCH-6] A batch body may be as large as the server’s limit, and not one byte larger', async () => {
    const bodyOf = (bytes: number) => {
      const start = `{"message":"Hi","batch":[{"t":"${to(1)}"}]`;
      return `${start}${' '.repeat(bytes - start.length - 1)}}`;
    };
    expect(await app.as(alice).post(jsonPath, bodyOf(3 * 1_048_576))).toMatchObject({ status: 200 });
    const tooLarge = await app.as(alice).post(jsonPath, bodyOf(3 * 1_048_576 + 1));
    expect(tooLarge).toMatchObject({ status: 413, body: { code: 'body_too_large' } });
  });

  test('[BATCH-6] A batch body that is announced as too large is refused before it is sent', async () => {
    for (const path of [jsonPath, '/restsms/svcrest/batchsend/list']) {
      const { answers } = await converse(port, [
        head(`POST ${path} HTTP/1.1`, 'Content-Length: 999999999'),
        '{',
      ]);
      expect(answers[0]).toMatchObject({ status: 413, json: { code: 'body_too_large' } });
    }
  });

  test('[BATCH-6] A batch body of unannounced length is refused as soon as it exceeds the limit', async () => {
    const piece = `100000\r\n${' '.repeat(1_048_576)}\r\n`;
    const pieces = [head(`POST ${jsonPath} HTTP/1.1`, 'Transfer-Encoding: chunked'), piece, piece, piece];
    const enough = await converse(port, [...pieces, '0\r\n\r\n']);
    expect(enough.answers[0]).toMatchObject({ status: 400, json: { code: 'bad_json' } });
    const { answers } = await converse(port, [...pieces, '1\r\n \r\n']);
    expect(answers[0]).toMatchObject({ status: 413, json: { code: 'body_too_large' } });
  });

  test('[BATCH-6] A client that hangs up halfway through a batch body leaves nothing stored', async () => {
    const before = await storedBatches(app);
    const recipients = Array.from({ length: 20_000 }, (_, index) => `{"t":"${to(index)}"}`).join(',');
    const whole = `{"message":"Hi","batch":[${recipients}]}`;
    const request = head(`POST ${jsonPath} HTTP/1.1`, `Content-Length: ${whole.length}`);
    for (const part of [0.1, 0.5, 0.9]) {
      const pieces = [request, whole.slice(0, whole.length * part)];
      await converse(port, pieces, { quietMs: 100, finally: 'reset' });
    }
    const end = await converse(port, [request, whole.slice(0, -1)], { quietMs: 100, finally: 'end' });
    expect(end.answers.filter(({ status }) => status === 200)).toEqual([]);
    // A partly stored batch is removed once the server notices that its connection has ended.
    await until(async () => (await storedBatches(app)) === before);
    expect(app.stderr + app.stdout).not.toMatch(/"level":"(error|fatal)"/);
    expect(await app.as(alice).post(jsonPath, whole)).toMatchObject({ status: 200 });
  });

  test('[BATCH-6] A batch whose client hangs up before the response is stored whole or not at all', async () => {
    const recipients = Array.from({ length: 20_000 }, (_, index) => `{"t":"${to(index)}"}`).join(',');
    const named = (name: string) => `{"batchconversation":"${name}","message":"Hi","batch":[${recipients}]}`;
    for (const quietMs of [3, 20, 50, 130]) {
      const whole = named(`after ${quietMs}`);
      const request = head(`POST ${jsonPath} HTTP/1.1`, `Content-Length: ${whole.length}`);
      await converse(port, [request + whole], { answers: 0, quietMs });
    }
    // A batch above that is still being checked may yet be stored, but not later than a batch of the same size that is sent
    // after it. A slow server may have no room for this last batch at first.
    await until(async () => (await app.as(alice).post(jsonPath, named('after all'))).status === 200);
    await until(async () => {
      const asked = "SELECT code, messages FROM batches WHERE conversation LIKE 'after %'";
      const rows = await query(app, asked);
      return rows.every(({ code, messages }) => code !== null && Number(messages) === 20_000);
    });
    expect(app.stderr + app.stdout).not.toMatch(/"level":"(error|fatal)"/);
  });
});
