import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FairQueue } from './fair-queue.ts';

const roomy = { inAll: 100, ofOwner: 100, ofMember: 100 };

function takeAll<Item>(line: FairQueue<Item>): Item[] {
  const taken: Item[] = [];
  for (let item = line.take(); item !== undefined; item = line.take()) taken.push(item);
  return taken;
}

describe('a fair line', () => {
  test('[CONV-12] networks take turns, and addresses within them', () => {
    const line = new FairQueue<string>(roomy);
    for (const item of ['a1', 'a2', 'a3']) line.add(item, 'A', 'a');
    for (const item of ['A1', 'A2']) line.add(item, 'A', 'other a');
    line.add('b1', 'B', 'b');
    expect(takeAll(line)).toEqual(['a1', 'b1', 'A1', 'a2', 'A2', 'a3']);
  });

  test('[CONV-12] an address and a network have so much room', () => {
    const line = new FairQueue<number>({ inAll: 10, ofOwner: 3, ofMember: 2 });
    expect([1, 2, 3].map((item) => line.add(item, 'A', 'a'))).toEqual([undefined, undefined, 3]);
    expect([4, 5].map((item) => line.add(item, 'A', `a${item}`))).toEqual([undefined, 5]);
    expect(line.add(6, 'B', 'b')).toBeUndefined();
  });

  test('[CONV-12] in a full line the network with the most makes room for one that has fewer', () => {
    const line = new FairQueue<string>({ inAll: 4, ofOwner: 4, ofMember: 4 });
    for (const item of ['a1', 'a2', 'a3', 'a4']) line.add(item, 'A', 'a');
    expect(line.add('b1', 'B', 'b')).toBe('a4');
    expect(line.add('b2', 'B', 'b')).toBe('a3');
    expect(line.add('b3', 'B', 'b')).toBe('b3');
    expect(line.add('a5', 'A', 'a')).toBe('a5');
    expect(line.size).toBe(4);
    expect(takeAll(line)).toEqual(['a1', 'b1', 'a2', 'b2']);
    expect(line.size).toBe(0);
  });

  test('[CONV-12] it loses nothing, keeps its bounds, and serves a network before others come twice', () => {
    const act = fc.oneof(
      { weight: 3, arbitrary: fc.record({ network: fc.nat(4), address: fc.nat(3) }) },
      { weight: 2, arbitrary: fc.constant('take' as const) },
    );
    const limits = { inAll: 8, ofOwner: 5, ofMember: 3 };
    fc.assert(
      fc.property(fc.array(act, { maxLength: 200 }), (acts) => {
        const line = new FairQueue<{ id: number; network: number }>(limits);
        const waiting = new Map<number, number>();
        /** How often others were served since a network last was, while it waited. */
        const passedOver = new Map<string, number>();
        acts.forEach((one, id) => {
          if (one === 'take') {
            const taken = line.take();
            expect(taken === undefined).toBe(waiting.size === 0);
            if (taken === undefined) return;
            expect(waiting.delete(taken.id)).toBe(true);
            for (const network of new Set(waiting.values())) {
              const key = `${network} ${taken.network}`;
              if (network === taken.network) continue;
              passedOver.set(key, (passedOver.get(key) ?? 0) + 1);
              expect(passedOver.get(key)).toBeLessThanOrEqual(2);
            }
            for (const key of [...passedOver.keys()])
              if (key.startsWith(`${taken.network} `)) passedOver.delete(key);
            return;
          }
          const { network, address } = one;
          const displaced = line.add({ id, network }, `${network}`, `${network}.${address}`);
          waiting.set(id, network);
          if (displaced !== undefined) expect(waiting.delete(displaced.id)).toBe(true);
          for (const gone of [...passedOver.keys()])
            if (![...waiting.values()].some((left) => gone.startsWith(`${left} `))) passedOver.delete(gone);
          expect(line.size).toBe(waiting.size);
          expect(line.size).toBeLessThanOrEqual(limits.inAll);
        });
      }),
    );
  });
});
