/** Tests damaged PDUs: whatever the octets are, nothing throws, nothing that follows is lost, and what is read is sound. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { damagedPdu } from '../../../test/harness/damaged-pdus.ts';
import { assertRuns, longRunMs } from '../../../test/harness/runs.ts';
import { readAll } from '../../../test/harness/smpp-reading.ts';
import { encodePdu, type Pdu, PduReader } from './pdu.ts';
import { readContent } from './short-message.ts';

const timeoutMs = longRunMs(20_000);

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
