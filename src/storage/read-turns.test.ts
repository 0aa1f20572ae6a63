import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pause } from '../../test/harness/awake.ts';
import { ReadTurns } from './read-turns.ts';
import type { ReadOwner } from './verb.ts';

const user = (companyId: number, userId = 1): ReadOwner => ({ companyId, userId });

const outcome = (attempt: Promise<void>) =>
  attempt.then(
    () => 'turn',
    () => 'refused',
  );

/** Takes a turn for each name, and records which have begun. */
function begun(turns: ReadTurns, owners: readonly ReadOwner[]): number[] {
  const began: number[] = [];
  for (const [index, owner] of owners.entries()) void turns.take(owner).then(() => began.push(index));
  return began;
}

describe('turns for reads', () => {
  test('[DLV-8] Reads begin in the order they came, never more at a time than there are turns, and each gets its turn', async () => {
    const readings = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), readings, async (size, lengths) => {
        const turns = new ReadTurns({ turns: size, ownedTurns: 0, maxWaitMs: 5_000 });
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

  test('[DLV-8] [CONV-12] Limits on reads hold no matter which owner asks, nobody is passed over, and no turn is lost', async () => {
    const asked = fc.array(
      fc.record({
        owner: fc.option(fc.record({ companyId: fc.nat(2), userId: fc.nat(2) }), { nil: undefined }),
        steps: fc.nat(4),
      }),
      { maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(asked, async (reads) => {
        const turns = new ReadTurns({ turns: 3, ownedTurns: 2, maxWaitMs: 5_000 });
        let underWay = 0;
        let ofOwners = 0;
        await Promise.all(
          reads.map(async ({ owner, steps }) => {
            const isOwned = Number(owner !== undefined);
            await turns.take(owner);
            underWay += 1;
            ofOwners += isOwned;
            expect(underWay).toBeLessThanOrEqual(3);
            expect(ofOwners).toBeLessThanOrEqual(2);
            for (let step = 0; step < steps; step++) await Promise.resolve();
            underWay -= 1;
            ofOwners -= isOwned;
            turns.give(owner);
          }),
        );
        await Promise.all([undefined, user(1), user(2)].map((owner) => turns.take(owner)));
      }),
      { numRuns: 50 },
    );
  });

  test('[CONV-12] A short read finds a turn however many long ones wait, and another owner waits for only one of them', async () => {
    const turns = new ReadTurns({ turns: 3, ownedTurns: 2, maxWaitMs: 5_000 });
    const began = begun(turns, [1, 1, 1, 1, 1, 2, 2].map((id) => user(id)).concat(undefined as never));
    await pause(1);
    expect(began).toEqual([0, 1, 7]);
    for (let given = 0; given < 3; given++) turns.give(user(1));
    await pause(1);
    // The owner who came later gets a turn after one of the first owner's, and then the two alternate.
    expect(began).toEqual([0, 1, 7, 2, 5, 3]);
    for (let given = 0; given < 2; given++) turns.give(user(1));
    await pause(1);
    expect(began).toEqual([0, 1, 7, 2, 5, 3, 6, 4]);
  });

  test('[CONV-12] [CONV-15] A company waits for only one read of another, however many users the other has, and its users take turns', async () => {
    const turns = new ReadTurns({ turns: 1, ownedTurns: 1, maxWaitMs: 5_000 });
    const ofMany = [1, 1, 2, 2, 3, 3, 4, 4].map((userId) => user(1, userId));
    const began = begun(turns, [...ofMany, user(2)]);
    for (let given = 0; given < 9; given++) {
      await pause(1);
      turns.give(user(1));
    }
    expect(began).toEqual([0, 1, 8, 2, 4, 6, 3, 5, 7]);
  });

  test('[DLV-8] A read that waits too long is refused, and takes no turn from those that come later', async () => {
    const turns = new ReadTurns({ turns: 1, ownedTurns: 0, maxWaitMs: 50 });
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

  test('[CONV-12] A client that has gone no longer holds a place in the queue of reads', async () => {
    const turns = new ReadTurns({ turns: 1, ownedTurns: 1, maxWaitMs: 5_000 });
    const gone = new AbortController();
    await turns.take();
    const waits = turns.take(user(1), gone.signal);
    const behind = turns.take(user(1));
    gone.abort(new Error('gone'));
    await expect(waits).rejects.toThrow('gone');
    await expect(turns.take(undefined, gone.signal)).rejects.toThrow('gone');
    turns.give();
    await behind;
  });

  test('[CONV-12] The reads of one owner that may wait are limited, whatever others have waiting', async () => {
    const turns = new ReadTurns({ turns: 2, ownedTurns: 1, maxWaitMs: 5_000 });
    await turns.take(user(1));
    const waiting = Array.from({ length: 64 }, () => turns.take(user(1)));
    await expect(turns.take(user(1))).rejects.toMatchObject({ code: 'overloaded' });
    const other = turns.take(user(2));
    turns.give(user(1));
    await waiting[0];
    waiting.push(turns.take(user(1)));
    turns.give(user(1));
    await other;
    turns.give(user(2));
    for (const next of waiting.slice(1)) {
      await next;
      turns.give(user(1));
    }
  });

  test('[CONV-12] The reads of one company that may wait are limited, however many users ask', async () => {
    const turns = new ReadTurns({ turns: 1, ownedTurns: 1, maxWaitMs: 5_000 });
    await turns.take(user(1));
    const waiting = Array.from({ length: 256 }, (_, index) => turns.take(user(1, index % 100)));
    await expect(turns.take(user(1, 100))).rejects.toMatchObject({ code: 'overloaded' });
    waiting.push(turns.take(user(2)));
    expect(turns.waiting).toBe(257);
    for (let given = 0; given < waiting.length; given++) turns.give(user(1));
    await Promise.all(waiting);
    expect(turns.waiting).toBe(0);
  });

  test('[CONV-12] When too many reads of all companies wait, the latest of the busiest user of the busiest company is refused', async () => {
    const turns = new ReadTurns({ turns: 1, ownedTurns: 1, maxWaitMs: 60_000 });
    await turns.take(user(1));
    const ofBusy = Array.from({ length: 256 }, (_, index) => outcome(turns.take(user(1, index % 5))));
    const ofOthers = Array.from({ length: 1_744 }, (_, index) => turns.take(user(2 + (index % 10), index)));
    ofOthers.push(turns.take(user(20)));
    expect(await ofBusy[255]).toBe('refused');
    expect(turns.waiting).toBe(2_000);
    for (let given = 0; given < 2_000; given++) turns.give(user(1));
    await Promise.all(ofOthers);
    expect((await Promise.all(ofBusy)).filter((one) => one === 'refused')).toHaveLength(1);
  });
});
