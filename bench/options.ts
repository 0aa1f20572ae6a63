/** The command-line options of a benchmark: `--engine`, `--quick`, `--seconds`, `--rounds`, `--rows`; for all, also the names of some. */
import { parseArgs } from 'node:util';
import { findPostgres } from '../test/harness/postgres.ts';

export const everyEngine = ['sqlite', 'postgres'] as const;
export type Engine = (typeof everyEngine)[number];

export interface Options {
  readonly engines: readonly Engine[];
  /** Runs for seconds instead of minutes to see that everything works; the figures are not to be quoted. */
  readonly quick: boolean;
  /** Seconds of load in each round; each benchmark has its own default. */
  readonly seconds: number | undefined;
  readonly rounds: number | undefined;
  /** How many rows fill the store, where a benchmark lets one choose. */
  readonly rows: number | undefined;
  /** Where to write the report for the program that runs all benchmarks. */
  readonly json: string | undefined;
  /** The benchmarks to run; all if there are none. */
  readonly names: readonly string[];
}

export function readOptions(): Options {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      engine: { type: 'string', default: 'both' },
      quick: { type: 'boolean', default: false },
      seconds: { type: 'string' },
      rounds: { type: 'string' },
      rows: { type: 'string' },
      json: { type: 'string' },
    },
  });
  return {
    engines: chooseEngines(values.engine),
    quick: values.quick,
    seconds: positive('seconds', values.seconds),
    rounds: positive('rounds', values.rounds),
    rows: positive('rows', values.rows),
    json: values.json,
    names: positionals,
  };
}

/** PostgreSQL is included only where it is installed, unless it is requested by name. */
function chooseEngines(name: string): readonly Engine[] {
  const missing = findPostgres() === undefined;
  const named = everyEngine.filter((engine) => engine === name);
  if (named.length === 0 && name !== 'both')
    throw new Error(`--engine must be sqlite, postgres or both, not ${JSON.stringify(name)}.`);
  if (named.includes('postgres') && missing)
    throw new Error('PostgreSQL is not installed here: apt-get install postgresql.');
  if (named.length > 0) return named;
  if (!missing) return everyEngine;
  console.error('PostgreSQL is not installed here (apt-get install postgresql): only SQLite is measured.');
  return ['sqlite'];
}

function positive(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new Error(`--${name} must be a whole number above 0, not ${JSON.stringify(text)}.`);
}
