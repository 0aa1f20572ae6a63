import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NumberedSlots, Slots } from './slots.ts';

const steps = fc.array(fc.tuple(fc.boolean(), fc.nat(12)), { maxLength: 200 });

describe('slots', () => {
  test('[DLV-8] Slots hold what was added and not removed, using no more slots than were ever taken at once', () => {
    fc.assert(
      fc.property(steps, (course) => {
        const slots = new Slots<string>();
        const model = new Map<number, string>();
        let most = 0;
        for (const [index, [adding, which]] of course.entries()) {
          if (adding) {
            const slot = slots.add(`item ${index}`);
            expect(model.has(slot)).toBe(false);
            model.set(slot, `item ${index}`);
            most = Math.max(most, model.size);
            expect(slot).toBeLessThan(most);
          } else {
            expect(slots.remove(which)).toBe(model.get(which));
            model.delete(which);
          }
          expect(slots.size).toBe(model.size);
          expect(slots.at(which)).toBe(model.get(which));
        }
        expect([...slots].sort()).toEqual([...model.values()].sort());
      }),
    );
  });

  test('[DLV-8] Slots with numbers given by the caller behave as a map', () => {
    fc.assert(
      fc.property(steps, (course) => {
        const slots = new NumberedSlots<string>();
        const model = new Map<number, string>();
        for (const [index, [adding, key]] of course.entries()) {
          if (adding) {
            slots.set(key, `item ${index}`);
            model.set(key, `item ${index}`);
          } else {
            slots.delete(key);
            model.delete(key);
          }
          expect(slots.get(key)).toBe(model.get(key));
          expect(slots.size).toBe(model.size);
        }
        expect([...slots.keys()].sort()).toEqual([...model.keys()].sort());
      }),
    );
  });
});
