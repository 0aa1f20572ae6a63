/**
 * Clients that call two demo servers in turn and try each call until it is done, as a process of its own: what a server
 * closes between two turns of its own loop is closed on nobody else's account. Ends with its input, and prints the count
 * of each answer: a status, or the fault of a connection.
 */
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

const clients = 40;
const ports = process.argv.slice(2).map(Number);
const agent = new Agent({ keepAlive: true });
const answers: Record<string, number> = {};
let isOver = false;
process.stdin.resume().on('end', () => {
  isOver = true;
});

function call(port: number | undefined): Promise<string> {
  return new Promise((resolve) => {
    const headers = { 'x-api-key': 'key-of-alice', 'content-type': 'application/json' };
    const sent = request({ port, host: '127.0.0.1', agent, method: 'POST', path: '/demo/echo', headers });
    sent.on('response', (response) => {
      response.resume().on('end', () => resolve(String(response.statusCode)));
      response.on('error', (error) => resolve(error.message));
    });
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    sent.end('{"message":"x"}');
  });
}

await Promise.all(
  Array.from({ length: clients }, async (_, client) => {
    for (let at = client; !isOver; await delay(client % 4)) {
      const answer = await call(ports[at % 2]);
      answers[answer] = (answers[answer] ?? 0) + 1;
      // Where the call was not done, the other server is next.
      if (answer !== '200') at += 1;
    }
  }),
);
agent.destroy();
process.stdout.write(JSON.stringify(answers));
