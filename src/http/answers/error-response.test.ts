import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiClient, apiClient } from '../../../test/harness/api-client.ts';
import { until } from '../../../test/harness/awake.ts';
import { type DemoServer, startDemoServer } from '../../../test/harness/http-demo.ts';
import { catalogue, swedishOfCode } from '../../foundation/errors.ts';

let demo: DemoServer;
let alice: ApiClient;
let stranger: ApiClient;

beforeAll(async () => {
  demo = await startDemoServer();
  alice = apiClient(demo.url, { key: 'key-of-alice' });
  stranger = apiClient(demo.url);
});

afterAll(() => demo.stop());

describe('error answers', () => {
  test('[CONV-10] All error responses have one form', async () => {
    const { status, headers, body } = await alice.post('/demo/echo', { validminutes: 0 });
    expect(status).toBe(400);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    const error = '`validminutes` must be a whole number from 1 to 10080, but is 0.';
    const values = { sentence: 'whole_number_between', least: 1, most: 10_080, given: 0 };
    expect(body).toEqual({
      result: 'ERROR',
      error,
      code: 'invalid_value',
      values,
      errors: [{ field: 'validminutes', code: 'invalid_value', error, values }],
    });
    expect(Object.keys((await alice.get('/none')).body)).toEqual(['result', 'error', 'code']);
  });

  test('[ALERT-4] [CONV-10] Under /api/v1, error responses also have the members of RFC 9457, in the language of the reader', async () => {
    const error = 'The note was changed.';
    const change = (headers: object) => alice.patch('/api/v1/notes/7', {}, { 'if-match': '"2"', ...headers });
    expect((await change({})).body).toEqual({
      result: 'ERROR',
      error,
      code: 'changed_meanwhile',
      type: '/docs/errors#changed_meanwhile',
      title: catalogue.changed_meanwhile.meaning,
      status: 412,
      detail: error,
    });
    const { body } = await change({ 'accept-language': 'sv' });
    const said = swedishOfCode('changed_meanwhile');
    expect([body.title, body.error, body.detail, body.status]).toEqual([said, said, said, 412]);
    const unknown = await alice.get(`/${'x'.repeat(5_000)}/api/v1/notes`);
    expect([unknown.status, unknown.body.type]).toEqual([404, undefined]);
    for (const [prefix, kept] of [
      ['/sms', '/sms'],
      ['//evil.example', ''],
      ['/\\\\evil.example', ''],
    ] as const)
      expect((await alice.get(`${prefix}/api/v1/nothing`)).body.type).toBe(`${kept}/docs/errors#not_found`);
  });

  test('[CONV-10] An error response may have extra fields of the endpoint or of the error', async () => {
    const missing = await alice.post('/demo/required', { email: '' });
    expect(missing).toMatchObject({ status: 400, body: { code: 'missing_parameter', runtimeid: 0 } });
    expect(missing.body.errormessage).toBe(missing.body.error);
    expect((await stranger.get('/demo/required')).body).toMatchObject({ code: 'unauthorised', runtimeid: 0 });
    expect((await alice.post('/demo/failing', { how: 'body' })).body).toMatchObject({ rejected: ['1'] });
  });

  test('[CONV-10] The response to an internal error reveals nothing about it; the log has all details under the request id', async () => {
    const answer = await alice.post('/demo/failing', {}, { 'x-request-id': 'find-me' });
    expect(answer).toMatchObject({ status: 500, body: { code: 'internal' } });
    expect(answer.text).not.toMatch(/SELECT|passwd|stack/);
    const entry = demo.log.find(({ requestId, level }) => requestId === 'find-me' && level === 50);
    expect(JSON.stringify(entry)).toMatch(/SELECT secret.*stack|stack.*SELECT secret/);
  });

  test('[CONV-11] A 503 response says when to try again', async () => {
    const answer = await alice.post('/demo/failing', { how: 'busy' });
    expect([answer.status, answer.body.code]).toEqual([503, 'store_unavailable']);
    expect(answer.headers.get('retry-after')).toBe('1');
  });

  test('[CONV-11] A refusal that has an underlying cause is logged with it', async () => {
    const answer = await alice.post('/demo/failing', { how: 'part' }, { 'x-request-id': 'a-part' });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    const entries = demo.log.filter(({ requestId, level }) => requestId === 'a-part' && level === 40);
    expect(entries).toMatchObject([{ code: 'overloaded', err: { message: 'a thread has ended' } }]);
  });

  test('[CONV-10] Every response carries an X-Request-Id: the caller’s own if it is well-formed', async () => {
    const idOf = async (path: string, id?: string) =>
      (await alice.get(path, '', id === undefined ? {} : { 'x-request-id': id })).headers.get('x-request-id');
    for (const path of ['/demo/echo', '/none', '/', '/docs', '/healthz', '/docs/openapi.json', '/demo/%zz']) {
      expect(await idOf(path, 'Mine-1.a:b_')).toBe('Mine-1.a:b_');
      expect(await idOf(path)).toMatch(/^[A-Za-z0-9]+-[a-z0-9]+$/);
    }
    expect(await idOf('/demo/echo', 'x'.repeat(129))).toMatch(/^[A-Za-z0-9]+-/);
    expect(await idOf('/demo/echo', 'a b')).not.toBe('a b');
    expect(await idOf('/demo/echo')).not.toBe(await idOf('/demo/echo'));
  });

  test('[RUN-4] The log records path and status, but no query, body or credentials', async () => {
    await alice.get('/demo/echo', 'M8=secret-text&X=c', { 'x-request-id': 'log-me' });
    const entriesOf = () => demo.log.filter(({ requestId }) => requestId === 'log-me');
    await until(() => entriesOf().length > 0);
    const entries = entriesOf();
    expect(entries).toMatchObject([{ method: 'GET', path: '/demo/echo', status: 200 }]);
    expect(JSON.stringify(demo.log)).not.toMatch(/secret-text|key-of-alice/);
  });
});
