/** Tests how commands treat answers that no test server gives on request. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { CommandResult } from './harness/app.ts';
import { recipient } from './harness/messaging.ts';
import { runHere } from './harness/run-here.ts';

interface Answer {
  readonly body: object;
  /** The time by the server's clock; null if the server does not state it. */
  readonly date?: number | null;
}

/** Runs a command as a user with a password, at a server that answers each call like this. */
async function runAt(
  answerOf: (call: IncomingMessage, number: number) => Answer | Promise<Answer>,
  ...words: readonly string[]
): Promise<CommandResult> {
  let calls = 0;
  const server = createServer(async (call, response) => {
    const { body, date } = await answerOf(call, calls++);
    if (date === null) response.sendDate = false;
    else if (date !== undefined) response.setHeader('date', new Date(date).toUTCString());
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { CARILLON_URL: url, CARILLON_USER: 'alice', CARILLON_PASSWORD: 'a long password' };
  try {
    return await runHere(env, ...words);
  } finally {
    server.close();
  }
}

/** Runs a command at a server that gives these answers in turn and then repeats the last one. */
async function shownAt(answers: readonly object[], ...words: readonly string[]): Promise<string> {
  const answerOf = (_: IncomingMessage, number: number) => ({
    body: answers[number] ?? (answers.at(-1) as object),
  });
  const { exitCode, stdout, stderr } = await runAt(answerOf, ...words);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout;
}

test('[JOB-13] [RUN-3] A rehearsal says how many more people there are than it lists', async () => {
  const anna = { name: 'Anna', contactId: '1', phone: recipient(1), task: '', level: 1, afterMinutes: 0 };
  const rehearsal = {
    job: 'Night',
    type: 'MonitoredMessage',
    message: 'Come?',
    people: [{ ...anna, askedAtOnce: true, parts: 1 }],
    peopleCount: 4_001,
    leftOut: [{ name: 'Bo', contactId: '2', why: 'excluded' }],
    leftOutCount: 3,
    tasks: [{ task: '', goal: 1, canBeReached: 4_001, canBeMet: true, levels: [] }],
    partsFirst: 4_001,
    partsAll: 4_001,
    mailsFirst: 0,
    mailsAll: 0,
  };
  const shown = await shownAt([rehearsal], 'jobs', 'rehearse', '1');
  expect(shown).toMatch(/Anna.*\n… and 4,000 more\n\nLeft out: Bo \(excluded\)\n… and 2 more\n/);
  expect(JSON.parse(await shownAt([rehearsal], 'jobs', 'rehearse', '1', '--json'))).toMatchObject({
    peopleCount: 4_001,
    leftOutCount: 3,
  });
});

test('[RUN-3] [BATCH-8] Watching a batch of a remote server shows nothing when only its speed has changed', async () => {
  const time = '2026-11-21T13:02:30.000Z';
  const batch = {
    id: '100001',
    username: 'alice',
    batchConversation: '',
    accepted: time,
    changed: time,
    messages: 2,
    parts: 2,
    duplicates: 0,
    batchStatusCode: 0,
    batchStatusDescription: 'Ok',
    state: 'sending',
    totals: { waiting: 1, sent: 1, delivered: 0, failed: 0 },
  };
  const done = { ...batch, state: 'sent', totals: { ...batch.totals, waiting: 0, sent: 2 } };
  const answers = [
    { ...batch, speed: 60, secondsLeft: 60 },
    { ...batch, speed: 61, secondsLeft: 59 },
  ];
  const shown = await shownAt([...answers, done], 'batch', '100001', '--watch', '--json');
  const states = shown
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).state);
  expect(states).toEqual(['sending', 'sent']);
});

/** Long before the time on this machine. */
const then = Date.UTC(2001, 1, 3, 4, 5, 6);
const isoOf = (time: number) => new Date(time).toISOString();

test('[RUN-3] Whether a carrier of a remote server counts as silent goes by that server’s clock, and only known figures are shown', async () => {
  const node = { node: '1', state: 'up', since: isoOf(then), told: isoOf(then), binds: 2, colour: 'red' };
  const body = { carriers: [{ name: 'north', type: 'smpp', nodes: [node] }] };
  const shownAfter = async (ms: number) =>
    (await runAt(() => ({ body, date: then + ms }), 'carriers')).stdout;
  expect(await shownAfter(5_000)).toMatch(/^north +up +2001-02-03T04:05:06Z +1\n +binds 2\n$/m);
  expect(await shownAfter(60_000)).toMatch(/^north +silent, was up +/m);
});

test('[RUN-3] Empty usage is shown as a sentence, and an answer with usage that is cut short is a failure', async () => {
  expect(await shownAt([{ usage: [], more: false }], 'usage')).toBe('Nothing was sent in that time.\n');
  const usage = [{ username: 'alice', month: '2026-11', messages: 1, parts: 1 }];
  for (const words of [['usage'], ['usage', '--json']]) {
    const cut = await runAt(() => ({ body: { usage, more: true } }), ...words);
    expect(cut).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('alice') });
    expect(cut.stderr).toBe('There are more sums, all of them smaller: --format csv has them all.\n');
  }
});

test('[RUN-3] A list of a remote server that does not end is not read forever', async () => {
  const users = await runAt(() => ({ body: { users: [], next: '7' } }), 'user', 'list');
  expect(users).toMatchObject({ exitCode: 1, stdout: '' });
  expect(users.stderr).toContain('list never ends');
  let pages = 0;
  const found = await runAt(() => ({ body: { unrouted: [], next: String(pages++) } }), 'unrouted');
  expect(found).toMatchObject({ exitCode: 0, stdout: 'None of the latest incoming SMS is unrouted.\n' });
  expect(pages).toBe(20);
  expect(found.stderr).toBe('There may be earlier unrouted SMS: not all were checked.\n');
});

test('[RUN-3] [AUTH-5] Ending an API key now goes by the server’s clock, and the command fails if the key stays valid', async () => {
  const key = { id: '3', name: 'till', created: isoOf(then), state: 'enabled' };
  const sent: unknown[] = [];
  const expire = (date: number | null, state: string) => {
    const answerOf = async (call: IncomingMessage) => {
      if (call.method === 'GET') return { body: { apiKeys: [key] }, date };
      const { expires } = JSON.parse(await text(call));
      sent.push(expires);
      const { id, name, created } = key;
      return { body: { id, name, created, expires, state } };
    };
    return runAt(answerOf, 'keys', 'expire', 'alice', 'till', 'now');
  };
  const ended = await expire(then, 'expired');
  expect(ended).toMatchObject({ exitCode: 0, stderr: '', stdout: expect.stringMatching(/^till +expired/m) });
  expect(sent).toEqual([isoOf(then)]);
  const goesOn = await expire(null, 'enabled');
  expect(goesOn).toMatchObject({ exitCode: 1, stdout: expect.stringMatching(/^till +enabled/m) });
  expect(goesOn.stderr).toContain('The key is still valid');
});
