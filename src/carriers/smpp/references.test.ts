import fc from 'fast-check';
import { expect, test } from 'vitest';
import { References } from './references.ts';

test('[DLV-4] two long messages in a row to a number have different references, the parts of one the same', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(1_000)), { maxLength: 100 }),
      fc.constantFrom(0x100, 0x1_0000),
      (sent, count) => {
        const references = new References(count);
        const last = new Map<string, { messageId: number; reference: number }>();
        for (const [recipient, messageId] of sent) {
          const reference = references.of(recipient, messageId);
          const before = last.get(recipient);
          expect(references.of(recipient, messageId)).toBe(reference);
          expect(reference).toBeLessThan(count);
          if (before !== undefined)
            expect(reference === before.reference).toBe(messageId === before.messageId);
          last.set(recipient, { messageId, reference });
        }
      },
    ),
  );
});

test('[DLV-4] a part that is tried after a restart has the reference of those that went before', () => {
  const before = new References(0x100);
  const reference = before.of('46701740600', 1_234_567);
  expect(new References(0x100).of('46701740600', 1_234_567)).toBe(reference);
});
