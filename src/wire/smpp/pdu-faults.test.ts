/** Tests how the codec treats malformed PDUs from peers and from our own callers. */
import { describe, expect, test } from 'vitest';
import { readAll, readOne } from '../../../test/harness/smpp-reading.ts';
import { commandStatus } from './command-status.ts';
import { commands } from './commands.ts';
import { encodePdu, type PduInput } from './pdu.ts';

/** Corrects the length field to the current length. */
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
      body('41 42', 'querySm'),
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
      'goes to a list of neither kind',
      body('00 000000 01 03', 'submitMulti'),
      commandStatus.ESME_RINVDESTFLAG,
      /destFlag is 3/,
    ],
  ];
  for (const [name, octets, status, fault] of faults)
    test(`[DLV-3] A PDU that ${name} gives a fault with the status to answer, and the next PDU is read`, () => {
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

  test('[DLV-3] An unknown command is answered by its sequence number', () => {
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
  test('[DLV-3] An SMPP response without its body is still read', () => {
    for (const command of ['submitSmResp', 'deliverSmResp', 'dataSmResp'] as const)
      expect(readOne(body('', command))).toMatchObject({ command, messageId: '', tlvs: {} });
    expect(readOne(body('', 'bindTransceiverResp'))).toMatchObject({ systemId: '' });
    expect(readOne(body('', 'submitMultiResp'))).toMatchObject({ messageId: '', unsuccessSmes: [] });
  });

  test('[DLV-3] A response whose id is too long, has no end, or has nonsense after it, is still a response', () => {
    const long = '39'.repeat(70);
    for (const [rest, messageId] of [
      ['41 42', 'AB'],
      [`${long} 00`, '9'.repeat(70)],
      [long, '9'.repeat(70)],
      ['41 00 000102', 'A'],
      ['41 00 0427 0009 01', 'A'],
    ] as const) {
      expect(readAll(body(rest, 'submitSmResp'), enquiry)).toMatchObject([
        { command: 'submitSmResp', status: 0, messageId, sequence: 5, tlvs: {} },
        { command: 'enquireLink' },
      ]);
    }
    expect(readOne(body('41'.repeat(40), 'bindTransceiverResp'))).toMatchObject({ status: 0, sequence: 5 });
  });

  test('[DLV-3] A refusal whose body makes no sense is still a refusal', () => {
    for (const rest of ['41', '00 01', '00 0427 0009 01', '41'.repeat(70)]) {
      const refusal = body(rest, 'submitSmResp');
      refusal.writeUInt32BE(commandStatus.ESME_RTHROTTLED, 8);
      expect(readAll(refusal, enquiry)).toMatchObject([
        { command: 'submitSmResp', status: commandStatus.ESME_RTHROTTLED, messageId: '', sequence: 5 },
        { command: 'enquireLink' },
      ]);
    }
  });

  test('[DLV-5] A receipted_message_id is read without its terminating octet, and with too many of them', () => {
    const read = (value: string) => readOne(body(`00 001e ${value}`, 'deliverSmResp'));
    expect(read('0003 616263')).toHaveProperty('tlvs', { receiptedMessageId: 'abc' });
    expect(read('0005 6162630000')).toHaveProperty('tlvs', { receiptedMessageId: 'abc' });
    expect(read('0000')).toHaveProperty('tlvs', { receiptedMessageId: '' });
  });

  test('[DLV-5] Optional parameters that are unknown, repeated or of the wrong length are kept and hide nothing', () => {
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

describe('a fault after the mandatory part', () => {
  const delivered = '00 0101 3436 00 0101 31 00 00 00 00 00 00 00 00 00 00 02 4869';
  const receiptTlvs = '001e 0003 616200  0427 0001 02';
  const read = { receiptedMessageId: 'ab', messageState: 2 };
  const tails: readonly [name: string, rest: string, tlvs: object, damage: RegExp][] = [
    ['a NUL', '00', {}, /NUL follows/],
    ['three octets', '000102', {}, /an incomplete optional/],
    ['a length beyond the PDU', '0427 0002 01', {}, /0x0427, which has 2/],
    ['good parameters, then a NUL', `${receiptTlvs} 00`, read, /an incomplete optional/],
    [
      'good parameters, then a length beyond the PDU',
      `${receiptTlvs} 1401 ffff 31`,
      read,
      /0x1401, .* 65535/,
    ],
    ['a NUL, then good parameters', `00 ${receiptTlvs}`, read, /NUL follows/],
    ['a NUL, then nonsense', '00 001e 0003 61', {}, /0x0000, which has 7680/],
  ];
  const commandsOf: readonly [command: keyof typeof commands, mandatory: string, fields: object][] = [
    ['deliverSm', delivered, { sourceAddr: '46', shortMessage: Buffer.from('Hi') }],
    ['submitSm', delivered, { sourceAddr: '46', shortMessage: Buffer.from('Hi') }],
    ['dataSm', '00 0101 3436 00 0101 31 00 00 00 08', { sourceAddr: '46', dataCoding: 8 }],
    ['submitSmResp', '4142 00', { messageId: 'AB' }],
    ['bindTransceiverResp', '4142 00', { systemId: 'AB' }],
    ['bindReceiver', '4142 00 43 00 00 34 00 00 00', { systemId: 'AB', password: 'C' }],
    ['enquireLink', '', {}],
  ];
  for (const [name, rest, tlvs, damage] of tails)
    test(`[DLV-3] [DLV-5] A fault after the mandatory part of a PDU loses nothing before it: ${name}`, () => {
      for (const [command, mandatory, fields] of commandsOf) {
        const [pdu, next] = readAll(body(mandatory + rest, command), enquiry);
        expect(pdu).toMatchObject({ command, sequence: 5, ...fields, damage: expect.stringMatching(damage) });
        expect(pdu).toHaveProperty('tlvs', tlvs);
        expect(next).toMatchObject({ command: 'enquireLink', sequence: 99 });
        expect(next).not.toHaveProperty('damage');
      }
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
      /sourceAddr holds at most 20 .* has 21/,
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
      /shortMessage holds at most 255 .* has 256/,
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
      /messagePayload holds at most 65535/,
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
      /destAddresses holds at most 255/,
    ],
  ];
  for (const [name, pdu, message] of wrong)
    test(`[DLV-3] Encoding a PDU with ${name} throws a RangeError that says which field it is and what it may be`, () => {
      const encode = () => encodePdu(pdu as PduInput);
      expect(encode).toThrow(RangeError);
      expect(encode).toThrow(message);
      expect(readOne(encodePdu({ command: 'unbind', sequence: 8 }))).toMatchObject({ command: 'unbind' });
    });

  test('[DLV-3] The longest message_payload fits into a PDU', () => {
    const messagePayload = Buffer.alloc(65_535, 1);
    const read = readOne(encodePdu({ command: 'dataSm', sequence: 1, tlvs: { messagePayload } }));
    expect(read).toHaveProperty('tlvs', { messagePayload });
  });
});
