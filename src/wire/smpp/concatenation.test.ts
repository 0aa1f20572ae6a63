/**
 * Tests headers and parameters of long messages, ours and those of phones, and characters that are split at the edge of a
 * part.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeGsm7, encodeGsm7, isGsm7 } from '../sms/gsm7.ts';
import { decodeText, encodeUcs2 } from './alphabet.ts';
import { buildSar, buildUdh, joinParts, parseSar, parseUdh } from './concatenation.ts';

function parsed(hex: string) {
  const { concatenation, body } = parseUdh(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
  return { concatenation, body: Buffer.from(body).toString('hex') };
}

const places = fc
  .tuple(fc.integer({ min: 1, max: 255 }), fc.integer({ min: 1, max: 255 }))
  .map(([a, b]) => ({ part: Math.min(a, b), parts: Math.max(a, b) }));

describe('the user data header', () => {
  test('[DLV-4] Our user data header has an 8-bit reference and six octets', () => {
    const header = buildUdh({ reference: 0xab, part: 2, parts: 3 });
    expect(Buffer.from(header).toString('hex')).toBe('050003ab0302');
  });

  test('[DLV-4] A user data header that we write is read again, with the text after it', () => {
    fc.assert(
      fc.property(places, fc.nat({ max: 0xffff }), fc.uint8Array(), (place, reference, text) => {
        const octets = Buffer.concat([buildUdh({ reference, ...place }), text]);
        const { concatenation, body } = parseUdh(octets);
        expect(concatenation).toEqual({ reference, ...place });
        expect([...body]).toEqual([...text]);
      }),
    );
  });

  test('[INC-4] A user data header with a reference of 16 bits is read', () => {
    expect(parsed('06 08 04 1234 05 02 4142')).toEqual({
      concatenation: { reference: 0x1234, part: 2, parts: 5 },
      body: '4142',
    });
  });

  test('[INC-4] Other elements of a user data header are passed over, and of two concatenations the last counts', () => {
    const ports = '05 04 0b84 23f0';
    expect(parsed(`0b ${ports} 00 03 07 02 01 41`).concatenation).toEqual({
      reference: 7,
      part: 1,
      parts: 2,
    });
    expect(parsed(`0b 00 03 07 02 01 ${ports} 41`)).toEqual({
      concatenation: { reference: 7, part: 1, parts: 2 },
      body: '41',
    });
    expect(parsed('0a 00 03 07 02 01 00 03 08 03 02 41').concatenation).toMatchObject({
      reference: 8,
      part: 2,
    });
    expect(parsed(`06 ${ports} 41`)).toEqual({ concatenation: undefined, body: '41' });
  });

  test('[INC-4] A user data header with an impossible part means no concatenation', () => {
    for (const [parts, part] of [
      ['00', '00'],
      ['02', '00'],
      ['02', '03'],
      ['00', '01'],
    ])
      expect(parsed(`05 00 03 07 ${parts} ${part} 41`)).toEqual({ concatenation: undefined, body: '41' });
  });

  test('[INC-4] An incomplete user data header means no concatenation', () => {
    expect(parsed('05 00 03 07')).toEqual({ concatenation: undefined, body: '05000307' });
    expect(parsed('')).toEqual({ concatenation: undefined, body: '' });
    expect(parsed('00 41')).toEqual({ concatenation: undefined, body: '41' });
    expect(parsed('05 00 04 07 02 01 41').concatenation).toBeUndefined();
    expect(parsed('04 00 02 07 02 41')).toEqual({ concatenation: undefined, body: '41' });
  });

  test('[INC-4] Octets that the elements of a user data header do not fill exactly are not a header but text', () => {
    for (const hex of ['0300ff0741', '010041', '06000307020141', '07050400010203040541'])
      expect(parsed(hex)).toEqual({ concatenation: undefined, body: hex });
    for (const text of [
      'Here the quay is iced over. Two of us can be there at nine.',
      '#1 is a\x02\x03\x04 b'.repeat(4),
    ]) {
      const hex = Buffer.from(text, 'latin1').toString('hex');
      expect(parsed(hex)).toEqual({ concatenation: undefined, body: hex });
    }
  });

  test('[INC-4] UCS-2 without a user data header is not taken for a header, and a header before UCS-2 is found', () => {
    const body = (octets: Uint8Array) => Buffer.from(parseUdh(octets, 2).body).toString('hex');
    for (const text of ['Hej', 'П a', 'Привет', 'שלום', '你好', 'İzmir', '‘Yes’']) {
      const octets = encodeUcs2(text);
      expect(body(octets)).toBe(Buffer.from(octets).toString('hex'));
      for (const header of ['050003070201', '06080400070201', '0605040b8423f0'])
        expect(body(Buffer.concat([Buffer.from(header, 'hex'), octets]))).toBe(
          Buffer.from(octets).toString('hex'),
        );
    }
  });

  test('[INC-4] Any octets can be read as a user data header and a text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (octets) => {
        const { concatenation, body } = parseUdh(octets);
        expect(body.length).toBeLessThanOrEqual(octets.length);
        if (concatenation !== undefined) expect(concatenation.part).toBeLessThanOrEqual(concatenation.parts);
      }),
      { numRuns: 2_000 },
    );
  });

  test('[DLV-4] Building concatenation with an impossible part or reference throws a RangeError', () => {
    expect(() => buildUdh({ reference: 65_536, part: 1, parts: 2 })).toThrow('0 to 65535, not 65536');
    expect(() => buildUdh({ reference: 1, part: 3, parts: 2 })).toThrow('no part 3 of 2');
    expect(() => buildUdh({ reference: 1, part: 0, parts: 2 })).toThrow(RangeError);
    expect(() => buildSar({ reference: 1, part: 1, parts: 256 })).toThrow(RangeError);
    expect(() => buildSar({ reference: 65_536, part: 1, parts: 2 })).toThrow('0 to 65535');
  });
});

describe('sar_* parameters', () => {
  test('[DLV-4] The sar_* parameters that we write are read again', () => {
    fc.assert(
      fc.property(places, fc.nat({ max: 65_535 }), (place, reference) => {
        expect(parseSar(buildSar({ reference, ...place }))).toEqual({ reference, ...place });
      }),
    );
  });

  test('[INC-4] A sar_* parameter that is missing or impossible means no concatenation', () => {
    const all = { sarMsgRefNum: 1, sarTotalSegments: 2, sarSegmentSeqnum: 2 };
    const { sarMsgRefNum, sarTotalSegments, sarSegmentSeqnum } = all;
    expect(parseSar(all)).toEqual({ reference: 1, part: 2, parts: 2 });
    expect(parseSar({ sarTotalSegments, sarSegmentSeqnum })).toBeUndefined();
    expect(parseSar({ sarMsgRefNum, sarSegmentSeqnum })).toBeUndefined();
    expect(parseSar({ sarMsgRefNum, sarTotalSegments })).toBeUndefined();
    expect(parseSar({ ...all, sarSegmentSeqnum: 3 })).toBeUndefined();
    expect(parseSar({ ...all, sarSegmentSeqnum: 0 })).toBeUndefined();
  });
});

/** Cuts the octets into pieces of these lengths, as phones may do. */
function pieces(octets: Uint8Array, lengths: readonly number[]): Uint8Array[] {
  const cut: Uint8Array[] = [];
  for (let at = 0, n = 0; at < octets.length; n++) {
    const length = lengths[n % lengths.length]!;
    cut.push(octets.subarray(at, at + length));
    at += length;
  }
  return cut;
}

