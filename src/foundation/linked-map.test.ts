import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UsualWork } from '../../test/harness/usual-work.ts';
import { LinkedMap } from './linked-map.ts';

describe('a linked map', () => {
  test('[CONV-12] A linked map holds what a map holds, in the same order, whatever is done with it', () => {
    const act = fc.record({
      what: fc.constantFrom('set', 'delete', 'again'),
      key: fc.nat(7),
      value: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const [linked, map] = [new LinkedMap<number, number>(), new Map<number, number>()];
        for (const { what, key, value } of acts) {
          if (what !== 'set') expect(linked.delete(key)).toBe(map.delete(key));
          if (what !== 'delete') {
            linked.set(key, value);
            map.set(key, value);
          }
          expect(linked.size).toBe(map.size);
          expect(linked.get(key)).toBe(map.get(key));
          expect(linked.first).toEqual(map.entries().next().value);
        }
        const left: (readonly [number, number])[] = [];
        for (let one = linked.first; one !== undefined; one = linked.first) {
          left.push(one);
          linked.delete(one[0]);
        }
        expect(left).toEqual([...map]);
      }),
    );
  });

  test('[CONV-12] A linked map finds its first entry just as fast, however many were removed before it', async () => {
    const [size, passing] = [20_000, 60_000];
    const passThrough = () => {
      const line = new LinkedMap<number, true>();
      for (let key = 0; key < size; key++) line.set(key, true);
      for (let key = size; key < size + passing; key++) {
        line.delete(line.first?.[0] as number);
        line.set(key, true);
      }
      expect(line.first?.[0]).toBe(passing);
    };
    // Does the same with a map that is given its first key, because searching for it would take a hundred times as long.
    const givenItsFirst = () => {
      const line = new Map<number, object>();
      for (let key = 0; key < size; key++) line.set(key, { key });
      for (let key = size; key < size + passing; key++) {
        line.delete(key - size);
        line.set(key, { key });
      }
      expect(line.has(passing)).toBe(true);
    };
    await new UsualWork(givenItsFirst).expectAtMost(15, passThrough);
  });
});
