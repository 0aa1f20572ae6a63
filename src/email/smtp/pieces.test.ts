/** That a mail of many small pieces takes no more room than one of few large ones. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assertRuns } from '../../../test/harness/runs.ts';
import { MailPieces } from './pieces.ts';

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
const from = { isStranger: true, network: '192.0.2.1' };

test('[MAIL-2] whatever its pieces, a mail is what was sent', async () => {
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

test('[DLV-8] [MAIL-2] pieces of two octets take about as much room as what they hold', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const used = () => {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const gathered = new MailPieces(gate, from);
  const before = used();
  for (let at = 0; at < 500_000; at += 1) gathered.keep(Buffer.from('.\n'));
  expect(used() - before).toBeLessThan(16_000_000);
  expect(gathered.whole()).toHaveLength(1_000_000);
  gathered.letGo();
});

test('[DLV-8] [MAIL-2] so many small ones are no mail that anybody writes', () => {
  const dots = new MailPieces(gate, from);
  const small = Buffer.from('.\n');
  const counted = Array.from({ length: 12_000 }, () => dots.count(small));
  expect(counted.slice(0, 10_000).every(Boolean)).toBe(true);
  expect(counted.at(-1)).toBe(false);
  const lines = new MailPieces(gate, from);
  const line = Buffer.alloc(16);
  expect(Array.from({ length: 100_000 }, () => lines.count(line)).every(Boolean)).toBe(true);
});
