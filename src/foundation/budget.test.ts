import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoryInUse } from '../../test/harness/memory-in-use.ts';
import { Budget } from './budget.ts';

const limits = { inAll: 10, ofOwner: 6, ofMember: 4 };

type Key = string | number | undefined;

describe('a budget', () => {
  test('[CONV-12] A budget is bounded in all, by owner and by member, and takes all of an amount or nothing', () => {
    const budget = new Budget(limits);
    expect([budget.take(3, 'A', 'a'), budget.take(2, 'A', 'a'), budget.take(1, 'A', 'a')]).toEqual([
      true,
      false,
      true,
    ]);
    expect([budget.take(3, 'A', 'b'), budget.take(2, 'A', 'b'), budget.hasRoomFor(1, 'A', 'c')]).toEqual([
      false,
      true,
      false,
    ]);
    // A member of the same name belongs to another owner here.
    expect([budget.take(4, 'B', 'a'), budget.hasRoomFor(1, 'C'), budget.hasRoomFor(1)]).toEqual([
      true,
      false,
      false,
    ]);
    budget.give(2, 'A', 'a');
    expect([budget.take(1, 'A'), budget.take(1), budget.take(1)]).toEqual([true, true, false]);
    expect([budget.taken(), budget.taken('A'), budget.taken('A', 'a'), budget.taken('C')]).toEqual([
      10, 5, 2, 0,
    ]);
  });

  test('[CONV-12] A budget takes back once what was taken from it, and no more', () => {
    const budget = new Budget({ ofOwner: 2 });
    expect([budget.take(1, 1, 1), budget.take(1, 1, 2)]).toEqual([true, true]);
    budget.give(1, 1, 1);
    expect(() => budget.give(1, 1, 1)).toThrow('more of a budget');
    expect(() => budget.give(1, 2)).toThrow('more of a budget');
    expect([budget.taken(), budget.taken(1, 2), budget.take(2, 1)]).toEqual([1, 1, false]);
  });

  test('[CONV-12] A budget has its room back when work ends or fails, and begins no work without room', async () => {
    const budget = new Budget({ inAll: 1 });
    let end: () => void = () => undefined;
    const first = budget.run(
      () =>
        new Promise<string>((resolve) => {
          end = () => resolve('done');
        }),
      'A',
    );
    expect(await budget.run(() => Promise.reject(new Error('was begun')), 'B')).toBeUndefined();
    end();
    expect(await first).toBe('done');
    await expect(budget.run(() => Promise.reject(new Error('broken')), 'B')).rejects.toThrow('broken');
    expect(budget.taken()).toBe(0);
  });

  test('[CONV-12] A budget forgets owners and members that have given everything back', () => {
    const budget = new Budget({});
    const takeAndGive = (owner: string, member: string) => {
      budget.take(1, owner, member);
      budget.give(1, owner, member);
    };
    budget.take(1, 'one that stays');
    const before = memoryInUse();
    for (let place = 0; place < 100_000; place++) {
      takeAndGive(`owner ${place}`, 'member');
      takeAndGive('one that stays', `member ${place}`);
    }
    expect(memoryInUse() - before).toBeLessThan(4_000_000);
    expect(budget.taken()).toBe(1);
  });

  test('[CONV-12] A budget counts like a list of all that was taken', () => {
    const keys = fc.constantFrom(undefined, 'A', 'B', 3);
    const step = fc.record({
      amount: fc.nat(4),
      owner: keys,
      member: keys,
      isGivenBack: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const budget = new Budget(limits);
        const taken: { amount: number; owner: Key; member: Key }[] = [];
        const sumOf = (owner?: Key, member?: Key) =>
          taken
            .filter((one) => owner === undefined || one.owner === owner)
            .filter((one) => member === undefined || one.member === member)
            .reduce((sum, { amount }) => sum + amount, 0);
        for (const { amount, owner, member: given, isGivenBack } of steps) {
          const first = isGivenBack ? taken.shift() : undefined;
          if (first !== undefined) budget.give(first.amount, first.owner, first.member);
          const member = owner === undefined ? undefined : given;
          const fits =
            sumOf() + amount <= limits.inAll &&
            (owner === undefined || sumOf(owner) + amount <= limits.ofOwner) &&
            (member === undefined || sumOf(owner, member) + amount <= limits.ofMember);
          expect(budget.take(amount, owner, member)).toBe(fits);
          if (fits) taken.push({ amount, owner, member });
          expect([budget.taken(), budget.taken(owner), budget.taken(owner, member)]).toEqual([
            sumOf(),
            sumOf(owner),
            sumOf(owner, member),
          ]);
        }
      }),
    );
  });
});
