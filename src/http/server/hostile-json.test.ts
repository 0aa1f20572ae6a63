/**
 * Tests bodies that are made to be expensive: no matter who sends them, the event loop keeps turning and others are answered.
 */
import { connect } from 'node:net';
import Type from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient } from '../../../test/harness/api-client.ts';
import { toEnd } from '../../../test/harness/batch-bodies.ts';
import { type DemoServer, demoEndpoints, startDemoServer } from '../../../test/harness/http-demo.ts';
import { UsualWork } from '../../../test/harness/usual-work.ts';
import { Body, BodyBlocks } from '../body/body.ts';
import { parseLargeObject, pickFields } from '../body/json-skim.ts';
import { anyMethod } from '../credentials/credentials.ts';
import { endpointsFor } from '../endpoints/endpoint.ts';
import { numberList } from '../parameters/lists.ts';

const mebibyte = 1_048_576;
const bytes = 10 * mebibyte;

const filled = (start: string, piece: string, end: string): string =>
  start + piece.repeat(Math.floor((bytes - start.length - end.length) / Buffer.byteLength(piece))) + end;
const numbered = (name: (at: number) => string): string =>
  Array.from({ length: 400_000 }, (_, at) => `"${name(at)}":1`).join(',');

const hostile: Readonly<Record<string, string>> = {
  'lists in lists': filled('', '[', ''),
  'lists in lists of a field': filled('{"to":', '[', ''),
  'lists and objects in each other': filled('', '{"a":[', ''),
  'empty lists': filled('{"to":[', '[],', '[]]}'),
  'empty objects': filled('{"to":[', '{},', '{}]}'),
  'empty lists in an object': filled('{"to":{"a":[', '[],', '[]]}}'),
  digits: filled('{"to":[', '1,', '1]}'),
  'empty texts': filled('{"to":[', '"",', '""]}'),
  commas: filled('{"to":[', ',', ']}'),
  escapes: filled('{"to":["', '\\u0000', '"]}'),
  'escaped quotes': filled('{"to":["', '\\"', '"]}'),
  'a long number': filled('{"to":', '9', '}'),
  'a long exponent': filled('{"to":1e', '9', '}'),
  'a long text': filled('{"to":"', 'å', '"}'),
  'a text without an end': filled('{"to":"', 'x', ''),
  'a long name': filled('{"', 'x', '":1}'),
  'many fields': `{${numbered((at) => `f${at}`)}}`,
  'many fields of a field': `{"to":{${numbered((at) => `f${at}`)}}}`,
  'one field again and again': `{${numbered(() => 'to')}}`,
  'fields of the prototype': `{"to":{${numbered(() => '__proto__')}}}`,
  spaces: filled('{', ' ', '}'),
  'line breaks before a fault': filled('{"to":[1', '\n', '?]}'),
  'a fault at the end': filled('{"to":[', '"46701740699",', '?]}'),
};
const names = Object.keys(hostile);

function bodyOf(text: string): Body {
  const blocks = new BodyBlocks();
  blocks.add(Buffer.from(text));
  return new Body(blocks.blocks, blocks.length);
}

function attempt(work: () => unknown): void {
  try {
    work();
  } catch {
    // Most of the bodies are refused.
  }
}

function readTwice(body: Body): void {
  attempt(() => toEnd(parseLargeObject(body)));
  attempt(() => toEnd(pickFields(body, new Set(['apikey']))));
}

const right = bodyOf(filled('{"to":[', '"46701740699",', '"46701740699"]}'));
/** The yardstick for the worst body: a long list of phone numbers, as anyone may send it. */
const usual = new UsualWork(() => readTwice(right));

describe('ten mebibytes', () => {
  test.each(names)(
    '[CONV-12] Reading ten mebibytes of %s and finding their credentials takes at most twice as long as for usual JSON',
    async (name) => {
      const body = bodyOf(hostile[name] ?? '');
      await usual.expectAtMost(2, () => readTwice(body));
    },
  );
});

const large = endpointsFor<{ readonly name: string }>()({
  path: '/demo/sized',
  methods: ['POST'],
  group: 'Demo',
  title: 'Sized',
  description: 'Takes bodies of ten mebibytes.',
  parameters: { to: numberList({ default: [], maxItems: 200_000, description: 'Numbers.' }) },
  credentials: anyMethod,
  maxBodyBytes: bytes,
  answer: Type.Unsafe<object>({ type: 'object' }),
  handle: ({ name }, { to }) => ({ caller: name, count: to.length }),
});

