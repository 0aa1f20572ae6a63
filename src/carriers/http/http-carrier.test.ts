import { createServer } from 'node:http';
import type { Server, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { messages } from '../../../test/carriers/carrier-recorder.ts';
import { endHttpPairs, httpPair } from '../../../test/carriers/http-setup.ts';
import { until } from '../../../test/harness/awake.ts';
import { freePort } from '../../../test/harness/free-port.ts';
import { holdTime, letTimeGo, pass, passDuring, passUntil } from '../../../test/harness/held-time.ts';
import { storedReason } from '../../foundation/sentences.ts';

beforeEach(holdTime);
afterEach(async () => {
  await passDuring(endHttpPairs());
  letTimeGo();
});

describe('a message by HTTP', () => {
  test('[HTTPC-1] [HTTPC-2] A message goes out in one request, escaped for its place, and is accepted under the carrier’s id', async () => {
    const { upstream, carrier, heard } = await httpPair();
    const [one] = messages(1).map((part) => ({ ...part, text: 'Say "{from}" & {password}\n☺', smsParts: 3 }));
    carrier.submit([one as never]);
    await until(() => heard.outcomes.length === 1);
    expect(heard.ofKind('accepted')[0]?.outcome.carrierMessageId).toBe('up-1');
    expect(upstream.submissions).toMatchObject([
      {
        method: 'POST',
        path: '/messages',
        fields: {
          to: '+46701740600',
          from: 'Tester',
          text: 'Say "{from}" & {password}\n☺',
          reference: String(one?.messageId),
        },
      },
    ]);
    expect(carrier.status()).toMatchObject({
      state: 'up',
      reason: null,
      figures: { accepted: 1, miscounted: 0 },
    });
  });

  test('[HTTPC-1] A message that the carrier counts otherwise than we do is accepted and counted', async () => {
    const { carrier, heard, upstream } = await httpPair((_, response) =>
      upstream.answer(response, 201, { id: 'x', parts: '2' }),
    );
    carrier.submit(messages(1));
    await until(() => heard.ofKind('accepted').length === 1);
    expect(carrier.status().figures.miscounted).toBe(1);
  });

  test.each([
    [400, { code: 'no-such-number' }, { kind: 'rejected', status: 10 }, 'HTTP 400, no-such-number'],
    [200, { code: 'no-such-number' }, { kind: 'rejected', status: 10 }, 'HTTP 200, no-such-number'],
    [422, {}, { kind: 'rejected', status: 5 }, 'HTTP 422'],
    [404, { code: 'not-here' }, { kind: 'passOn', status: 6 }, 'HTTP 404, not-here'],
    [409, { code: 'busy' }, { kind: 'retryAt' }, 'HTTP 409, busy'],
    [429, 'Too many', { kind: 'retryAt' }, 'HTTP 429'],
    [503, '<html>Sorry</html>', { kind: 'retryAt' }, 'HTTP 503'],
    [401, 'Who are you?', { kind: 'retryAt' }, 'HTTP 401'],
    [200, { code: 'closed' }, { kind: 'retryAt' }, 'HTTP 200, closed'],
  ] as const)('[HTTPC-2] An answer of %i with %j is a refusal', async (status, body, outcome, answer) => {
    const { carrier, heard, upstream } = await httpPair((_, response) =>
      upstream.answer(response, status, body),
    );
    carrier.submit(messages(1));
    await until(() => heard.outcomes.length === 1);
    const reason = storedReason({ sentence: 'http_refused', answer });
    expect(heard.outcomes[0]?.outcome).toMatchObject({ ...outcome, reason });
  });

  test.each([
    [500, 'Oops', 'HTTP 500'],
    [200, '<html>Welcome</html>', 'HTTP 200'],
    [200, { id: '' }, 'HTTP 200'],
    [409, {}, 'HTTP 409'],
  ] as const)(
    '[HTTPC-2] An answer of %i with %j leaves the message in doubt',
    async (status, body, answer) => {
      const { carrier, heard, upstream } = await httpPair((_, response) =>
        upstream.answer(response, status, body),
      );
      carrier.submit(messages(1));
      await until(() => heard.outcomes.length === 1);
      const reason = storedReason({ sentence: 'http_unclear', answer });
      expect(heard.outcomes[0]?.outcome).toEqual({ kind: 'inDoubt', reason });
    },
  );
});

describe('a lost answer', () => {
  test('[HTTPC-2] A message whose answer does not come in time is in doubt', async () => {
    const { upstream, carrier, heard } = await httpPair(() => undefined, { responseTimeoutMs: 5_000 });
    carrier.submit(messages(1));
    await until(() => upstream.submissions.length === 1);
    pass(4_999);
    expect(heard.outcomes).toEqual([]);
    pass(1);
    await until(() => heard.outcomes.length === 1);
    const reason = storedReason({ sentence: 'http_silent', ms: 5_000 });
    expect(heard.outcomes[0]?.outcome).toEqual({ kind: 'inDoubt', reason });
    expect(carrier.status().figures).toMatchObject({ timeouts: 1, windowUsed: 0 });
  });

  test.each([
    ['before', (socket: Socket) => socket.destroy()],
    ['amid', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"id":')],
    ['by something else than', (socket: Socket) => socket.end('SSH-2.0-OpenSSH\r\n')],
  ])('[HTTPC-2] A message whose connection ends %s the answer is in doubt', async (_, end) => {
    const { carrier, heard } = await httpPair((_, response) => end(response.socket as Socket));
    carrier.submit(messages(1));
    await passUntil(() => heard.outcomes.length === 1);
    const reason = storedReason({ sentence: 'http_cut' });
    expect(heard.outcomes[0]?.outcome).toEqual({ kind: 'inDoubt', reason });
  });

  test('[HTTPC-2] A carrier that takes a message only once under our id is asked again, later each time', async () => {
    const { upstream, carrier, heard } = await httpPair((_, response) => response.socket?.destroy(), {
      submit: { url: '{baseUrl}/{id}', method: 'PUT', accepted: { id: 'own' }, idempotent: true },
    });
    const [one] = messages(1);
    for (let round = 1; round <= 3; round++) {
      carrier.submit([one as never]);
      await passUntil(() => heard.outcomes.length === round);
    }
    expect(heard.ofKind('retryAt').every(({ outcome }) => outcome.mayHaveIt)).toBe(true);
    const pauses = heard.ofKind('retryAt').map(({ outcome }) => outcome.time - Date.now());
    expect(pauses).toHaveLength(3);
    expect(pauses[2]).toBeGreaterThan(pauses[0] as number);
    upstream.rule = (_, response) => upstream.answer(response, 200, {});
    await passUntil(() => carrier.status().state === 'up');
    carrier.submit([one as never]);
    await passUntil(() => heard.outcomes.length === 4);
    expect(heard.ofKind('accepted')[0]?.outcome.carrierMessageId).toBe(String(one?.messageId));
    expect(new Set(upstream.submissions.map(({ path }) => path)).size).toBe(1);
  });

  test('[HTTPC-2] An answer that is longer than any answer should be is cut off, and the message is in doubt', async () => {
    const { carrier, heard, upstream } = await httpPair((_, response) =>
      upstream.answer(response, 200, JSON.stringify({ id: 'x'.repeat(600_000) })),
    );
    carrier.submit(messages(1));
    await passUntil(() => heard.outcomes.length === 1);
    const reason = storedReason({ sentence: 'http_cut' });
    expect(heard.outcomes[0]?.outcome).toEqual({ kind: 'inDoubt', reason });
  });
});

describe('a carrier in trouble', () => {
  test('[HTTPC-2] Nothing is in doubt while the carrier can’t be reached; it is tried again after growing pauses, with one message', async () => {
    const port = await freePort();
    const baseUrl = `http://127.0.0.1:${port}`;
    const { upstream, carrier, heard } = await httpPair(undefined, { baseUrl });
    carrier.submit(messages(30));
    await passUntil(() => heard.outcomes.length === 30, 20);
    expect(heard.ofKind('inDoubt')).toEqual([]);
    expect(carrier.status().reason).toContain(`127.0.0.1:${port} can't be reached: `);
    let connections = 0;
    const back = createServer((_, response) => {
      connections += 1;
      setImmediate(() => upstream.accept(response));
    });
    await new Promise<void>((resolve) => back.listen(port, '127.0.0.1', resolve));
    await passUntil(() => carrier.status().state === 'up');
    expect(carrier.status().reason).toContain('it is being tried again: ');
    carrier.submit(messages(5));
    expect(carrier.status().figures.windowUsed).toBe(1);
    await passUntil(() => heard.ofKind('accepted').length === 5);
    expect(carrier.status()).toMatchObject({ state: 'up', reason: null });
    expect(connections).toBe(5);
    await closed(back);
  });

  test('[HTTPC-2] A carrier that refuses all messages is down at once', async () => {
    const { carrier, heard, upstream } = await httpPair((_, response) =>
      upstream.answer(response, 401, 'Account 4711 is closed'),
    );
    carrier.submit(messages(3));
    await until(() => heard.ofKind('retryAt').length === 3);
    expect(carrier.status()).toMatchObject({
      state: 'down',
      reason: 'the carrier refuses all messages: HTTP 401',
    });
  });

  test('[HTTPC-2] A text that a firewall refuses takes the carrier down for nobody else', async () => {
    const { upstream, carrier, heard } = await httpPair(
      ({ fields }, response) =>
        fields.to === '+46701740699'
          ? upstream.answer(response, 403, '<html>Blocked</html>')
          : void upstream.accept(response),
      { window: 1 },
    );
    for (let round = 1; round <= 4; round++) {
      carrier.submit([...messages(1, { recipient: '46701740699' }), ...messages(3)]);
      await until(() => heard.ofKind('accepted').length === round * 3);
    }
    expect(heard.ofKind('retryAt')).toHaveLength(4);
    expect(carrier.status().state).toBe('up');
  });

  test('[HTTPC-2] While a carrier is tried with a message, it counts as down, and what waits behind that message goes another way', async () => {
    const { upstream, carrier, heard } = await httpPair((_, response) => upstream.answer(response, 401, ''));
    carrier.submit(messages(1));
    await until(() => carrier.status().state === 'down');
    upstream.rule = () => undefined;
    await passUntil(() => carrier.status().state === 'up');
    expect(carrier.status().isTrying).toBe(true);
    carrier.submit(messages(3));
    await until(() => upstream.submissions.length === 2);
    expect(carrier.status()).toMatchObject({ state: 'down', figures: { windowUsed: 1, waitingParts: 2 } });
    await passUntil(() => heard.ofKind('retryAt').length === 3, 100);
    expect(upstream.submissions).toHaveLength(2);
  });

  test('[HTTPC-2] Three messages in a row without a clear answer, and no more are put in doubt until the pause has passed', async () => {
    const { carrier, heard, upstream } = await httpPair((_, response) => upstream.answer(response, 500, ''), {
      window: 1,
      reconnectMinMs: 60_000,
      reconnectMaxMs: 60_000,
    });
    carrier.submit(messages(5));
    await until(() => heard.ofKind('inDoubt').length === 3);
    expect(carrier.status()).toMatchObject({
      state: 'down',
      reason: 'the carrier’s answers are unclear: HTTP 500',
    });
    // Another carrier may take the others.
    await passUntil(() => heard.ofKind('retryAt').length === 2, 100);
    expect(upstream.submissions).toHaveLength(3);
  });

  test('[HTTPC-2] A throttled carrier rests as long as it asked for', async () => {
    const { upstream, carrier, heard } = await httpPair(
      (_, response) => upstream.answer(response, 429, '', { 'retry-after': '2' }),
      { window: 1 },
    );
    const before = Date.now();
    carrier.submit(messages(2));
    await until(() => heard.outcomes.length === 1);
    expect(heard.ofKind('retryAt')[0]?.outcome.time).toBeGreaterThanOrEqual(before + 2_000);
    upstream.rule = (_, response) => upstream.accept(response);
    pass(1_999);
    await new Promise((resolve) => setImmediate(resolve));
    expect(upstream.submissions).toHaveLength(1);
    pass(1);
    await until(() => heard.outcomes.length === 2);
    expect(carrier.status()).toMatchObject({ state: 'up', figures: { throttled: 1 } });
  });

  test('[HTTPC-2] A carrier that asks for a long pause is down until then, so that others take its messages', async () => {
    const { carrier, heard, upstream } = await httpPair((_, response) =>
      upstream.answer(response, 503, '', { 'retry-after': '600' }),
    );
    carrier.submit(messages(1));
    await until(() => heard.outcomes.length === 1);
    expect(carrier.status()).toMatchObject({
      state: 'down',
      reason: 'the carrier asked for a pause: HTTP 503',
    });
    pass(599_000);
    expect(carrier.status().state).toBe('down');
    pass(1_000);
    expect(carrier.status().state).toBe('up');
  });

  test('[HTTPC-2] One message that is refused for now again and again does not hold the others up', async () => {
    const { upstream, carrier, heard } = await httpPair(
      ({ fields }, response) =>
        fields.to === '+46701740699' ? upstream.answer(response, 429, '') : void upstream.accept(response),
      { window: 1, throttlePauseMs: 1_000 },
    );
    const [stuck] = messages(1, { recipient: '46701740699' });
    for (let round = 1; round <= 4; round++) {
      carrier.submit([stuck as never, ...messages(3)]);
      await until(() => heard.ofKind('retryAt').length === round);
      // Only the first time could the carrier have been the cause.
      if (round === 1) pass(1_000);
      await until(() => heard.ofKind('accepted').length === round * 3);
    }
  });

  test('[HTTPC-2] Nothing is written once the node’s lease has expired, not even on a connection that was being made', async () => {
    const lease = { isHeld: true };
    const { upstream, carrier, heard } = await httpPair(undefined, {}, lease);
    carrier.submit(messages(2));
    // The connections are being made now.
    lease.isHeld = false;
    for (let turn = 0; turn < 50; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      pass(10);
    }
    expect(upstream.submissions).toEqual([]);
    expect(heard.outcomes).toEqual([]);
    lease.isHeld = true;
    await passUntil(() => heard.ofKind('accepted').length === 2, 20);
    expect(upstream.submissions).toHaveLength(2);
  });
});

async function closed(server: Server): Promise<void> {
  if ('closeAllConnections' in server) (server as ReturnType<typeof createServer>).closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
