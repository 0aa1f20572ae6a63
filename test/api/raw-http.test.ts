/** HTTP as no client library would send it: bytes on a socket, slow, broken, cut off, or hostile. */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import {
  incomingPath,
  recipient,
  sendOne,
  sendPath,
  statusPath,
  storedMessages,
} from '../harness/messaging.ts';
import { type Conversation, converse } from '../harness/raw-socket.ts';

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

/** Whatever was sent, the same process serves the next, and nothing was stored but what a test says. */
let sentOnPurpose = 0;
afterEach(async () => {
  expect(app.pid).toBe(pid);
  expect(await app.as({ key }).get(statusPath)).toMatchObject({ status: 200 });
  expect(await storedMessages(app)).toHaveLength(storedBefore + sentOnPurpose);
  expect(app.stderr).not.toMatch(/"level":"(error|fatal)"/);
});

const message = JSON.stringify({ to: [recipient(1)], message: 'From a socket' });

function head(requestLine: string, ...headers: readonly string[]): string {
  return [requestLine, 'Host: sms.example.com', `X-API-Key: ${key}`, ...headers, '', ''].join('\r\n');
}

function post(path: string, body: string, ...headers: readonly string[]): string {
  return head(`POST ${path} HTTP/1.1`, `Content-Length: ${Buffer.byteLength(body)}`, ...headers) + body;
}

function get(path: string, ...headers: readonly string[]): string {
  return head(`GET ${path} HTTP/1.1`, ...headers);
}

const talk = (...pieces: readonly (string | Buffer)[]): Promise<Conversation> => converse(port, pieces);

const badRequest = { status: 400, json: { result: 'ERROR', code: 'bad_request' } };

describe('what is no request', () => {
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

  test('[CONV-10] headers or a URL beyond 64 KiB are 431', async () => {
    for (const bytes of [
      get(statusPath, `X-A: ${'a'.repeat(70_000)}`),
      get(statusPath, ...Array.from({ length: 5_000 }, (_, index) => `X-${index}: some value`)),
      get(`${statusPath}?I=${'1'.repeat(70_000)}`),
    ]) {
      const { answers, ended } = await talk(bytes);
      expect(answers).toMatchObject([{ status: 431, json: { result: 'ERROR', code: 'headers_too_large' } }]);
      expect(ended).toBe('closed');
    }
    const long = await talk(get(`${statusPath}?I=${'1'.repeat(60_000)}`));
    expect(long.answers).toMatchObject([{ status: 200 }]);
  });
});

function chunkedPost(chunks: string): string {
  return head(`POST ${sendPath} HTTP/1.1`, 'Transfer-Encoding: chunked') + chunks;
}

describe('what is one, though unusual', () => {
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
    const { answers, ended } = await converse(port, [bytes(), get(statusPath)], {
      pauseMs: 200,
      quietMs: 500,
    });
    expect(answers).toMatchObject([{ status: 200 }, { status: 200 }]);
    expect(ended).toBe('open');
  });

  test('[CONV-8] HTTP/1.0 is answered, and ends the connection unless asked otherwise', async () => {
    const old = get(statusPath).replace('HTTP/1.1', 'HTTP/1.0');
    expect(await talk(old)).toMatchObject({ answers: [{ status: 200 }], ended: 'closed' });
    const kept = get(statusPath, 'Connection: keep-alive').replace('HTTP/1.1', 'HTTP/1.0');
    expect(await talk(kept, old)).toMatchObject({
      answers: [{ status: 200 }, { status: 200 }],
      ended: 'closed',
    });
  });

  test('[CONV-8] methods of HTTP that nothing here takes are 405 with Allow', async () => {
    for (const method of ['CONNECT', 'TRACE', 'OPTIONS', 'PROPFIND', 'M-SEARCH', 'QUERY']) {
      const { answers } = await talk(get(statusPath, 'Connection: close').replace('GET', method));
      expect(answers, method).toMatchObject([
        { status: 405, headers: { allow: expect.stringContaining('GET') } },
      ]);
    }
  });

  test('[CONV-8] Expect: 100-continue gets its go-ahead before the body is sent', async () => {
    const body = '{"markasread":false}';
    const [whole = ''] = [post(statusPath, body, 'Expect: 100-continue')];
    const { answers } = await converse(port, [whole.slice(0, -body.length), body], { pauseMs: 300 });
    expect(answers).toMatchObject([{ status: 100 }, { status: 200 }]);
  });

  test('[CONV-8] [SEND-5] pipelined requests are answered in their order, right and wrong ones', async () => {
    sentOnPurpose += 2;
    const { answers, ended } = await talk(
      post(sendPath, message) +
        post(sendPath, '{"to":') +
        get('/nowhere') +
        post(statusPath, '{}', 'Content-Type: multipart/x') +
        post(sendPath, message) +
        get(incomingPath),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 404, 415, 200, 200]);
    expect(answers.at(-1)?.json).toMatchObject({ incoming: [] });
    expect(ended).toBe('open');
  });

  test('[CONV-8] [SEND-5] one that was sent before garbage is answered as what it was, not as the garbage', async () => {
    sentOnPurpose += 2;
    const { answers, ended } = await talk(`${post(sendPath, message) + post(sendPath, message)}\0garbage`);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400]);
    expect(ended).toBe('closed');
  });

  test('[CONV-8] a length shorter than the body leaves a rest that is no request', async () => {
    sentOnPurpose += 1;
    const { answers, ended } = await talk(post(sendPath, message) + message);
    expect(answers.map(({ status }) => status)).toEqual([200, 400]);
    expect(ended).toBe('closed');
  });

  test('[CONV-8] who has ended the own side still gets the answer', async () => {
    sentOnPurpose += 1;
    const { answers, ended } = await converse(port, [post(sendPath, message)], { finally: 'end' });
    expect(answers).toMatchObject([{ status: 200, json: { accepted: [{ id: expect.any(String) }] } }]);
    expect(ended).toBe('closed');
  });
});

