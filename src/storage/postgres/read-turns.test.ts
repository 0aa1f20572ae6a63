import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pause } from '../../../test/harness/awake.ts';
import { ReadTurns } from './read-turns.ts';

const outcome = (attempt: Promise<void>) =>
  attempt.then(
    () => 'turn',
    () => 'refused',
  );

describe('turns for reads', () => {
  test('[DLV-8] never more at a time than there are turns, in the order of their coming, and all come to it', async () => {
    const readings = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), readings, async (size, lengths) => {
        const turns = new ReadTurns(size, 5_000);
        const began: number[] = [];
        let underWay = 0;
        await Promise.all(
          lengths.map(async (length, index) => {
            await turns.take();
            began.push(index);
            underWay += 1;
            expect(underWay).toBeLessThanOrEqual(size);
            for (let step = 0; step < length; step++) await Promise.resolve();
            underWay -= 1;
            turns.give();
          }),
        );
        expect(began).toEqual(lengths.map((_, index) => index));
      }),
      { numRuns: 50 },
    );
  });

  test('[DLV-8] who waits too long is refused, and takes no turn from those who come later', async () => {
    const turns = new ReadTurns(1, 50);
    await turns.take();
    expect(await outcome(turns.take())).toBe('refused');
    const waiting = outcome(turns.take());
    turns.give();
    expect(await waiting).toBe('turn');
    turns.give();
    expect(await outcome(turns.take())).toBe('turn');
    await pause(60);
    expect(await outcome(turns.take())).toBe('refused');
  });
});
