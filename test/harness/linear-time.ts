/**
 * Measures how work grows with its input: it compares the processor time for a large and a small input in the same run, so a
 * slow or busy machine affects both alike.
 */
import { expect } from 'vitest';

export interface Sizes {
  /** The size of the small input. Ideally the large input still fits into a processor's own cache. */
  readonly from: number;
  /** How many times larger the large input is. */
  readonly times: number;
}

/**
 * How often the minimum of both is measured again before the work is declared too slow: other processes using the shared
 * caches can slow a large input down for seconds, but not a small one.
 */
const attempts = 30;

const maxPower = 1.6;

/** Long compared with the time that garbage collection or other threads may take. */
const measurableMs = 10;
const maxRounds = 1_000;

/**
 * Fails if `work` grows faster than its input to the power of 1.6. That is between linear and quadratic, and closer to quadratic
 * to allow for caches and garbage collection, which slow only the large input.
 */
export async function expectLinearTime(
  work: (size: number) => unknown,
  { from, times }: Sizes,
): Promise<void> {
  // Warms the code up; otherwise the small input would need too few rounds.
  await work(from * times);
  const rounds = await roundsOf(() => work(from));
  const repeated = (size: number) => async () => {
    for (let round = 0; round < rounds; round++) await work(size);
  };
  let [small, large] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let attempt = 1; attempt <= attempts; attempt++) {
    // The large input runs first: code compiled on the way makes the small one faster, which errs on the strict side.
    large = Math.min(large, await processorMs(repeated(from * times)));
    small = Math.min(small, await processorMs(repeated(from)));
    if (large < times ** maxPower * small) return;
  }
  expect.fail(
    `${times} times the input took ${(large / small).toFixed(1)} times the work: ${large.toFixed(1)} ms after ${small.toFixed(1)} ms`,
  );
}

/** How many repetitions it takes to measure work whose single run is too short. */
async function roundsOf(work: () => unknown): Promise<number> {
  for (let rounds = 1; ; rounds = Math.min(2 * rounds, maxRounds)) {
    const ms = await processorMs(async () => {
      for (let round = 0; round < rounds; round++) await work();
    });
    if (ms >= measurableMs || rounds === maxRounds) return rounds;
  }
}

function sinceMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** The processor time of the work, in all threads of this process. */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  return sinceMs(before);
}

export interface Turns {
  /** How many turns of the event loop other work got during the work. */
  readonly count: number;
  /** Processor time of the longest range without a turn for other work, and in total. */
  readonly longestMs: number;
  readonly totalMs: number;
}

/** Observes work that shares the event loop: a long range, compared with the total, would keep other work waiting. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<Turns> {
  let [count, longestMs, totalMs] = [0, 0, 0];
  let [before, isOver] = [process.cpuUsage(), false];
  const turn = () => {
    const ms = sinceMs(before);
    totalMs += ms;
    longestMs = Math.max(longestMs, ms);
    before = process.cpuUsage();
    if (isOver) return;
    count += 1;
    setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isOver = true;
  turn();
  return { count, longestMs, totalMs };
}
