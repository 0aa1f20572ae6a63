/** Tests HTTP that no client library would send: bytes on a socket, broken, misleading, or merely unusual. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { incomingPath, recipient, sendPath, statusPath, storedMessages } from '../harness/messaging.ts';
import { type Conversation, converse, requestsWith } from '../harness/raw-socket.ts';

let app: WholeApp;
let port: number;
let key: string;
let pid: number | undefined;
let storedBefore: number;

beforeAll(async () => {
  app = await startWholeApp({ engine: 'sqlite', provisioning: standardProvisioning });
  port = Number(new URL(app.baseUrl).port);
  pid = app.pid;
  key = (await app.as(alice).get('/authentication/auth/apikey', { name: 'raw' })).body;
  storedBefore = (await storedMessages(app)).length;
});
afterAll(() => app?.close());

/** Whatever was sent, the same process serves the next request, and nothing is stored except what a test declares. */
let sentOnPurpose = 0;
afterEach(async () => {
  expect(app.pid).toBe(pid);
  expect(await app.as({ key }).get(statusPath)).toMatchObject({ status: 200 });
  expect(await storedMessages(app)).toHaveLength(storedBefore + sentOnPurpose);
  expect(app.stderr).not.toMatch(/"level":"(error|fatal)"/);
});

const message = JSON.stringify({ to: [recipient(1)], message: 'From a socket' });
const { head, post, get } = requestsWith(() => key);

/** Reads until the server closes. */
const talk = (...pieces: readonly (string | Buffer)[]): Promise<Conversation> =>
  converse(port, pieces, { quietMs: Number.POSITIVE_INFINITY });
/** Sends the bytes and, after this many answers, one more request on the same connection, which must be answered too. */
const talkOn = (answers: number, bytes: string) =>
  converse(port, [bytes], { answers, next: get(statusPath) });

const badRequest = { status: 400, json: { result: 'ERROR', code: 'bad_request' } };

