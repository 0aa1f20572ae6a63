/** Tests batches as a list of lines: every rule of the list form, as seen in the resulting messages. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alice, bob, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { jsonPath, listPath, messagesOf, storedBatches, to } from '../harness/batch-calls.ts';

const provisioning = standardProvisioning.replace(
  'username: alice,',
  'username: alice, replaceCharacters: true,',
);

describe('batches as a list of lines', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning });
  });
  afterAll(() => app?.close());

  const post = (query: string, body: string | Buffer, headers = {}) =>
    app.as(alice).request('POST', `${listPath}?${query}`, { body, headers });

  /** Returns the number, text and conversation of each message. */
  async function sent(query: string, body: string | Buffer) {
    const messages = await messagesOf(app, app.as(alice), () => post(query, body));
    return messages.map(({ recipient, text, conversation }) => [recipient, text, conversation]);
  }

  async function refused(query: string, body: string | Buffer) {
    const before = await storedBatches(app);
    const answer = await post(query, body);
    expect(answer.status, answer.text).toBe(400);
    expect(await storedBatches(app)).toBe(before);
    return (answer.body.errors ?? []).map(({ field, code }: Record<string, string>) => [field, code]);
  }

  test('[BATCH-1] [BATCH-2] A batch list may consist of one number per line', async () => {
    expect(await sent('M8=Hello', `${to(1)}\n${to(2)}\n`)).toEqual([
      [to(1), 'Hello', ''],
      [to(2), 'Hello', ''],
    ]);
    expect(await post('M8=Hello&BX=May+2', to(1))).toMatchObject({
      status: 200,
      body: { batchconversation: 'May 2', batchstatuscode: 1, batchstatusdescription: 'Received' },
    });
  });

  test('[BATCH-1] [CONV-7] The parameters of a batch list are URL-encoded in the URL', async () => {
    const query = `F=Ward+7&M8=D%C3%A4r+NAME%2C+TI%2CME%3B&BX=b%26x&C=c%2Bc&V=60&D=46&H=NAME,TI%2CME`;
    const list = `${to(1)};;;Anna;10.30\n0${to(2).slice(2)};;;Bo\n${to(3)};Eget;c3`;
    const messages = await messagesOf(app, app.as(alice), () => post(query, list));
    expect(messages.map(({ recipient, text, conversation }) => [recipient, text, conversation])).toEqual([
      [to(1), 'Där Anna, 10.30;', 'b&x'],
      [to(2), 'Där Bo, ;', 'b&x'],
      [to(3), 'Eget', 'c3'],
    ]);
    expect(new Set(messages.map(({ sender, costCenter }) => `${sender} ${costCenter}`))).toEqual(
      new Set(['Ward 7 c+c']),
    );
    for (const { createdAt, expiresAt } of messages) expect(expiresAt - createdAt).toBeLessThan(61 * 60_000);
  });

  test('[BATCH-1] The URL parameter R of a batch list turns the replacement of characters on or off', async () => {
    expect(await sent('M8=%E2%80%9Ca%E2%80%9D&R=T', to(1))).toEqual([[to(1), '"a"', '']]);
    expect(await sent('M8=%E2%80%9Ca%E2%80%9D&R=N', to(1))).toEqual([[to(1), '“a”', '']]);
    expect(await refused('M8=a&R=maybe', to(1))).toEqual([['R', 'invalid_value']]);
  });

  test('[BATCH-1] In a batch list, `+`, `%2B`, `%3B`, `%25` and other characters are decoded in texts, not in the number', async () => {
    const list = `+${to(1)};1+%2B+1+%3B+100%25;c%3B+1\n${to(2)};åäö + 😀 %C3%A5%0A;ö`;
    expect(await sent('', list)).toEqual([
      [to(1), '1 + 1 ; 100%', 'c; 1'],
      [to(2), 'åäö   😀 å\n', 'ö'],
    ]);
  });

  test('[BATCH-1] Phone numbers in a batch list are cleaned up, and a line without a valid number is refused', async () => {
    const [cc, rest] = [to(1).slice(0, 2), to(1).slice(2)];
    const forms = [`+${cc} ${rest}`, `00${to(1)}`, `0${rest}`, `+${cc} (7) 3-1.0`.slice(0, 0) + to(1)];
    expect(await sent('M8=Hi&D=46', forms.join('\n'))).toEqual([[to(1), 'Hi', '']]);
    expect(await refused('M8=Hi', `0${rest}\n+${cc}(${rest})x`)).toEqual([
      ['line 1', 'invalid_number'],
      ['line 2', 'invalid_number'],
    ]);
  });

  test('[BATCH-1] A batch list may contain empty lines, spaces, comments, line ends of any kind and a byte order mark', async () => {
    const list = `\uFEFF# who;%zz\r\n\r\n   \n${to(1)};a\r${to(2)};b\r\n  # more\n\n${to(3)};c`;
    expect(await sent('', list)).toEqual([
      [to(1), 'a', ''],
      [to(2), 'b', ''],
      [to(3), 'c', ''],
    ]);
  });

  test('[BATCH-1] In a batch list, missing substitutions are empty and excess ones are ignored', async () => {
    expect(await sent('M8=a1b2c&H=1,2', `${to(1)};;;x;y;z;%zz\n${to(2)};;;;y\n${to(3)}`)).toEqual([
      [to(1), 'axbyc', ''],
      [to(2), 'abyc', ''],
      [to(3), 'abc', ''],
    ]);
  });

  test('[BATCH-4] A batch list sends the same text to the same number only once', async () => {
    expect(await sent('M8=Hi', `${to(1)}\n+${to(1)};Hi\n${to(1)};Ho`)).toEqual([
      [to(1), 'Hi', ''],
      [to(1), 'Ho', ''],
    ]);
  });

  test('[BATCH-5] Faults in a batch list are reported by line, and faults in its URL by parameter', async () => {
    const bytes = Buffer.concat([
      Buffer.from(`# list\n${to(1)};%4\nabc\n${to(1)};`),
      Buffer.from([0xe5, 0x0a]),
    ]);
    expect(await refused('M8=Hi', bytes)).toEqual([
      ['line 2', 'bad_encoding'],
      ['line 3', 'invalid_number'],
      ['line 4', 'bad_encoding'],
    ]);
    expect(await refused('', `${to(1)};Hi\n${to(2)};;c`)).toEqual([['line 2', 'no_text']]);
    expect(await refused('M8=Hi', `${to(1)};;${'x'.repeat(101)}`)).toEqual([['line 1', 'invalid_value']]);
    expect(await refused('M8=Hi', '')).toEqual([]);
    expect(await refused(`M8=Hi&BX=${'x'.repeat(101)}`, to(1))).toEqual([['BX', 'invalid_value']]);
    expect(await refused('M8=Hi&V=10081', to(1))).toEqual([['V', 'invalid_value']]);
    expect(await refused('M8=%E5', to(1))).toEqual([['M8', 'bad_encoding']]);
  });

  test('[AUTH-1] The credentials of a batch list are in the URL or in headers, never in the body', async () => {
    const anonymous = app.as();
    const inUrl = `U=alice&P=${encodeURIComponent(alice.password)}&M8=Hi`;
    expect(await anonymous.request('POST', `${listPath}?${inUrl}`, { body: to(1) })).toMatchObject({
      status: 200,
    });
    expect(await app.as(bob).request('POST', `${listPath}?M8=Hi`, { body: to(1) })).toMatchObject({
      status: 200,
    });
    const before = await storedBatches(app);
    const strangers = [
      await anonymous.post(`${listPath}?M8=Hi`, { ...alice, batch: [] }),
      await anonymous.request('POST', `${listPath}?M8=%zz&U=alice&P=wrong`, { body: to(1) }),
      await app.as(bob).request('POST', `${listPath}?${inUrl}`, { body: to(1) }),
    ];
    for (const answer of strangers) expect(answer.status).toBe(401);
    expect(await storedBatches(app)).toBe(before);
  });

  test('[BATCH-10] A batch repeated with its idempotency key is taken once, whether as a list or as JSON', async () => {
    const key = { 'idempotency-key': 'either form' };
    const first = await post('M8=Hi+N&H=N', `${to(1)};;;a\n${to(2)}`, key);
    expect(first.status).toBe(200);
    expect((await post('H=N&M8=Hi%20N', `# same\n${to(1)};;;a;\r\n${to(2)};`, key)).text).toBe(first.text);
    const batch = [{ t: to(1), s: ['a'] }, { t: to(2) }];
    const asJson = await app.as(alice).post(jsonPath, { message: 'Hi N', holders: ['N'], batch }, key);
    expect(asJson.text).toBe(first.text);
    expect(await post('M8=Hi+N&H=N', `${to(1)};;;b\n${to(2)}`, key)).toMatchObject({ status: 422 });
  });
});
