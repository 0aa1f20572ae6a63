import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const inSource = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => join('src', path));

/** Tests that open a store take their time, on two engines: they are left out of the quick loop. */
const needsStore = (path: string) =>
  /harness\/(stores|engines|postgres|authentication-node)/.test(readFileSync(path, 'utf8'));
const withStore = inSource.filter(needsStore);

const setupFiles = ['test/harness/same-chance.ts'];

const inDelivery = (...names: string[]) => names.map((name) => `test/delivery/${name}.test.ts`);

/** These kill servers, and look for what is lost once in a thousand times. */
const kills = inDelivery('crash', 'crash-batches', 'crash-smpp', 'faults', 'nodes');

/** Takes the machine for itself. */
const alone = inDelivery('overload', 'hostile');

/** Begun first, lest all others wait for them in the end; by turns what computes and what waits. */
const longest = [
  ...['messages/delivery/delivery', 'messages/state-machine', 'main'].map((name) => `src/${name}.test.ts`),
  ...inDelivery('crash-batches', 'nodes', 'faults', 'routing', 'crash-smpp', 'outage-postgres', 'timeline'),
  ...inDelivery('crash', 'shutdown', 'smpp', 'clock-jumps', 'ends'),
  'test/restart.test.ts',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const place = ({ moduleId }: TestSpecification) => {
      const found = longest.findIndex((path) => moduleId.endsWith(`/${path}`));
      return found < 0 ? longest.length : found;
    };
    return sorted.sort((a, b) => place(a) - place(b));
  }
}

/** Each file has stores of its own: two at a time, also on two cores. */
const besideEachOther = { maxWorkers: 2 };

/** Each file has servers of its own, and waits more than it computes: three at a time, also on two cores. */
const withServers = {
  setupFiles,
  maxWorkers: 3,
  sequence: { groupOrder: 1 },
  testTimeout: 120_000,
  hookTimeout: 120_000,
};

/**
 * A machine that stands still for seconds at the worst moment must not decide about a change: in CI a test that fails is
 * tried once more, and named (`.ci/run`), so that it can be made steady. What kills processes gets no second try: there
 * a failure may be the one loss in a thousand that it looks for.
 */
const retry = process.env.CI === undefined ? 0 : 1;

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    globalSetup: ['test/harness/global-setup.ts'],
    projects: [
      {
        test: {
          name: 'unit',
          setupFiles,
          ...besideEachOther,
          include: ['src/**/*.test.ts', 'test/house/**/*.test.ts'],
          exclude: withStore,
          retry,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'store',
          setupFiles,
          ...besideEachOther,
          include: withStore,
          retry,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'whole',
          ...withServers,
          include: ['test/**/*.test.ts'],
          exclude: ['test/house/**', ...kills, ...alone],
          retry,
        },
      },
      { test: { name: 'kills', ...withServers, include: kills } },
      {
        test: {
          name: 'alone',
          ...withServers,
          include: alone,
          retry,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
