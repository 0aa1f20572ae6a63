/** How long tests of random inputs go on, and how a failure is repeated: both from the environment (CONTRIBUTING.md). */
import fc from 'fast-check';

const { CARILLON_RUNS, CARILLON_SEED, CARILLON_PATH, CARILLON_REPLAY } = process.env;

/** Of all random inputs: what CI says of a change must not be luck. Another finds more. */
export const chanceSeed = Number(CARILLON_SEED ?? 20_261_121);

/** The usual number of runs is multiplied by `CARILLON_RUNS`. */
export const runsFactor = Number(CARILLON_RUNS ?? 1);

/** The time-out of a test that takes so long at the usual number of runs. */
export function longRunMs(usualMs: number): number {
  return usualMs * Math.max(1, runsFactor);
}

/** On a machine that is slow, or busy with other tests, the usual runs end after this time, however many they were. */
const usualLimitMs = 15_000;

/** Repeats the end of a shrunk run of commands, for `fc.commands`. */
export const replayPath = CARILLON_REPLAY === undefined ? {} : { replayPath: CARILLON_REPLAY };

/** Checks a property; a failure says how to repeat it. */
export async function assertRuns<Input>(
  property: fc.IAsyncProperty<Input>,
  usualRuns: number,
): Promise<void> {
  // The one that is interrupted goes on for a while: what it works on has to be there until its end.
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
