/** The crash trial over SMPP; `npm run crash -- --carrier smpp` runs it with as many kills as one wishes. */
import { expect, test } from 'vitest';
import { crashTrial } from '../crash/trial.ts';
import { eachEngine } from '../harness/engines.ts';
import { longRunMs, runsFactor } from '../harness/runs.ts';

const kills = 2 * runsFactor;

eachEngine('a server with an SMSC of another make under traffic of every kind', (engine) => {
  test(
    '[DLV-1] [DLV-3] [DLV-6] server and SMSC killed at random moments: no receipt is lost, nothing undoubted reaches the SMSC twice, and every promise still holds',
    async ({ onTestFailed }) => {
      const report = await crashTrial({
        engine,
        carrier: 'smpp',
        kills,
        seed: 7,
        lifeMs: [200, 700],
        leastAccepted: 70,
        latestScheduleMs: 2_500,
        withExpiry: false,
      });
      onTestFailed(() => console.log(report.output.slice(-2_000)));
      expect(report.offences).toEqual([]);
      expect(report.accepted).toBeGreaterThan(70 * kills);
      expect(report.smsc?.taken).toBeGreaterThanOrEqual(report.accepted);
      expect(report.kills.get('smsc')).toBeGreaterThan(0);
      expect(report.kills.get('smsc')).toBeLessThan(kills);
      // Killed under load, both had something in hand.
      expect(report.inDoubt).toBeGreaterThan(0);
      expect(report.smsc?.receiptsToldAgain).toBeGreaterThan(0);
    },
    longRunMs(300_000),
  );
});