const lengths = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 5 });

describe('characters at the edge of a part', () => {
  test('[INC-4] An escape that ends a part joins the code that begins the next part', () => {
    const first = decodeText(Buffer.from('411b', 'hex'), 0, 'gsm7', true);
    const second = decodeText(Buffer.from('6542', 'hex'), 0, 'gsm7', true);
    expect(joinParts([first, second])).toBe('A€B');
    expect(joinParts([first])).toBe('A ');
    expect(joinParts([first, 'Zx'])).toBe('AZx');
    expect(joinParts([first, '€'])).toBe('A€');
  });

  test('[INC-4] Two escapes at the end of a part are a space, and wait for nothing', () => {
    expect(decodeText(Buffer.from('1b1b', 'hex'), 0, 'gsm7', true)).toBe(' ');
  });

  test('[INC-4] The halves of a surrogate pair in two parts are joined, and a lone half becomes U+FFFD', () => {
    const first = decodeText(Buffer.from('0041d83d', 'hex'), 8, 'gsm7', true);
    const second = decodeText(Buffer.from('de000042', 'hex'), 8, 'gsm7', true);
    expect(joinParts([first, second])).toBe('A😀B');
    expect(joinParts([second])).toBe('\uFFFDB');
  });

  test('[INC-4] A GSM-7 text that is cut anywhere into parts is joined to the same text', () => {
    const texts = fc
      .string({ unit: fc.constantFrom(...'aZ@_€[]{}^~|\\\f\nÄΛ¡e'), maxLength: 60 })
      .filter(isGsm7);
    fc.assert(
      fc.property(texts, lengths, (text, cuts) => {
        const septets = encodeGsm7(text);
        const decoded = pieces(septets, cuts).map((piece) => decodeText(piece, 0, 'gsm7', true));
        expect(joinParts(decoded)).toBe(decodeGsm7(septets));
      }),
    );
  });

  test('[INC-4] A UCS-2 text that is cut between any units into parts is joined to the same text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), lengths, (text, cuts) => {
        const inOctets = cuts.map((units) => 2 * units);
        const decoded = pieces(encodeUcs2(text), inOctets).map((piece) => decodeText(piece, 8, 'gsm7', true));
        expect(joinParts(decoded)).toBe(text.replaceAll('\0', ''));
      }),
    );
  });
});
