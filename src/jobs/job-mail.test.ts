import { expect, test } from 'vitest';
import { answerLinkSecret, readAnswerLink, writeAnswerLink } from './job-mail.ts';

const secret = answerLinkSecret('a secret of the tests, long enough to be one');
const link = { runId: 1_001, place: 7, expiresAt: 1_795_000_000_000 };

test('[JOB-9] An answer link carries its person and its expiry, and is valid only under the secret that signed it', () => {
  const written = writeAnswerLink(secret, link);
  expect(written).toMatch(/^1001\.7\.[0-9a-z]+\.[\w-]{43}$/);
  expect(readAnswerLink(secret, written)).toEqual(link);
  expect(readAnswerLink(answerLinkSecret('another secret of the tests, as long'), written)).toBeUndefined();
});

test('[JOB-9] An answer link that was changed in any way is invalid', () => {
  const written = writeAnswerLink(secret, link);
  const changed = [
    ...['', '.', '...', 'x'.repeat(5_000), `${written}.`, `${written}A`, `${written}=`, ` ${written}`],
    ...[written.replace('1001.7.', '1001.8.'), written.replace('1001.7.', '1002.7.'), written.toUpperCase()],
    ...[written.replace('1001.7.', '1001.07.'), written.slice(0, -1), `${written}${'A'.repeat(200)}`],
  ];
  for (const one of changed) expect([one, readAnswerLink(secret, one)]).toEqual([one, undefined]);
  for (let at = 0; at < written.length; at++)
    for (const character of 'aZ09-_.') {
      const other = written.slice(0, at) + character + written.slice(at + 1);
      if (other !== written) expect([other, readAnswerLink(secret, other)]).toEqual([other, undefined]);
    }
});
