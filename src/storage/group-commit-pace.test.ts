import { describe, expect, test } from 'vitest';
import { grouped, HeldCommits, piece } from '../../test/harness/held-commits.ts';

describe('the pace of group commit', () => {
  test('[DLV-8] With early groups configured, an idle lane, and no other, begins before the turn ends', async () => {
    const held = new HeldCommits();
    const commits = grouped(held, { earlyGroup: 3 });
    const calls = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) =>
      commits.write(piece, { name, weight: 1 }),
    );
    expect(held.names).toEqual([['a', 'b', 'c']]);
    await held.end(0);
    expect(held.names).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e', 'f', 'g'],
    ]);
    await held.end(1);
    expect(await Promise.all(calls)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
  });

  test('[DLV-8] With gathering configured, a group gathers for some turns after the one before it, and no call is forgotten', async () => {
    const held = new HeldCommits();
    const commits = grouped(held, { gatherTurns: 3 });
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const first = commits.write(piece, { name: 'a', weight: 1 });
    const second = turn().then(() => commits.write(piece, { name: 'b', weight: 1 }));
    await turn();
    expect(held.names).toEqual([['a']]);
    await held.end(0);
    const third = first.then(() => commits.write(piece, { name: 'c', weight: 1 }));
    await turn();
    expect(held.names).toEqual([['a']]);
    for (let turns = 0; turns < 4; turns++) await turn();
    expect(held.names).toEqual([['a'], ['b', 'c']]);
    await held.end(1);
    expect(await Promise.all([first, second, third])).toEqual(['a', 'b', 'c']);
    await commits.idle();
    for (let turns = 0; turns < 4; turns++) await turn();
    const late = commits.write(piece, { name: 'd', weight: 1 });
    await turn();
    await held.end(2);
    expect(await late).toBe('d');
  });
});
