import { expect, test } from 'vitest';
import { faultOf, written } from './expression-faults.ts';
import { judged } from './judged-expressions.ts';

test('[CONV-12] Every regular expression that was judged before gets the same verdict again', {
  timeout: 300_000,
}, () => {
  const faults = judged.map((expression) => [written(expression), faultOf(expression)]);
  expect(faults.filter(([, fault]) => fault !== '')).toEqual([]);
});
