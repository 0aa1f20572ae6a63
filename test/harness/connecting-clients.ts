/**
 * Clients that make one HTTP call after the other, each on its own connection. They run as a separate process, so that
 * they connect while the server computes. The argument is the port; they stop when standard input ends, and print a
 * count per result: `answered`, `closed` without an answer, or the error code of the connection.
 */
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const callers = 50;
const port = Number(process.argv[2]);
const results: Record<string, number> = {};
let isOver = false;
process.stdin.on('end', () => {
  isOver = true;
});
process.stdin.resume();

function call(): Promise<string> {
  return new Promise((resolve) => {
    let isAnswered = false;
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => socket.write('GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n'));
    socket.on('data', () => {
      isAnswered = true;
    });
    socket.on('error', ({ code = 'unknown' }: NodeJS.ErrnoException) => resolve(code));
    socket.on('close', () => resolve(isAnswered ? 'answered' : 'closed'));
  });
}

async function callUntilOver(): Promise<void> {
  while (!isOver) {
    const result = await call();
    results[result] = (results[result] ?? 0) + 1;
    if (result === 'ECONNREFUSED') await delay(50);
  }
}

await Promise.all(Array.from({ length: callers }, callUntilOver));
console.log(JSON.stringify(results));
