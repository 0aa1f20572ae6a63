import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Packing } from './packing.ts';

interface Thing {
  readonly id: number;
  readonly name: string | undefined;
  readonly more?: unknown;
}

const packing = new Packing<Thing>('id', 'name');

function across(things: readonly Thing[]) {
  const packed = structuredClone(packing.pack(things));
  return { isPacked: 'values' in packed, things: packing.unpack(packed) };
}

test('[DLV-8] A set of like objects crosses as its values and arrives unchanged, in order, and so does an empty set', () => {
  const things: readonly Thing[] = [
    { id: 1, name: 'one' },
    { id: 2, name: undefined },
  ];
  expect(across(things)).toStrictEqual({ isPacked: true, things });
  expect(across([])).toStrictEqual({ isPacked: true, things: [] });
});

test('[DLV-8] Objects of any keys arrive unchanged: with keys that are absent, further, undefined or in another order', () => {
  const nested = fc.oneof(
    fc.constant(undefined),
    fc.jsonValue(),
    fc.constant(new Map([['one', new Set([1])]])),
  );
  const thing: fc.Arbitrary<Thing> = fc.oneof(
    fc.record({ id: fc.integer(), name: fc.option(fc.string(), { nil: undefined }) }),
    fc.record({ name: fc.string(), id: fc.double() }),
    fc.record({ id: fc.integer(), name: fc.string(), more: nested }),
    fc.record({ id: fc.integer(), more: nested }).map((thing) => thing as unknown as Thing),
  );
  fc.assert(
    fc.property(fc.array(thing, { maxLength: 5 }), (things) => {
      const arrived = across(things);
      expect(arrived.things).toStrictEqual(structuredClone(things));
      expect(arrived.things.map((one) => Object.keys(one))).toEqual(things.map((one) => Object.keys(one)));
      expect(arrived.isPacked).toBe(things.every((one) => Object.keys(one).join() === 'id,name'));
    }),
  );
});
