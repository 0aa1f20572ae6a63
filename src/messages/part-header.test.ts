import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasRoomForHeader, packHeader, unpackHeader } from './part-header.ts';

test('[ESME-2] The header of a part fits the reference of a message', () => {
  const headers = fc.record({
    reference: fc.nat({ max: 0xffff }),
    part: fc.integer({ min: 1, max: 255 }),
    parts: fc.integer({ min: 2, max: 255 }),
  });
  fc.assert(
    fc.property(headers, (header) => {
      const packed = packHeader(header);
      expect(packed).toBe(packed | 0);
      expect(packed).not.toBe(0);
      expect(unpackHeader(packed)).toEqual(header);
    }),
    { examples: [[{ reference: 0xffff, part: 255, parts: 255 }], [{ reference: 0, part: 1, parts: 2 }]] },
  );
});

test('[ESME-2] A header with a reference of 16 bits leaves room for one character less', () => {
  const [short, long] = [255, 256].map((reference) => ({ reference, part: 1, parts: 2 }));
  const room = [
    ['x'.repeat(153), true, false],
    ['x'.repeat(152), true, true],
    ['x'.repeat(154), false, false],
    ['Ж'.repeat(67), true, false],
    ['Ж'.repeat(66), true, true],
  ] as const;
  for (const [text, withShort, withLong] of room) {
    expect(hasRoomForHeader(text, short as NonNullable<typeof short>)).toBe(withShort);
    expect(hasRoomForHeader(text, long as NonNullable<typeof long>)).toBe(withLong);
  }
});
