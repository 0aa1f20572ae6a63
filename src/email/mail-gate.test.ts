import { afterEach, describe, expect, test } from 'vitest';
import { MailGate } from './mail-gate.ts';

const limits = { maxMails: 4, maxStrangersMails: 2, minMails: 1, maxOctets: 100, maxWaitMs: 500 };
const known = { isStranger: false };
const stranger = { isStranger: true };

describe('room for mails', () => {
  let gate: MailGate;
  let waitMs = 0;
  const release: (() => void)[] = [];
  const begin = (from: typeof known) =>
    gate.work(from, () => new Promise<string>((resolve) => release.push(() => resolve('done'))));
  afterEach(() => gate.stop());

  test('[DLV-8] [MAIL-2] so many at once, of strangers fewer', async () => {
    gate = new MailGate(limits, () => waitMs);
    const first = [begin(stranger), begin(stranger)];
    expect([gate.isOpenTo(stranger), gate.isOpenTo(known)]).toEqual([false, true]);
    expect(await begin(stranger)).toBeUndefined();
    const others = [begin(known), begin(known)];
    expect(gate.isOpenTo(known)).toBe(false);
    for (const end of release.splice(0)) end();
    expect(await Promise.all([...first, ...others])).toEqual(Array(4).fill('done'));
    expect([gate.isOpenTo(stranger), gate.isOpenTo(known)]).toEqual([true, true]);
  });

  test('[DLV-8] [MAIL-2] fewer when they wait too long, so many octets, and one that fails gives its place back', async () => {
    gate = new MailGate(limits, () => waitMs);
    waitMs = 501;
    const only = begin(known);
    expect(gate.isOpenTo(known)).toBe(false);
    waitMs = 0;
    expect(gate.isOpenTo(known)).toBe(true);
    for (const end of release.splice(0)) end();
    await only;
    await expect(gate.work(known, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect([gate.hold(60), gate.hold(60), gate.hold(40)]).toEqual([true, false, true]);
    expect(gate.isOpenTo(known)).toBe(false);
    gate.release(100);
    expect(gate.isOpenTo(known)).toBe(true);
  });
});
