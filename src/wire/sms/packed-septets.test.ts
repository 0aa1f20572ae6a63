import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeGsm7, packSeptets, unpackSeptets } from './gsm7.ts';

const hex = (octets: Uint8Array) => Buffer.from(octets).toString('hex');

describe('packed septets', () => {
  // Encodings used by phones and in the examples of USSD gateways.
  test.each([
    ['', 0, ''],
    ['hello', 0, 'e8329bfd06'],
    ['hellohello', 0, 'e8329bfd4697d9ec37'],
    ['1234567', 0, '31d98c56b3dd1a'],
    ['12345678', 0, '31d98c56b3dd70'],
    ['A', 6, '82'],
  ])(
    '[DLV-4] The text %j after a header of %i octets is packed into the same octets as on phones',
    (text, headerOctets, octets) => {
      expect(hex(packSeptets(encodeGsm7(text), headerOctets))).toBe(octets);
    },
  );

  test('[DLV-4] Packed septets are unpacked unchanged, except a last septet that looks like spare bits', () => {
    const septet = fc.integer({ min: 1, max: 127 }).filter((code) => code !== 0x0d);
    const septets = fc
      .uint8Array({ maxLength: 153, max: 127 })
      .chain((first) => septet.map((last) => Uint8Array.from([...first.subarray(0, 152), last])));
    fc.assert(
      fc.property(septets, fc.integer({ min: 0, max: 7 }), (given, headerOctets) => {
        expect([...unpackSeptets(packSeptets(given, headerOctets), headerOctets)]).toEqual([...given]);
      }),
    );
  });

  test('[DLV-4] Spare bits are not read as an `@`, however they were filled, and the last `@` of a full part is kept', () => {
    const unpacked = (octets: string) => [...unpackSeptets(Buffer.from(octets, 'hex'), 0)];
    expect(unpacked('31d98c56b3dd1a')).toEqual([...encodeGsm7('1234567')]);
    expect(unpacked('31d98c56b3dd00')).toEqual([...encodeGsm7('1234567')]);
    const full = encodeGsm7(`${'a'.repeat(152)}@`);
    expect([...unpackSeptets(packSeptets(full, 6), 6)]).toEqual([...full]);
    expect(packSeptets(full, 6)).toHaveLength(134);
  });
});
