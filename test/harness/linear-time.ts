/**
 * How work grows with its input, told by the work itself: the processor time of a large input against that of a small one
 * in the same run. A slow or busy machine slows both down alike.
 */
import { expect } from 'vitest';

export interface Sizes {
  /** Of the small input. Best so small that the large one too fits into a processor's own cache. */
  readonly from: number;
  /** The large input is so many times as large. */
  readonly times: number;
}

/**
 * How often the least time of both is taken anew before the work is called too slow: what others do to the caches that
 * all share makes a large input dear for seconds, a small one not.
 */
const attempts = 30;

const mostPower = 1.6;

/** Long beside what the collection of garbage, or other threads, may take of it. */
const measurableMs = 10;
const mostRounds = 1_000;

/**
 * Fails where `work` grows by more than the power of 1.6 of its input, which lies between work in proportion to it and its
 * square, with more room for caches and the collection of garbage, which only ever add to the large one.
 */
export async function expectLinearTime(
  work: (size: number) => unknown,
  { from, times }: Sizes,
): Promise<void> {
  // Warm, or the small one would be measured too short.
  await work(from * times);
  const rounds = await roundsOf(() => work(from));
  const repeated = (size: number) => async () => {
    for (let round = 0; round < rounds; round++) await work(size);
  };
  let [small, large] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let attempt = 1; attempt <= attempts; attempt++) {
    // The large one first: what is compiled on the way makes the small one cheaper, which is the strict side.
    large = Math.min(large, await processorMs(repeated(from * times)));
    small = Math.min(small, await processorMs(repeated(from)));
    if (large < times ** mostPower * small) return;
  }
  expect.fail(
    `${times} times the input took ${(large / small).toFixed(1)} times the work: ${large.toFixed(1)} ms after ${small.toFixed(1)} ms`,
  );
}

/** So often is work done whose single time is too short to be measured. */
async function roundsOf(work: () => unknown): Promise<number> {
  for (let rounds = 1; ; rounds = Math.min(2 * rounds, mostRounds)) {
    const ms = await processorMs(async () => {
      for (let round = 0; round < rounds; round++) await work();
    });
    if (ms >= measurableMs || rounds === mostRounds) return rounds;
  }
}

function sinceMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** What work takes of the processor, in all threads of this process. */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  return sinceMs(before);
}

export interface Turns {
  /** Turns of the event loop that others had meanwhile. */
  readonly count: number;
  /** Processor time of the work's longest stretch without a turn for others, and of all of it. */
  readonly longestMs: number;
  readonly totalMs: number;
}

/** Follows work that shares the event loop: what is long against the whole would make others wait. */
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
