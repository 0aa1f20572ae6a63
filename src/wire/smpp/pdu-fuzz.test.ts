/** Tests damaged PDUs: whatever the octets are, nothing throws, nothing that follows is lost, and what is read is sound. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assertRuns, longRunMs } from '../../../test/harness/runs.ts';
import { pdus } from '../../../test/harness/smpp-pdus.ts';
import { readAll } from '../../../test/harness/smpp-reading.ts';
import { encodePdu, type Pdu, PduReader } from './pdu.ts';
import { readContent } from './short-message.ts';

/** Damage to the octets of a PDU; `at` and `length` are taken modulo the available length. */
type Damage =
  | { readonly kind: 'set'; readonly at: number; readonly octet: number }
  | { readonly kind: 'insert'; readonly at: number; readonly octets: Uint8Array }
  | { readonly kind: 'remove'; readonly at: number; readonly length: number }
  | { readonly kind: 'cut'; readonly at: number };

const timeoutMs = longRunMs(20_000);

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

const enquiry = encodePdu({ command: 'enquireLink', sequence: 0xfeed });

const longestId = 64;

/** Checks that the PDU can be written and is read back the same, and that a database accepts its text. */
function expectSound(pdu: Pdu): void {
  // A response may be read with a longer id than may be written.
  if ('messageId' in pdu && pdu.messageId.length > longestId) {
    expect(pdu.command).toMatch(/Resp$/);
    return;
  }
  const reader = new PduReader();
  reader.push(encodePdu(pdu));
  // Anything that could not be read is not written.
  const { damage: _, ...whole } = pdu;
  expect(reader.next()).toEqual(whole);
  if (pdu.command !== 'deliverSm' && pdu.command !== 'submitSm' && pdu.command !== 'dataSm') return;
  for (const alphabet of ['gsm7', 'latin1', 'ascii'] as const) {
    const { text, concatenation } = readContent(pdu, alphabet);
    expect(text).not.toContain('\0');
    if (concatenation !== undefined) expect(concatenation.part).toBeLessThanOrEqual(concatenation.parts);
  }
}

const damagedPdu = fc
  .tuple(pdus(), fc.array(damages, { minLength: 1, maxLength: 4 }))
  .map(([pdu, all]) => all.reduce(damaged, encodePdu(pdu)));

test(
  '[DLV-3] A damaged PDU gives a fault or a PDU, and the next one is read',
  async () => {
    await assertRuns(
      fc.asyncProperty(damagedPdu, fc.nat({ max: 600 }), async (damage, cut) => {
        const octets = Buffer.concat([damage, Buffer.alloc(Math.max(0, 16 - damage.length))]);
        octets.writeUInt32BE(octets.length, 0);
        const stream = Buffer.concat([octets, enquiry]);
        const [read, next, ...more] = readAll(stream.subarray(0, cut), stream.subarray(cut));
        expect(next).toEqual({ command: 'enquireLink', status: 0, sequence: 0xfeed, tlvs: {} });
        expect(more).toEqual([]);
        if (read === undefined) throw new Error('Nothing was read.');
        if ('fault' in read) expect(read.fatal).toBe(false);
        else expectSound(read);
      }),
      15_000,
    );
  },
  timeoutMs,
);

test(
  '[DLV-3] A stream with damaged lengths is read to a fatal fault, or to its end',
  async () => {
    await assertRuns(
      fc.asyncProperty(fc.array(damagedPdu, { maxLength: 3 }), fc.nat({ max: 600 }), async (all, cut) => {
        const stream = Buffer.concat([...all, enquiry]);
        const read = readAll(stream.subarray(0, cut), stream.subarray(cut));
        expect(read.length).toBeLessThanOrEqual(stream.length / 16 + 1);
        for (const [index, one] of read.entries()) {
          if (!('fault' in one)) expectSound(one);
          else if (one.fatal) expect(index).toBe(read.length - 1);
        }
      }),
      5_000,
    );
  },
  timeoutMs,
);
