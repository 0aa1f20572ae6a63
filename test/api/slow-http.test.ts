/** Tests HTTP that takes its time: requests that trickle, stop halfway or never end, and thousands of callers who stay. */
import { readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { keyPath, recipient, sendOne, sendPath, statusPath, storedMessages } from '../harness/messaging.ts';
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

const untilClosed = { quietMs: Number.POSITIVE_INFINITY };

/** Headers that never end are given up after 15 seconds; the other tests run during that wait. */
let endless: Promise<readonly { readonly conversation: Conversation; readonly ms: number }[]>;
beforeAll(() => {
  // The trickle takes longer than a test may, so an answer shows that the server doesn't wait for its end.
  const trickle = Array.from({ length: 300 }, (_, index) => `X-${index}: a\r\n`);
  const begun = get(statusPath).slice(0, -2);
  const timed = async (pieces: readonly string[], pauseMs: number) => {
    const startedMs = performance.now();
    const conversation = await converse(port, pieces, { pauseMs, ...untilClosed });
    return { conversation, ms: performance.now() - startedMs };
  };
  endless = Promise.all([timed([begun], 0), timed([begun, ...trickle], 400)]);
});

/** Whatever was sent, the same process serves the next request, and nothing is stored except what a test declares. */
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

describe('requests that are never complete', () => {
  const whole = () => post(sendPath, message);

  test('[CONV-8] [SEND-5] A request cut off anywhere stores nothing', async () => {
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
    await Promise.all(
      places.map(async (place) => {
        const ended = await converse(port, [bytes.slice(0, place)], { finally: 'end', ...untilClosed });
        expect(ended, String(place)).toMatchObject({
          answers: place === 0 ? [] : [badRequest],
          ended: 'closed',
        });
        await converse(port, [bytes.slice(0, place)], { finally: 'reset' });
      }),
    );
    const chunked = head(`POST ${sendPath} HTTP/1.1`, 'Transfer-Encoding: chunked');
    const chunks = `${chunked}${message.length.toString(16)}\r\n${message}\r\n`;
    const ended = await converse(port, [chunks], { finally: 'end', ...untilClosed });
    expect(ended).toMatchObject({ answers: [badRequest] });
  });

  test('[CONV-8] The server waits for a body that comes byte by byte', async () => {
    sentOnPurpose += 1;
    const { answers } = await converse(port, [...whole()], { pauseMs: 2, next: get(statusPath) });
    expect(answers).toMatchObject([{ status: 200 }, { status: 200 }]);
  });
});

describe('many of them', () => {
  const open: Socket[] = [];
  /** How many of these connections the server has ended, and how many it has answered. */
  let counts = { ended: 0, answered: 0 };
  /** Allows for everything else that the server has open. */
  const maxOthers = 500;
  afterEach(async () => {
    for (const socket of open.splice(0)) socket.resetAndDestroy();
    await until(async () => openFiles() < maxOthers);
    counts = { ended: 0, answered: 0 };
  });

  /**
   * Uses several addresses of this machine, since the ports of one might not suffice. Resolves when the server has
   * accepted all connections.
   */
  async function openMany(count: number, bytes: string): Promise<void> {
    while (open.length < count)
      await Promise.all(
        Array.from({ length: 200 }, () => openOne(`127.0.0.${2 + (open.length % 50)}`, bytes)),
      );
    await until(async () => openFiles() + counts.ended >= count);
  }

  function openOne(localAddress: string, bytes: string): Promise<void> {
    const ofTest = counts;
    return new Promise((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress }, () => {
        socket.write(bytes);
        resolve();
      });
      socket.on('error', () => {});
      socket.once('data', () => {
        ofTest.answered += 1;
      });
      socket.once('close', () => {
        ofTest.ended += 1;
        resolve();
      });
      open.push(socket);
    });
  }

  test.each<[what: string, bytes: () => string, isAnswered?: boolean]>([
    ['say nothing', () => ''],
    ['never end their headers', () => get(statusPath).slice(0, -2)],
    ['have been answered and stay', () => get(statusPath), true],
    ['never end their bodies', () => post(sendPath, message).slice(0, -1)],
  ])(
    '[DLV-8] 4,000 connections that %s leave others served and memory bounded',
    async (_what, bytes, isAnswered) => {
      const beforeMiB = residentMiB();
      await openMany(4_000, bytes());
      if (isAnswered) await until(() => counts.answered + counts.ended >= 4_000);
      expect(await app.as({ key }).get(statusPath)).toMatchObject({ status: 200 });
      sentOnPurpose += 1;
      await sendOne(app.as({ key }));
      expect(residentMiB() - beforeMiB).toBeLessThan(250);
    },
  );
});

test('[DLV-8] [CONV-10] Headers that do not end are answered with 408 after 15 seconds, however they trickle', async () => {
  for (const { conversation, ms } of await endless) {
    expect(conversation).toMatchObject({
      answers: [{ status: 408, json: { result: 'ERROR', code: 'request_timeout' } }],
      ended: 'closed',
    });
    expect(ms).toBeGreaterThan(14_000);
  }
});

/** The number of files and sockets that the server has open. */
function openFiles(): number {
  return readdirSync(`/proc/${app.pid}/fd`).length;
}

function residentMiB(): number {
  const status = readFileSync(`/proc/${app.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1_024;
}
