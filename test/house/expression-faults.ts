/** Finds regular expressions that the checker reports as slower than linear in their text. */
import { createRequire } from 'node:module';
import type * as recheck from 'recheck';

// The package's own entry point would look for Java and native programs to do the work.
const { checkSync } = createRequire(import.meta.url)('recheck/lib/browser.js') as typeof recheck;

/** Each check takes less than a second, but a machine that stalls meanwhile must not make any look slow. */
const patience = {
  timeout: 120_000,
  attackTimeout: 30_000,
  incubationTimeout: 30_000,
  mutationTimeout: 30_000,
};

export interface Expression {
  readonly source: string;
  readonly flags: string;
}

export function written({ source, flags }: Expression): string {
  return `/${source}/${flags}`;
}

/** What is wrong with an expression; empty if nothing is. */
export function faultOf({ source, flags }: Expression): string {
  const diagnostics = checkSync(source, flags, patience);
  switch (diagnostics.status) {
    case 'safe':
      return '';
    case 'vulnerable':
      return `takes ${diagnostics.complexity.summary} time, such as on ${diagnostics.attack.pattern}`;
    default:
      return `could not be checked: ${diagnostics.error.kind}`;
  }
}
