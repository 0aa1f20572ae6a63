/** Tests the codec against itself: what is written is read back however the stream is cut, and faults are values. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commandNames, noLimits, pdus } from '../../../test/harness/smpp-pdus.ts';
import { readAll, readOne } from '../../../test/harness/smpp-reading.ts';
import { commandStatus, commandStatusName } from './command-status.ts';
import { commands } from './commands.ts';
import { encodePdu, type PduInput, PduReader } from './pdu.ts';

const enquiry = encodePdu({ command: 'enquireLink', sequence: 99 });

describe('round trips', () => {
  for (const command of commandNames) {
    test(`[DLV-3] The ${command} that we write is read again`, () => {
      fc.assert(
        fc.property(pdus(noLimits, [command]), (pdu) => {
          expect(readOne(encodePdu(pdu))).toEqual(pdu);
        }),
      );
    });
  }

  test('[DLV-3] A bind is encoded field by field like the example in the specification', () => {
    const bind = encodePdu({
      command: 'bindTransmitter',
      sequence: 1,
      systemId: 'SMPP3TEST',
      password: 'secret08',
      systemType: 'SUBMIT1',
      interfaceVersion: 0x34,
      addrTon: 1,
      addrNpi: 1,
    });
    expect(bind.toString('hex')).toBe(
      '0000002f000000020000000000000001' + '534d50503354455354007365637265743038005355424d4954310034010100',
    );
  });

  test('[DLV-3] A PDU field that is left out is zero or empty', () => {
    const read = readOne(encodePdu({ command: 'submitSm', sequence: 3 }));
    expect(read).toMatchObject({ status: 0, sequence: 3, sourceAddr: '', dataCoding: 0, tlvs: {} });
    expect(read).toHaveProperty('shortMessage', Buffer.alloc(0));
  });

  test('[DLV-3] The fields of a PDU are read in the order of the table', () => {
    for (const command of commandNames) {
      const read = readOne(encodePdu({ command, sequence: 1 } as PduInput));
      expect(Object.keys(read).slice(3, -1)).toEqual(Object.keys(commands[command].fields));
    }
  });
});

describe('streams', () => {
  test('[DLV-3] A stream of PDUs gives the same PDUs in any chunks', () => {
    const stream = fc.array(pdus(), { minLength: 1, maxLength: 6 });
    const cuts = fc.array(fc.integer({ min: 1, max: 80 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(stream, cuts, (sent, lengths) => {
        const octets = Buffer.concat(sent.map((pdu) => encodePdu(pdu)));
        const chunks: Buffer[] = [];
        for (let at = 0, n = 0; at < octets.length; n++) {
          const length = lengths[n % lengths.length]!;
          chunks.push(octets.subarray(at, at + length));
          at += length;
        }
        expect(readAll(...chunks)).toEqual(sent);
      }),
    );
  });

  test('[DLV-3] Octets that come before the reader has read the last PDU are read after it', () => {
    const reader = new PduReader();
    for (const octet of enquiry) reader.push(Buffer.of(octet));
    reader.push(enquiry);
    expect([reader.next(), reader.next(), reader.next()]).toMatchObject([
      { sequence: 99 },
      { sequence: 99 },
      undefined,
    ]);
  });

  test('[DLV-3] Octets that come between two halves of a PDU are not lost', () => {
    const reader = new PduReader();
    reader.push(enquiry.subarray(0, 3));
    expect(reader.next()).toBeUndefined();
    reader.push(enquiry.subarray(3, 10));
    reader.push(Buffer.concat([enquiry.subarray(10), enquiry]));
    expect([reader.next(), reader.next(), reader.next()]).toMatchObject([
      { sequence: 99 },
      { sequence: 99 },
      undefined,
    ]);
  });

  for (const length of [0, 15, 72 * 1024 + 1, 0xffff_ffff])
    test(`[DLV-3] A command_length of ${length} ends the stream once, and causes no endless waiting`, () => {
      const bad = Buffer.from(enquiry);
      bad.writeUInt32BE(length, 0);
      for (const chunks of [
        [enquiry, bad, enquiry],
        [Buffer.concat([enquiry, bad, enquiry])],
        [enquiry, ...Array.from(bad, (octet) => Buffer.of(octet)), enquiry],
      ])
        expect(readAll(...chunks)).toMatchObject([
          { sequence: 99 },
          { fatal: true, status: commandStatus.ESME_RINVCMDLEN, commandId: 0, sequence: 0 },
        ]);
    });
});

test('[DLV-3] The codes of command_status have the names of the specification, and others show their number', () => {
  expect(commandStatusName(0x58)).toBe('ESME_RTHROTTLED');
  expect(commandStatusName(0x0401)).toBe('0x00000401');
});
