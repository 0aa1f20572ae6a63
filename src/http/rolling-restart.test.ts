/** What callers see of servers that stop one after the other. */
import { Agent, request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { pause } from '../../test/harness/awake.ts';
import { type DemoServer, startDemoServer } from '../../test/harness/http-demo.ts';

const callsInAll = 2_000;
const clients = 40;

/** The status, or the fault of the connection. */
function call(port: number, agent: Agent): Promise<number | string> {
  return new Promise((resolve) => {
    const headers = { 'x-api-key': 'key-of-alice', 'content-type': 'application/json' };
    const sent = request({ port, host: '127.0.0.1', agent, method: 'POST', path: '/demo/echo', headers });
    sent.on('response', (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', (error) => resolve(error.message));
    });
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    sent.end('{"message":"x"}');
  });
}

describe('a rolling restart', () => {
  test('[RUN-4] cuts off no call of clients that try again: each is answered, or was never sent', async () => {
    const nodes: DemoServer[] = [await startDemoServer(), await startDemoServer()];
    const ports = nodes.map(({ port }) => port);
    const agent = new Agent({ keepAlive: true });
    const answers = new Map<number | string, number>();
    let left = callsInAll;
    const work = Array.from({ length: clients }, async (_, client) => {
      let at = client;
      while (left > 0) {
        left -= 1;
        for (let answer: number | string = 0; answer !== 200; at += 1) {
          answer = await call(ports[at % 2] as number, agent);
          answers.set(answer, (answers.get(answer) ?? 0) + 1);
          if (answer === 200) break;
          await pause(5);
        }
        await pause(client % 4);
      }
    });
    for (const at of [0, 1, 0]) {
      await pause(50);
      await nodes[at]?.server.stop(10_000);
      nodes[at] = await startDemoServer({
        config: { http: { host: '127.0.0.1', port: ports[at] as number } },
      });
    }
    left = 0;
    await Promise.all(work);
    const { 200: done = 0, 503: refused = 0, ECONNREFUSED: _, ...others } = Object.fromEntries(answers);
    expect(others).toEqual({});
    expect(done).toBeGreaterThan(100);
    expect(refused).toBeGreaterThan(0);
    agent.destroy();
    await Promise.all(nodes.map(({ stop }) => stop()));
  });
});
