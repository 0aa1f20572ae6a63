import { describe, expect, test } from 'vitest';
import { grouped, HeldCommits, own, piece } from '../../test/harness/held-commits.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('group commit', () => {
  test('[CONV-12] calls that fill a transaction alone go one at a time, and let a group by between two', async () => {
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
    // What others wait for is not how long the large ones wait for each other.
    await held.end(1);
    await held.end(3);
    expect(commits.waitMs(piece)).toBe(0);
    await held.end(2);
    await turn();
    await held.end(4);
    expect(await Promise.all([...large, ...usual, later])).toEqual(['A', 'B', 'C', 'a', 'b', 'c']);
  });

  test('[BATCH-9] [CONV-12] what callers wait for goes before a backlog of the node itself, which goes on', async () => {
    const held = new HeldCommits();
    const commits = grouped(held, { lane: () => 'all', maxGroupWeight: 10, maxWaitingWeight: 1_000 });
    const first = commits.write(own, { name: 'first', weight: 1 });
    await turn();
    const backlog = Array.from({ length: 30 }, (_, index) =>
      commits.write(own, { name: `own ${index}`, weight: 1 }),
    );
    const callers = Array.from({ length: 7 }, (_, index) =>
      commits.write(piece, { name: `caller ${index}`, weight: 1 }),
    );
    await turn();
    for (let index = 0; index < 6; index++) {
      await held.end(index);
      await turn();
    }
    await Promise.all([first, ...backlog, ...callers]);
    const [, second, third, fourth] = held.names as [string[], string[], string[], string[]];
    expect(second[0]).toBe('own 0');
    expect(second.filter((name) => name.startsWith('caller'))).toEqual(
      [0, 1, 2, 3].map((n) => `caller ${n}`),
    );
    expect(third.filter((name) => name.startsWith('caller'))).toEqual([4, 5, 6].map((n) => `caller ${n}`));
    expect(fourth.every((name) => name.startsWith('own'))).toBe(true);
    expect(held.names.map(({ length }) => length)).toEqual([1, 10, 10, 10, 7]);
    const ownNames = held.names.flat().filter((name) => name.startsWith('own'));
    expect(ownNames).toEqual(backlog.map((_, index) => `own ${index}`));
  });
});
