import { describe, expect, test } from 'vitest';
import { SenderOwners } from './sender-owners.ts';

describe('who owns a sender', () => {
  const owners = new SenderOwners({
    numbers: [
      { number: '46731230001', pool: 0, companyId: 1 },
      { number: '46731230002', pool: 0, companyId: null },
      { number: '46731239001', pool: 1, companyId: null },
      { number: '46731239002', pool: 1, companyId: 1 },
    ],
    listed: [
      { companyId: 1, senders: ['Clinic', 'Region'] },
      { companyId: 2, senders: ['Region', 'Ärlig'] },
    ],
  });
  const may = (companyId: number, sender: string) => owners.judge(companyId, sender).ok;

  test('[SEND-15] Only the renter’s company sends from a number, no one from a pool number, and anyone from an unrented one', () => {
    expect([may(1, '46731230001'), may(2, '46731230001')]).toEqual([true, false]);
    expect([may(1, '46731230002'), may(2, '46731230002')]).toEqual([true, true]);
    for (const number of ['46731239001', '46731239002'])
      expect([may(1, number), may(2, number)]).toEqual([false, false]);
  });

  test('[SEND-15] A sender number is the same with its prefix, without its country code, and as networks rewrite it', () => {
    for (const written of ['0731230001', '0046731230001', '000046731230001'])
      expect([written, may(1, written), may(2, written)]).toEqual([written, true, false]);
    const mexican = { number: '525562000017', pool: 0, companyId: 1 };
    const abroad = new SenderOwners({ numbers: [mexican], listed: [] });
    for (const written of ['525562000017', '5215562000017'])
      expect([written, abroad.judge(2, written).ok]).toEqual([written, false]);
    const short = new SenderOwners({ numbers: [{ number: '46101', pool: 0, companyId: 1 }], listed: [] });
    expect([short.judge(2, '46101').ok, short.judge(2, '0101').ok]).toEqual([false, true]);
  });

  test('[SEND-15] Only companies that list a name send from it, in whatever letter case, and anyone sends from any other name', () => {
    for (const sender of ['Clinic', 'CLINIC', 'clinic'])
      expect([may(1, sender), may(2, sender)]).toEqual([true, false]);
    expect([may(1, 'Region'), may(2, 'REGION'), may(3, 'Region')]).toEqual([true, true, false]);
    expect([may(1, 'ÄRLIG'), may(2, 'ärlig')]).toEqual([false, true]);
    expect(may(3, 'Other')).toBe(true);
  });
});
