import fc from 'fast-check';
import { expect, test } from 'vitest';
import { messages } from '../../test/carriers/carrier-recorder.ts';
import type { OutgoingPart } from './carrier.ts';
import { WaitingParts } from './waiting-parts.ts';

test('[DLV-3] Waiting parts go in order, and parts that come back go first', () => {
  const act = fc.oneof(
    fc.nat(30).map((push) => ({ push })),
    fc.nat(40).map((shift) => ({ shift })),
    fc.nat(5).map((back) => ({ back })),
    fc.nat(20).map((older) => ({ older })),
    fc.record({ behind: fc.integer({ min: 1, max: 20 }), since: fc.nat(20) }),
  );
  const [part] = messages(1) as [OutgoingPart];
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
      const waiting = new WaitingParts();
      let model: { part: OutgoingPart; since: number }[] = [];
      let now = 0;
      const fresh = (count: number) => Array.from({ length: count }, () => ({ ...part, messageId: ++now }));
      for (const one of acts) {
        if ('push' in one) {
          for (const added of fresh(one.push)) {
            waiting.push(added, now);
            model.push({ part: added, since: now });
          }
        } else if ('shift' in one) {
          for (let taken = 0; taken < one.shift; taken++) expect(waiting.shift()).toBe(model.shift()?.part);
        } else if ('back' in one) {
          const back = fresh(one.back);
          waiting.putBack(back, now);
          model = [...back.map((added) => ({ part: added, since: now })), ...model];
        } else if ('behind' in one) {
          const then = now - one.since;
          const isLong = (model[one.behind]?.since ?? now) < then;
          const cut = isLong ? model.splice(one.behind) : [];
          expect(waiting.takeBehind(one.behind, then)).toEqual(cut.map((entry) => entry.part));
        } else {
          const then = now - one.older;
          const end = model.findIndex(({ since }) => since >= then);
          const old = model.splice(0, end === -1 ? model.length : end);
          expect(waiting.takeOlder(then)).toEqual(old.map((entry) => entry.part));
        }
        expect(waiting.size).toBe(model.length);
      }
      expect(waiting.takeAll()).toEqual(model.map((entry) => entry.part));
    }),
  );
});

test('[DLV-3] [DLV-4] Parts taken from the end of the queue are whole messages', () => {
  const waiting = new WaitingParts();
  const parts = messages(4, { parts: 3 });
  for (const part of parts) waiting.push(part, 0);
  expect(waiting.shift()).toBe(parts[0]);
  expect(waiting.takeBehind(3, 1)).toEqual(parts.slice(6));
  expect(waiting.takeBehind(0, 1)).toEqual(parts.slice(3, 6));
  expect(waiting.takeBehind(0, 1)).toEqual([]);
  expect(waiting.takeAll()).toEqual(parts.slice(1, 3));
});