describe('what is never whole', () => {
  const whole = () => post(sendPath, message);

  test('[CONV-8] [SEND-5] a request cut off anywhere stores nothing', async () => {
    const bytes = whole();
    const places = [
      0,
      1,
      4,
      30,
      bytes.indexOf('\r\n\r\n') + 2,
      bytes.length - message.length,
      bytes.length - 1,
    ];
    for (const place of places) {
      const ended = await converse(port, [bytes.slice(0, place)], { finally: 'end' });
      expect(ended, String(place)).toMatchObject({
        answers: place === 0 ? [] : [badRequest],
        ended: 'closed',
      });
      await converse(port, [bytes.slice(0, place)], { finally: 'reset' });
    }
    const chunks = chunkedPost(`${message.length.toString(16)}\r\n${message}\r\n`);
    expect(await converse(port, [chunks], { finally: 'end' })).toMatchObject({ answers: [badRequest] });
  });

  test('[CONV-8] a body that comes byte by byte is waited for', async () => {
    sentOnPurpose += 1;
    const { answers } = await converse(port, [...whole()], { pauseMs: 2 });
    expect(answers).toMatchObject([{ status: 200 }]);
  });

  test('[DLV-8] [CONV-10] headers that do not end are 408 after 15 seconds, however they trickle', async () => {
    const endless = Array.from({ length: 60 }, (_, index) => `X-${index}: a\r\n`);
    const startedMs = performance.now();
    const [silent, trickling] = await Promise.all([
      converse(port, [get(statusPath).slice(0, -2)], { quietMs: 25_000 }),
      converse(port, [get(statusPath).slice(0, -2), ...endless], { pauseMs: 400, quietMs: 25_000 }),
    ]);
    for (const { answers, ended } of [silent, trickling]) {
      expect(answers).toMatchObject([{ status: 408, json: { result: 'ERROR', code: 'request_timeout' } }]);
      expect(ended).toBe('closed');
    }
    expect(performance.now() - startedMs).toBeLessThan(25_000);
  }, 40_000);
});

describe('many of them', () => {
  const open: Socket[] = [];
  afterEach(() => {
    for (const socket of open.splice(0)) socket.resetAndDestroy();
  });

  /** From several addresses of this machine, as the ports of one might not do. */
  async function openMany(count: number, bytes: string): Promise<void> {
    for (let index = 0; index < count; index++) {
      const localAddress = `127.0.0.${2 + (index % 50)}`;
      const socket = connect({ port, host: '127.0.0.1', localAddress }, () => socket.write(bytes));
      socket.on('error', () => {});
      open.push(socket);
      if (index % 200 === 199) await delay(20);
    }
    await delay(500);
  }

  test.each<[what: string, bytes: () => string]>([
    ['say nothing', () => ''],
    ['never end their headers', () => get(statusPath).slice(0, -2)],
    ['have been answered and stay', () => get(statusPath)],
    ['never end their bodies', () => post(sendPath, message).slice(0, -1)],
  ])('[DLV-8] 4,000 connections that %s leave others served and memory bounded', async (_what, bytes) => {
    const beforeMiB = residentMiB();
    await openMany(4_000, bytes());
    const startedMs = performance.now();
    expect(await app.as({ key }).get(statusPath)).toMatchObject({ status: 200 });
    expect(performance.now() - startedMs).toBeLessThan(2_000);
    sentOnPurpose += 1;
    await sendOne(app.as({ key }));
    expect(residentMiB() - beforeMiB).toBeLessThan(250);
  });
});

function residentMiB(): number {
  const status = readFileSync(`/proc/${app.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1_024;
}
