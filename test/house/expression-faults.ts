/** What takes a regular expression longer than in proportion to its text, as the checker finds it. */
import { createRequire } from 'node:module';
import type * as recheck from 'recheck';

// The package's own entry would look for Java and native programs to do the same with.
const { checkSync } = createRequire(import.meta.url)('recheck/lib/browser.js') as typeof recheck;

/** Each takes less than a second; on a machine that stands still meanwhile none must be taken for slow. */
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

/** What is wrong with an expression; the empty text when nothing is. */
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
