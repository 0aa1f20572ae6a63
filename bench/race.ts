/**
 * Runs our code and other packages alternately on the same work in one process, so that disturbances of the machine affect
 * all of them alike.
 */
import { type Bound, type Figure, medianOf } from './measure.ts';

/** Makes one pass over the whole corpus. The number returned keeps the work from being optimised away. */
export type Pass = () => number;

/** Items per second in each round, by the name of the contestant; `ours` is one of them. */
export type Rates = ReadonlyMap<string, readonly number[]>;

export interface Course {
  /** The number of items in the corpus. */
  readonly items: number;
  readonly rounds: number;
  readonly roundMs: number;
}

/** The first turn of each contestant is a warm-up and does not count. */
export function race({ items, rounds, roundMs }: Course, passes: Readonly<Record<string, Pass>>): Rates {
  const rates = new Map(Object.keys(passes).map((name) => [name, [] as number[]]));
  for (const pass of Object.values(passes)) itemsPerSecond(items, roundMs, pass);
  for (let round = 0; round < rounds; round++) {
    for (const [name, pass] of Object.entries(passes))
      rates.get(name)?.push(itemsPerSecond(items, roundMs, pass));
  }
  return rates;
}

function itemsPerSecond(items: number, roundMs: number, pass: Pass): number {
  const started = performance.now();
  let elapsedMs = 0;
  let passes = 0;
  let sum = 0;
  do {
    sum += pass();
    passes++;
    elapsedMs = performance.now() - started;
  } while (elapsedMs < roundMs);
  if (sum === 0) throw new Error('No work was done.');
  return (passes * items * 1000) / elapsedMs;
}

/** The rate of each contestant, and, as the claim, how many times faster our code is than each of the others. */
export function figuresOf(what: string, unit: string, rates: Rates, bound: Bound): readonly Figure[] {
  const ours = rates.get('ours') ?? [];
  const peers = [...rates.keys()].filter((name) => name !== 'ours');
  return [
    ...[...rates].map(([name, measured]) => medianOf(measured, { what: `${what}: ${name}`, unit })),
    ...peers.map((peer) => {
      const theirs = rates.get(peer) ?? [];
      const ratios = ours.map((rate, round) => rate / (theirs[round] ?? Number.NaN));
      return medianOf(ratios, { what: `${what}: ours relative to ${peer}`, unit: '' }, bound);
    }),
  ];
}
