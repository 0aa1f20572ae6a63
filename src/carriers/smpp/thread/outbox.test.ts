import { expect, test } from 'vitest';
import { pause, until } from '../../../../test/harness/awake.ts';
import { Outbox } from './outbox.ts';

test('[DLV-1] after a rest what is to cross goes in the same turn; what comes right after it goes together', async () => {
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
  await new Promise((resolve) => setImmediate(resolve));
  expect(crossed).toEqual([3]);
  const added = performance.now();
  let turns = 0;
  while (performance.now() - added < 20) {
    turns += 1;
    add();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await until(() => waiting === 0);
  // Once in 2 ms or so, and not once a turn: a timer may be early by one.
  expect(crossed.length).toBeLessThanOrEqual(2 + (performance.now() - added));
  expect(crossed.reduce((sum, count) => sum + count, 0)).toBe(3 + turns);
  await pause(20);
  add();
  gathering.flush();
  expect(waiting).toBe(0);
  const soFar = crossed.length;
  await pause(20);
  expect(crossed).toHaveLength(soFar);
});