describe('what is not a request', () => {
  test.each<[what: string, bytes: () => string | Buffer]>([
    ['no HTTP', () => 'hello\r\n\r\n'],
    ['a TLS ClientHello', () => Buffer.from('1603010200010001fc0303', 'hex')],
    ['the preface of HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['HTTP/0.9', () => `GET ${statusPath}\r\n\r\n`],
    ['HTTP/1.2', () => `GET ${statusPath} HTTP/1.2\r\nHost: x\r\n\r\n`],
    ['HTTP/3.0', () => `GET ${statusPath} HTTP/3.0\r\nHost: x\r\n\r\n`],
    ['a method in small letters', () => `get ${statusPath} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['a method that nobody knows', () => `BREW ${statusPath} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['a null byte in a header', () => get(statusPath, 'X-A: a\0b')],
    ['a null byte in the target', () => get(`${statusPath}?\0`)],
    ['raw UTF-8 in the target', () => Buffer.from(get(`${statusPath}?I=å`))],
    ['bare line feeds', () => get(statusPath).replaceAll('\r\n', '\n')],
    ['one bare line feed', () => get(statusPath, 'X-A: a\nX-B: b')],
    ['a bare carriage return', () => get(statusPath, 'X-A: a\rX-B: b')],
    ['a folded header', () => get(statusPath, 'X-A: a\r\n b')],
    ['a space before the colon', () => get(statusPath, 'X-A : a')],
    ['a header without a name', () => get(statusPath, ': a')],
    ['a negative length', () => head(`POST ${sendPath} HTTP/1.1`, 'Content-Length: -1') + message],
    ['a length with a sign', () => head(`POST ${sendPath} HTTP/1.1`, 'Content-Length: +9') + message],
    ['a hexadecimal length', () => head(`POST ${sendPath} HTTP/1.1`, 'Content-Length: 0x9') + message],
    [
      'a length beyond all numbers',
      () => head(`POST ${sendPath} HTTP/1.1`, `Content-Length: ${'9'.repeat(30)}`),
    ],
    ['two lengths', () => post(sendPath, message, 'Content-Length: 3')],
    ['the same length twice', () => post(sendPath, message, `Content-Length: ${message.length}`)],
    ['a list of lengths', () => head(`POST ${sendPath} HTTP/1.1`, 'Content-Length: 9, 9') + message],
    ['a length beside chunks', () => post(sendPath, message, 'Transfer-Encoding: chunked')],
    ['chunks that are not last', () => head(`POST ${sendPath} HTTP/1.1`, 'Transfer-Encoding: chunked, gzip')],
    ['a coding that nobody knows', () => head(`POST ${sendPath} HTTP/1.1`, 'Transfer-Encoding: xchunked')],
    ['a chunk without a size', () => chunkedPost('xyz\r\n{}\r\n0\r\n\r\n')],
    ['a chunk with a negative size', () => chunkedPost('-2\r\n{}\r\n0\r\n\r\n')],
    ['a chunk beyond all sizes', () => chunkedPost(`${'f'.repeat(20)}\r\n{}`)],
    ['a chunk longer than its size', () => chunkedPost(`2\r\n${message}\r\n0\r\n\r\n`)],
    ['a chunk without its end of line', () => chunkedPost('2\r\n{}0\r\n\r\n')],
    ['a chunk extension of 20 kB', () => chunkedPost(`2;a=${'b'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`)],
  ])('[CONV-8] [CONV-10] %s is 400 in the form of errors, and ends the connection', async (_what, bytes) => {
    const { answers, ended } = await talk(bytes());
    expect(answers).toMatchObject([badRequest]);
    expect(answers[0]?.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-request-id': expect.stringMatching(/\S/),
      connection: 'close',
    });
    expect(ended).toBe('closed');
  });

  test('[CONV-10] Headers or a URL beyond 64 KiB are refused with 431', async () => {
    for (const bytes of [
      get(statusPath, `X-A: ${'a'.repeat(70_000)}`),
      get(statusPath, ...Array.from({ length: 5_000 }, (_, index) => `X-${index}: some value`)),
      get(`${statusPath}?I=${'1'.repeat(70_000)}`),
    ]) {
      const { answers, ended } = await talk(bytes);
      expect(answers).toMatchObject([{ status: 431, json: { result: 'ERROR', code: 'headers_too_large' } }]);
      expect(ended).toBe('closed');
    }
    const long = await talkOn(1, get(`${statusPath}?I=${'12345,'.repeat(10_000)}`));
    expect(long.answers).toMatchObject([{ status: 200 }, { status: 200 }]);
  });
});

function chunkedPost(chunks: string): string {
  return head(`POST ${sendPath} HTTP/1.1`, 'Transfer-Encoding: chunked') + chunks;
}

describe('unusual requests', () => {
  test.each<[what: string, bytes: () => string]>([
    ['empty lines before it', () => `\r\n\r\n${get(statusPath)}`],
    ['the absolute form of its target', () => get(`http://sms.example.com${statusPath}`)],
    [
      'an offer of HTTP/2',
      () =>
        get(
          statusPath,
          'Connection: Upgrade, HTTP2-Settings',
          'Upgrade: h2c',
          'HTTP2-Settings: AAMAAABkAAQAAP__',
        ),
    ],
    [
      'an offer of WebSocket',
      () => get(statusPath, 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'),
    ],
    ['bytes beyond ASCII in a header', () => get(statusPath, 'X-A: \xe5')],
    ['a body with a GET', () => get(statusPath, 'Content-Length: 2').concat('{}')],
    [
      'chunks',
      () =>
        head(`POST ${statusPath} HTTP/1.1`, 'Transfer-Encoding: chunked').concat(
          '1\r\n{\r\n1\r\n}\r\n0\r\n\r\n',
        ),
    ],
    [
      'chunk extensions',
      () =>
        head(`POST ${statusPath} HTTP/1.1`, 'Transfer-Encoding: chunked').concat(
          '2;a="b"\r\n{}\r\n0\r\n\r\n',
        ),
    ],
    [
      'a trailer',
      () =>
        head(`POST ${statusPath} HTTP/1.1`, 'Transfer-Encoding: chunked').concat(
          '2\r\n{}\r\n0\r\nX-API-Key: other\r\n\r\n',
        ),
    ],
  ])('[CONV-8] %s: answered, and the connection is kept', async (_what, bytes) => {
    const { answers, ended } = await talkOn(1, bytes());
    expect(answers).toMatchObject([{ status: 200 }, { status: 200 }]);
    expect(ended).toBe('open');
  });

  test('[CONV-8] HTTP/1.0 is answered, and the connection is closed unless the client asks otherwise', async () => {
    const old = get(statusPath).replace('HTTP/1.1', 'HTTP/1.0');
    expect(await talk(old)).toMatchObject({ answers: [{ status: 200 }], ended: 'closed' });
    const kept = get(statusPath, 'Connection: keep-alive').replace('HTTP/1.1', 'HTTP/1.0');
    expect(await talk(kept, old)).toMatchObject({
      answers: [{ status: 200 }, { status: 200 }],
      ended: 'closed',
    });
  });

  test('[CONV-8] HTTP methods that no endpoint takes are answered with 405 and an Allow header', async () => {
    for (const method of ['CONNECT', 'TRACE', 'OPTIONS', 'PROPFIND', 'M-SEARCH', 'QUERY']) {
      const { answers } = await talk(get(statusPath, 'Connection: close').replace('GET', method));
      expect(answers, method).toMatchObject([
        { status: 405, headers: { allow: expect.stringContaining('GET') } },
      ]);
    }
  });

  test('[CONV-8] Expect: 100-continue is confirmed before the body is sent', async () => {
    const body = '{"markasread":false}';
    const [whole = ''] = [post(statusPath, body, 'Expect: 100-continue')];
    const { answers } = await converse(port, [whole.slice(0, -body.length)], { next: body });
    expect(answers).toMatchObject([{ status: 100 }, { status: 200 }]);
  });

  test('[CONV-8] [SEND-5] Pipelined requests are answered in order, valid and invalid ones', async () => {
    sentOnPurpose += 2;
    const { answers, ended } = await talkOn(
      6,
      post(sendPath, message) +
        post(sendPath, '{"to":') +
        get('/nowhere') +
        post(statusPath, '{}', 'Content-Type: multipart/x') +
        post(sendPath, message) +
        get(incomingPath),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 404, 415, 200, 200, 200]);
    expect(answers.at(-2)?.json).toMatchObject({ incoming: [] });
    expect(ended).toBe('open');
  });

  test('[CONV-8] [SEND-5] Requests that were sent before garbage are answered normally, and only the garbage is refused', async () => {
    sentOnPurpose += 2;
    const { answers, ended } = await talk(`${post(sendPath, message) + post(sendPath, message)}\0garbage`);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400]);
    expect(ended).toBe('closed');
  });

  test('[CONV-8] Bytes beyond the announced length of a body are refused as a bad request', async () => {
    sentOnPurpose += 1;
    const { answers, ended } = await talk(post(sendPath, message) + message);
    expect(answers.map(({ status }) => status)).toEqual([200, 400]);
    expect(ended).toBe('closed');
  });

  test('[CONV-8] A client that has ended its own side of the connection still gets the response', async () => {
    sentOnPurpose += 1;
    const { answers, ended } = await converse(port, [post(sendPath, message)], {
      finally: 'end',
      quietMs: Number.POSITIVE_INFINITY,
    });
    expect(answers).toMatchObject([{ status: 200, json: { accepted: [{ id: expect.any(String) }] } }]);
    expect(ended).toBe('closed');
  });
});
