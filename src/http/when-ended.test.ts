import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pause } from '../../test/harness/awake.ts';
import { whenEnded } from './when-ended.ts';

type Exchange = readonly [request: IncomingMessage, response: ServerResponse];

let exchanges: Exchange[] = [];
const server = createServer((...exchange) => exchanges.push(exchange));
beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
afterAll(() => void server.close());

async function soon(condition: () => boolean): Promise<void> {
  while (!condition()) await pause(5);
}

/** Pipelined requests on one connection; only the first answer has its socket. */
async function pipelined(count: number): Promise<{ readonly client: Socket; readonly came: Exchange[] }> {
  exchanges = [];
  const { port } = server.address() as AddressInfo;
  const client = connect(port, '127.0.0.1', () =>
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(count)),
  );
  await soon(() => exchanges.length === count);
  return { client: client.resume(), came: exchanges };
}

describe('the end of a request', () => {
  test('[DLV-8] The end of a request is reported once when it is answered', async () => {
    const { client, came } = await pipelined(3);
    const ended: number[] = [];
    for (const [at, [request, response]] of came.entries())
      whenEnded(request, response, () => ended.push(at));
    for (const [, response] of came) response.end('done');
    await soon(() => ended.length === 3);
    client.destroy();
    await soon(() => came[0]?.[0].socket.closed === true);
    expect(ended).toEqual([0, 1, 2]);
  });

  test('[DLV-8] The end of a request is reported once when its client goes before its response is due', async () => {
    const { client, came } = await pipelined(20);
    const ended: number[] = [];
    for (const [at, [request, response]] of came.entries())
      whenEnded(request, response, () => ended.push(at));
    client.resetAndDestroy();
    await soon(() => ended.length >= 20);
    await pause(20);
    expect(ended.sort((a, b) => a - b)).toEqual(came.map((_, at) => at));
  });

  test('[DLV-8] The end of a request is reported at once to code that asks only afterwards', async () => {
    const { client, came } = await pipelined(2);
    client.resetAndDestroy();
    const [[request, response], [laterRequest, laterResponse]] = came as [Exchange, Exchange];
    await soon(() => request.socket.closed);
    let ended = 0;
    whenEnded(request, response, () => ended++);
    whenEnded(laterRequest, laterResponse, () => ended++);
    expect(ended).toBe(2);
  });
});
