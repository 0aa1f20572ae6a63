/**
 * Clients that call two demo servers in turn and retry each call until it succeeds. They run as a separate process, so
 * that only the server can be the cause of connections closed between two turns of its event loop. The process ends
 * when its input ends, and prints a count per result: a status or a connection error. A broken connection counts as
 * `late` if this process had left it idle for so long that a stopping server may close it. So does a connection that
 * breaks soon after this process stalled, which can last seconds on a busy machine: the response may have arrived long
 * before it was read.
 */
import { Agent, request } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';

const clients = 40;
/**
 * Clients that keep calling the same server on a new connection each time, whatever the response, so that one is connecting
 * at every moment of the shutdown.
 */
const stubbornClients = 10;
/** Less than the time that a stopping server waits for another call on a connection. */
const lateAfterMs = 500;
/** The gap between two checks that counts as a stall; an idle machine has about 10 ms. */
const standstillMs = 200;
/** Longer than a stopping server leaves a connection idle, and than a client takes to get its last response. */
const afterStandstillMs = 4_000;
/** Avoids self-connection: a connection to an unused port may be assigned that very port as its source. */
const localAddress = process.platform === 'linux' ? '127.0.0.2' : undefined;
const ports = process.argv.slice(2).map(Number);
const agent = new Agent({ keepAlive: true });
/** When the latest response arrived on each connection. */
const answeredAt = new WeakMap<Socket, number>();
const answers: Record<string, number> = {};
let isOver = false;
let lookedAt = performance.now();
let stoodStillAt = Number.NEGATIVE_INFINITY;
const stallTimer = setInterval(() => {
  const now = performance.now();
  if (now - lookedAt > standstillMs) stoodStillAt = now;
  lookedAt = now;
}, 10);
process.stdin.resume().on('end', () => {
  isOver = true;
});

/** `rawPacket` holds received data that is not HTTP. */
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
      else if (code === 'ECONNREFUSED') resolve(code);
      else resolve(isLate ? 'late' : `${code ?? message} ${story(now)}`);
    };
    const [calledAt, isNew] = [idleSince, agent === false];
    const history: string[] = [];
    const story = (now: number) => {
      const steps = [...history, `broke after ${Math.round(now - calledAt)} ms`];
      return `(${isNew ? 'own' : 'kept'} connection to the server ${ports.indexOf(port ?? 0)}: ${steps.join(', ')})`;
    };
    const sent = request({ ...to, method: 'POST', path: '/demo/echo', headers });
    sent.on('socket', (socket: Socket) => {
      idleSince = answeredAt.get(socket) ?? idleSince;
      if (answeredAt.has(socket)) history.push(`answered ${Math.round(calledAt - idleSince)} ms before`);
      socket.once('connect', () =>
        history.push(`connected after ${Math.round(performance.now() - calledAt)} ms`),
      );
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

/** Long enough to notice which connections have ended, even if this process stalled meanwhile. */
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
      // If the call did not succeed, the other server is next.
      if (answer !== '200') at += 1;
    }
  }),
  ...Array.from({ length: stubbornClients }, async (_, client) => {
    for (; !isOver; await pauseOf(client)) count(await call(ports[client % 2], false));
  }),
]);
agent.destroy();
clearInterval(stallTimer);
process.stdout.write(JSON.stringify(answers));
