import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { messages, until } from '../../../test/carriers/carrier-recorder.ts';
import { endHttpPairs, httpPair } from '../../../test/carriers/http-setup.ts';

afterEach(endHttpPairs);

test('[HTTPC-2] A connection that is never made is given up after its time-out, and nothing is in doubt', async () => {
  const sockets: Socket[] = [];
  const silent = createServer({ pauseOnConnect: true }, (socket) => sockets.push(socket));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { carrier, heard } = await httpPair(undefined, {
    baseUrl: `https://127.0.0.1:${(silent.address() as AddressInfo).port}`,
    connectTimeoutMs: 100,
  });
  carrier.submit(messages(1));
  await until(() => heard.outcomes.length === 1);
  expect(heard.ofKind('retryAt')).toHaveLength(1);
  expect(carrier.status().figures.disconnects).toBe(1);
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => silent.close(resolve));
});
