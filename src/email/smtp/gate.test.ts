import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { memoryInUse } from '../../../test/harness/memory-in-use.ts';
import { assertRuns } from '../../../test/harness/runs.ts';
import { MailGate, type MailOrigin, MailPieces } from './gate.ts';

const limits = {
  all: { maxMails: 6, maxOctets: 120 },
  strangers: { maxMails: 3, maxOctets: 60 },
  network: { maxMails: 2, maxOctets: 40 },
  minMails: 1,
  maxWaitMs: 500,
};
const known: MailOrigin = { isUnauthenticated: false, network: '10.0.0.1' };
const one: MailOrigin = { isUnauthenticated: true, network: '192.0.2.1' };
const other: MailOrigin = { isUnauthenticated: true, network: '192.0.2.2' };
const near: MailOrigin = { isUnauthenticated: true, network: undefined };

describe('room for e-mails', () => {
  let gate: MailGate;
  let waitMs = 0;
  const release: (() => void)[] = [];
  const begin = (from: MailOrigin) =>
    gate.work(from, () => new Promise<string>((resolve) => release.push(() => resolve('done'))));
  const open = (...origins: readonly MailOrigin[]) => origins.map((from) => gate.isOpenTo(from));
  afterEach(() => gate.stop());

  test('[DLV-8] [MAIL-2] The mail gate admits a limited number of e-mails, fewer of unauthenticated clients, and fewer still of one network', async () => {
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

  test('[DLV-8] [MAIL-2] The mail gate holds a limited number of octets, fewer of unauthenticated clients, so that others have room', () => {
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

  test('[MAIL-2] An e-mail whose octets fill its share is still processed', async () => {
    gate = new MailGate(limits, () => waitMs);
    expect(gate.hold(40, one)).toBe(true);
    expect(await gate.work(one, async () => 'done')).toBe('done');
  });

  test('[DLV-8] [MAIL-2] The mail gate admits fewer e-mails when they wait too long, and an e-mail that fails frees its place', async () => {
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

let held = 0;
const gate = {
  hold: (octets: number) => {
    held += octets;
    return held <= 2_000_000;
  },
  release: (octets: number) => {
    held -= octets;
  },
};
const from = { isUnauthenticated: true, network: '192.0.2.1' };

test('[MAIL-2] An e-mail is kept as it was sent, whatever pieces it arrives in', async () => {
  await assertRuns(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 4 }), { maxLength: 600 }), async (pieces) => {
      const gathered = new MailPieces(gate, from);
      for (const piece of pieces) gathered.keep(Buffer.from(piece));
      expect(gathered.whole()).toEqual(Buffer.concat(pieces));
      expect(held).toBe(Buffer.concat(pieces).length);
      gathered.letGo();
      expect([held, gathered.whole().length]).toEqual([0, 0]);
    }),
    100,
  );
});

test('[DLV-8] [MAIL-2] Pieces of two octets take about as much memory as what they hold', () => {
  const gathered = new MailPieces(gate, from);
  const before = memoryInUse();
  for (let at = 0; at < 500_000; at += 1) gathered.keep(Buffer.from('.\n'));
  expect(memoryInUse() - before).toBeLessThan(16_000_000);
  expect(gathered.whole()).toHaveLength(1_000_000);
  gathered.letGo();
});

test('[DLV-8] [MAIL-2] An e-mail in far too many tiny pieces is refused, and an e-mail in as many ordinary lines is not', () => {
  const dots = new MailPieces(gate, from);
  const small = Buffer.from('.\n');
  const counted = Array.from({ length: 12_000 }, () => dots.count(small));
  expect(counted.slice(0, 10_000).every(Boolean)).toBe(true);
  expect(counted.at(-1)).toBe(false);
  const lines = new MailPieces(gate, from);
  const line = Buffer.alloc(16);
  expect(Array.from({ length: 100_000 }, () => lines.count(line)).every(Boolean)).toBe(true);
});
