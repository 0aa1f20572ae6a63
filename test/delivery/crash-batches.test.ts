/** The crash trial of batches. */
import { expect, test } from 'vitest';
import { batchTrial } from '../crash/batch-trial.ts';
import { eachEngine } from '../harness/engines.ts';
import { longRunMs, runsFactor } from '../harness/runs.ts';

eachEngine('a server that batches are sent to', (engine) => {
  test(
    '[BATCH-2] [BATCH-3] [BATCH-5] [BATCH-8] [BATCH-10] [DLV-6] killed at random moments: each acknowledged batch is sent as a whole and once, and of no other any part',
    async ({ onTestFailed }) => {
      const report = await batchTrial({
        engine,
        kills: 4 * runsFactor,
        seed: 11,
        lifeMs: [150, 900],
        largest: 1_200,
      });
      onTestFailed(() => console.log(report.output.slice(-2_000)));
      expect(report.offences).toEqual([]);
      // There was something to lose.
      expect(report.acknowledged).toBeGreaterThan(5);
      expect(report.messages).toBeGreaterThan(1_000);
      expect(report.interrupted).toBeGreaterThan(0);
    },
    longRunMs(300_000),
  );
});
