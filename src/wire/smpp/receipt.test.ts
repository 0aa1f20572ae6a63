import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectLinearTime } from '../../../test/harness/linear-time.ts';
import { noErrors, pdu, read, whole } from '../../../test/harness/receipt-texts.ts';
import { type DeliveryReceipt, readReceipt, receiptErrors, statusOf } from './receipt.ts';

describe('a receipt is recognised', () => {
  test('[DLV-5] A receipt is recognised by its TLVs, whatever esm_class and text say', () => {
    for (const text of ['', 'Hello']) {
      const tlvs = { receiptedMessageId: 'abc', messageState: 2 };
      expect(read(text, { esmClass: 0, tlvs })).toMatchObject({
        kind: 'receipt',
        ids: ['abc'],
        state: 'DELIVERED',
        errorCode: null,
      });
    }
  });

  test('[DLV-5] A receipt is recognised by its message type, even that of an intermediate notification or an acknowledgement', () => {
    for (const esmClass of [0x04, 0x08, 0x10, 0x20, 0x24, 0x44, 0x84, 0x07]) {
      expect(read(whole, { esmClass }), String(esmClass)).toMatchObject({ kind: 'receipt' });
      expect(read('What is it?', { esmClass }).kind, String(esmClass)).toBe('unreadable');
    }
    expect(read(whole, { esmClass: 0x20 })).toMatchObject({ intermediate: true });
    expect(read(whole)).toMatchObject({ intermediate: false });
  });

  test('[DLV-5] A receipt is recognised by a text as in appendix B without any mark', () => {
    for (const esmClass of [0x00, 0x01, 0x03]) {
      expect(read(whole, { esmClass })).toMatchObject({ kind: 'receipt', ids: ['0123456789'] });
    }
  });

  test('[DLV-5] Nothing that a person writes is taken for a receipt', () => {
    for (const text of [
      '',
      'Hello',
      'YES',
      'my id:12 and stat:us',
      `He sent me ${whole}`,
      'id:1 stat:DELIVRD',
      'id:1 done date:2611210911 stat:GREAT',
      'stat:DELIVRD err:000 done date:2611210911',
    ]) {
      expect(read(text, { esmClass: 0 }), text).toEqual({ kind: 'incomingSms' });
      expect(read(text, { esmClass: 0x40 }).kind, text).toBe('incomingSms');
    }
  });

  test('[DLV-5] A receipt that cannot be read is not taken for an incoming SMS, and its text is kept', () => {
    const texts = [
      'garbage',
      'stat:DELIVRD',
      'id:12 sub:001',
      'id:12 stat:MARVELLOUS',
      'id: stat:DELIVRD',
      '',
    ];
    for (const text of texts) {
      expect(read(text), text).toMatchObject({ kind: 'unreadable', text, recipient: '46701740605' });
    }
    expect(read('id:12 stat:MARVELLOUS')).toMatchObject({ carrierMessageId: '12' });
    expect(read('', { tlvs: { receiptedMessageId: 'abc' } })).toMatchObject({
      kind: 'unreadable',
      carrierMessageId: 'abc',
    });
    expect(read('', { tlvs: { messageState: 2 } })).toMatchObject({ kind: 'unreadable' });
  });
});

