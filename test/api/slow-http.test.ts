/** HTTP that takes its time: requests that trickle, stop halfway or never end, and thousands of callers who stay. */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { keyPath, recipient, sendOne, sendPath, statusPath, storedMessages } from '../harness/messaging.ts';
import { expectWithin } from '../harness/on-time.ts';
import { type Conversation, converse, requestsWith } from '../harness/raw-socket.ts';

let app: WholeApp;
let port: number;
let key: string;
let pid: number | undefined;

beforeAll(async () => {
  app = await startWholeApp({ engine: 'sqlite', provisioning: standardProvisioning });
  port = Number(new URL(app.baseUrl).port);
  pid = app.pid;
  key = (await app.as(alice).get(keyPath, { name: 'slow' })).body;
});
afterAll(() => app?.close());

/** Headers that do not end are given up after 15 seconds, which are waited for while the other tests go on. */
let endless: Promise<readonly { readonly conversation: Conversation; readonly ms: number }[]>;
beforeAll(() => {
  const trickle = Array.from({ length: 60 }, (_, index) => `X-${index}: a\r\n`);
  const begun = get(statusPath).slice(0, -2);
  const timed = async (pieces: readonly string[], pauseMs: number) => {
    const startedMs = performance.now();
    const conversation = await converse(port, pieces, { pauseMs });
    return { conversation, ms: performance.now() - startedMs };
  };
  endless = Promise.all([timed([begun], 0), timed([begun, ...trickle], 400)]);
});

/** Whatever was sent, the same process serves the next, and nothing was stored but what a test says. */
let sentOnPurpose = 0;
afterEach(async () => {
  expect(app.pid).toBe(pid);
  expect(await app.as({ key }).get(statusPath)).toMatchObject({ status: 200 });
  expect(await storedMessages(app)).toHaveLength(sentOnPurpose);
  expect(app.stderr).not.toMatch(/"level":"(error|fatal)"/);
});

const message = JSON.stringify({ to: [recipient(1)], message: 'From a slow socket' });
const { head, post, get } = requestsWith(() => key);
const badRequest = { status: 400, json: { result: 'ERROR', code: 'bad_request' } };

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
    const chunked = head(`POST ${sendPath} HTTP/1.1`, 'Transfer-Encoding: chunked');
    const chunks = `${chunked}${message.length.toString(16)}\r\n${message}\r\n`;
    expect(await converse(port, [chunks], { finally: 'end' })).toMatchObject({ answers: [badRequest] });
  });

  test('[CONV-8] a body that comes byte by byte is waited for', async () => {
    sentOnPurpose += 1;
    const { answers } = await converse(port, [...whole()], { pauseMs: 2 });
    expect(answers).toMatchObject([{ status: 200 }]);
  });
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
    await expectWithin(2_000, async () => {
      const startedMs = performance.now();
      expect(await app.as({ key }).get(statusPath)).toMatchObject({ status: 200 });
      return performance.now() - startedMs;
    });
    sentOnPurpose += 1;
    await sendOne(app.as({ key }));
    expect(residentMiB() - beforeMiB).toBeLessThan(250);
  });
});

test('[DLV-8] [CONV-10] headers that do not end are 408 after 15 seconds, however they trickle', async () => {
  for (const { conversation, ms } of await endless) {
    expect(conversation).toMatchObject({
      answers: [{ status: 408, json: { result: 'ERROR', code: 'request_timeout' } }],
      ended: 'closed',
    });
    expect(ms).toBeGreaterThan(14_000);
    expect(ms).toBeLessThan(30_000);
  }
});

function residentMiB(): number {
  const status = readFileSync(`/proc/${app.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1_024;
}
