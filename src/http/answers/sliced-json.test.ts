import { once } from 'node:events';
import { connect } from 'node:net';
import Type from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient } from '../../../test/harness/api-client.ts';
import { pause, until } from '../../../test/harness/awake.ts';
import { type DemoServer, startDemoServer } from '../../../test/harness/http-demo.ts';
import { anyMethod } from '../credentials/credentials.ts';
import { endpointsFor } from '../endpoints/endpoint.ts';
import { boolean } from '../parameters/kinds.ts';
import { listInSlices } from './sliced-answer.ts';

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

let pagesMade = 0;

async function* withoutEnd(closed: AbortSignal): AsyncGenerator<readonly unknown[]> {
  for (;;) {
    // A read of the store does the same.
    closed.throwIfAborted();
    pagesMade += 1;
    yield Array.from({ length: 1_000 }, () => 'x'.repeat(100));
  }
}

const endless = endpointsFor<{ readonly name: string }>()({
  path: '/demo/endless',
  methods: ['GET'],
  group: 'Demo',
  title: 'Go on',
  description: 'Answers until nobody listens.',
  parameters: {},
  credentials: anyMethod,
  answer: Type.Unsafe<object>({ type: 'object' }),
  handle: (_caller, _input, { closed }) => listInSlices('items', withoutEnd(closed)),
});

const late = endpointsFor<{ readonly name: string }>()({
  path: '/demo/late',
  methods: ['GET'],
  group: 'Demo',
  title: 'Wait',
  description: 'Waits for its end.',
  parameters: {},
  credentials: anyMethod,
  answer: Type.Unsafe<object>({ type: 'object' }),
  handle: async (_caller, _input, { closed }) => {
    pagesMade += 1;
    await once(closed, 'abort');
    return listInSlices('items', withoutEnd(closed));
  },
});

beforeAll(async () => {
  demo = await startDemoServer({ endpoints: [list, endless, late] });
});

/** Sends a request and leaves as soon as the first page has been produced. */
async function askAndLeave(path: string): Promise<void> {
  pagesMade = 0;
  const socket = connect(Number(new URL(demo.url).port), '127.0.0.1');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: key-of-alice\r\n\r\n`);
  await until(() => pagesMade > 0);
  socket.destroy();
  await once(socket, 'close');
}

/** The log is shared by all tests. */
const warnings = () => demo.log.filter(({ level }) => Number(level) >= 40).length;
afterAll(() => demo.stop());

describe('an answer in slices', () => {
  test('[BATCH-6] A response sent in slices is one JSON object', async () => {
    const { status, body } = await apiClient(demo.url, { key: 'key-of-alice' }).get('/demo/list');
    expect([status, body.items]).toEqual([200, Array.from({ length: 1_201 }, (_, at) => at)]);
  });

  test('[BATCH-6] A response in slices that breaks off reaches the client incomplete, and the log says why', async () => {
    const answer = await demo.raw(
      'GET /demo/list?B=T HTTP/1.1\r\nHost: x\r\nX-API-Key: key-of-alice\r\nX-Request-Id: half-way\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
    expect(answer).not.toContain(']}');
    expect(demo.log.filter(({ level }) => Number(level) >= 40)).toMatchObject([
      { level: 40, requestId: 'half-way', err: { message: 'the store is away' } },
    ]);
  });

  test('[CONV-12] A response in slices ends when its client is gone: no more of it is made, and no warning is logged', async () => {
    const before = warnings();
    await askAndLeave('/demo/endless');
    await until(async () => {
      const made = pagesMade;
      await pause(50);
      return made === pagesMade;
    });
    expect(warnings()).toBe(before);
  });

  test('[CONV-12] A response in slices is not begun when its client is gone before the first page', async () => {
    const before = warnings();
    await askAndLeave('/demo/late');
    await pause(50);
    expect([pagesMade, warnings()]).toEqual([1, before]);
  });
});
