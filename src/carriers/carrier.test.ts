import { expect, test } from 'vitest';
import { unreachable, withoutAddress } from './carrier.ts';

const reason = unreachable('smsc.example.net:2775', 'connect ECONNREFUSED 10.1.2.3:2775');

test.each([
  [reason, "it can't be reached"],
  [`1 of 2 binds are not up: ${reason}`, "1 of 2 binds are not up: it can't be reached"],
  ['the SMSC unbound', 'the SMSC unbound'],
])('[PORT-3] The carrier’s reason %j is shown without its address: %j', (whole, shown) => {
  expect(withoutAddress(whole)).toBe(shown);
});
