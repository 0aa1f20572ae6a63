/** How long tests with random input run and how to repeat a failure, both set in the environment (CONTRIBUTING.md). */
import fc from 'fast-check';

const { CARILLON_RUNS, CARILLON_SEED, CARILLON_PATH, CARILLON_REPLAY } = process.env;

/**
 * The seed of all random input. It is fixed, because CI's verdict on a change must not depend on luck; another seed finds
 * more.
 */
export const chanceSeed = Number(CARILLON_SEED ?? 20_261_121);

/** `CARILLON_RUNS` multiplies the usual number of runs. */
export const runsFactor = Number(CARILLON_RUNS ?? 1);

/** The time limit of a test that takes `usualMs` at the usual number of runs. */
export function longRunMs(usualMs: number): number {
  return usualMs * Math.max(1, runsFactor);
}

/** On a machine that is slow or busy with other tests, runs stop after this time, however many were done. */
const usualLimitMs = 15_000;

/** Replays the end of a shrunk command sequence, for `fc.commands`. */
export const replayPath = CARILLON_REPLAY === undefined ? {} : { replayPath: CARILLON_REPLAY };

/** Checks a property; a failure reports how to repeat it. */
export async function assertRuns<Input>(
  property: fc.IAsyncProperty<Input>,
  usualRuns: number,
): Promise<void> {
  // An interrupted run continues for a while, so whatever it uses has to exist until it ends.
  let latest: Promise<unknown> = Promise.resolve();
  const run = property.run.bind(property);
  property.run = (input) => {
    const running = run(input);
    latest = running;
    return running;
  };
  const details = await fc.check(property, {
    numRuns: Math.ceil(usualRuns * runsFactor),
    interruptAfterTimeLimit: longRunMs(usualLimitMs),
    markInterruptAsFailure: false,
    seed: chanceSeed,
    ...(CARILLON_PATH === undefined ? {} : { path: CARILLON_PATH }),
  });
  await Promise.allSettled([latest]);
  if (!details.failed) return;
  const replay = /replayPath="([^"]*)"/.exec(fc.stringify(details.counterexample))?.[1];
  const environment = [
    `CARILLON_SEED=${details.seed}`,
    `CARILLON_PATH=${details.counterexamplePath}`,
    ...(replay === undefined ? [] : [`CARILLON_REPLAY=${replay}`]),
  ];
  throw new Error(`Repeat with ${environment.join(' ')}\n${fc.defaultReportMessage(details)}`, {
    cause: details.errorInstance,
  });
}
