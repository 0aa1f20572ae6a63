import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FairQueue } from './fair-queue.ts';

const roomy = { inAll: 100, ofOwner: 100, ofMember: 100 };

function takeAll<Item>(queue: FairQueue<Item>): Item[] {
  const taken: Item[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item);
  return taken;
}

describe('a fair queue', () => {
  test('[CONV-12] In a fair queue owners take turns, and so do the members of each', () => {
    const queue = new FairQueue<string>(roomy);
    for (const item of ['a1', 'a2', 'a3']) queue.add(item, 'A', 'a');
    for (const item of ['A1', 'A2']) queue.add(item, 'A', 'other a');
    queue.add('b1', 'B', 'b');
    expect(takeAll(queue)).toEqual(['a1', 'b1', 'A1', 'a2', 'A2', 'a3']);
  });

  test('[CONV-12] In a fair queue each member and each owner has limited room', () => {
    const queue = new FairQueue<number>({ inAll: 10, ofOwner: 3, ofMember: 2 });
    expect([1, 2, 3].map((item) => queue.add(item, 'A', 'a'))).toEqual([undefined, undefined, 3]);
    expect([4, 5].map((item) => queue.add(item, 'A', `a${item}`))).toEqual([undefined, 5]);
    expect(queue.add(6, 'B', 'b')).toBeUndefined();
  });

  test('[CONV-12] In a full fair queue the owner with the most makes room for one that has fewer', () => {
    const queue = new FairQueue<string>({ inAll: 4, ofOwner: 4, ofMember: 4 });
    for (const item of ['a1', 'a2', 'a3', 'a4']) queue.add(item, 'A', 'a');
    expect(queue.add('b1', 'B', 'b')).toBe('a4');
    expect(queue.add('b2', 'B', 'b')).toBe('a3');
    expect(queue.add('b3', 'B', 'b')).toBe('b3');
    expect(queue.add('a5', 'A', 'a')).toBe('a5');
    expect(queue.size).toBe(4);
    expect(takeAll(queue)).toEqual(['a1', 'b1', 'a2', 'b2']);
    expect(queue.size).toBe(0);
  });

  test('[CONV-12] An item removed from a fair queue is not taken, and a queue without limits has room for all', () => {
    const queue = new FairQueue<number>();
    for (let item = 0; item < 1_000; item++) queue.add(item, item % 3, item % 5);
    for (let item = 0; item < 1_000; item += 2) queue.remove(item, item % 3, item % 5);
    // This item has been removed already.
    queue.remove(0, 0, 0);
    expect(queue.size).toBe(500);
    expect(takeAll(queue).sort((a, b) => a - b)).toEqual(Array.from({ length: 500 }, (_, at) => 2 * at + 1));
  });

  test('[CONV-12] A fair queue loses nothing, keeps its bounds, and serves an owner before any other is served twice', () => {
    const act = fc.oneof(
      { weight: 3, arbitrary: fc.record({ owner: fc.nat(4), member: fc.nat(3) }) },
      { weight: 2, arbitrary: fc.constant('take' as const) },
    );
    const limits = { inAll: 8, ofOwner: 5, ofMember: 3 };
    fc.assert(
      fc.property(fc.array(act, { maxLength: 200 }), (acts) => {
        const queue = new FairQueue<{ id: number; owner: number }>(limits);
        const waiting = new Map<number, number>();
        /** How often others were served since each owner's last turn, while it waited. */
        const passedOver = new Map<string, number>();
        acts.forEach((one, id) => {
          if (one === 'take') {
            const { next } = queue;
            const taken = queue.take();
            expect(taken).toBe(next);
            expect(taken === undefined).toBe(waiting.size === 0);
            if (taken === undefined) return;
            expect(waiting.delete(taken.id)).toBe(true);
            for (const owner of new Set(waiting.values())) {
              const key = `${owner} ${taken.owner}`;
              if (owner === taken.owner) continue;
              passedOver.set(key, (passedOver.get(key) ?? 0) + 1);
              expect(passedOver.get(key)).toBeLessThanOrEqual(2);
            }
            for (const key of [...passedOver.keys()])
              if (key.startsWith(`${taken.owner} `)) passedOver.delete(key);
            return;
          }
          const { owner, member } = one;
          const displaced = queue.add({ id, owner }, `${owner}`, `${owner}.${member}`);
          waiting.set(id, owner);
          if (displaced !== undefined) expect(waiting.delete(displaced.id)).toBe(true);
          for (const gone of [...passedOver.keys()])
            if (![...waiting.values()].some((left) => gone.startsWith(`${left} `))) passedOver.delete(gone);
          expect(queue.size).toBe(waiting.size);
          expect(queue.size).toBeLessThanOrEqual(limits.inAll);
        });
      }),
    );
  });
});
