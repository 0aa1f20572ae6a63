/** Tests what callers see while servers restart one after the other. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { pause, until } from '../../../test/harness/awake.ts';
import { freePort } from '../../../test/harness/free-port.ts';
import { type DemoServer, startDemoServer } from '../../../test/harness/http-demo.ts';

const clients = fileURLToPath(new URL('../../../test/harness/retrying-clients.ts', import.meta.url));

const order = [0, 1, 0, 1];
/** All callers of `retrying-clients.ts`, each of which makes one call at a time. */
const callers = 50;

test('[RUN-4] A rolling restart cuts off no call: each is answered, or was never sent', async () => {
  // The ports are fixed so that no other server gets a node's port while it restarts.
  const ports = [await freePort(), await freePort()];
  const start = (at: number) => {
    const http = { host: '127.0.0.1', port: ports[at] as number };
    return startDemoServer({ config: { stopGraceSeconds: 1, http } });
  };
  const nodes: DemoServer[] = [await start(0), await start(1)];
  const called = new Promise<string>((resolve, reject) => {
    const parameters = ['--import', 'tsx', clients, ...ports.map(String)];
    const child = execFile(process.execPath, parameters, (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    );
    void until(() => nodes.every(({ server }) => server.connections.size > 0))
      .then(async () => {
        for (const at of order) {
          await pause(300);
          await nodes[at]?.server.stop(10_000);
          nodes[at] = await start(at);
        }
      })
      .catch(reject)
      .finally(() => child.stdin?.end());
  });
  const { 200: done, 503: refused, ECONNREFUSED: _, late = 0, ...others } = JSON.parse(await called);
  expect(others).toEqual({});
  // A connection that was idle for too long breaks once, when its server stops.
  expect(late).toBeLessThanOrEqual(callers * order.length);
  expect(done).toBeGreaterThan(0);
  expect(refused).toBeGreaterThan(0);
  await Promise.all(nodes.map(({ stop }) => stop()));
}, 300_000);
