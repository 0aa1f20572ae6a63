/** The codec against itself: what is written is read again, however the stream was cut, and faults are values. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commandNames, noLimits, pdus } from '../../../test/harness/smpp-pdus.ts';
import { commandStatus, commandStatusName } from './command-status.ts';
import { commands } from './commands.ts';
import { type DecodeFault, encodePdu, type Pdu, type PduInput, PduReader } from './pdu.ts';

function readAll(...chunks: readonly Buffer[]): (Pdu | DecodeFault)[] {
  const reader = new PduReader();
  const read: (Pdu | DecodeFault)[] = [];
  for (const chunk of chunks) {
    reader.push(chunk);
    for (let next = reader.next(); next !== undefined; next = reader.next()) read.push(next);
  }
  return read;
}

function readOne(octets: Buffer): Pdu | DecodeFault {
  const [read, ...more] = readAll(octets);
  expect(more).toEqual([]);
  return read!;
}

/** With the length that it has now. */
function measured(octets: Buffer): Buffer {
  const copy = Buffer.from(octets);
  copy.writeUInt32BE(copy.length, 0);
  return copy;
}

const enquiry = encodePdu({ command: 'enquireLink', sequence: 99 });
const body = (hex: string, command: keyof typeof commands): Buffer => {
  const header = Buffer.alloc(16);
  header.writeUInt32BE(commands[command].id, 4);
  header.writeUInt32BE(5, 12);
  return measured(Buffer.concat([header, Buffer.from(hex.replaceAll(' ', ''), 'hex')]));
};

