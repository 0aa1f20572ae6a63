/** Tests sending texts from saved templates, by GET and POST and by `/send/single`. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../harness/api-client.ts';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import {
  acceptedOf,
  query,
  recipient,
  sendPath,
  singlePath,
  storedMessages,
  storedOf,
} from '../harness/messaging.ts';

const [one, two, three] = [recipient(1), recipient(2), recipient(3)];

/** A user of another company, which has a template with the same id as one of alice's company. */
const taxi = { username: 'tom', password: "tom's long password" };

const templates = {
  1001: 'Dear {Text:customer:Name of the customer}, welcome on {DateTime:when}. Your customer service',
  1002: '{Text:text}',
  1003: 'No placeholder, customer',
  1004: '{Text:}{Contact:name}{text:a}{DateTime:a:b}',
} as const;

const lines = (texts: Readonly<Record<string, string>>) =>
  Object.entries(texts)
    .map(([id, text]) => `      - { id: ${id}, name: "of a test", text: ${JSON.stringify(text)} }\n`)
    .join('');

const withTemplates = (texts: Readonly<Record<string, string>>) =>
  standardProvisioning.replace(
    'carriers:\n',
    `    templates:
${lines(texts)}  - name: Harbour Taxi
    defaultSender: Taxi
    users: [{ username: tom, password: "${taxi.password}", roles: [send], quotaParts: 6 }]
    templates:
${lines({ 1002: 'Your taxi, {Text:text}', 2001: 'Taxi only' })}carriers:
`,
  );

