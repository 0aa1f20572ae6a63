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

const inDelivery = (...names: string[]) => names.map((name) => `test/delivery/${name}.test.ts`);

/** These kill and restart servers, break what they stand on, or try what comes to mind on very much: `npm run test:long`. */
const long = [
  ...inDelivery(
    'crash',
    'crash-batches',
    'crash-chain',
    'crash-smpp',
    'faults',
    'nodes',
    'outage-postgres',
    'outage-sqlite',
    'clock-jumps',
    'shutdown',
  ),
  'src/email/smtp/many-mails.test.ts',
  'src/storage/crash.test.ts',
  'test/email/crash-mail.test.ts',
  'test/fuzz/fuzz.test.ts',
  'test/house/expressions.test.ts',
  'test/house/judged-expressions.test.ts',
  'test/package.test.ts',
  'test/plans/plans.test.ts',
  'test/store-files.test.ts',
  'test/upgrade.test.ts',
];

/** Of these, what takes the machine for itself. */
const alone = [
  ...inDelivery('overload', 'hostile'),
  'src/email/gateway/worst-mail.test.ts',
  'test/api/password-flood.test.ts',
];

const isQuick = (path: string) => !long.includes(path) && !alone.includes(path);
const withStore = inSource.filter((path) => isQuick(path) && needsStore(path));

/** Begun first of their project, so that the others do not wait for them at the end. */
const longest = [
  ...['webhooks/sending/webhook-work', 'messages/delivery/delivery', 'email/gateway/postfix'].map(
    (name) => `src/${name}.test.ts`,
  ),
  'src/messages/state-machine.test.ts',
  ...['email/crash-mail', 'email/mail-back'].map((name) => `test/${name}.test.ts`),
  ...inDelivery('crash-batches', 'nodes', 'faults', 'routing', 'crash-smpp', 'outage-postgres', 'timeline'),
  ...inDelivery('crash', 'shutdown', 'smpp', 'clock-jumps', 'ends'),
  ...[
    'package',
    'lost-log',
    'jobs-command',
    'jobs-by-mail',
    'restart',
    'shown-by-commands',
    'store-files',
    'upgrade',
  ].map((name) => `test/${name}.test.ts`),
  ...['quota', 'saved-jobs', 'batch-progress', 'batch-send-hours'].map((name) => `test/api/${name}.test.ts`),
  ...['focus-order', 'one-language', 'every-page', 'compose'].map((name) => `test/portal/${name}.test.ts`),
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const place = ({ moduleId }: TestSpecification) => {
      const found = longest.findIndex((path) => moduleId.endsWith(`/${path}`));
      return found < 0 ? longest.length : found;
    };
    // A process goes from file to file of one project: what they import is loaded once.
    const project = ({ project: { name } }: TestSpecification) => inTurn.indexOf(name);
    return sorted.sort((a, b) => project(a) - project(b) || place(a) - place(b));
  }
}

const inTurn = ['unit', 'store', 'whole', 'long', 'alone'];

const every = {
  setupFiles: ['test/harness/same-chance.ts', 'test/harness/processor-time.ts'],
  isolate: false,
  // What a report says of a failure is all that is known of it where it can't be repeated.
  chaiConfig: { truncateThreshold: 4_000 },
  expect: { poll: { timeout: 100_000 } },
};

/**
 * Each file has stores or servers of its own, and waits about as long as it computes: five at a time, also on two cores.
 * The time-outs are for what would never end; a machine of a tenth of the speed stays within them.
 */
const besideEachOther = { ...every, maxWorkers: 5, testTimeout: 180_000, hookTimeout: 180_000 };
const withServers = { ...besideEachOther, testTimeout: 300_000, hookTimeout: 300_000 };

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './test/harness/run-reporter.ts'],
    globalSetup: ['test/harness/global-setup.ts'],
    projects: [
      {
        test: {
          name: 'unit',
          ...besideEachOther,
          include: ['src/**/*.test.ts', 'test/house/**/*.test.ts'],
          exclude: [...withStore, ...long, ...alone],
        },
      },
      { test: { name: 'store', ...besideEachOther, include: withStore } },
      {
        test: {
          name: 'whole',
          ...withServers,
          // Browsers compute nearly all the time.
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
          include: ['test/**/*.test.ts'],
          exclude: ['test/house/**', ...long, ...alone],
        },
      },
      { test: { name: 'long', ...withServers, include: long } },
      {
        test: {
          name: 'alone',
          ...withServers,
          include: alone,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