let demo: DemoServer;

beforeAll(async () => {
  demo = await startDemoServer({
    endpoints: [...demoEndpoints(), large],
    config: { maxBodyBytes: 64 * mebibyte },
  });
});

afterAll(() => demo.stop());

function post(body: Buffer, header: string): Promise<string> {
  const head = `POST /demo/sized HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${header}Content-Length: ${body.length}\r\n\r\n`;
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(demo.port, '127.0.0.1', () => {
      socket.write(head);
      socket.write(body);
    });
    socket.setEncoding('latin1').on('data', (text) => {
      answer += text;
    });
    socket.on('error', () => {}).on('close', () => resolve(answer));
  });
}

const asAlice = Buffer.from('{"apikey":"key-of-alice",');

describe('eight of them at once', () => {
  test.each([
    'lists in lists',
    'empty objects',
    'digits',
    'escaped quotes',
    'a long text',
    'many fields of a field',
    'a fault at the end',
  ])(
    '[CONV-12] Eight bodies of ten mebibytes of %s at once leave the event loop turning, with any credentials',
    async (name) => {
      const body = Buffer.from(hostile[name] ?? '');
      const named = Buffer.concat([asAlice, body.subarray(1, bytes - asAlice.length)]);
      const send = (at: number) => {
        if (at % 3 === 0) return post(body, 'X-API-Key: key-of-alice\r\n');
        return post(at % 3 === 1 ? body : named, '');
      };
      await usual.expectTurnsOf(3, async () => {
        const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => send(at)));
        for (const answer of answers) expect(answer).toMatch(/^HTTP\/1.1 (200|400|401) /);
      });
    },
  );

  test('[CONV-12] Large bodies with wrong credentials are not read at all', async () => {
    const body = Buffer.from(hostile.digits ?? '');
    for (const header of ['X-API-Key: wrong\r\n', 'Authorization: Basic YWxpY2U6d3Jvbmc=\r\n']) {
      const head = `POST /demo/sized HTTP/1.1\r\nHost: x\r\n${header}Content-Length: ${body.length}\r\n\r\n`;
      // No more of the body ever arrives, and still there is an answer.
      expect(await demo.rawAnswer(head)).toMatch(/^HTTP\/1.1 401 /);
    }
  });
});

describe('large valid bodies', () => {
  const alice = () => apiClient(demo.url, { key: 'key-of-alice' });
  const stranger = () => apiClient(demo.url);
  const to = (count: number) => Array.from({ length: count }, (_, at) => String(46_701_740_000 + at));

  test('[AUTH-1] [CONV-12] A large valid body is accepted wherever the caller’s credentials stand', async () => {
    for (const count of [0, 500, 2_000, 100_000]) {
      const wanted = { status: 200, body: { caller: 'alice', count } };
      const inBody = { to: to(count), username: 'alice', password: 'pässword' };
      expect(await alice().post('/demo/sized', { to: to(count) })).toMatchObject(wanted);
      expect(await stranger().post('/demo/sized', inBody)).toMatchObject(wanted);
      expect(await stranger().post('/demo/sized', { apikey: 'key-of-alice', to: to(count) })).toMatchObject(
        wanted,
      );
    }
  });

  test('[AUTH-2] A large body may carry credentials by one method only', async () => {
    for (const count of [1, 500, 100_000]) {
      const two = await alice().post('/demo/sized', { to: to(count), apikey: 'key-of-alice' });
      expect(two).toMatchObject({ status: 401, body: { error: expect.stringContaining('two methods') } });
      const inBody = { to: to(count), username: 'alice', password: 'pässword', apikey: 'key-of-alice' };
      expect(await stranger().post('/demo/sized', inBody)).toMatchObject({ status: 401 });
      const wrong = { to: to(count), username: 'alice', password: 'wrong' };
      expect(await stranger().post('/demo/sized', wrong)).toMatchObject({ status: 401 });
      expect(await stranger().post('/demo/sized', { to: to(count) })).toMatchObject({ status: 401 });
      const half = { to: to(count), username: ['alice'], password: 'pässword' };
      expect(await stranger().post('/demo/sized', half)).toMatchObject({ status: 401 });
    }
  });
});
