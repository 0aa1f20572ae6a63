/** Tests what holds for every call: paths, bodies, answers, faults. The messaging calls represent all calls. */
import { request as rawRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allEndpoints } from '../../scripts/docs/generated-documents.ts';
import { readVersion } from '../../src/app/version.ts';
import { openApiDocument } from '../../src/http/docs/openapi.ts';
import { Faults } from '../../src/http/parameters/faults.ts';
import { namesInJson, namesInUrl } from '../../src/http/parameters/table.ts';
import { describedPosts } from '../../src/webhooks/management/posted-bodies.ts';
import { alice, carol, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { jsonPath } from '../harness/batch-calls.ts';
import { startJobPath } from '../harness/jobs.ts';
import {
  incomingPath,
  keyPath,
  recipient,
  sendPath,
  singleIncomingPath,
  singlePath,
  singleStatusPath,
  statusPath,
  storedOf,
} from '../harness/messaging.ts';

const jsonType = 'application/json; charset=utf-8';
const message = { to: [recipient(1)], message: 'Hello' };

/** Makes a request with neither a body nor the headers that `fetch` adds to a POST without a body. */
function bareRequest(url: string, method: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = rawRequest(url, { method, headers }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    });
    request.once('error', reject).end();
  });
}

describe('conventions', () => {
  let app: WholeApp;
  beforeAll(async () => {
    const env = { CARILLON_MAX_BODY: '100KiB', CARILLON_PUBLIC_URL: 'http://sms.example.com/own/path/' };
    app = await startWholeApp({ engine: 'sqlite', provisioning: standardProvisioning, env });
  });
  afterAll(() => app?.close());

  const authorization = `Basic ${Buffer.from(`${alice.username}:${alice.password}`).toString('base64')}`;

  describe.each<[path: string, methods: string]>([
    [sendPath, 'GET, POST'],
    [singlePath, 'POST'],
    [statusPath, 'GET, POST'],
    [singleStatusPath, 'POST'],
    [incomingPath, 'GET, POST'],
    [singleIncomingPath, 'POST'],
    [keyPath, 'GET'],
  ])('%s', (path, methods) => {
    test('[CONV-1] [CONV-8] Each endpoint takes its own methods, and answers any other with 405 and an Allow header', async () => {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
        const answer = await app.as(alice).request(method, path);
        if (methods.split(', ').includes(method)) {
          expect(answer.status, `${method} ${answer.text}`).not.toBe(405);
          expect(answer.text).not.toContain('nothing at this path');
          continue;
        }
        expect(answer, method).toMatchObject({
          status: 405,
          body: { result: 'ERROR', code: 'method_not_allowed' },
        });
        const allowed = (answer.headers.get('allow') ?? '').split(', ').sort();
        expect(allowed.filter((name) => name !== 'HEAD')).toEqual(methods.split(', '));
      }
    });

    test('[CONV-3] Every response is JSON in UTF-8, whatever its status', async () => {
      const method = methods.endsWith('POST') ? 'POST' : 'GET';
      for (const client of [app.as(alice), app.as(carol), app.as()]) {
        const answer = await client.request(method, path);
        expect(answer.headers.get('content-type'), answer.text).toBe(jsonType);
        expect(answer.text).toBe(JSON.stringify(answer.body));
      }
    });
  });

  test('[CONV-1] Every path may begin with the path of the public address', async () => {
    const prefix = '/own/path';
    expect(await app.as(alice).get(prefix + statusPath)).toMatchObject({ status: 200 });
    expect(await app.as(alice).post(prefix + sendPath, message)).toMatchObject({ status: 200 });
    expect(await app.as(alice).get(prefix + keyPath, { name: 'a' })).toMatchObject({ status: 200 });
    expect(await app.as(alice).get(`/own${statusPath}`)).toMatchObject({ status: 404 });
  });

  test('[CONV-2] /docs/openapi.json says what the endpoint tables say', async () => {
    const described = { version: readVersion(), pathPrefix: '/own/path', posts: describedPosts };
    const said = openApiDocument(allEndpoints, described);
    expect((await app.as().get('/docs/openapi.json')).body).toEqual(JSON.parse(JSON.stringify(said)));
  });

  test('[CONV-8] An unknown path is answered with 404', async () => {
    for (const path of ['/restsms', '/restsms/svcrest/sends', '/restsms/svcrest/send/', '/status']) {
      const answer = await app.as(alice).get(path);
      expect(answer, path).toMatchObject({ status: 404, body: { result: 'ERROR', code: 'not_found' } });
    }
  });

  test('[CONV-8] A body is read as JSON whatever its Content-Type says, except that multipart is refused', async () => {
    const types = [
      'application/json',
      'application/x-www-form-urlencoded',
      'text/plain',
      'x',
      'text/xml; a=b',
    ];
    for (const type of types) {
      const answer = await app.as(alice).post(sendPath, message, { 'content-type': type });
      expect(answer, type).toMatchObject({ status: 200 });
    }
    const untyped = await app
      .as(alice)
      .request('POST', sendPath, { body: Buffer.from(JSON.stringify(message)) });
    expect(untyped.status).toBe(200);
    const multipart = { 'content-type': 'multipart/form-data; boundary=x' };
    expect(await app.as(alice).post(sendPath, message, multipart)).toMatchObject({
      status: 415,
      body: { code: 'multipart_not_supported' },
    });
  });

  test('[CONV-8] An empty body counts as an empty object', async () => {
    for (const path of [statusPath, incomingPath]) {
      for (const body of ['', '{}', ' { } ', '\ufeff{}']) {
        expect(await app.as(alice).post(path, body), path + body).toMatchObject({ status: 200 });
      }
      expect(await bareRequest(app.baseUrl + path, 'POST', { authorization })).toBe(200);
      const chunked = { authorization, 'transfer-encoding': 'chunked' };
      expect(await bareRequest(app.baseUrl + path, 'POST', chunked)).toBe(200);
    }
  });

  test.each<[body: string, where: string]>([
    ['{"to": [}', 'character 9'],
    ['{"to": ["a"],\n "message" "x"}', 'line 2, column 12'],
    ["{'to': 1}", 'character 2'],
    ['{"a": 1} x', 'character 10'],
    ['{"a": 01}', 'character 8'],
    ['[]', 'line 1, column 1'],
    ['"text"', 'line 1, column 1'],
    ['null', 'line 1, column 1'],
    ['17', 'line 1, column 1'],
    [' ', 'character 2'],
  ])('[CONV-8] The body %j is refused with the place of the fault', async (body, where) => {
    const answer = await app.as(alice).post(sendPath, body);
    expect(answer).toMatchObject({ status: 400, body: { result: 'ERROR', code: 'bad_json' } });
    expect(answer.body.error).toContain(where);
  });

  test('[CONV-8] A body that is not UTF-8 is refused with the place of the fault', async () => {
    const body = Buffer.concat([Buffer.from('{"message":"'), Buffer.from([0xe5]), Buffer.from('"}')]);
    const answer = await app.as(alice).request('POST', sendPath, { body });
    expect(answer).toMatchObject({ status: 400, body: { code: 'bad_encoding' } });
    expect(answer.body.error).toContain('byte 13');
  });

  test('[CONV-8] A body over the limit is refused with 413, and one at the limit is read', async () => {
    const limit = 100 * 1024;
    const sized = (bytes: number) => `{"x":"${'x'.repeat(bytes - 8)}"}`;
    expect(await app.as(alice).post(statusPath, sized(limit))).toMatchObject({ status: 200 });
    expect(await app.as(alice).post(statusPath, sized(limit + 1))).toMatchObject({
      status: 413,
      body: { result: 'ERROR', code: 'body_too_large' },
    });
  });

  test('[CONV-9] Message ids are strings of digits, and are accepted as strings and as numbers', async () => {
    const sent = await app.as(alice).post(sendPath, message);
    const { id } = sent.body.accepted[0];
    expect(id).toMatch(/^[1-9][0-9]{0,15}$/);
    const answer = await app.as(alice).post(statusPath, { id: [Number(id), id] });
    expect(answer.body).toMatchObject({ statuses: [{ id }], notfound: [] });
  });

  test('[CONV-10] All faults of a call are reported at once, each with its field and code', async () => {
    const said = { error: expect.any(String), values: expect.any(Object) };
    const answer = await app.as(alice).post(sendPath, {
      to: 'x',
      message: 7,
      flash: 'yes',
      validminutes: '0',
      defaultcountrycode: '+46',
      tosubst: [{ to: '1', subst: 5 }],
    });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
      result: 'ERROR',
      code: 'invalid_type',
      error: expect.stringMatching(/^`to` .*\(5 more faults: see `errors`\.\)$/),
      values: said.values,
      errors: [
        { field: 'to', code: 'invalid_type', ...said },
        { field: 'tosubst[0].subst', code: 'invalid_type', ...said },
        { field: 'message', code: 'invalid_type', ...said },
        { field: 'flash', code: 'invalid_type', ...said },
        { field: 'validminutes', code: 'invalid_value', ...said },
        { field: 'defaultcountrycode', code: 'invalid_value', ...said },
      ],
    });
    const one = await app.as(carol).post(sendPath, message);
    expect(one.body).toEqual({ result: 'ERROR', code: 'role_missing', ...said });
  });

  test('[CONV-10] Every response carries X-Request-Id: the caller’s own if that is valid, and otherwise a new one', async () => {
    const idOf = async (own?: string, path = statusPath) => {
      const headers: Record<string, string> = own === undefined ? {} : { 'x-request-id': own };
      return (await app.as(alice).get(path, '', headers)).headers.get('x-request-id');
    };
    expect(await idOf('call-17.b:3')).toBe('call-17.b:3');
    const made = [
      await idOf(),
      await idOf(),
      await idOf('', '/nowhere'),
      await idOf('a b'),
      await idOf('x'.repeat(200)),
    ];
    for (const id of made) expect(id).toMatch(/^[\w.:-]{8,}$/);
    expect(new Set(made).size).toBe(made.length);
  });

  test('[CONV-4] The response is in UTF-8 even if the request came in another charset', async () => {
    const answer = await app.as(alice).get(sendPath, `T=${recipient(1)},%C3%A5&M=%E5`);
    expect(answer).toMatchObject({ status: 200, body: { rejected: ['å'] } });
    expect(await storedOf(app, answer)).toMatchObject([{ text: 'å' }]);
  });

  test('[CONV-7] A misspelt parameter or field is refused, and nothing is sent', async () => {
    const { post, get } = app.as(alice);
    const sent = async () =>
      (await get('/api/v1/messages')).body.messages.map(({ id }: { id: string }) => id);
    const before = await sent();
    const refusals = [
      [await post(sendPath, { ...message, schedule_time: '2030-01-01T10:00:00Z' }), 'schedule_time'],
      [await get(sendPath, `T=${recipient(1)}&M=x&ScheduleTime=2030-01-01T10:00:00Z`), 'ScheduleTime'],
      [
        await post(jsonPath, {
          message: 'x',
          batch: [{ t: recipient(1) }],
          sendr: 'A',
          costcentre: 'B',
        }),
        'costcentre',
      ],
      [await get(startJobPath, 'J=71&excludetagfilterjson=%7B%7D'), 'excludetagfilterjson'],
      [await get('/api/v1/messages', `number=${recipient(1)}`), 'number'],
      [await get('/api/v1/messages', 'cachebuster=7'), 'cachebuster'],
      [
        await post('/api/v1/batches?scheduletime=x', { message: 'x', batch: [{ t: recipient(1) }] }),
        'scheduletime',
      ],
      [await post(`${sendPath}?scheduletime=2030-01-01T10:00:00Z`, message), 'scheduletime'],
      [await post(`${sendPath}?AT=2030-01-01T10:00:00Z`, message), 'AT'],
      ...(await Promise.all(
        [jsonPath, '/api/v1/batches'].flatMap((path) =>
          ['message', 'conversation', 'from', 'scheduletime', 'M'].map(
            async (name) =>
              [
                await post(path, { message: 'x', batch: [{ t: recipient(1), [name]: 'y' }] }),
                `batch[0].${name}`,
              ] as const,
          ),
        ),
      )),
      [
        await post('/api/v1/batches', { message: 'x', batch: [{ t: recipient(1), ward: '7' }] }),
        'batch[0].ward',
      ],
      [
        await post('/api/v1/addressbooks/11/contacts', { name: 'A', tags: [{ type: 'a', values: ['b'] }] }),
        'tags[0].values',
      ],
    ] as const;
    for (const [{ status, body }, field] of refusals) {
      const errors = body.errors ?? [];
      expect([status, field, errors]).toEqual([
        ...[400, field],
        expect.arrayContaining([
          expect.objectContaining({
            field,
            code: 'unknown_parameter',
            error: expect.stringContaining(field),
          }),
        ]),
      ]);
    }
    expect(await sent()).toEqual(before);
    const batch = [{ t: recipient(1), ward: '7' }];
    expect((await post('/api/v1/batches/preview', { message: 'x', batch })).body).toMatchObject({
      messages: 0,
      faults: [{ field: 'batch[0].ward', code: 'unknown_parameter' }],
    });
  });

  test('[CONV-7] Each parameter of each call is recognised, and refused if only its letter case differs', () => {
    for (const { path, table } of allEndpoints) {
      for (const strict of [true, false]) {
        const faults = new Faults(strict);
        namesInJson(table, []).check(Object.keys(table.parameters), faults);
        namesInUrl(table, []).check(table.urlNames.keys(), faults);
        expect([path, faults.asError()]).toEqual([path, undefined]);
      }
      for (const name of Object.keys(table.parameters)) {
        const faults = new Faults();
        namesInJson(table, []).check([name.toUpperCase()], faults);
        expect([path, name, faults.count]).toEqual([path, name, 1]);
      }
    }
  });
});
