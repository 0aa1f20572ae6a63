import Type from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient } from '../../test/harness/api-client.ts';
import { type DemoServer, startDemoServer } from '../../test/harness/http-demo.ts';
import { anyMethod } from './credentials.ts';
import { endpointsFor } from './endpoint.ts';
import { boolean } from './parameter-kinds.ts';
import { listInSlices } from './sliced-json.ts';

let demo: DemoServer;

async function* pages(breaks: boolean): AsyncGenerator<readonly unknown[]> {
  yield Array.from({ length: 1_200 }, (_, at) => at);
  if (breaks) throw new Error('the store is away');
  yield [1_200];
}

const list = endpointsFor<{ readonly name: string }>()({
  path: '/demo/list',
  methods: ['GET'],
  group: 'Demo',
  title: 'List',
  description: 'Answers in slices.',
  parameters: { breaks: boolean({ get: 'B', default: false, description: 'Whether it breaks off.' }) },
  credentials: anyMethod,
  answer: Type.Unsafe<object>({ type: 'object' }),
  handle: (_caller, { breaks }) => listInSlices('items', pages(breaks)),
});

beforeAll(async () => {
  demo = await startDemoServer({ endpoints: [list] });
});
afterAll(() => demo.stop());

describe('an answer in slices', () => {
  test('[BATCH-6] is one JSON object', async () => {
    const { status, body } = await apiClient(demo.url, { key: 'key-of-alice' }).get('/demo/list');
    expect([status, body.items]).toEqual([200, Array.from({ length: 1_201 }, (_, at) => at)]);
  });

  test('[BATCH-6] that breaks off is seen by the caller as broken, and the log says why', async () => {
    const answer = await demo.raw(
      'GET /demo/list?B=T HTTP/1.1\r\nHost: x\r\nX-API-Key: key-of-alice\r\nX-Request-Id: half-way\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
    expect(answer).not.toContain(']}');
    expect(demo.log.filter(({ level }) => Number(level) >= 40)).toMatchObject([
      { level: 40, requestId: 'half-way', err: { message: 'the store is away' } },
    ]);
  });
});
