/** The result of every benchmark: figures, the claims that some of them must meet, and how they were measured. */
import type { Engine, Options } from './options.ts';

export type Bound = { readonly atLeast: number } | { readonly atMost: number };

/** One line of a report: the measured value, and for a claim the bound that it must keep. */
export interface Figure {
  readonly what: string;
  readonly engine?: Engine;
  readonly value: number;
  readonly unit: string;
  /** The values whose median is `value`; absent for a single measurement. */
  readonly rounds?: readonly number[];
  readonly claim?: Bound;
}

export interface Report {
  readonly name: string;
  /** The claim as a sentence. */
  readonly claim: string;
  /** How it was measured: what a reader needs to know to trust or doubt the figures. */
  readonly method: readonly string[];
  readonly figures: readonly Figure[];
}

export type Benchmark = (options: Options) => Promise<Report>;

export function median(values: readonly number[]): number {
  if (values.length === 0) return Number.NaN;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The figure for several rounds. */
export function medianOf(
  rounds: readonly number[],
  { what, engine, unit }: Pick<Figure, 'what' | 'unit'> & { readonly engine?: Engine },
  claim?: Bound,
): Figure {
  const figure = { what, value: median(rounds), unit, rounds };
  return {
    ...figure,
    ...(engine === undefined ? {} : { engine }),
    ...(claim === undefined ? {} : { claim }),
  };
}

/** The value divided by its target or limit. */
export function ratio({ value, claim }: Figure): number | undefined {
  if (claim === undefined) return undefined;
  return value / ('atLeast' in claim ? claim.atLeast : claim.atMost);
}

export function isMet({ value, claim }: Figure): boolean {
  if (claim === undefined) return true;
  return 'atLeast' in claim ? value >= claim.atLeast : value <= claim.atMost;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