describe('templates', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning: withTemplates(templates) });
  });
  afterAll(() => app?.close());

  const post = (body: object, user = alice) => app.as(user).post(sendPath, body);
  const get = (given: string) => app.as(alice).get(sendPath, given);
  const single = (body: object) => app.as(alice).post(singlePath, { to: one, ...body });
  const texts = async (answer: Answer) => (await storedOf(app, answer)).map(({ text }) => text);
  async function singleText(body: object): Promise<string | undefined> {
    const { status, body: answer, text } = await single(body);
    expect(status, text).toBe(200);
    return (await storedMessages(app)).find(({ id }) => id === answer.id)?.text;
  }

  const filled = 'Dear Anna, welcome on Monday. Your Anna service';
  const onlyPlaceholders = 'Dear Anna, welcome on Monday. Your customer service';
  const unfilled = 'Dear , welcome on . Your customer service';

  describe.each([
    ['false', false, filled],
    ['true', true, onlyPlaceholders],
  ] as const)('onlytemplateplaceholders %s', (_, onlytemplateplaceholders, expected) => {
    test('[SEND-6] [SEND-7] A template sent by POST is filled with the texts in tosubst, whatever onlytemplateplaceholders says', async () => {
      const subst = { customer: 'Anna', when: 'Monday', unknown: 'x', Customer: 'y' };
      const body = { templateid: '1001', onlytemplateplaceholders, to: [two], tosubst: [{ to: one, subst }] };
      expect(await texts(await post(body))).toEqual([unfilled, expected]);
      expect(await texts(await post({ ...body, templateid: 1001 }))).toEqual([unfilled, expected]);
    });

    test('[SEND-6] [SEND-7] A template sent by GET is filled with the texts in TS and H, whatever onlytemplateplaceholders says', async () => {
      const only = onlytemplateplaceholders ? 'TPONLY=YES' : 'TPONLY=F';
      const list = `${one},Anna,Monday,${two},,`;
      const answer = await get(`TPID=1001&${only}&T=${three}&H=customer,when&TS=${list}`);
      const empty = onlytemplateplaceholders ? unfilled : 'Dear , welcome on . Your  service';
      expect(await texts(answer)).toEqual([unfilled, expected, empty]);
    });

    test('[SEND-6] [SEND-7] [SEND-18] A template sent by /send/single is filled by holders, whatever onlytemplateplaceholders says', async () => {
      const holders = { holder1: 'customer', subst1: 'Anna', holder3: 'when', subst3: 'Monday' };
      const body = { templateid: '1001', onlytemplateplaceholders, ...holders };
      expect(await singleText(body)).toBe(expected);
    });
  });

  test('[SEND-7] A call with a template ignores an explicit message, even an invalid one', async () => {
    expect(await texts(await post({ templateid: '1003', message: 'Hello', to: [one] }))).toEqual([
      templates[1003],
    ]);
    expect(await texts(await get(`TPID=1003&M8=Hello&T=${one}`))).toEqual([templates[1003]]);
    const tooLong = 'x'.repeat(255 * 153 + 1);
    expect(await singleText({ templateid: '1003', message: tooLong })).toBe(templates[1003]);
  });

  test('[SEND-6] [SEND-7] Curly brackets that form no placeholder are plain text, and so are all curly brackets in an explicit message', async () => {
    const tosubst = [{ to: one, subst: { a: '1', name: '2' } }];
    expect(await texts(await post({ templateid: '1004', tosubst }))).toEqual([
      '{Text:}{Cont1ct:2}{text:1}{D1teTime:1:b}',
    ]);
    const only = { onlytemplateplaceholders: true };
    expect(await texts(await post({ templateid: '1004', tosubst, ...only }))).toEqual([templates[1004]]);
    expect(await texts(await post({ message: '{Text:a} a', tosubst }))).toEqual(['{Text:1} 1']);
    expect(await texts(await post({ message: '{Text:a} a', tosubst, ...only }))).toEqual(['{Text:a} a']);
    expect(await singleText({ message: 'a', holder1: 'a', subst1: 'b', ...only })).toBe('a');
  });

  test('[SEND-7] The parts and encoding of a template are those of the text that each recipient gets', async () => {
    const answer = await post({
      templateid: '1002',
      shownumberparts: true,
      tosubst: [
        { to: one, subst: { text: 'x'.repeat(160) } },
        { to: two, subst: { text: `${'x'.repeat(160)}y` } },
        { to: three, subst: { text: `${'x'.repeat(70)}ж` } },
      ],
    });
    expect(acceptedOf(answer).map(({ parts }) => parts)).toEqual(['1', '2', '2']);
  });

  test('[SEND-7] [SEND-19] The quota is charged for the final text of a template', async () => {
    const parts = (count: number) => ({
      templateid: '1002',
      tosubst: [{ to: one, subst: { text: 'x'.repeat(153 * count - 'Your taxi, '.length) } }],
    });
    expect(await post(parts(7), taxi)).toMatchObject({ status: 400, body: { code: 'quota_exceeded' } });
    expect(await texts(await post(parts(4), taxi))).toEqual([expect.stringMatching(/^Your taxi, x+$/)]);
    const [user] = await query(app, "SELECT quota_used FROM users WHERE username = 'tom'");
    expect(Number(user?.quota_used)).toBe(4);
  });

  test('[SEND-7] A recipient whose template text stays empty is rejected, and a call whose text is empty for all is refused', async () => {
    const tosubst = [{ to: one }, { to: two, subst: { text: 'fine' } }, { to: three, subst: { text: '' } }];
    const answer = await post({ templateid: '1002', tosubst });
    expect(answer).toMatchObject({ status: 200, body: { rejected: [one, three] } });
    expect(await texts(answer)).toEqual(['fine']);
    for (const empty of [
      await post({ templateid: '1002', tosubst: [{ to: one }] }),
      await single({ templateid: '1002', holder1: 'other', subst1: 'x' }),
    ]) {
      expect(empty).toMatchObject({
        status: 400,
        body: { code: 'nothing_queued', errors: [{ code: 'no_text' }] },
      });
    }
    expect(await post({ templateid: '1002', to: [one] })).toMatchObject({
      status: 400,
      body: { code: 'no_text' },
    });
    expect(await single({ templateid: '1002' })).toMatchObject({ status: 400, body: { code: 'no_text' } });
  });

  test.each(['1', '2001', '999999999999999999', '0'])(
    '[SEND-7] Template %s is refused as unknown to the company, and nothing is sent',
    async (id) => {
      const before = (await storedMessages(app)).length;
      const refusal = {
        result: 'ERROR',
        code: 'unknown_template',
        error: expect.stringContaining(` ${id}.`),
      };
      for (const answer of [
        await post({ templateid: id, message: 'Hello', to: [one] }),
        await get(`TPID=${id}&M8=Hello&T=${one}`),
        await single({ templateid: id, message: 'Hello' }),
      ]) {
        expect(answer).toMatchObject({ status: 400, body: refusal });
      }
      expect((await storedMessages(app)).length).toBe(before);
    },
  );

  test.each(['abc', '-1', '1.5', '10 01', '0x10', '1'.repeat(20)])(
    '[SEND-7] [CONV-6] The template id %j is refused as invalid',
    async (id) => {
      const refusal = { status: 400, body: { code: 'invalid_value' } };
      expect(await post({ templateid: id, to: [one] })).toMatchObject(refusal);
      expect(await get(`TPID=${encodeURIComponent(id)}&T=${one}`)).toMatchObject(refusal);
    },
  );

  test('[SEND-7] [SEND-20] A call repeated with its idempotency key is answered as before, even when its template is gone', async () => {
    const body = { templateid: '1003', to: [one] };
    const send = (given: object) =>
      app.as(alice).post(sendPath, given, { 'idempotency-key': 'with a template' });
    const first = await send(body);
    expect(await texts(first)).toEqual([templates[1003]]);
    const without = await app.apply(
      standardProvisioning.replace(
        'carriers:\n',
        `    templates:\n      - { id: 1003, remove: true }\ncarriers:\n`,
      ),
    );
    expect(without, without.stderr).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('- template 1003'),
    });
    await until(async () => (await post(body)).status !== 200);
    expect(await post(body)).toMatchObject({ status: 400, body: { code: 'unknown_template' } });
    expect((await send(body)).body).toEqual(first.body);
    expect(await send({ ...body, onlytemplateplaceholders: true })).toMatchObject({ status: 422 });
  });

  test('[SEND-7] [RUN-3] A changed template is sent with its new text, without a restart', async () => {
    const body = { templateid: '1005', to: [one] };
    expect(await post(body)).toMatchObject({ status: 400 });
    for (const text of ['The first text', 'The second text']) {
      const applied = await app.apply(withTemplates({ 1005: text }));
      expect(applied, applied.stderr).toMatchObject({ exitCode: 0 });
      await until(async () => {
        const answer = await post(body);
        return answer.status === 200 && (await texts(answer))[0] === text;
      });
    }
  });
});
