/** Tests our parts on the wire in each of the three forms, and incoming messages as a reader should see them. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { segment } from '../sms/segments.ts';
import { joinParts } from './concatenation.ts';
import { encodePdu, PduReader } from './pdu.ts';
import {
  type ConcatenationForm,
  encodePart,
  type PartContent,
  type ReceivedMessage,
  readContent,
  type ShortMessage,
} from './short-message.ts';

const forms: readonly ConcatenationForm[] = ['udh', 'sar', 'payload'];

function parts(text: string, flash = false): PartContent[] {
  const { encoding, parts: texts } = segment(text);
  return texts.map((one, index) => ({ text: one, encoding, flash, part: index + 1, parts: texts.length }));
}

function encoded(text: string, concatenation: ConcatenationForm, reference = 7): ShortMessage[] {
  return parts(text).map((part) => encodePart(part, { alphabet: 'gsm7', concatenation }, reference));
}

function received(fields: Partial<ReceivedMessage>, hex = '') {
  const shortMessage = Buffer.from(hex.replaceAll(' ', ''), 'hex');
  return readContent({ esmClass: 0, dataCoding: 0, shortMessage, tlvs: {}, ...fields }, 'gsm7');
}

const long = 'Møtet er flyttet til torsdag. '.repeat(8);

describe('what goes out', () => {
  test('[DLV-4] A single SMS has no header in any form of concatenation', () => {
    for (const form of forms)
      expect(encoded('Hi @ 5', form)).toEqual([
        { esmClass: 0, dataCoding: 0, shortMessage: Buffer.from('486920002035', 'hex'), tlvs: {} },
      ]);
  });

  test('[DLV-4] With udh, each part has a header and bit 6 of esm_class', () => {
    const [first, second] = encoded(long, 'udh', 0xfe);
    expect(first).toMatchObject({ esmClass: 0x40, dataCoding: 0, tlvs: {} });
    expect(first!.shortMessage.subarray(0, 6).toString('hex')).toBe('050003fe0201');
    expect(first!.shortMessage).toHaveLength(6 + 153);
    expect(second!.shortMessage.subarray(0, 6).toString('hex')).toBe('050003fe0202');
  });

  test('[DLV-4] With sar, each part has sar_* parameters with a reference of 16 bits', () => {
    const [first, second] = encoded(long, 'sar', 0xfedc);
    expect(first).toMatchObject({
      esmClass: 0,
      tlvs: { sarMsgRefNum: 0xfedc, sarTotalSegments: 2, sarSegmentSeqnum: 1 },
    });
    expect(first!.shortMessage).toHaveLength(153);
    expect(second!.tlvs).toMatchObject({ sarSegmentSeqnum: 2 });
  });

  test.each([
    ['gsm7', long],
    ['ucs2', 'Собрание перенесено на четверг. '.repeat(8)],
    // This text takes two SMS, although it has fewer octets than one SMS in GSM-7.
    ['ucs2', 'я'.repeat(71)],
  ] as const)(
    '[DLV-4] With payload, a long text of %s goes in one piece, with sm_length 0 and no header',
    (encoding, text) => {
      const whole = { text, encoding, flash: false, part: 1, parts: 1 };
      const message = encodePart(whole, { alphabet: 'gsm7', concatenation: 'payload' }, 0);
      expect(message).toMatchObject({ esmClass: 0, shortMessage: Buffer.alloc(0) });
      expect(message.tlvs.messagePayload).toHaveLength(encoding === 'gsm7' ? text.length : 2 * text.length);
      expect(readContent(message, 'gsm7')).toEqual({ text });
    },
  );

  test('[DLV-4] With payload, a text of one SMS goes in short_message', () => {
    const whole = { text: 'я'.repeat(70), encoding: 'ucs2', flash: false, part: 1, parts: 1 } as const;
    const message = encodePart(whole, { alphabet: 'gsm7', concatenation: 'payload' }, 0);
    expect(message).toMatchObject({ esmClass: 0, tlvs: {} });
    expect(message.shortMessage).toHaveLength(140);
  });

  test('[DLV-4] With payload, a message that has to go in parts, because some parts are already taken, has the headers of udh', () => {
    expect(encoded(long, 'payload')).toEqual(encoded(long, 'udh'));
  });

  test('[DLV-4] A reference that the form of concatenation has no room for throws a RangeError', () => {
    expect(() => encoded(long, 'udh', 65_536)).toThrow(RangeError);
    expect(() => encoded(long, 'payload', 65_536)).toThrow(RangeError);
    expect(() => encoded(long, 'sar', 65_536)).toThrow(RangeError);
  });

  test('[DLV-4] A flash message keeps its class in each part', () => {
    const flash = parts(long, true).map((part) =>
      encodePart(part, { alphabet: 'latin1', concatenation: 'udh' }, 1),
    );
    expect(flash.map(({ dataCoding }) => dataCoding)).toEqual([0xf0, 0xf0]);
  });

  test('[DLV-4] Any text in any form, sent part by part over the wire, is read as it was', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.string({ unit: fc.constantFrom(...'aZ09 @_$€[]|\\{}~^ÖÄñ'), maxLength: 700 }),
    );
    fc.assert(
      fc.property(
        texts,
        fc.constantFrom(...forms),
        fc.nat({ max: 255 }),
        fc.boolean(),
        fc.constantFrom('gsm7' as const, 'gsm7-packed' as const),
        (text, form, reference, flash, alphabet) => {
          const reader = new PduReader();
          const sent = parts(text, flash);
          for (const part of sent) {
            const message = encodePart(part, { alphabet, concatenation: form }, reference);
            const isUnpacked = alphabet === 'gsm7' || flash;
            const maxOctets = part.encoding === 'gsm7' && isUnpacked ? 160 : 140;
            expect(message.shortMessage.length).toBeLessThanOrEqual(maxOctets);
            reader.push(encodePdu({ command: 'deliverSm', sequence: part.part, ...message }));
          }
          const read = sent.map(() => {
            const pdu = reader.next();
            if (pdu === undefined || 'fault' in pdu || pdu.command !== 'deliverSm')
              throw new Error('There is no such deliver_sm.');
            return readContent(pdu, alphabet);
          });
          const expected =
            sent.length === 1
              ? [undefined]
              : sent.map(({ part }) => ({ reference, part, parts: sent.length }));
          expect(read.map(({ concatenation }) => concatenation)).toEqual(expected);
          expect(joinParts(read.map((one) => one.text))).toBe(text.replaceAll('\0', ''));
        },
      ),
    );
  });
});

describe('what comes in', () => {
  test('[INC-4] A user data header is read only if esm_class says that there is one', () => {
    expect(received({ esmClass: 0x40 }, '05 00 03 09 02 01 4142')).toEqual({
      text: 'AB',
      concatenation: { reference: 9, part: 1, parts: 2 },
    });
    expect(received({ esmClass: 0x43 }, '06 08 04 0109 02 02 4142')).toMatchObject({
      concatenation: { reference: 0x109, part: 2, parts: 2 },
    });
    expect(received({}, '05 4142')).toEqual({ text: 'éAB' });
  });

  test('[INC-4] An incoming part that is the only one is a whole message', () => {
    expect(received({ esmClass: 0x40 }, '05 00 03 09 01 01 4142')).toEqual({ text: 'AB' });
    const tlvs = { sarMsgRefNum: 1, sarTotalSegments: 1, sarSegmentSeqnum: 1 };
    expect(received({ tlvs }, '41')).toEqual({ text: 'A' });
  });

  test('[INC-4] Incoming sar_* parameters give the place of a part, unless there is a user data header', () => {
    const tlvs = { sarMsgRefNum: 500, sarTotalSegments: 3, sarSegmentSeqnum: 2 };
    expect(received({ tlvs }, '41').concatenation).toEqual({ reference: 500, part: 2, parts: 3 });
    expect(received({ esmClass: 0x40, tlvs }, '05 00 03 09 02 01 41').concatenation?.reference).toBe(9);
  });

  test('[INC-4] An incoming message_payload is read with a header or without', () => {
    expect(received({ tlvs: { messagePayload: Buffer.from('4100', 'hex') } })).toEqual({ text: 'A@' });
    const messagePayload = Buffer.from('05000309020141', 'hex');
    expect(received({ esmClass: 0x40, tlvs: { messagePayload } })).toEqual({
      text: 'A',
      concatenation: { reference: 9, part: 1, parts: 2 },
    });
  });

  test('[INC-4] An incoming SMS with the bit of a header but no header is all text', () => {
    const text = 'Here the quay is iced over. Two of us can be there at nine, and three at ten.';
    const shortMessage = Buffer.from(text);
    expect(received({ esmClass: 0x40, shortMessage })).toEqual({ text });
    expect(received({ esmClass: 0x40, dataCoding: 8 }, '004a0061')).toEqual({ text: 'Ja' });
  });

  test('[INC-4] An incoming SMS is read by the national language tables that its header names', () => {
    const hex = (text: string) => Buffer.from(text).toString('hex');
    const turkish = `${hex('Yar')} 1b69 ${hex('n geli')} 1b73 ${hex('im var m')} 1b69`;
    expect(received({ esmClass: 0x40 }, `03 24 01 01 ${turkish}`)).toEqual({ text: 'Yarın gelişim var mı' });
    expect(received({ esmClass: 0x40 }, '03 25 01 01 1d 696d6469 20 40 7a6d6972 20 07 0c 60')).toEqual({
      text: 'şimdi İzmir ığç',
    });
    expect(received({ esmClass: 0x40 }, '06 240101 250101 1d 1b69 1b65')).toEqual({ text: 'şı€' });
    expect(received({ esmClass: 0x40 }, '03 240163 1b65 1b69 41')).toEqual({ text: '€iA' });
    expect(received({ esmClass: 0x40, dataCoding: 8 }, '03 240101 004a')).toEqual({ text: 'J' });
    const long = { esmClass: 0x40 };
    const first = received(long, '08 000307 0201 240101 41 1b');
    const second = received(long, '08 240101 000307 0202 69 1b73');
    expect(first.concatenation).toEqual({ reference: 7, part: 1, parts: 2 });
    expect(joinParts([first.text, second.text])).toBe('Aış');
  });

  test('[INC-4] Parts in little-endian UCS-2 are read, even if only the first has the byte order mark', () => {
    const octets = Buffer.from('\uFEFFJa, vi kommer 😀', 'utf16le');
    const parts = [octets.subarray(0, 12), octets.subarray(12, 34), octets.subarray(34)];
    const texts = parts.map(
      (part, index) =>
        received({ esmClass: 0x40, dataCoding: 8 }, `050003 07 03 0${index + 1} ${part.toString('hex')}`)
          .text,
    );
    expect(joinParts(texts)).toBe('Ja, vi kommer 😀');
  });

  test('[INC-4] A data_sm is read without a short_message', () => {
    const message = { esmClass: 0, dataCoding: 8, tlvs: { messagePayload: Buffer.from('20ac', 'hex') } };
    expect(readContent(message, 'gsm7')).toEqual({ text: '€' });
    expect(readContent({ ...message, tlvs: {} }, 'gsm7')).toEqual({ text: '' });
  });
});
