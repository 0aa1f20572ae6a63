/** Tests what the administration of e-mail senders refuses, for which callers, and in which form. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWholeApp, type WholeApp } from '../harness/app.ts';
import { listPath } from '../harness/batch-calls.ts';
import {
  companyAdmin,
  defaultPath,
  domainsPath,
  emailAdmin,
  emailProvisioning,
  endings,
  foreignNumber,
  payer,
  setPath,
  unsetPath,
  withoutRole,
} from '../harness/email.ts';
import { keyPath } from '../harness/messaging.ts';

const paths = [setPath, unsetPath, defaultPath, domainsPath];
const jobber = { username: 'jobber', password: 'a long password' };

describe('refusals of e-mail administration', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning: emailProvisioning });
  });
  afterAll(() => app?.close());

  const needed = { email: 'a@care.example', payinguser: 'payer' };
  const error = (code: string) => ({ result: 'ERROR', code, error: expect.stringMatching(/\S/) });

  test('[E2S-2] [AUTH-9] Only company admins and e-mail admins may call the e-mail sender endpoints', async () => {
    for (const path of paths) {
      for (const user of [payer, jobber, withoutRole]) {
        for (const answer of [
          await app.as(user).post(path, needed),
          await app.as(user).get(path, 'EM=a@care.example&PU=payer'),
        ]) {
          expect(answer).toMatchObject({ status: 403, body: error('role_missing') });
          expect(answer.body).not.toHaveProperty('allowedDomainEndings');
        }
      }
    }
    for (const user of [companyAdmin, emailAdmin]) {
      for (const path of [setPath, unsetPath, defaultPath, domainsPath])
        expect((await app.as(user).post(path, needed)).status, path).toBe(200);
      await app.as(user).post(defaultPath, { payinguser: '' });
    }
  });

  test('[E2S-2] [AUTH-9] An e-mail admin may call the e-mail sender endpoints and no other messaging endpoint', async () => {
    const { body: api } = await app.as().get('/docs/openapi.json');
    const operations = Object.entries<object>(api.paths)
      // The table of `who-may.test.ts` covers who may call the management API.
      .filter(([path]) => !(paths.includes(path) || path === keyPath || path.startsWith('/api/v1/')))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => [method, path] as const));
    expect(operations.length).toBeGreaterThan(20);
    const client = app.as(emailAdmin);
    const number = '46701740601';
    for (const [method, path] of operations) {
      const to = path.endsWith('/single') ? number : [number];
      const body = {
        to,
        message: 'x',
        batch: [{ to: number, message: 'x' }],
        batchid: '1',
        jobid: 1,
        webhook: 'desk',
      };
      const url = { T: number, M8: 'x', BI: '1', J: '1', webhook: 'desk' };
      const answer = await (method === 'get'
        ? client.get(path, url)
        : path === listPath
          ? client.request('POST', `${path}?M8=x`, { body: number })
          : client.post(path, body));
      // Address books are readable only by users who were given them, and this user has none.
      if (path.startsWith('/addressbook/')) expect([401, 404], path).toContain(answer.status);
      else expect(answer, `${method} ${path}`).toMatchObject({ status: 403, body: error('role_missing') });
    }
  });

  test('[E2S-2] Every failed call to the e-mail sender endpoints has the same form of error body', async () => {
    for (const path of paths) {
      const tooMuch = `{"email":"${'x'.repeat(11 * 1024 * 1024)}"}`;
      const json = { 'content-type': 'application/json' };
      const answers = [
        [401, 'unauthorised', await app.as().post(path, needed)],
        [401, 'unauthorised', await app.as({ ...companyAdmin, password: 'wrong' }).get(path)],
        [401, 'unauthorised', await app.as({ key: 'x' }).post(path, needed)],
        [401, 'unauthorised', await app.as(companyAdmin).post(`${path}?U=admin&P=x`, needed)],
        [400, 'bad_json', await app.as(companyAdmin).post(path, '{"email":')],
        [400, 'bad_json', await app.as(companyAdmin).post(path, '[]')],
        [413, 'body_too_large', await app.as(companyAdmin).post(path, tooMuch)],
        [
          415,
          'multipart_not_supported',
          await app.as(companyAdmin).post(path, '', { 'content-type': 'multipart/form-data; boundary=x' }),
        ],
        [
          405,
          'method_not_allowed',
          await app.as(companyAdmin).request('PUT', path, { body: '{}', headers: json }),
        ],
        [404, 'not_found', await app.as(companyAdmin).post(`${path}/`, needed)],
        [404, 'not_found', await app.as(companyAdmin).get(`${path}x`)],
      ] as const;
      for (const [status, code, answer] of answers) {
        expect(answer, `${path} ${code}`).toMatchObject({ status, body: error(code) });
        expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      }
    }
  });

  test('[E2S-1] [CONV-8] DELETE is allowed for /unset only, and the Allow header says so', async () => {
    for (const [path, allow] of [
      [setPath, 'GET, POST'],
      [defaultPath, 'GET, POST'],
      [domainsPath, 'GET, POST'],
    ] as const) {
      const answer = await app.as(companyAdmin).request('DELETE', `${path}?EM=a@care.example`);
      expect(answer).toMatchObject({ status: 405, body: error('method_not_allowed') });
      expect(answer.headers.get('allow')).toBe(allow);
    }
    const patched = await app.as(companyAdmin).request('PATCH', unsetPath);
    expect(patched.headers.get('allow')).toBe('GET, POST, DELETE');
  });

  test('[E2S-5] [SEND-15] A number of another company is refused as sender in e-mail entries and defaults, unless the entry is blocked', async () => {
    const admin = app.as(companyAdmin);
    const [senders, defaults] = ['/api/v1/email/senders', '/api/v1/email/defaults'];
    expect((await admin.post(senders, { email: 'b@care.example', payingUser: 'payer' })).status).toBe(201);
    const given = { sender: foreignNumber };
    const refusals = [
      await admin.post(setPath, { ...needed, ...given }),
      await admin.post(defaultPath, given),
      await admin.post(senders, { email: 'c@care.example', payingUser: 'payer', ...given }),
      await admin.patch(`${senders}/b@care.example`, given),
      await admin.patch(defaults, given),
    ];
    for (const refusal of refusals)
      expect(refusal).toMatchObject({
        status: 400,
        body: { code: 'sender_not_yours', errors: [{ field: 'sender' }] },
      });
    expect(await admin.get(setPath, { EM: 'c@care.example', PU: 'payer', SD: foreignNumber })).toMatchObject({
      status: 400,
      body: { ...error('sender_not_yours'), errors: [{ field: 'SD' }] },
    });
    expect(await app.as(emailAdmin).post(defaultPath, {})).toMatchObject({ body: { sender: '' } });
    const blocked = { ...given, blocked: true };
    expect((await admin.post(setPath, { ...needed, ...blocked })).body).toMatchObject(blocked);
    expect((await admin.patch(`${senders}/b@care.example`, blocked)).body).toMatchObject(blocked);
    for (const path of [defaultPath, setPath])
      expect((await app.as(payer).post(path, { ...needed, ...given })).body.code).toBe('role_missing');
  });

  test('[E2S-1] Setting or unsetting an e-mail sender requires its address', async () => {
    for (const path of [setPath, unsetPath]) {
      for (const given of [{}, { email: '' }, { email: null }]) {
        const { email: _, ...rest } = needed;
        expect(await app.as(companyAdmin).post(path, { ...rest, ...given })).toMatchObject({
          status: 400,
          body: { ...error('missing_parameter'), errors: [{ field: 'email' }] },
        });
      }
      for (const query of ['', 'EM='])
        expect(await app.as(companyAdmin).get(path, query)).toMatchObject({
          status: 400,
          body: { ...error('missing_parameter'), errors: [{ field: 'EM' }] },
        });
    }
  });

  describe('hostile addresses', () => {
    test.each([
      '@',
      '@.',
      '@care.example.',
      '@.care.example',
      'care.example',
      'a@b@care.example',
      'a@@care.example',
      ' a@care.example',
      'a@care.example ',
      'a b@care.example',
      'a@care.example,b@care.example',
      'Anna <a@care.example>',
      '"a"b@care.example',
      'a@care.example\0',
      'a\r\n@care.example',
      'a\u200b@care.example',
      // Letters of other alphabets that look like Latin letters, and a full-width @.
      '\u0430@care.example',
      'a\uff20care.example',
      'a@[192.0.2.1]',
      'a@care.example:25',
      'a@care%2Eexample',
      `${'x'.repeat(65)}@care.example`,
      `a@${'x'.repeat(64)}.care.example`,
      `${'x'.repeat(10_000)}@care.example`,
      `@${'x.'.repeat(5_000)}care.example`,
      "a'; DROP TABLE users; --@care.example",
      '\ud800@care.example',
    ])('[E2S-1] The malformed address %j is refused by /set and by /unset', async (email) => {
      for (const path of [setPath, unsetPath]) {
        const posted = await app.as(companyAdmin).post(path, { ...needed, email });
        expect(posted).toMatchObject({
          status: 400,
          body: { result: 'ERROR', errors: [{ field: 'email' }] },
        });
        expect(['invalid_email', 'invalid_value']).toContain(posted.body.code);
        // The size of the answer is bounded, whatever was sent.
        expect(posted.text.length).toBeLessThan(1_000);
        // A URL can't hold half a surrogate pair.
        if (/\p{Cs}/u.test(email)) continue;
        const got = await app.as(companyAdmin).get(path, { EM: email, PU: 'payer' });
        expect(got).toMatchObject({
          status: 400,
          body: { code: posted.body.code, errors: [{ field: 'EM' }] },
        });
      }
    });

    test('[E2S-1] A plus sign in an e-mail address is written %2B in a URL', async () => {
      const plain = await app.as(companyAdmin).get(setPath, 'EM=a+b@care.example&PU=payer');
      expect(plain).toMatchObject({ status: 400, body: { error: expect.stringContaining('%2B') } });
      const encoded = await app.as(companyAdmin).get(setPath, 'EM=a%2Bb@care.example&PU=payer');
      expect(encoded.body).toMatchObject({ email: 'a+b@care.example' });
    });

    test('[E2S-1] A domain that only looks like an allowed one is refused as a different domain', async () => {
      const answer = await app.as(companyAdmin).post(setPath, { ...needed, email: 'a@c\u0430re.example' });
      expect(answer).toMatchObject({
        status: 400,
        body: { code: 'domain_not_allowed', error: expect.stringContaining('xn--cre-6cd.example') },
      });
    });
  });

  const values: readonly [name: string, url: string, value: string, code?: string][] = [
    ['sender', 'SD', 'Ab'],
    ['sender', 'SD', 'NordicCare12'],
    ['sender', 'SD', '467312300012'],
    ['sender', 'SD', '   ', 'invalid_sender'],
    ['sender', 'SD', ' A ', 'invalid_sender'],
    ['sender', 'SD', 'a@b', 'invalid_sender'],
    ['sender', 'SD', 'Ca\nre', 'invalid_sender'],
    ['sender', 'SD', 'Ca\0re'],
    ['sender', 'SD', 'x'.repeat(10_000)],
    ['maxSms', 'MS', '0'],
    ['maxSms', 'MS', '256'],
    ['maxSms', 'MS', '-1'],
    ['maxSms', 'MS', '1.5'],
    ['maxSms', 'MS', '٣'],
    ['maxSms', 'MS', '9'.repeat(400)],
    ['maxSms', 'MS', 'x'.repeat(10_000)],
    ['defaultCountryCode', 'DC', '+46'],
    ['defaultCountryCode', 'DC', '046'],
    ['defaultCountryCode', 'DC', '12345'],
    ['defaultCountryCode', 'DC', 'SE'],
    ['costCenter', 'CC', 'x'.repeat(10_000)],
    ['costCenter', 'CC', 'a\0b'],
    ['payinguser', 'PU', 'x'.repeat(10_000)],
    ['payinguser', 'PU', 'pay\0er'],
    ['checkMobile', 'CM', 'maybe', 'invalid_type'],
    ['includeSubject', 'IS', '1', 'invalid_type'],
    ['onlyNonDelivery', 'ND', 'ON', 'invalid_type'],
    ['origMsg', 'OM', 'ТRUE', 'invalid_type'],
    ['splitCallback', 'SC', ' T', 'invalid_type'],
    ['senderLogic', 'SL', 'YESS', 'invalid_type'],
  ];

  test.each(values)(
    '[E2S-5] [CONV-5] The e-mail setting %s/%s refuses the value %j',
    async (name, url, value, code = 'invalid_value') => {
      for (const [path, given] of [
        [setPath, needed],
        [defaultPath, {}],
      ] as const) {
        const posted = await app.as(companyAdmin).post(path, { ...given, [name]: value });
        expect(posted).toMatchObject({ status: 400, body: { ...error(code), errors: [{ field: name }] } });
        const email = path === setPath ? { EM: needed.email, PU: 'payer' } : {};
        const got = await app.as(companyAdmin).get(path, { ...email, [url]: value });
        expect(got).toMatchObject({ status: 400, body: { result: 'ERROR', errors: [{ field: url }] } });
        expect(posted.text.length + got.text.length).toBeLessThan(1_500);
      }
      expect((await app.as(companyAdmin).post(defaultPath, {})).body).toMatchObject({
        sender: '',
        maxSms: 255,
      });
    },
  );

  test.each<[name: string, value: unknown]>([
    ['email', 7],
    ['email', ['a@care.example']],
    ['email', { a: 1 }],
    ['blocked', 'true'],
    ['blocked', 1],
    ['payinguser', true],
    ['payinguser', 50.1],
    ['sender', 46731230001],
    ['maxSms', true],
    ['maxSms', [3]],
    ['defaultCountryCode', {}],
    ['checkMobile', 'T'],
  ])('[E2S-5] [CONV-5] %s of another type, %j, is refused', async (name, value) => {
    expect(await app.as(companyAdmin).post(setPath, { ...needed, [name]: value })).toMatchObject({
      status: 400,
      body: { ...error('invalid_type'), errors: [{ field: name }] },
    });
  });

  test('[E2S-5] [CONV-7] All faults of an e-mail sender call are reported at once, and a repeated parameter is refused', async () => {
    const answer = await app.as(companyAdmin).post(setPath, { email: '@', sender: 'x', maxSms: 0 });
    expect(answer.body.errors.map(({ field }: { field: string }) => field)).toEqual([
      'email',
      'sender',
      'maxSms',
    ]);
    expect(
      await app.as(companyAdmin).get(setPath, 'EM=a@care.example&EM=b@care.example&PU=payer'),
    ).toMatchObject({ status: 400, body: error('duplicate_parameter') });
  });

  test('[E2S-6] The log warns the operator about a domain ending that also matches other domains', () => {
    expect(app.stdout + app.stderr).toContain('evilcare.example');
    expect(endings).toContain('care.example');
  });

  test('[E2S-2] Refused e-mail administration calls leave no errors in the server log', () => {
    expect(app.stdout + app.stderr).not.toMatch(/"level":"(error|fatal)"/);
  });
});
