/**
 * Clients that call two demo servers in turn and try each call until it is done, as a process of its own: what a server
 * closes between two turns of its own loop is closed on nobody else's account. Ends with its input, and prints the count
 * of each answer: a status, or the fault of a connection. A connection that this process left idle for so long that a
 * server which stops may end it counts as `late` when it is. So does one that broke soon after this process stood still,
 * as a busy machine lets it for seconds: its answer may have come long before it was read.
 */
import { Agent, request } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';

const clients = 40;
/** Who call the same server on a new connection each time, whatever it answers: at every moment of its stop one connects. */
const stubbornClients = 10;
/** Less than a server that stops waits for another call on a connection. */
const lateAfterMs = 500;
/** Between two looks; a machine that is not busy has some 10 ms. */
const standstillMs = 200;
/** Longer than a server that stops lets a connection be idle, and a client take its last answer. */
const afterStandstillMs = 4_000;
/** A port that nobody listens on may be the one that a connection to it begins at, which then meets itself. */
const localAddress = process.platform === 'linux' ? '127.0.0.2' : undefined;
const ports = process.argv.slice(2).map(Number);
const agent = new Agent({ keepAlive: true });
/** When the last answer came on a connection. */
const answeredAt = new WeakMap<Socket, number>();
const answers: Record<string, number> = {};
let isOver = false;
let lookedAt = performance.now();
let stoodStillAt = Number.NEGATIVE_INFINITY;
const looks = setInterval(() => {
  const now = performance.now();
  if (now - lookedAt > standstillMs) stoodStillAt = now;
  lookedAt = now;
}, 10);
process.stdin.resume().on('end', () => {
  isOver = true;
});

/** `rawPacket`: what came that is no HTTP. */
type BrokenAnswer = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

function call(port: number | undefined, agent: Agent | false): Promise<string> {
  return new Promise((resolve) => {
    const headers = { 'x-api-key': 'key-of-alice', 'content-type': 'application/json' };
    const to = { port, host: '127.0.0.1', localAddress, agent };
    let idleSince = performance.now();
    const failed = ({ code, message, rawPacket }: BrokenAnswer) => {
      const now = performance.now();
      const isLate = now - idleSince > lateAfterMs || now - stoodStillAt < afterStandstillMs;
      if (rawPacket !== undefined) resolve(`${code}: ${rawPacket.subarray(0, 200).toString('latin1')}`);
      else resolve(code !== 'ECONNREFUSED' && isLate ? 'late' : (code ?? message));
    };
    const sent = request({ ...to, method: 'POST', path: '/demo/echo', headers });
    sent.on('socket', (socket: Socket) => {
      idleSince = answeredAt.get(socket) ?? idleSince;
      sent.on('response', (response) => {
        response.resume().on('end', () => {
          answeredAt.set(socket, performance.now());
          resolve(String(response.statusCode));
        });
        response.on('error', failed);
      });
    });
    sent.on('error', failed);
    sent.end('{"message":"x"}');
  });
}

/** Long enough to have read which connections have ended, also when this process stood still meanwhile. */
async function pauseOf(client: number): Promise<void> {
  await delay(client % 4);
  await nextTurn();
}

function count(answer: string): void {
  answers[answer] = (answers[answer] ?? 0) + 1;
}

await Promise.all([
  ...Array.from({ length: clients }, async (_, client) => {
    for (let at = client; !isOver; await pauseOf(client)) {
      const answer = await call(ports[at % 2], agent);
      count(answer);
      // Where the call was not done, the other server is next.
      if (answer !== '200') at += 1;
    }
  }),
  ...Array.from({ length: stubbornClients }, async (_, client) => {
    for (; !isOver; await pauseOf(client)) count(await call(ports[client % 2], false));
  }),
]);
agent.destroy();
clearInterval(looks);
process.stdout.write(JSON.stringify(answers));
