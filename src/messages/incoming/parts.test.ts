import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addPart, assemblyMs, type IncomingAssembly, joinParts, rememberedMs } from './parts.ts';

const now = 5_000_000;
const empty: IncomingAssembly = { texts: [], startedAt: now, endedAt: null };

describe('parts of incoming SMS', () => {
  test('[INC-4] Parts in any order, and any number of times, make the text of an incoming SMS', () => {
    const story = fc.array(fc.string({ unit: 'binary' }), { minLength: 2, maxLength: 12 }).chain((texts) =>
      fc.record({
        texts: fc.constant(texts),
        order: fc.shuffledSubarray([...texts.keys()], { minLength: texts.length }),
        again: fc.array(fc.nat({ max: texts.length - 1 })),
      }),
    );
    fc.assert(
      fc.property(story, ({ texts, order, again }) => {
        let assembly = empty;
        let wholes = 0;
        for (const index of [...order.flatMap((place) => [place, ...again.slice(0, 2)]), ...again]) {
          const part = { part: index + 1, parts: texts.length, text: texts[index] as string };
          const step = addPart(assembly, part, now);
          expect(step.kind).not.toBe('begins');
          if (step.kind !== 'added') continue;
          if (step.isWhole) wholes += 1;
          assembly = { ...assembly, texts: step.texts, endedAt: step.isWhole ? now : null };
        }
        expect(wholes).toBe(1);
        expect(assembly.texts).toEqual(texts);
      }),
    );
  });

  test('[INC-4] A part that contradicts those already received begins another incoming SMS', () => {
    const open: IncomingAssembly = { texts: ['a', null], startedAt: now, endedAt: null };
    const other = { part: 1, parts: 2, text: 'x' };
    expect(addPart(open, other, now)).toEqual({ kind: 'begins', texts: ['x', null] });
    const whole: IncomingAssembly = { texts: ['a', 'b'], startedAt: now, endedAt: now };
    expect(addPart(whole, other, now)).toEqual({ kind: 'begins', texts: ['x', null] });
    expect(addPart(whole, { part: 2, parts: 2, text: 'b' }, now)).toEqual({ kind: 'known' });
  });

  test('[INC-4] Parts that are too old are not joined with a part of today', () => {
    const open: IncomingAssembly = { texts: ['a', null], startedAt: now, endedAt: null };
    const second = { part: 2, parts: 2, text: 'b' };
    expect(addPart(open, second, now + assemblyMs - 1)).toMatchObject({ kind: 'added', isWhole: true });
    for (const at of [now + assemblyMs, now - assemblyMs]) {
      expect(addPart(open, second, at)).toMatchObject({ kind: 'begins' });
    }
    const whole: IncomingAssembly = { texts: ['a', 'b'], startedAt: now, endedAt: now };
    expect(addPart(whole, second, now + rememberedMs - 1)).toEqual({ kind: 'known' });
    expect(addPart(whole, second, now + rememberedMs)).toEqual({ kind: 'begins', texts: [null, 'b'] });
  });

  test('[INC-4] The same text with the same reference counts as a repetition for minutes, and as another SMS after that', () => {
    const minute = 60_000;
    const whole: IncomingAssembly = { texts: ['Yes, ', 'I can'], startedAt: now, endedAt: now + 1_000 };
    const again = { part: 1, parts: 2, text: 'Yes, ' };
    // Twice the sum of a response time-out, the pause before the next bind and the carrier's own pause.
    expect(addPart(whole, again, now + 8 * minute)).toEqual({ kind: 'known' });
    expect(addPart(whole, again, now + 15 * minute)).toEqual({ kind: 'begins', texts: ['Yes, ', null] });
  });

  test('[INC-4] A part that comes after the others were given up begins a new incoming SMS', () => {
    const ended: IncomingAssembly = { texts: ['a', null], startedAt: now, endedAt: now };
    expect(addPart(ended, { part: 2, parts: 2, text: 'b' }, now)).toMatchObject({ kind: 'begins' });
    expect(addPart(ended, { part: 1, parts: 2, text: 'a' }, now)).toEqual({ kind: 'known' });
  });

  test('[INC-4] Half characters at the edges of parts are joined into whole ones', () => {
    expect(joinParts(['smile \ud83d', '\ude00!'])).toBe('smile 😀!');
    expect(joinParts(['5 \u001b', 'e'])).toBe('5 €');
    expect(joinParts(['\u001b', '(x\u001b', ')'])).toBe('{x}');
    expect(joinParts(['a\u001b', 'ä'])).toBe('aä');
  });

  test('[INC-4] Each missing part is marked in the text of an incoming SMS', () => {
    expect(joinParts(['one ', null, ' three'])).toBe('one […] three');
    expect(joinParts([null, null, 'three'])).toBe('[…][…]three');
    expect(joinParts(['5 \u001b', null])).toBe('5 […]');
  });
});
