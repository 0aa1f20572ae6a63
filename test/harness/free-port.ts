/** Finds ports for servers that tests start. No one else may get the port, even while its server restarts. */
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

/** Below the ports that the system assigns to outgoing connections (Linux, net.ipv4.ip_local_port_range). */
const allPorts = { first: 10_000, last: 32_000 };
const maxTries = 100;

/** A loopback port that no server uses, and that no other process of the tests gets while this one lives. */
export async function freePort({ first, last } = allPorts): Promise<number> {
  for (let tries = 0; tries < maxTries; tries++) {
    const port = randomInt(first, last + 1);
    if ((await isKept(port)) && (await isFree(port))) return port;
  }
  throw new Error(`no free port of 127.0.0.1 was found in ${maxTries} tries`);
}

/** The UDP port of the same number stands for the port until this process ends. Returns false if somebody else has it. */
function isKept(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4').unref();
    socket.once('error', () => socket.close(() => resolve(false)));
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(true));
  });
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
