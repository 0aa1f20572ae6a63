import { afterEach, describe, expect, test } from 'vitest';
import { MailGate, type MailOrigin } from './gate.ts';

const limits = {
  all: { maxMails: 6, maxOctets: 120 },
  strangers: { maxMails: 3, maxOctets: 60 },
  network: { maxMails: 2, maxOctets: 40 },
  minMails: 1,
  maxWaitMs: 500,
};
const known: MailOrigin = { isStranger: false, network: '10.0.0.1' };
const one: MailOrigin = { isStranger: true, network: '192.0.2.1' };
const other: MailOrigin = { isStranger: true, network: '192.0.2.2' };
const near: MailOrigin = { isStranger: true, network: undefined };

describe('room for mails', () => {
  let gate: MailGate;
  let waitMs = 0;
  const release: (() => void)[] = [];
  const begin = (from: MailOrigin) =>
    gate.work(from, () => new Promise<string>((resolve) => release.push(() => resolve('done'))));
  const open = (...origins: readonly MailOrigin[]) => origins.map((from) => gate.isOpenTo(from));
  afterEach(() => gate.stop());

  test('[DLV-8] [MAIL-2] so many at once, of strangers fewer, and of a network of theirs fewer still', async () => {
    gate = new MailGate(limits, () => waitMs);
    const first = [begin(one), begin(one)];
    expect(open(one, other, near, known)).toEqual([false, true, true, true]);
    expect(await begin(one)).toBeUndefined();
    first.push(begin(other));
    expect(open(other, near, known)).toEqual([false, false, true]);
    expect(await begin(near)).toBeUndefined();
    first.push(begin(known), begin(known), begin(known));
    expect(open(known)).toEqual([false]);
    for (const end of release.splice(0)) end();
    expect(await Promise.all(first)).toEqual(Array(6).fill('done'));
    expect(open(one, other, near, known)).toEqual([true, true, true, true]);
  });

  test('[DLV-8] [MAIL-2] so many octets, of strangers fewer, so that others always have room', () => {
    gate = new MailGate(limits, () => waitMs);
    expect([gate.hold(40, one), gate.hold(1, one), gate.hold(30, other), gate.hold(20, other)]).toEqual([
      true,
      false,
      false,
      true,
    ]);
    expect(open(one, other, near, known)).toEqual([false, false, false, true]);
    expect([gate.hold(60, known), gate.hold(1, known)]).toEqual([true, false]);
    expect(open(known)).toEqual([false]);
    gate.release(40, one);
    expect(open(one, other, near, known)).toEqual([true, true, true, true]);
  });

  test('[MAIL-2] a mail whose octets fill a share is worked on', async () => {
    gate = new MailGate(limits, () => waitMs);
    expect(gate.hold(40, one)).toBe(true);
    expect(await gate.work(one, async () => 'done')).toBe('done');
  });

  test('[DLV-8] [MAIL-2] fewer when they wait too long, and one that fails gives its place back', async () => {
    gate = new MailGate(limits, () => waitMs);
    waitMs = 501;
    const only = begin(known);
    expect(open(known)).toEqual([false]);
    waitMs = 0;
    expect(open(known)).toEqual([true]);
    for (const end of release.splice(0)) end();
    await only;
    await expect(gate.work(one, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    await expect(gate.work(one, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(open(one)).toEqual([true]);
  });
});
