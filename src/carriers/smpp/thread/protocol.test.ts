import { afterEach, beforeEach, expect, test } from 'vitest';
import { holdTime, letTimeGo, pass } from '../../../../test/harness/held-time.ts';
import { Outbox } from './protocol.ts';

beforeEach(holdTime);
afterEach(letTimeGo);

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test('[DLV-1] After a pause, messages to another thread are sent in the same turn, and those that follow closely are sent together', async () => {
  const crossed: number[] = [];
  let waiting = 0;
  const gathering = new Outbox(() => {
    crossed.push(waiting);
    waiting = 0;
  });
  const add = () => {
    waiting += 1;
    gathering.add();
  };
  for (let count = 0; count < 3; count++) add();
  expect(crossed).toEqual([]);
  await nextTurn();
  expect(crossed).toEqual([3]);
  // Five turns in each millisecond.
  for (let ms = 0; ms < 8; ms++) {
    for (let turn = 0; turn < 5; turn++) {
      add();
      await nextTurn();
    }
    pass(1);
  }
  // Messages cross once every 2 ms rather than once per turn.
  expect(crossed).toEqual([3, 10, 10, 10, 10]);
  pass(20);
  add();
  gathering.flush();
  expect(waiting).toBe(0);
  pass(20);
  await nextTurn();
  expect(crossed).toEqual([3, 10, 10, 10, 10, 1]);
});
