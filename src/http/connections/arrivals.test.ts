import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { type ArrivalLimits, Arrivals } from './arrivals.ts';
import { markClientKnown } from './http-connections.ts';

const closings: (() => void)[] = [];
afterEach(() => {
  for (const close of closings.splice(0)) close();
});

interface Served {
  readonly port: number;
  readonly arrivals: Arrivals;
}

async function serve(
  answer: RequestListener,
  { limits = {}, isFull = () => false }: { limits?: Partial<ArrivalLimits>; isFull?: () => boolean } = {},
): Promise<Served> {
  const refuseFlood = (_request: IncomingMessage, response: ServerResponse) => {
    response.shouldKeepAlive = false;
    respond(response, 503, 'flood');
  };
  const refuse = (_request: IncomingMessage, response: ServerResponse) => respond(response, 503, 'full');
  const arrivals = new Arrivals({ hasNoRoomFor: isFull, refuse, refuseFlood }, limits);
  const server = createServer(arrivals.listenerFor(answer)).on('connection', () => arrivals.connected());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closings.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  return { port: (server.address() as AddressInfo).port, arrivals };
}

function call(path: string | number, body = ''): string {
  return `POST /${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

const calls = (count: number) => Array.from({ length: count }, (_, index) => call(index)).join('');

interface Client {
  readonly socket: Socket;
  /** Resolves with the answers once there are this many or the connection has ended. */
  readonly answers: (count: number) => Promise<readonly string[]>;
}

function open(port: number): Client {
  const socket = connect(port, '127.0.0.1');
  closings.push(() => socket.destroy());
  let received = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    received += chunk;
  });
  socket.on('error', () => undefined);
  const said = () => received.split(/HTTP\/1.1 \d+ .*?\r\n\r\n/s).slice(1);
  return {
    socket,
    async answers(count) {
      while (said().length < count && !socket.closed) await new Promise((resolve) => setTimeout(resolve, 1));
      return said();
    },
  };
}

function respond(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-length': text.length });
  response.end(text);
}

/** Returns the path of the request. */
function echo(request: IncomingMessage, response: ServerResponse): void {
  respond(response, 200, request.url?.slice(1) ?? '');
}

describe('calls that follow one another on one connection', () => {
  test('[CONV-12] Pipelined calls are answered in order, a bounded number at a time', async () => {
    const held: (() => void)[] = [];
    let most = 0;
    const { port } = await serve((request, response) => {
      held.push(() => echo(request, response));
      most = Math.max(most, held.length);
      setTimeout(() => held.shift()?.(), 1);
    });
    const { socket, answers } = open(port);
    socket.write(calls(300));
    expect(await answers(300)).toEqual(Array.from({ length: 300 }, (_, index) => String(index)));
    expect(most).toBeGreaterThan(8);
    expect(most).toBeLessThanOrEqual(17);
  });

  test('[CONV-12] A connection is read no further while many of its pipelined calls wait', async () => {
    let answered = 0;
    let goOn: () => void = () => undefined;
    const allowed = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const { port, arrivals } = await serve(async (request, response) => {
      await allowed;
      answered += 1;
      echo(request, response);
    });
    const { socket, answers } = open(port);
    // Several times what Node reads in one go.
    const count = 3_000;
    socket.write(call('more', 'x'.repeat(200)).repeat(count));
    while (arrivals.waiting < 100) await new Promise(setImmediate);
    for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate);
    expect(arrivals.waiting).toBeLessThan(count / 2);
    goOn();
    expect(await answers(count)).toHaveLength(count);
    expect(answered).toBe(count);
  });

  test('[CONV-12] Pipelined calls on one connection do not keep other connections waiting', async () => {
    const order: string[] = [];
    const { port } = await serve((request, response) => {
      order.push(request.url ?? '');
      const until = performance.now() + 1;
      while (performance.now() < until);
      echo(request, response);
    });
    const [many, one] = [open(port), open(port)];
    await Promise.all([once(many.socket, 'connect'), once(one.socket, 'connect')]);
    many.socket.write(calls(800));
    await many.answers(1);
    one.socket.write(call('one'));
    expect(await one.answers(1)).toEqual(['one']);
    expect(order.length).toBeLessThan(400);
    expect(await many.answers(800)).toHaveLength(800);
  });

  test('[CONV-12] [CONV-15] Companies take turns, and users within each, however many connections they have', async () => {
    const order: string[] = [];
    const { port } = await serve((request, response) => {
      const caller = request.url?.slice(1) ?? '';
      const [companyId = 0, userId = 0] = caller.split('-').map(Number);
      markClientKnown(request.socket, { companyId, userId });
      order.push(caller);
      // Longer than a turn, so that the calls of all others are read, and wait.
      const until = performance.now() + 8;
      while (performance.now() < until);
      echo(request, response);
    });
    const callers = [...Array<string>(12).fill('1-1'), ...Array<string>(3).fill('1-2'), '2-3'];
    const clients = callers.map((caller) => ({ caller, ...open(port) }));
    const callAll = async (count: number) => {
      for (const { socket, caller } of clients) socket.write(call(caller));
      await Promise.all(clients.map(({ answers }) => answers(count)));
    };
    await callAll(1);
    order.length = 0;
    await callAll(2);
    expect(order).toHaveLength(callers.length);
    expect(order.indexOf('2-3')).toBeLessThan(4);
    expect(order.lastIndexOf('1-2')).toBeLessThan(10);
  });

  test('[CONV-12] Too many pipelined calls are refused, and the connection ends after the responses to the accepted ones', async () => {
    const answered: string[] = [];
    const { port } = await serve(
      (request, response) => {
        answered.push(request.url ?? '');
        setTimeout(() => echo(request, response), 1);
      },
      { limits: { maxWaiting: 100 } },
    );
    const { socket, answers } = open(port);
    socket.write(calls(400));
    const said = await answers(400);
    expect(socket.closed || (await once(socket, 'close'))).toBeTruthy();
    expect(said.at(-1)).toBe('flood');
    expect(said.slice(0, -1).map((path) => `/${path}`)).toEqual(answered);
    expect(said.length).toBeLessThan(150);
  });

  test('[CONV-12] When all connections are full of pipelined calls, each has a small share of the queue', async () => {
    const { port, arrivals } = await serve(() => undefined, {
      limits: { maxWaitingInAll: 50, pauseAt: 10, maxUnderWay: 0 },
    });
    const clients = Array.from({ length: 10 }, () => open(port));
    for (const { socket } of clients) socket.write(calls(60));
    await Promise.all(clients.map(async ({ socket }) => socket.bytesWritten > 0 || once(socket, 'drain')));
    for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate);
    expect(arrivals.waiting).toBeGreaterThanOrEqual(50);
    expect(arrivals.waiting).toBeLessThanOrEqual(50 + 10 * 10);
  });

  test('[CONV-12] Waiting pipelined calls are dropped when their client has gone', async () => {
    const held: (() => void)[] = [];
    const { port, arrivals } = await serve((request, response) => {
      held.push(() => echo(request, response));
    });
    const { socket } = open(port);
    socket.write(calls(200));
    while (arrivals.waiting === 0) await new Promise(setImmediate);
    socket.destroy();
    // While a connection is not being read, the loss of its client is only noticed when an answer is written or reading
    // resumes.
    let begun = 0;
    while (arrivals.waiting > 0) {
      begun += held.length;
      for (const answer of held.splice(0)) answer();
      await new Promise(setImmediate);
    }
    expect(begun).toBeLessThan(100);
  });

  test('[DLV-8] The last of many pipelined calls may have a large body that comes later', async () => {
    const { port } = await serve((request, response) => {
      let length = 0;
      request.on('data', (chunk: Buffer) => {
        length += chunk.length;
      });
      request.on('end', () => response.end(`${request.url} ${length}`));
    });
    const { socket, answers } = open(port);
    const body = 'x'.repeat(1_000_000);
    socket.write(calls(150) + call('last', body).slice(0, 1_000));
    await answers(100);
    socket.write(call('last', body).slice(1_000) + call('next'));
    const said = await answers(152);
    expect(said.slice(-2).map((text) => text.match(/\/\w+ \d+/)?.[0])).toEqual(['/last 1000000', '/next 0']);
  });
});

test('[CONV-12] A connection is accepted while many calls of other clients wait for their turn', async () => {
  let answered = 0;
  const { port } = await serve((request, response) => {
    answered += 1;
    const until = performance.now() + 2;
    while (performance.now() < until);
    echo(request, response);
  });
  const others = Array.from({ length: 200 }, () => open(port));
  await Promise.all(others.map(({ socket }) => once(socket, 'connect')));
  for (const { socket } of others) socket.write(call('other'));
  await others[0]?.answers(1);
  const late = open(port);
  await once(late.socket, 'connect');
  late.socket.write(call('late'));
  await late.answers(1);
  // The connection joins the ring behind the others, and is accepted before all of them are done.
  expect(answered).toBeLessThanOrEqual(201);
  await Promise.all(others.map((other) => other.answers(1)));
  expect(answered).toBe(201);
});

test('[DLV-8] A call that has waited too long for room is refused', async () => {
  let isFull = false;
  const { port } = await serve(echo, { isFull: () => isFull, limits: { maxWaitForRoomMs: 20 } });
  const { socket, answers } = open(port);
  socket.write(call('a'));
  expect(await answers(1)).toEqual(['a']);
  isFull = true;
  socket.write(call('b') + call('c'));
  expect((await answers(3)).slice(1)).toEqual(['full', 'full']);
});

test('[DLV-8] A call for which there is no room waits for it, and those behind it wait too, in order', async () => {
  let room = 0;
  const answered: (string | undefined)[] = [];
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    room -= 1;
    answered.push(request.url);
    echo(request, response);
  };
  const limits = { maxWaitForRoomMs: 60_000 };
  const { port, arrivals } = await serve(answer, { isFull: () => room === 0, limits });
  const clients = [open(port), open(port), open(port)];
  for (const [index, { socket }] of clients.entries()) {
    socket.write(call(index));
    while (arrivals.waiting <= index) await new Promise(setImmediate);
  }
  // Requests that wait for room say nothing about the speed of the server.
  expect(arrivals.waitMs).toBe(0);
  expect(answered).toEqual([]);
  room = 2;
  await clients[1]?.answers(1);
  expect(answered).toEqual(['/0', '/1']);
  room = 1;
  await clients[2]?.answers(1);
  expect(answered).toEqual(['/0', '/1', '/2']);
});
