import { expect, test } from 'vitest';
import { Turnstile } from './turnstile.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('[DLV-8] lets so many through at once, the others in the order in which they came', async () => {
  const turnstile = new Turnstile(2, 10_000);
  const entered: number[] = [];
  const enter = (number: number) => turnstile.enter().then((did) => did && entered.push(number));
  for (const number of [1, 2, 3, 4]) void enter(number);
  await turn();
  expect(entered).toEqual([1, 2]);
  turnstile.leave();
  await turn();
  expect(entered).toEqual([1, 2, 3]);
  turnstile.leave();
  turnstile.leave();
  turnstile.leave();
  await turn();
  expect(entered).toEqual([1, 2, 3, 4]);
  turnstile.leave();
  expect(await Promise.all([turnstile.enter(), turnstile.enter()])).toEqual([true, true]);
});

test('[DLV-8] whoever waits too long is told so, and takes no place', async () => {
  const turnstile = new Turnstile(1, 20);
  expect(await turnstile.enter()).toBe(true);
  expect(await turnstile.enter()).toBe(false);
  turnstile.leave();
  expect(await turnstile.enter()).toBe(true);
});
