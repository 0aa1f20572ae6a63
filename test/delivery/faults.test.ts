/** The fault trial. `npm run faults` tries each fault on its own, with any number of messages. */
import { expect, test } from 'vitest';
import { linkFaults } from '../faults/link-faults.ts';
import { storeFaults } from '../faults/site-faults.ts';
import { faultTrial } from '../faults/trial.ts';
import { eachEngine } from '../harness/engines.ts';
import { longRunMs, runsFactor } from '../harness/runs.ts';
import { canMountDisk } from '../harness/small-disk.ts';

/** Faults that last long are left to the long form of the trial. */
const quick = ['PostgreSQL crashed, started again', ...(canMountDisk() ? ['disk full for 2 s'] : [])];

/** So many lines at work that a slow machine keeps up with them; how the server copes with more than it can do is tested elsewhere. */
const atATime = 30;

/**
 * Link faults do not depend on the store's engine, so on the second engine they are all tried only when there is time.
 */
const everyNth = 4;

eachEngine('a server with an SMSC behind it that has every fault', (engine) => {
  test(
    '[DLV-3] [DLV-5] [DLV-6] [DLV-7] Whatever fault is tried, no message is lost, sent twice without being marked as in doubt, or left without an end',
    async ({ onTestFailed }) => {
      const isTried = (_: unknown, index: number) =>
        engine === 'sqlite' || runsFactor > 1 || index % everyNth === 0;
      const ofLinks = linkFaults.filter(isTried);
      const told: string[] = [];
      onTestFailed(() => console.log(told.join('\n')));
      const { faults, exitCode, output, maxMiB } = await faultTrial({
        engine,
        linkFaults: ofLinks,
        siteFaults: storeFaults.filter(
          ({ name, engines }) => quick.includes(name) && engines.includes(engine),
        ),
        messages: 40 * runsFactor,
        seed: 7,
        atATime,
        onProgress: (progress) => told.push(progress),
      });
      told.push(output);
      const books = faults.map(({ name, failure, lost, twice, unended }) => ({
        name,
        failure,
        lost,
        twice,
        unended,
      }));
      const isInOrder = ({ failure, lost, twice, unended }: (typeof books)[number]) =>
        failure === undefined && lost.length + twice.length + unended.length === 0;
      expect(books.filter((one) => !isInOrder(one))).toEqual([]);
      expect(faults.filter(({ acknowledged }) => acknowledged < 20)).toEqual([]);
      expect(faults.length).toBeGreaterThan(engine === 'sqlite' ? 45 : 45 / everyNth);
      expect(maxMiB).toBeLessThan(600);
      expect(exitCode).toBe(0);
    },
    longRunMs(1_800_000),
  );
});
