import { describe, expect, test } from 'vitest';
import { grouped, HeldCommits, piece } from '../../test/harness/held-commits.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('group commit', () => {
  test('[CONV-12] Calls that each fill a transaction go one at a time, and let a group pass between two of them', async () => {
    const held = new HeldCommits();
    const commits = grouped(held, { depth: 3, maxGroupWeight: 10 });
    const large = ['A', 'B', 'C'].map((name) => commits.write(piece, { name, weight: 11 }));
    await turn();
    expect(held.names).toEqual([['A']]);
    const usual = ['a', 'b'].map((name) => commits.write(piece, { name, weight: 1 }));
    await turn();
    expect(held.names).toEqual([['A'], ['a', 'b']]);
    await held.end(0);
    await turn();
    const later = commits.write(piece, { name: 'c', weight: 1 });
    await turn();
    expect(held.names).toEqual([['A'], ['a', 'b'], ['B'], ['c']]);
    // The waiting time of others does not include how long the large calls wait for each other.
    await held.end(1);
    await held.end(3);
    expect(commits.waitMs(piece)).toBe(0);
    await held.end(2);
    await turn();
    await held.end(4);
    expect(await Promise.all([...large, ...usual, later])).toEqual(['A', 'B', 'C', 'a', 'b', 'c']);
  });

  test('[CONV-12] Calls that each fill a transaction run beside the groups if they have their own lane', async () => {
    const held = new HeldCommits();
    const commits = grouped(held, { maxGroupWeight: 10, lane: ({ name }, size) => `${name} ${size}` });
    const large = ['A', 'B'].map((name) => commits.write(piece, { name, weight: 11 }));
    await turn();
    const first = commits.write(piece, { name: 'a', weight: 1 });
    await turn();
    expect(held.names).toEqual([['A'], ['a']]);
    await held.end(1);
    const second = commits.write(piece, { name: 'b', weight: 1 });
    await turn();
    expect(held.names).toEqual([['A'], ['a'], ['b']]);
    await held.end(2);
    await held.end(0);
    await turn();
    await held.end(3);
    expect(await Promise.all([...large, first, second])).toEqual(['A', 'B', 'a', 'b']);
  });
});
