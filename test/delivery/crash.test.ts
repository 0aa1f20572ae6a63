/** The crash trial. `npm run crash` runs it with any number of kills. */
import { expect, test } from 'vitest';
import { crashTrial } from '../crash/trial.ts';
import { eachEngine } from '../harness/engines.ts';
import { longRunMs, runsFactor } from '../harness/runs.ts';

const kills = 2 * runsFactor;
/** The maximum number of messages a node can have claimed at once: the simulator's window, and as many again that wait for it. */
const maxInFlight = 400;

eachEngine('a server under traffic of every kind', (engine) => {
  test(
    '[DLV-6] [SEND-5] [SEND-12] [SEND-19] [SEND-20] [SEND-21] [STAT-3] [STAT-4] [INC-1] A crash loses nothing acknowledged and breaks no promise',
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
      // There was work in progress that the kills could have lost: traffic of every kind got through.
      expect(report.accepted).toBeGreaterThan(40 * kills);
      const { counts, scheduled, cancelled, incoming } = report;
      const traffic = { repeated: counts.repeated, scheduled: scheduled.count, cancelled, incoming };
      expect(Object.entries(traffic).filter(([, count]) => count === 0)).toEqual([]);
      // Killed under load, the server had messages in flight; those, and no others, are in doubt.
      expect(report.inDoubt).toBeGreaterThan(0);
      expect(report.inDoubt).toBeLessThanOrEqual(kills * maxInFlight);
    },
    longRunMs(300_000),
  );
});
