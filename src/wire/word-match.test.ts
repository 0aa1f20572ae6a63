import { expect, test } from 'vitest';
import { matchesWords } from './word-match.ts';

test('[PORT-5] A name is found by the beginnings of its words, in any order, whatever the accents and capitals', () => {
  for (const [name, typed, found] of [
    ['Åsa Björklund-Sjögren', 'asa', true],
    ['Åsa Björklund-Sjögren', 'sjö BJÖRK', true],
    ['Åsa Björklund-Sjögren', 'klund', false],
    ['Night alarm, ward 7', '7 night', true],
    ['Night alarm, ward 7', 'night 8', false],
    ['İstanbul', 'istanbul', true],
    ['Ward', ' ', true],
    ['', 'a', false],
  ] as const)
    expect([name, typed, matchesWords(name, typed)]).toEqual([name, typed, found]);
});
