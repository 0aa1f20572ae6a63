/** Finds ports for servers that tests start. No one else may get the port, even while its server restarts. */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that the system assigns to outgoing connections (Linux, net.ipv4.ip_local_port_range). */
const firstPort = 10_000;
const lastPort = 32_000;
const maxTries = 100;

/** A loopback port that was free a moment ago. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < maxTries; tries++) {
    const port = randomInt(firstPort, lastPort + 1);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port of 127.0.0.1 was found in ${maxTries} tries`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
