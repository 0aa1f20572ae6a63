/** PDUs with random damage. */
import fc from 'fast-check';
import { encodePdu } from '../../src/wire/smpp/pdu.ts';
import { pdus } from './smpp-pdus.ts';

/** Damage to the octets of a PDU; `at` and `length` are taken modulo the available length. */
type Damage =
  | { readonly kind: 'set'; readonly at: number; readonly octet: number }
  | { readonly kind: 'insert'; readonly at: number; readonly octets: Uint8Array }
  | { readonly kind: 'remove'; readonly at: number; readonly length: number }
  | { readonly kind: 'cut'; readonly at: number };

const at = fc.nat({ max: 600 });
const damages: fc.Arbitrary<Damage> = fc.oneof(
  fc.record({
    kind: fc.constant('set' as const),
    at,
    octet: fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(0, 1, 0x7f, 0x80, 0xff)),
  }),
  fc.record({
    kind: fc.constant('insert' as const),
    at,
    octets: fc.uint8Array({ minLength: 1, maxLength: 30 }),
  }),
  fc.record({ kind: fc.constant('remove' as const), at, length: fc.integer({ min: 1, max: 30 }) }),
  fc.record({ kind: fc.constant('cut' as const), at }),
);

function damaged(octets: Buffer, damage: Damage): Buffer {
  const place = damage.at % (octets.length + 1);
  const before = octets.subarray(0, place);
  switch (damage.kind) {
    case 'set':
      return Buffer.concat([before, Buffer.of(damage.octet), octets.subarray(place + 1)]);
    case 'insert':
      return Buffer.concat([before, damage.octets, octets.subarray(place)]);
    case 'remove':
      return Buffer.concat([before, octets.subarray(place + damage.length)]);
    case 'cut':
      return before;
  }
}

export const damagedPdu = fc
  .tuple(pdus(), fc.array(damages, { minLength: 1, maxLength: 4 }))
  .map(([pdu, all]) => all.reduce(damaged, encodePdu(pdu)));
