/** The crash trial over SMPP. `npm run crash -- --carrier smpp` runs it with any number of kills. */
import { expect, test } from 'vitest';
import { crashTrial } from '../crash/trial.ts';
import { eachEngine } from '../harness/engines.ts';
import { longRunMs, runsFactor } from '../harness/runs.ts';

const kills = 2 * runsFactor;

eachEngine('a server with an SMSC of another make under traffic of every kind', (engine) => {
  test(
    '[DLV-1] [DLV-3] [DLV-6] Random kills of server and SMSC lose no receipt and let nothing reach the SMSC twice unless in doubt',
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
      // Both were killed under load, so both had messages in flight.
      expect(report.inDoubt).toBeGreaterThan(0);
      expect(report.smsc?.receiptsRepeated).toBeGreaterThan(0);
    },
    longRunMs(300_000),
  );
});
