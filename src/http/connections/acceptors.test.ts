import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { Acceptors } from './acceptors.ts';

const copies = 32;
const connectingClients = fileURLToPath(
  new URL('../../../test/harness/connecting-clients.ts', import.meta.url),
);

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ family }) => family === 'IPv6'),
);

async function listening(host = '127.0.0.1') {
  const server = createServer((_request, response) => response.end('here'));
  server.listen(0, host);
  await once(server, 'listening');
  const warnings: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void warnings.push(line) });
  const { port } = server.address() as AddressInfo;
  return { server, port, warnings, acceptors: new Acceptors(server, 4_096, log) };
}

const nextTurn = () => new Promise(setImmediate);

/** The number of turns in which these connections, all opened in one turn, are accepted. */
async function turnsFor(connections: number, { server, port }: Awaited<ReturnType<typeof listening>>) {
  let accepted = 0;
  const count = () => {
    accepted += 1;
  };
  server.on('connection', count);
  const sockets = Array.from({ length: connections }, () => connect(port, '127.0.0.1'));
  let turns = 0;
  while (accepted === 0) await nextTurn();
  for (; accepted < connections; turns++) await nextTurn();
  server.off('connection', count);
  for (const socket of sockets) socket.destroy();
  return turns;
}

test('[DLV-8] [CONV-11] When many clients connect at once, one turn of the event loop accepts many connections', async () => {
  const door = await listening();
  expect(await turnsFor(60, door)).toBeGreaterThanOrEqual(59);
  while (door.acceptors.handles < copies) await nextTurn();
  // Fewer connections than there are copies may be ready in a turn.
  expect(await turnsFor(320, door)).toBeLessThanOrEqual(60);
  expect(await (await fetch(`http://127.0.0.1:${door.port}`)).text()).toBe('here');
  await door.acceptors.close();
  door.server.closeAllConnections();
  await door.acceptors.ended();
  await expect(fetch(`http://127.0.0.1:${door.port}`)).rejects.toThrow();
  expect(door.warnings).toEqual([]);
});

test('[DLV-8] A few clients need no copies of the listening socket; a server that closes while copies are made is left with none', async () => {
  const door = await listening();
  await turnsFor(49, door);
  expect(door.acceptors.handles).toBe(1);
  await turnsFor(1, door);
  await door.acceptors.close();
  door.server.closeAllConnections();
  await door.acceptors.ended();
  expect(door.acceptors.handles).toBe(1);
  await expect(fetch(`http://127.0.0.1:${door.port}`)).rejects.toThrow();
});

test('[RUN-4] A server that closes while copies of its listening socket are made leaves none behind that keep clients waiting', async () => {
  for (const made of [2, 9, 31]) {
    const door = await listening();
    await turnsFor(60, door);
    while (door.acceptors.handles < made) await nextTurn();
    await door.acceptors.close();
    door.server.closeAllConnections();
    await door.acceptors.ended();
    const asked = fetch(`http://127.0.0.1:${door.port}`, { signal: AbortSignal.timeout(5_000) });
    await expect(asked).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  }
});

test.each(['127.0.0.1', '0.0.0.0', ...(hasIpv6 ? ['::'] : [])])(
  '[RUN-4] A server that closes while clients keep connecting answers each that got a connection, and comes to an end (on %s)',
  async (host) => {
    const door = await listening(host);
    let accepted = 0;
    door.server.on('connection', () => {
      accepted += 1;
    });
    const called = [1, 2].map(() =>
      promisify(execFile)(process.execPath, ['--import', 'tsx', connectingClients, String(door.port)]),
    );
    try {
      await expect.poll(() => accepted).toBeGreaterThan(500);
      await door.acceptors.close();
    } finally {
      for (const { child } of called) child.stdin?.end();
    }
    let total = 0;
    for (const { stdout } of await Promise.all(called)) {
      // On a busy machine, one of them may have begun only after the end.
      const { answered = 0, ECONNREFUSED: _, ...others } = JSON.parse(stdout);
      total += answered;
      expect(others).toEqual({});
    }
    expect(total).toBeGreaterThan(0);
    door.server.closeAllConnections();
    await door.acceptors.ended();
  },
);

test('[DLV-8] Where no process can be started, connections are still accepted one by one', async () => {
  const door = await listening();
  const { execPath } = process;
  process.execPath = '/nonexistent';
  try {
    await turnsFor(60, door);
  } finally {
    process.execPath = execPath;
  }
  while (door.warnings.length === 0) await nextTurn();
  expect(door.warnings).toEqual([expect.stringContaining('accepted one per turn')]);
  expect(await (await fetch(`http://127.0.0.1:${door.port}`)).text()).toBe('here');
  await door.acceptors.close();
  door.server.closeAllConnections();
  await door.acceptors.ended();
});
