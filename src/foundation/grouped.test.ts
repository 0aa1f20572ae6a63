import fc from 'fast-check';
import { expect, test } from 'vitest';
import { groupedBy } from './grouped.ts';

test('[DLV-5] [BATCH-5] Grouping keeps every item, with equal keys together and in the original order', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50)), (numbers) => {
      const groups = [...groupedBy(numbers, (number) => number % 7)];
      expect(groups.map(([key]) => key)).toEqual([...new Set(numbers.map((number) => number % 7))]);
      for (const [key, group] of groups)
        expect(group).toEqual(numbers.filter((number) => number % 7 === key));
    }),
  );
});
