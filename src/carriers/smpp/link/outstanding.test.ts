import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lastSequence, Outstanding } from './outstanding.ts';

describe('requests without an answer', () => {
  test('[DLV-3] are numbered from 1 to 0x7FFFFFFF, and then from 1 again', () => {
    const outstanding = new Outstanding<string>(10, lastSequence - 1);
    expect(outstanding.add('a')).toBe(lastSequence - 1);
    expect(outstanding.add('b')).toBe(lastSequence);
    expect(outstanding.add('c')).toBe(1);
    expect(outstanding.nextSequence()).toBe(2);
    expect(outstanding.add('d')).toBe(3);
    expect(outstanding.take(lastSequence)).toBe('b');
    expect(outstanding.take(lastSequence)).toBeUndefined();
    expect(outstanding.size).toBe(3);
  });

  test('[DLV-3] whose number comes round again keep it; the next request gets another', () => {
    const outstanding = new Outstanding<number>(2);
    const first = outstanding.add(0);
    const others = new Set<number>();
    for (let item = 1; item < 1_000; item++) {
      const sequence = outstanding.add(item);
      expect(sequence).not.toBe(first);
      others.add(sequence);
      expect(outstanding.take(sequence)).toBe(item);
    }
    expect(others.size).toBe(999);
    expect(outstanding.take(first)).toBe(0);
  });

  test('[DLV-3] are a map from number to request, in whatever order they come and go', () => {
    const act = fc.oneof(
      fc.constant('add' as const),
      fc.nat(40).map((take) => ({ take })),
      fc.nat(100).map((older) => ({ older })),
      fc.constant('unwritten' as const),
    );
    fc.assert(
      fc.property(
        fc.array(act, { maxLength: 200 }),
        fc.integer({ min: 1, max: lastSequence }),
        (acts, from) => {
          const outstanding = new Outstanding<number>(20, from);
          const model = new Map<number, { item: number; writtenAt: number }>();
          let now = 0;
          for (const one of acts) {
            now += 1;
            if (one === 'add') {
              if (model.size >= 20) continue;
              const sequence = outstanding.add(now);
              expect(model.has(sequence)).toBe(false);
              const isWritten = now % 3 > 0;
              if (isWritten) outstanding.written(sequence, now);
              model.set(sequence, { item: now, writtenAt: isWritten ? now : Number.POSITIVE_INFINITY });
            } else if (one === 'unwritten') {
              const kept = [...model].filter(([, { writtenAt }]) => writtenAt === Number.POSITIVE_INFINITY);
              expect(
                outstanding
                  .takeUnwritten()
                  .map(({ item }) => item)
                  .sort(),
              ).toEqual(kept.map(([, { item }]) => item).sort());
              for (const [sequence] of kept) model.delete(sequence);
            } else if ('take' in one) {
              const sequence = [...model.keys()][one.take] ?? one.take;
              expect(outstanding.take(sequence)).toBe(model.get(sequence)?.item);
              model.delete(sequence);
            } else {
              const then = now - one.older;
              const old = [...model].filter(([, { writtenAt }]) => writtenAt < then);
              expect(outstanding.takeOlder(then)).toHaveLength(old.length);
              for (const [sequence] of old) model.delete(sequence);
            }
            expect(outstanding.size).toBe(model.size);
          }
          expect(outstanding.takeAll()).toHaveLength(model.size);
        },
      ),
    );
  });
});