describe('round trips', () => {
  for (const command of commandNames) {
    test(`[DLV-3] ${command}: what is written is read again`, () => {
      fc.assert(
        fc.property(pdus(noLimits, [command]), (pdu) => {
          expect(readOne(encodePdu(pdu))).toEqual(pdu);
        }),
      );
    });
  }

  test('[DLV-3] the octets of the specification’s own kind of example: a bind, field by field', () => {
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

  test('[DLV-3] what is left out is zero or empty', () => {
    const read = readOne(encodePdu({ command: 'submitSm', sequence: 3 }));
    expect(read).toMatchObject({ status: 0, sequence: 3, sourceAddr: '', dataCoding: 0, tlvs: {} });
    expect(read).toHaveProperty('shortMessage', Buffer.alloc(0));
  });

  test('[DLV-3] fields are read in the order of the table', () => {
    for (const command of commandNames) {
      const read = readOne(encodePdu({ command, sequence: 1 } as PduInput));
      expect(Object.keys(read).slice(3, -1)).toEqual(Object.keys(commands[command].fields));
    }
  });
});

describe('streams', () => {
  test('[DLV-3] any chunks of a stream give the same PDUs', () => {
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

  test('[DLV-3] octets that come before the reader has read the last are read after them', () => {
    const reader = new PduReader();
    for (const octet of enquiry) reader.push(Buffer.of(octet));
    reader.push(enquiry);
    expect([reader.next(), reader.next(), reader.next()]).toMatchObject([
      { sequence: 99 },
      { sequence: 99 },
      undefined,
    ]);
  });

  test('[DLV-3] octets that come between two halves are not lost', () => {
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
    test(`[DLV-3] a command_length of ${length} ends the stream, once, and is no endless waiting`, () => {
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

describe('faults of one PDU', () => {
  const faults: readonly [name: string, octets: Buffer, status: number, fault: RegExp][] = [
    [
      'ends before a field',
      body('', 'deliverSm'),
      commandStatus.ESME_RINVCMDLEN,
      /ends within .*serviceType/,
    ],
    [
      'ends within a text',
      body('41 42', 'submitSmResp'),
      commandStatus.ESME_RINVCMDLEN,
      /ends within .*messageId/,
    ],
    [
      'ends before an octet',
      body('00 01', 'deliverSm'),
      commandStatus.ESME_RINVCMDLEN,
      /ends before .*sourceAddrNpi/,
    ],
    [
      'has a sender too long',
      body(`00 01 01 ${'39'.repeat(21)} 00`, 'deliverSm'),
      commandStatus.ESME_RINVSRCADR,
      /sourceAddr is longer than 20/,
    ],
    [
      'has a recipient too long',
      body(`00 0101 00 0101 ${'39'.repeat(22)} 00`, 'deliverSm'),
      commandStatus.ESME_RINVDSTADR,
      /destinationAddr is longer/,
    ],
    [
      'has a system_id too long',
      body(`${'39'.repeat(16)} 00`, 'bindTransceiver'),
      commandStatus.ESME_RINVSYSID,
      /systemId is longer than 15/,
    ],
    [
      'has less text than it says',
      body(`00 000000 000000 000000 00 00 00 00 00 00 05 41`, 'deliverSm'),
      commandStatus.ESME_RINVMSGLEN,
      /shortMessage, which has 5 octets/,
    ],
    [
      'ends with three octets',
      body('41 00 000102', 'submitSmResp'),
      commandStatus.ESME_RINVOPTPARSTREAM,
      /less than a whole/,
    ],
    [
      'has a parameter longer than the rest',
      body('41 00 0427 0002 01', 'submitSmResp'),
      commandStatus.ESME_RINVPARLEN,
      /0x0427, which has 2/,
    ],
    [
      'goes to a list of neither kind',
      body('00 000000 01 03', 'submitMulti'),
      commandStatus.ESME_RINVDESTFLAG,
      /destFlag is 3/,
    ],
  ];
  for (const [name, octets, status, fault] of faults)
    test(`[DLV-3] a PDU that ${name} tells what to answer, and the next is read`, () => {
      expect(readAll(Buffer.concat([octets, enquiry]))).toMatchObject([
        {
          fault: expect.stringMatching(fault),
          status,
          sequence: 5,
          commandId: octets.readUInt32BE(4),
          fatal: false,
        },
        { command: 'enquireLink' },
      ]);
    });

  test('[DLV-3] an unknown command is answered by its sequence', () => {
    const unknown = Buffer.from(enquiry);
    unknown.writeUInt32BE(0x0000_0111, 4);
    const { ESME_RINVCMDID: status } = commandStatus;
    expect(readAll(unknown, enquiry)).toMatchObject([
      { commandId: 0x111, sequence: 99, status, fatal: false },
      { command: 'enquireLink' },
    ]);
  });
});

describe('what peers get wrong and can still be read', () => {
  test('[DLV-3] a response without its body', () => {
    for (const command of ['submitSmResp', 'deliverSmResp', 'dataSmResp'] as const)
      expect(readOne(body('', command))).toMatchObject({ command, messageId: '', tlvs: {} });
    expect(readOne(body('', 'bindTransceiverResp'))).toMatchObject({ systemId: '' });
    expect(readOne(body('', 'submitMultiResp'))).toMatchObject({ messageId: '', unsuccessSmes: [] });
  });

  test('[DLV-3] a refusal whose body makes no sense is a refusal still', () => {
    for (const rest of ['41', '00 01', '00 0427 0009 01', '41'.repeat(70)]) {
      const refusal = body(rest, 'submitSmResp');
      refusal.writeUInt32BE(commandStatus.ESME_RTHROTTLED, 8);
      expect(readAll(refusal, enquiry)).toMatchObject([
        { command: 'submitSmResp', status: commandStatus.ESME_RTHROTTLED, messageId: '', sequence: 5 },
        { command: 'enquireLink' },
      ]);
    }
  });

  test('[DLV-5] a receipted_message_id without the octet that ends it, and one with too many', () => {
    const read = (value: string) => readOne(body(`00 001e ${value}`, 'deliverSmResp'));
    expect(read('0003 616263')).toHaveProperty('tlvs', { receiptedMessageId: 'abc' });
    expect(read('0005 6162630000')).toHaveProperty('tlvs', { receiptedMessageId: 'abc' });
    expect(read('0000')).toHaveProperty('tlvs', { receiptedMessageId: '' });
  });

  test('[DLV-5] parameters that are unknown, repeated, or of the wrong length are kept and hide nothing', () => {
    const read = readOne(
      body('00 1401 0001 ff  0427 0002 0002  0427 0001 02  0427 0001 05  001e 0002 6100', 'deliverSmResp'),
    );
    expect(read).toHaveProperty('tlvs', {
      messageState: 2,
      receiptedMessageId: 'a',
      unknown: [
        { tag: 0x1401, value: Buffer.of(0xff) },
        { tag: 0x0427, value: Buffer.of(0, 2) },
        { tag: 0x0427, value: Buffer.of(5) },
      ],
    });
  });
});

describe('broken callers', () => {
  const wrong: readonly [name: string, pdu: unknown, message: RegExp][] = [
    ['a command that is none', { command: 'sendSms', sequence: 1 }, /no command sendSms/],
    ['no sequence', { command: 'enquireLink' }, /sequence must be an integer/],
    [
      'an octet too high',
      { command: 'submitSm', sequence: 1, dataCoding: 256 },
      /dataCoding .* 0 to 255, not 256/,
    ],
    ['a fraction', { command: 'submitSm', sequence: 1.5 }, /sequence must be an integer/],
    ['a negative', { command: 'submitSm', sequence: 1, esmClass: -1 }, /esmClass/],
    [
      'a text too long',
      { command: 'submitSm', sequence: 1, sourceAddr: '9'.repeat(21) },
      /sourceAddr holds 20 .* not 21/,
    ],
    [
      'a NUL in a text',
      { command: 'submitSm', sequence: 1, sourceAddr: 'a\0b' },
      /sourceAddr holds characters/,
    ],
    [
      'a character beyond Latin-1',
      { command: 'submitSm', sequence: 1, sourceAddr: '€' },
      /sourceAddr holds characters/,
    ],
    [
      'a message too long',
      { command: 'submitSm', sequence: 1, shortMessage: Buffer.alloc(256) },
      /shortMessage holds 255 .* not 256/,
    ],
    [
      'a text for octets',
      { command: 'submitSm', sequence: 1, shortMessage: 'hello' },
      /shortMessage must be octets/,
    ],
    [
      'a parameter that SMPP lacks',
      { command: 'submitSm', sequence: 1, tlvs: { sarNumber: 1 } },
      /no optional parameter sarNumber/,
    ],
    [
      'a parameter too long',
      { command: 'submitSm', sequence: 1, tlvs: { messagePayload: Buffer.alloc(65_536) } },
      /messagePayload holds 65535/,
    ],
    [
      'more than a PDU holds',
      {
        command: 'submitSm',
        sequence: 1,
        tlvs: { messagePayload: Buffer.alloc(60_000), callbackNum: Buffer.alloc(20_000) },
      },
      /callbackNum the PDU would be longer/,
    ],
    [
      'too many destinations',
      { command: 'submitMulti', sequence: 1, destAddresses: Array(256).fill({ distributionList: 'a' }) },
      /destAddresses holds 255/,
    ],
  ];
  for (const [name, pdu, message] of wrong)
    test(`[DLV-3] ${name} is a RangeError that says which field and what it may be`, () => {
      const encode = () => encodePdu(pdu as PduInput);
      expect(encode).toThrow(RangeError);
      expect(encode).toThrow(message);
      expect(readOne(encodePdu({ command: 'unbind', sequence: 8 }))).toMatchObject({ command: 'unbind' });
    });

  test('[DLV-3] the longest payload fits', () => {
    const messagePayload = Buffer.alloc(65_535, 1);
    const read = readOne(encodePdu({ command: 'dataSm', sequence: 1, tlvs: { messagePayload } }));
    expect(read).toHaveProperty('tlvs', { messagePayload });
  });
});

test('[DLV-3] the codes of command_status have the names of the specification, others their number', () => {
  expect(commandStatusName(0x58)).toBe('ESME_RTHROTTLED');
  expect(commandStatusName(0x0401)).toBe('0x00000401');
});
