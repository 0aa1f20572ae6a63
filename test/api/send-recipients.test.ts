/** Tests who gets an SMS: formats of numbers, one message per recipient, and how rejected recipients are reported. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { acceptedOf, recipient, sendPath, storedMessages, storedOf } from '../harness/messaging.ts';

/** Only numbers of Sweden and Norway have a route. */
const provisioning = standardProvisioning.replace(
  `  - { name: all, prefix: "", carriers: [sim] }`,
  `  - { name: se, prefix: "46", carriers: [sim] }
  - { name: "no", prefix: "47", carriers: [sim] }`,
);

describe('/send, recipients', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning });
  });
  afterAll(() => app?.close());

  const post = (body: object) => app.as(alice).post(sendPath, { message: 'Hello', ...body });

  test.each([
    ['46731234567'],
    ['+46731234567'],
    ['0046731234567'],
    ['+46 73-123 45 67'],
    ['(+46) 73.123.45.67'],
    ['+46 (73) 123-45-67'],
    ['+46\u00a073\u2011123\u201345\u00a067'],
    ['  46731234567 '],
    ['0731234567'],
    ['073-123 45 67'],
    ['(073) 123.45.67'],
  ])(
    '[SEND-2] A recipient written as %j is 46731234567, in the response and in the store',
    async (written) => {
      const answer = await post({ to: [written], defaultcountrycode: '46' });
      expect(answer.body).toMatchObject({ accepted: [{ to: '46731234567' }], rejected: [] });
      expect(await storedOf(app, answer)).toMatchObject([{ recipient: '46731234567' }]);
    },
  );

  test.each([
    ['0731234567', 'no default country code'],
    ['4673', '4 digits'],
    ['467312345671234', undefined],
    ['4673123456712345', '16 digits'],
    ['+46 73 CALL', 'a phone number cannot have'],
    ['46731234567;46731234568', 'a phone number cannot have'],
    ['٤٦٧٣١٢٣٤٥٦٧', 'a phone number cannot have'],
    ['', 'no digits'],
    ['+-()', 'no digits'],
    ['000731234567', 'begins with 0'],
    ['1'.repeat(1_000), 'longer than'],
  ])(
    '[SEND-2] Without a default country code, the recipient %j is accepted, or rejected with the reason: %s',
    async (written, reason) => {
      const { status, body } = await post({ to: [written, recipient(1)] });
      expect(status).toBe(200);
      if (reason === undefined) {
        expect(body).toMatchObject({ accepted: [{ to: written }, { to: recipient(1) }], rejected: [] });
      } else {
        expect(body).toMatchObject({ accepted: [{ to: recipient(1) }], rejected: [written] });
        const alone = await post({ to: [written] });
        expect(alone.body.errors[0].error).toContain(reason);
      }
    },
  );

  test('[SEND-3] A recipient written in many forms receives one message', async () => {
    const before = (await storedMessages(app)).length;
    const number = recipient(2);
    const to = [number, `+${number}`, `00${number}`, `0${number.slice(2)}`, number.replace(/(..)/g, '$1 ')];
    const tosubst = [number, `+${number}`].map((form) => ({ to: form, subst: { x: 'y' } }));
    const answer = await post({ to, tosubst, defaultcountrycode: '46' });
    expect(answer.body).toEqual({ accepted: [{ to: number, id: expect.any(String) }], rejected: [] });
    expect((await storedMessages(app)).length).toBe(before + 1);
  });

  test('[SEND-3] Accepted recipients are in the order of first mention, `to` before `tosubst`', async () => {
    const [a, b, c, d] = [recipient(9), recipient(3), recipient(7), recipient(1)];
    const answer = await post({
      to: [a, b, `+${a}`],
      tosubst: [
        { to: c, subst: {} },
        { to: b, subst: {} },
        { to: d, subst: {} },
      ],
    });
    expect(answer.body.accepted.map(({ to }: { to: string }) => to)).toEqual([a, b, c, d]);
    const byGet = await app.as(alice).get(sendPath, `TS=${c},${b},${d}&T=${a},${b}&M8=Hello`);
    expect(byGet.body.accepted.map(({ to }: { to: string }) => to)).toEqual([a, b, c, d]);
  });

  test('[SEND-3] The first tosubst entry of a number wins, even over its mention in `to`', async () => {
    const number = recipient(4);
    const answer = await post({
      to: [number],
      message: 'Hello NAME',
      tosubst: [
        { to: `+${number}`, subst: { NAME: 'Anna' } },
        { to: number, subst: { NAME: 'Bertil' } },
      ],
    });
    expect(await storedOf(app, answer)).toMatchObject([{ recipient: number, text: 'Hello Anna' }]);
    const byGet = await app
      .as(alice)
      .get(sendPath, `T=${number}&H=NAME&TS=${number},Anna,${number},Bertil&M8=Hello+NAME`);
    expect(await storedOf(app, byGet)).toMatchObject([{ recipient: number, text: 'Hello Anna' }]);
  });

  test('[SEND-3] [SEND-22] A call takes thousands of recipients, each once, in order and with its own id, and refuses more than 10,000', async () => {
    const numbers = Array.from({ length: 2_000 }, (_, index) => recipient(index));
    const accepted = acceptedOf(await post({ to: [...numbers, ...numbers.map((number) => `00${number}`)] }));
    expect(accepted.map(({ to }) => to)).toEqual(numbers);
    expect(new Set(accepted.map(({ id }) => id)).size).toBe(2_000);
    const refused = await post({ to: Array.from({ length: 10_001 }, () => numbers[0]) });
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_value' } });
    expect(refused.body.error).toContain('10000');
  });

  test('[SEND-4] Recipients that cannot be sent to are listed in rejected as they were given, each with a reason', async () => {
    const { status, body } = await post({
      to: ['abc', recipient(5), '0701', '+1 555 0100 200', 'abc'],
      tosubst: [
        { to: 'def', subst: {} },
        { to: recipient(6), subst: {} },
      ],
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      accepted: [
        { to: recipient(5), id: expect.any(String) },
        { to: recipient(6), id: expect.any(String) },
      ],
      rejected: ['abc', '0701', '+1 555 0100 200', 'def'],
      errors: [
        { field: 'to[0]', code: 'invalid_number', error: expect.stringContaining('abc') },
        { field: 'to[2]', code: 'invalid_number', error: expect.stringContaining('0701') },
        { field: 'to[3]', code: 'no_route', error: expect.stringContaining('+1 555 0100 200') },
        { field: 'to[4]', code: 'invalid_number', error: expect.stringContaining('abc') },
        { field: 'tosubst[0].to', code: 'invalid_number', error: expect.stringContaining('def') },
      ],
    });
    const byGet = await app.as(alice).get(sendPath, `T=${recipient(5)}&T=abc&M8=Hello`);
    expect(byGet.body.errors).toMatchObject([{ field: 'T[1]', code: 'invalid_number' }]);
  });

  test('[SEND-4] A call repeated with its idempotency key gets the same first hundred reasons for rejected recipients', async () => {
    const to = [recipient(7), ...Array.from({ length: 150 }, (_, index) => `x${index}`)];
    const call = () =>
      app.as(alice).request('POST', sendPath, {
        headers: { 'content-type': 'application/json', 'idempotency-key': 'reasons' },
        body: JSON.stringify({ to, message: 'Hello' }),
      });
    const { body } = await call();
    expect(body.rejected).toHaveLength(150);
    expect(body.errors).toHaveLength(100);
    expect(body.errors[99]).toMatchObject({ field: 'to[100]' });
    expect((await call()).body).toEqual(body);
  });

  test('[SEND-2] A number is read as people write it, and a number that a spreadsheet has mangled is rejected', async () => {
    const { body } = await post({
      to: ['+46 (0)70 174 06 99', '46701740698.0', '4,67E+10', '4.67E+10'],
      tosubst: [{ to: '46701740697.0', subst: {} }],
    });
    expect(body.accepted).toMatchObject([{ to: '46701740699' }]);
    expect(body.rejected).toEqual(['46701740698.0', '4,67E+10', '4.67E+10', '46701740697.0']);
    const reasons = body.errors.map(({ error }: { error: string }) => error);
    expect(reasons).toEqual([
      expect.stringContaining('ends in “.0”'),
      expect.stringContaining('a spreadsheet has shortened'),
      expect.stringContaining('a spreadsheet has shortened'),
      expect.stringContaining('ends in “.0”'),
    ]);
  });

  test('[SEND-4] [CONV-10] When nothing is queued the response is 400, with a reason for each recipient', async () => {
    const before = (await storedMessages(app)).length;
    const answer = await post({ to: ['abc', '15550100200'], tosubst: [{ to: '0701', subst: {} }] });
    expect(answer).toMatchObject({
      status: 400,
      body: {
        result: 'ERROR',
        code: 'nothing_queued',
        error: expect.stringMatching(/^No SMS was queued\./),
        rejected: ['abc', '15550100200', '0701'],
        errors: [
          { field: 'to[0]', code: 'invalid_number', error: expect.stringContaining('abc') },
          { field: 'to[1]', code: 'no_route', error: expect.stringContaining('15550100200') },
          { field: 'tosubst[0].to', code: 'invalid_number', error: expect.stringContaining('0701') },
        ],
      },
    });
    expect(answer.body).not.toHaveProperty('accepted');
    expect((await storedMessages(app)).length).toBe(before);
    for (const name of ['T', 'to']) {
      const byGet = await app.as(alice).get(sendPath, `${name}=abc&M8=Hello`);
      expect(byGet).toMatchObject({ status: 400, body: { code: 'nothing_queued', rejected: ['abc'] } });
      expect(byGet.body.errors).toMatchObject([{ field: `${name}[0]`, code: 'invalid_number' }]);
    }
  });

  test('[CONV-10] [SEND-22] Of many rejected recipients, only the first hundred reasons are listed', async () => {
    const to = Array.from({ length: 150 }, (_, index) => `x${index}`);
    const { status, body } = await post({ to });
    expect(status).toBe(400);
    expect(body.rejected).toEqual(to);
    expect(body.errors).toHaveLength(100);
    expect(body.errors[99]).toMatchObject({ field: 'to[99]' });
  });

  test('[SEND-14] With checknumber, numbers outside mobile series and in machine series are rejected', async () => {
    const [landline, impossible, machine] = ['4687501234', '46999999999', '467191234567890'];
    const to = [recipient(1), landline, impossible, machine, '4791234567', '4722334455'];
    const checked = await post({ to, checknumber: true });
    expect(checked.status).toBe(200);
    expect(checked.body).toMatchObject({
      accepted: [{ to: recipient(1) }, { to: '4791234567' }],
      rejected: [landline, impossible, machine, '4722334455'],
    });
    const byGet = await app.as(alice).get(sendPath, `T=${to}&M8=Hello&check=T`);
    expect(byGet.body.rejected).toEqual(checked.body.rejected);
    const unchecked = await post({ to });
    expect(unchecked.body).toMatchObject({ rejected: [] });
    expect(unchecked.body.accepted).toHaveLength(6);
    const none = await post({ to: [landline, machine], checknumber: true });
    expect(none).toMatchObject({
      status: 400,
      body: { errors: [{ code: 'number_not_mobile' }, { code: 'number_machine_series' }] },
    });
  });

  test('[CONV-12] [AUTH-1] A call may have 10,000 recipients with their own texts, wherever its credentials are', async () => {
    const tosubst = Array.from({ length: 10_000 }, (_, index) => ({
      to: recipient(100 + index),
      subst: { NAME: `number ${index}`, PLACE: 'Gävle' },
    }));
    const call = { message: 'NAME, see you in PLACE', tosubst };
    for (const answer of [
      await app.as(alice).post(sendPath, call),
      await app.as().post(sendPath, { ...call, ...alice }),
    ]) {
      expect(answer.status).toBe(200);
      expect(answer.body.accepted.map(({ to }: { to: string }) => to)).toEqual(tosubst.map(({ to }) => to));
    }
    const wrong = { ...call, ...alice, password: 'wrong' };
    expect(await app.as().post(sendPath, wrong)).toMatchObject({ status: 401 });
    const twice = await app.as(alice).post(sendPath, { ...call, ...alice });
    expect(twice).toMatchObject({ status: 401, body: { error: expect.stringContaining('two methods') } });
    const stored = (await storedMessages(app)).map(({ text }) => text);
    expect(stored.filter((text) => text === 'number 9999, see you in Gävle')).toHaveLength(2);
  });
});
