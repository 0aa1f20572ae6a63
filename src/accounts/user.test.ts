import { expect, test } from 'vitest';
import { isUsername, maxUsernameLength } from './user-records.ts';

test('[AUTH-1] A user name may be any text that all login methods can carry and both stores can hold', () => {
  for (const name of [
    'a',
    'alice',
    'anna.berg@care.example',
    'Åsa Öst',
    '🐎',
    'x'.repeat(maxUsernameLength),
  ]) {
    expect(isUsername(name), name).toBe(true);
  }
  const impossible = ['', 'a:b', 'a\u0000b', 'a\nb', '\u007f', '\ud800', 'x'.repeat(maxUsernameLength + 1)];
  for (const name of impossible) expect(isUsername(name), JSON.stringify(name)).toBe(false);
});