describe('what a receipt reports', () => {
  test.each([
    [0, 1],
    [1, 1],
    [2, 2],
    [3, 4],
    [4, 3],
    [5, 6],
    [6, 7],
    [7, 12],
    [8, 5],
    [9, 6],
  ])(
    '[DLV-5] The message_state %i becomes our status %i, even if the word in the receipt’s text differs',
    (messageState, code) => {
      const receipt = read(whole.replace('DELIVRD', 'UNKNOWN'), {
        tlvs: { messageState },
      }) as DeliveryReceipt;
      expect(statusOf(receipt, noErrors)).toBe(code);
    },
  );

  test('[DLV-5] A reserved message_state leaves the status to the receipt’s text', () => {
    for (const messageState of [10, 200, -1, 2.5, Number.NaN]) {
      expect(read(whole, { tlvs: { messageState } })).toMatchObject({ state: 'DELIVERED' });
      expect(read('', { tlvs: { messageState, receiptedMessageId: 'a' } }).kind).toBe('unreadable');
    }
  });

  test('[DLV-5] A receipt gives both ids if TLV and text differ, with that of the TLV first', () => {
    expect(read(whole, { tlvs: { receiptedMessageId: '75BCD15' } })).toMatchObject({
      ids: ['75BCD15', '0123456789'],
    });
    expect(read(whole, { tlvs: { receiptedMessageId: '0123456789' } })).toMatchObject({
      ids: ['0123456789'],
    });
    expect(read(whole, { tlvs: { receiptedMessageId: '' } })).toMatchObject({ ids: ['0123456789'] });
    expect(read(whole, { tlvs: { receiptedMessageId: ' \0' } })).toMatchObject({ ids: ['0123456789'] });
  });

  test('[DLV-5] A receipt’s id that is too long to be one counts as none', () => {
    expect(read(whole.replace('0123456789', 'x'.repeat(129)))).toMatchObject({ kind: 'unreadable' });
    expect(read(whole.replace('0123456789', 'x'.repeat(128)))).toMatchObject({ kind: 'receipt' });
  });

  test('[DLV-5] A receipt gives the error code of the network if its text has none', () => {
    const network = (...octets: number[]) => ({ tlvs: { networkErrorCode: Buffer.from(octets) } });
    expect(read(whole, network(3, 1, 2))).toMatchObject({ errorCode: '258' });
    expect(read(whole.replace('err:000', 'err:27'), network(3, 1, 2))).toMatchObject({ errorCode: '27' });
    expect(read(whole, network(3, 0, 0))).toMatchObject({ errorCode: '000' });
    expect(read(whole.replace(' err:000', ''), network(1))).toMatchObject({ errorCode: null });
  });

  test('[DLV-5] A receipt gives the number that it is about, if there is one', () => {
    for (const [sourceAddr, destinationAddr, recipient] of [
      ['46701740605', '46701740600', '46701740605'],
      ['+46701740605', 'Carillon', '46701740605'],
      ['0046701740605', 'Carillon', '46701740605'],
      ['Carillon', '46701740605', '46701740605'],
      ['72100', '46701740605', '46701740605'],
      ['Carillon', '72100', undefined],
      ['', '', undefined],
    ] as const) {
      const receipt = read(whole, { sourceAddr, destinationAddr }) as DeliveryReceipt;
      expect(receipt.recipient).toBe(recipient);
    }
  });

  test('[DLV-5] The error codes of a receipt for a failed message mean what the carrier’s table says', () => {
    const errors = receiptErrors({ '1': 'UNKNOWNSUBSCRIBER', '027': 'ABSENTSUBSCRIBER', '0x1F': 'ERROR' });
    const statusFor = (state: DeliveryReceipt['state'], errorCode: string | null, intermediate = false) =>
      statusOf({ state, errorCode, intermediate }, errors);
    expect(statusFor('UNDELIVERABLE', '1')).toBe(9);
    expect(statusFor('UNDELIVERABLE', '001')).toBe(9);
    expect(statusFor('EXPIRED', '27')).toBe(8);
    expect(statusFor('UNKNOWN', '0027')).toBe(8);
    expect(statusFor('REJECTED', '0X1f')).toBe(13);
    expect(statusFor('REJECTED', '2')).toBe(5);
    expect(statusFor('REJECTED', 'constructor')).toBe(5);
    expect(statusFor('DELETED', null)).toBe(3);
    for (const [state, code] of [
      ['DELIVERED', 2],
      ['ACCEPTED', 7],
      ['ENROUTE', 1],
    ] as const) {
      expect(statusFor(state, '1')).toBe(code);
    }
  });

  test('[DLV-5] [STAT-6] An intermediate notification of a failed attempt does not end a message', () => {
    const errors = receiptErrors({ '27': 'ABSENTSUBSCRIBER' });
    const statusFor = (state: DeliveryReceipt['state']) =>
      statusOf({ state, errorCode: '27', intermediate: true }, errors);
    expect(statusFor('UNDELIVERABLE')).toBe(1);
    expect(statusFor('EXPIRED')).toBe(1);
    expect(statusFor('DELIVERED')).toBe(2);
  });
});

test('[DLV-5] No input of a peer makes reading a receipt throw, and nothing unfit for the store comes out', () => {
  const octets = fc.uint8Array({ maxLength: 300 });
  const words = fc
    .array(
      fc.constantFrom('id:', 'stat:', 'text:', ' ', 'DELIVRD', ':', '\0', '12', 'err:', '\ud800', ',', 'é'),
    )
    .map((pieces) => Buffer.from(pieces.join(''), 'utf16le').swap16());
  const body = fc.oneof(
    octets,
    words,
    words.map((ucs2) => Buffer.from(ucs2).filter((_, index) => index % 2 === 1)),
  );
  const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
  const any = fc.record({
    esmClass: fc.integer({ min: 0, max: 255 }),
    dataCoding: fc.integer({ min: 0, max: 255 }),
    sourceAddr: fc.string({ unit: 'binary', maxLength: 21 }),
    destinationAddr: fc.string({ unit: 'binary', maxLength: 21 }),
    shortMessage: optional(body),
    tlvs: fc.record({
      receiptedMessageId: optional(fc.string({ unit: 'binary', maxLength: 200 })),
      messageState: optional(fc.integer({ min: -1, max: 300 })),
      messagePayload: optional(body),
      networkErrorCode: optional(fc.uint8Array({ maxLength: 4 })),
    }),
  });
  fc.assert(
    fc.property(any, (given) => {
      const parsed = readReceipt(given);
      // The text of a receipt may span lines.
      for (const text of Object.values(parsed).flatMap((value) => String(value).split('\n'))) {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not come out.
        expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f]|\p{Surrogate}/u);
      }
      if (parsed.kind === 'receipt') expect(statusOf(parsed, noErrors)).toBeGreaterThan(0);
      if (parsed.kind === 'unreadable') expect(parsed.text.length).toBeLessThanOrEqual(1_000);
    }),
    { numRuns: 2_000 },
  );
});

test.each([' ', ',', 'id:', 'id', ' id :', '\0', 'stat : '])(
  '[DLV-5] [DLV-8] A receipt’s payload is read in time that grows with its length only: of %j',
  async (filler) => {
    const read = (size: number) => {
      const messagePayload = Buffer.from(filler.repeat(Math.floor(size / filler.length)));
      readReceipt({ ...pdu(''), tlvs: { messagePayload } });
    };
    // The longest text has some 65,000 octets.
    await expectLinearTime(read, { from: 6_500, times: 10 });
  },
);
