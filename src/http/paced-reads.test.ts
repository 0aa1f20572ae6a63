import { once } from 'node:events';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { PacedReads } from './body-room.ts';

const pieces = 50;

function bodyOf(count: number): Readable {
  let given = 0;
  return new Readable({
    highWaterMark: 1,
    read() {
      this.push(given++ < count ? Buffer.alloc(65_536) : null);
    },
  });
}

test('[CONV-12] Large bodies are read in turns: a little in each turn of the event loop, and equally much of each body', async () => {
  const reads = new PacedReads();
  const bodies = Array.from({ length: 20 }, () => bodyOf(pieces));
  const received = bodies.map(() => 0);
  let inTurn = 0;
  const inTurns: number[] = [];
  bodies.forEach((body, index) => {
    body.on('data', () => {
      received[index] = (received[index] ?? 0) + 1;
      inTurn += 1;
      reads.pause(body);
    });
  });
  const ends = Promise.all(bodies.map((body) => once(body, 'end')));
  const isDone = ends.then(() => true);
  while (!(await Promise.race([isDone, nextTurn(false)]))) {
    inTurns.push(inTurn);
    inTurn = 0;
    expect(Math.max(...received) - Math.min(...received)).toBeLessThanOrEqual(2);
  }
  expect(received).toEqual(bodies.map(() => pieces));
  // The first pieces arrive without being requested.
  expect(Math.max(...inTurns.slice(1))).toBeLessThanOrEqual(2 * 4);
});

test('[CONV-12] A large body that is given up midway holds up no other', async () => {
  const reads = new PacedReads();
  const [left, stays] = [bodyOf(pieces), bodyOf(pieces)];
  let received = 0;
  left.on('data', () => {
    reads.pause(left);
    left.destroy();
  });
  stays.on('data', () => {
    received += 1;
    reads.pause(stays);
  });
  await once(stays, 'end');
  expect(received).toBe(pieces);
});
