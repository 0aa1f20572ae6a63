import { expect, test } from 'vitest';
import { encodeGsm7 } from '../sms/gsm7.ts';
import { encodeUcs2 } from './alphabet.ts';
import { parseSmppTime } from './smpp-time.ts';
import { readSubmitted } from './submitted-text.ts';

const message = (shortMessage: Uint8Array, dataCoding = 0, esmClass = 0) => ({
  esmClass,
  dataCoding,
  shortMessage: Buffer.from(shortMessage),
  tlvs: {},
});

const textOf = (octets: Uint8Array, coding?: number) => readSubmitted(message(octets, coding))?.text;

test('[ESME-2] A text is read in each alphabet, and in GSM-7 where a client only says ASCII', () => {
  expect(textOf(encodeGsm7('Räksmörgås @ 5 €'))).toBe('Räksmörgås @ 5 €');
  expect(textOf(encodeGsm7('Räksmörgås @ 5 €'), 1)).toBe('Räksmörgås @ 5 €');
  expect(textOf(encodeGsm7('Här är vi'), 1)).toBe('Här är vi');
  expect(textOf(Buffer.from('a[0] = {x} | me@sms.example'), 1)).toBe('a[0] = {x} | me@sms.example');
  expect(textOf(Buffer.from('Ångström', 'latin1'), 3)).toBe('Ångström');
  expect(textOf(encodeUcs2('Привет 👋'), 8)).toBe('Привет 👋');
  expect(textOf(Buffer.from('plain text'), 4)).toBe('plain text');
});

test('[ESME-2] Data that is no text is told from texts', () => {
  for (const coding of [0x02, 0x04, 0xf5, 0x14])
    expect(readSubmitted(message(Buffer.from([1, 2, 250]), coding))).toBeUndefined();
  const card = Buffer.from('BEGIN:VCARD');
  for (const ports of [
    [4, 4, 2, 0x23, 0xf4],
    [6, 5, 4, 0x23, 0xf4, 0, 0],
    [11, 0, 3, 1, 2, 1, 5, 4, 0x23, 0xf4, 0, 0],
  ])
    expect(readSubmitted(message(Buffer.from([...ports, ...card]), 0, 0x40))).toBeUndefined();
  expect(readSubmitted({ ...message(card), tlvs: { destinationPort: 9204 } })).toBeUndefined();
});

test('[ESME-2] Class 0 is a flash SMS, by data_coding or by dest_addr_subunit', () => {
  const isFlash = (coding: number) => readSubmitted(message(Buffer.from('Now'), coding))?.isFlash;
  expect([0x10, 0xf0].map(isFlash)).toEqual([true, true]);
  expect([0x00, 0x01, 0x11, 0xf1].map(isFlash)).toEqual([false, false, false, false]);
  expect(readSubmitted(message(encodeUcs2('Now'), 0x18))).toEqual({ text: 'Now', isFlash: true });
  const shown = { ...message(Buffer.from('Now')), tlvs: { destAddrSubunit: 1 } };
  expect(readSubmitted(shown)?.isFlash).toBe(true);
});

test('[ESME-2] A long text is in message_payload, and a part names its place in a header or in sar_*', () => {
  const payload = { esmClass: 0, dataCoding: 0, shortMessage: Buffer.alloc(0) };
  const long = 'x'.repeat(400);
  expect(readSubmitted({ ...payload, tlvs: { messagePayload: Buffer.from(long) } })?.text).toBe(long);
  const concatenation = { reference: 7, part: 2, parts: 3 };
  const headed = message(Buffer.from([5, 0, 3, 7, 3, 2, ...Buffer.from('two')]), 0, 0x40);
  expect(readSubmitted(headed)).toEqual({ text: 'two', isFlash: false, concatenation });
  const tlvs = { sarMsgRefNum: 7, sarTotalSegments: 3, sarSegmentSeqnum: 2 };
  expect(readSubmitted({ ...message(Buffer.from('two')), tlvs })?.concatenation).toEqual(concatenation);
});

test('[ESME-2] Times are absolute with an offset, or relative', () => {
  const now = Date.UTC(2026, 10, 30, 12);
  expect(parseSmppTime('261130140000004+', now)).toBe(Date.UTC(2026, 10, 30, 13));
  expect(parseSmppTime('261130110000004-', now)).toBe(now);
  expect(parseSmppTime('000001020304000R', now)).toBe(now + ((24 + 2) * 3600 + 3 * 60 + 4) * 1000);
  for (const wrong of ['', '261330140000000+', '2611301400', '26113014000000 +', '261130250000000+'])
    expect(parseSmppTime(wrong, now)).toBeUndefined();
});
