import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const inSource = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => join('src', path));

/** Tests that open a store take their time, on two engines: they are left out of the quick loop. */
const needsStore = (path: string) =>
  /harness\/(stores|engines|postgres|authentication-node)/.test(readFileSync(path, 'utf8'));
const withStore = inSource.filter(needsStore);

const setupFiles = ['test/harness/same-chance.ts'];

/** These take the machine for themselves, or judge what a server does under load. */
const alone = ['crash', 'crash-batches', 'crash-smpp', 'nodes', 'overload', 'shutdown'].map(
  (name) => `test/delivery/${name}.test.ts`,
);

/**
 * A machine that stands still for seconds at the worst moment must not decide about a change: in CI a test that fails is
 * tried once more, and named (`.ci/run`), so that it can be made steady. What kills processes gets no second try: there
 * a failure may be the one loss in a thousand that it looks for.
 */
const retry = process.env.CI === undefined ? 0 : 1;

export default defineConfig({
  test: {
    // Each file has a store of its own, and waits more than it computes: two at a time, also on two cores.
    maxWorkers: 2,
    globalSetup: ['test/harness/global-setup.ts'],
    projects: [
      {
        test: {
          name: 'unit',
          setupFiles,
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
          include: withStore,
          retry,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'whole',
          setupFiles,
          include: ['test/**/*.test.ts'],
          exclude: ['test/house/**', ...alone],
          retry,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'alone',
          setupFiles,
          include: alone,
          testTimeout: 120_000,
          hookTimeout: 60_000,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
