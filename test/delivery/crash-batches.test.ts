/** The crash trial for batches. */
import { expect, test } from 'vitest';
import { batchTrial } from '../crash/batch-trial.ts';
import { eachEngine } from '../harness/engines.ts';
import { longRunMs, runsFactor } from '../harness/runs.ts';

eachEngine('a server that batches are sent to', (engine) => {
  test(
    '[BATCH-2] [BATCH-3] [BATCH-5] [BATCH-8] [BATCH-10] [DLV-6] After random kills, acknowledged batches are sent whole and once, and other batches never in part',
    async ({ onTestFailed }) => {
      const kills = 2 * runsFactor;
      const report = await batchTrial({
        engine,
        kills,
        seed: 11,
        lifeMs: [150, 500],
        largest: 800,
      });
      onTestFailed(() => console.log(report.output.slice(-2_000)));
      expect(report.offences).toEqual([]);
      // There was work in progress that the kills could have lost.
      expect(report.acknowledged).toBeGreaterThan(2 * kills);
      expect(report.messages).toBeGreaterThan(200 * kills);
      expect(report.interrupted).toBeGreaterThan(0);
    },
    longRunMs(300_000),
  );
});
