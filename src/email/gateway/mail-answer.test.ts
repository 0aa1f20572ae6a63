/** Tests that a reply says how many SMS were sent, so that a later reader of the e-mails can tell. */
import { expect, test } from 'vitest';
import { sentCount, sentText, storeAway, taken } from './mail-answer.ts';

test('[MAIL-2] The reply to a sent e-mail names at most ten ids, and still tells the number of all SMS', () => {
  const ids = (count: number) => Array.from({ length: count }, (_, place) => String(1_000_000_001 + place));
  expect(sentText(ids(1))).toBe('Sending 1 SMS: 1000000001.');
  for (const count of [1, 10, 11, 100]) {
    const { text } = taken('sent', sentText(ids(count)));
    expect(sentCount(text)).toBe(count);
    expect(text.split(',').length).toBe(Math.min(count, 10));
  }
  expect(sentCount(storeAway)).toBe(0);
});
