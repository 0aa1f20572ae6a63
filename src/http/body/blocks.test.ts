import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BodyBlocks, blockBytes } from './body.ts';

test('[BATCH-6] A body that comes in pieces is kept in blocks of one size, the last one no larger than needed', () => {
  const piece = fc.integer({ min: 1, max: 700_000 });
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), fc.boolean(), (pieces, isDeclared) => {
      const length = pieces.reduce((sum, bytes) => sum + bytes, 0);
      const body = new BodyBlocks(isDeclared ? length : undefined);
      for (const [index, bytes] of pieces.entries()) body.add(Buffer.alloc(bytes, index + 1));
      expect(body.length).toBe(length);
      const sizes = body.blocks.map((block) => block.length);
      expect(sizes.slice(0, -1).every((size) => size === blockBytes)).toBe(true);
      if (isDeclared) expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(length);
      const whole = Buffer.concat(body.blocks, length);
      const wanted = Buffer.concat(pieces.map((bytes, index) => Buffer.alloc(bytes, index + 1)));
      expect(whole.equals(wanted)).toBe(true);
    }),
    { numRuns: 30 },
  );
});
