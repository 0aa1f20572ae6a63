/** The crash trial; `npm run crash` runs it with as many kills as one wishes. */
import { expect, test } from 'vitest';
import { crashTrial } from '../crash/trial.ts';
import { eachEngine } from '../harness/engines.ts';
import { longRunMs, runsFactor } from '../harness/runs.ts';

const kills = 2 * runsFactor;
/** Messages that a node may have claimed at once: the window of the simulator and as many ahead. */
const mostInFlight = 400;

eachEngine('a server under traffic of every kind', (engine) => {
  test(
    '[DLV-6] [SEND-5] [SEND-12] [SEND-19] [SEND-20] [SEND-21] [STAT-3] [STAT-4] [INC-1] killed at random moments: nothing acknowledged is lost, nothing undoubted is sent twice, and every promise still holds',
    async ({ onTestFailed }) => {
      const report = await crashTrial({
        engine,
        kills,
        seed: 7,
        lifeMs: [200, 700],
        leastAccepted: 40,
        latestScheduleMs: 2_500,
        withExpiry: false,
      });
      onTestFailed(() => console.log(report.output.slice(-2_000)));
      expect(report.offences).toEqual([]);
      // There was something to lose: all kinds of traffic came through.
      expect(report.accepted).toBeGreaterThan(40 * kills);
      const { counts, scheduled, cancelled, incoming } = report;
      const traffic = { repeated: counts.repeated, scheduled: scheduled.count, cancelled, incoming };
      expect(Object.entries(traffic).filter(([, count]) => count === 0)).toEqual([]);
      // Killed under load, it had something in hand: that and no more is in doubt.
      expect(report.inDoubt).toBeGreaterThan(0);
      expect(report.inDoubt).toBeLessThanOrEqual(kills * mostInFlight);
    },
    longRunMs(300_000),
  );
});
