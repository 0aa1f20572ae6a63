import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { noErrors, pdu, read, whole } from '../../../test/harness/receipt-texts.ts';
import { encodeGsm7 } from '../sms/gsm7.ts';
import { encodeUcs2 } from './alphabet.ts';
import { type DeliveryReceipt, readReceipt, statusOf } from './receipt.ts';

describe('the text of a receipt', () => {
  test.each([
    ['dates of 10 digits', whole],
    ['dates of 12 digits', whole.replaceAll(/\b(26112109\d\d)\b/g, '$145')],
    ['dates of 14 digits', whole.replaceAll(/\b(26112109\d\d)\b/g, '20$145')],
    ['no sub', whole.replace(' sub:001', '')],
    ['no dlvrd', whole.replace(' dlvrd:001', '')],
    ['no text', whole.replace(' Text:Hello', '')],
    ['an empty text', whole.replace('Text:Hello', 'text:')],
    ['no dates', whole.replace(/submit.*stat/, 'stat')],
    ['capitals', whole.toUpperCase()],
    ['lower case', whole.toLowerCase()],
    ['more white space', whole.replaceAll(' ', '  ').replaceAll(':', ' : ')],
    ['lines', whole.replaceAll(/ (?=\w+( date)?:)/g, '\r\n')],
    ['commas', whole.replaceAll(/ (?=\w+( date)?:)/g, ', ')],
    ['dates without a gap', whole.replace('submit date', 'submitdate').replace('done date', 'done_date')],
    ['something before', `Delivery report: ${whole}`],
    ['a NUL behind', `${whole}\0`],
    ['a message that looks like a receipt', `${whole} id:99 stat:EXPIRED err:9`],
    ['a message of many lines', `${whole}\n\nstat:EXPIRED`],
    ['a state without its name', whole.replace('stat:', '')],
    ['a state whose name has no colon', whole.replace('stat:', 'stat ')],
    ['a state without its name, in lower case', whole.replace('stat:DELIVRD', 'delivrd')],
    [
      'a state without its name behind the id',
      whole.replace(' stat:DELIVRD', '').replace(' sub', ' DELIVRD sub'),
    ],
    [
      'a state without its name behind the code',
      whole.replace(' stat:DELIVRD', '').replace('err:000', 'err:000 DELIVRD'),
    ],
    [
      'a state without its name, and a message of such words',
      `${whole.replace('stat:', '')} EXPIRED UNDELIV`,
    ],
  ])('[DLV-5] A receipt with %s is read', (_, text) => {
    expect(read(text)).toMatchObject({
      kind: 'receipt',
      ids: ['0123456789'],
      state: 'DELIVERED',
      errorCode: '000',
    });
  });

  test('[DLV-5] The state in a receipt’s text must be a separate word before the message, or the receipt has no state', () => {
    const text = 'id:7 sub:001 dlvrd:001 submit date:2611252210 done date:2611252211 DELIVRD err:000 text:x';
    expect(read(text)).toMatchObject({ kind: 'receipt', ids: ['7'], state: 'DELIVERED', errorCode: '000' });
    for (const none of ['', 'NOTDELIVRD', 'DELIVRDX', 'stat:OTHER', 'stat:OTHER DELIVRD'])
      expect(read(`id:7 sub:001 ${none} err:000 text:DELIVRD`, { esmClass: 0x04 })).toMatchObject({
        kind: 'unreadable',
        carrierMessageId: '7',
      });
    expect(read(text, { esmClass: 0 })).toMatchObject({ kind: 'receipt', ids: ['7'], state: 'DELIVERED' });
    for (const person of ['id:7 is what I was given, DELIVRD', 'ID: 7 err: it says it was delivered'])
      expect(read(person, { esmClass: 0 })).toEqual({ kind: 'incomingSms' });
  });

  test('[DLV-5] A receipt’s text without err gives no error code', () => {
    expect(read(whole.replace(' err:000', ''))).toMatchObject({ kind: 'receipt', errorCode: null });
    expect(read(whole.replace('err:000', 'err:'))).toMatchObject({ kind: 'receipt', errorCode: null });
  });

  test('[DLV-5] A receipt’s text is read from message_payload, of deliver_sm or of data_sm', () => {
    const tlvs = { messagePayload: Buffer.from(whole) };
    expect(read('', { tlvs })).toMatchObject({ ids: ['0123456789'] });
    expect(read('see below', { tlvs })).toMatchObject({ ids: ['0123456789'] });
    expect(readReceipt({ ...pdu(''), shortMessage: undefined, tlvs })).toMatchObject({ ids: ['0123456789'] });
  });

  test('[DLV-5] A receipt’s text is read in UCS-2, GSM-7 and Latin-1, whether or not data_coding says so', () => {
    const text = whole.replace('0123456789', 'a_b@c$d').replace('Hello', 'é');
    const swapped = Buffer.from(text, 'utf16le');
    for (const dataCoding of [0, 1, 3, 8, 0x18, 0xf1]) {
      for (const octets of [encodeUcs2(text), swapped, encodeGsm7(text), Buffer.from(text, 'latin1')]) {
        expect(read(octets, { dataCoding })).toMatchObject({ ids: ['a_b@c$d'], state: 'DELIVERED' });
      }
    }
  });

  test('[DLV-5] A receipt’s text is read from packed septets, and after a user data header', () => {
    const septets = encodeGsm7(whole);
    const octets = new Uint8Array(Math.ceil((septets.length * 7) / 8));
    septets.forEach((septet, index) => {
      for (let bit = 0; bit < 7; bit++) {
        const at = index * 7 + bit;
        octets[at >> 3] = (octets[at >> 3] as number) | (((septet >> bit) & 1) << (at & 7));
      }
    });
    expect(read(octets)).toMatchObject({ ids: ['0123456789'], state: 'DELIVERED' });
    const header = Buffer.from([5, 0, 3, 1, 1, 1]);
    expect(read(Buffer.concat([header, Buffer.from(whole)]), { esmClass: 0x44 })).toMatchObject({
      ids: ['0123456789'],
    });
  });

  test('[DLV-5] A receipt’s text is read whatever its id consists of', () => {
    const character = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
    const id = fc.string({ unit: character, minLength: 1, maxLength: 64 });
    fc.assert(
      fc.property(id, (written) => {
        // The only thing here that looks like a field is the name of one of the receipt's own fields after a comma.
        fc.pre(!/[,;]$|[,;](id|sub|dlvrd|stat|err|text):/i.test(written));
        expect(read(whole.replace('0123456789', () => written))).toMatchObject({ ids: [written] });
      }),
    );
  });

  test.each([
    ['ENROUTE', 1],
    ['ACKED', 1],
    ['BUFFRED', 1],
    ['DELIVRD', 2],
    ['DELIVERED', 2],
    ['DELETED', 3],
    ['EXPIRED', 4],
    ['REJECTD', 5],
    ['UNDELIV', 6],
    ['FAILED', 6],
    ['ACCEPTD', 7],
    ['UNKNOWN', 12],
  ])('[DLV-5] [STAT-6] The receipt state %s, in any letter case, becomes our status %i', (word, code) => {
    for (const written of [word, word.toLowerCase(), `${word[0]}${word.slice(1).toLowerCase()}`]) {
      const receipt = read(whole.replace('DELIVRD', written)) as DeliveryReceipt;
      expect(receipt.kind).toBe('receipt');
      expect(statusOf(receipt, noErrors)).toBe(code);
    }
  });
});
