/** Checks every regular expression of the source: none may take longer than in proportion to the text that it is tried on. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as recheck from 'recheck';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parsedSources, root } from './sources.ts';

// The package's own entry would look for Java and native programs to do the same with.
const { checkSync } = createRequire(import.meta.url)('recheck/lib/browser.js') as typeof recheck;

/** Slow, or out of the checker's sight, and why that can't matter. */
const exceptions: ReadonlyMap<string, string> = new Map([
  [
    'src/provisioning/objects/carrier-settings.ts made in a function',
    'Of patterns in our own schemas, over the operator’s file.',
  ],
  ['src/wire/country.ts made in a function', 'Of the series in the library’s data, over 15 digits at most.'],
]);

/** Each takes less than a second; on a machine that stands still meanwhile none must be taken for slow. */
const patience = {
  timeout: 120_000,
  attackTimeout: 30_000,
  incubationTimeout: 30_000,
  mutationTimeout: 30_000,
};

const sources = parsedSources('src').filter(({ path }) => !path.endsWith('.test.ts'));
const literals = sources.flatMap(({ path, expressions }) =>
  expressions.flatMap(({ literal }) => (literal === undefined ? [] : [{ path, ...literal }])),
);
/** How many expressions each file makes of texts when it is loaded. */
const makers = sources
  .map(({ path, expressions }) => ({
    path,
    count: expressions.filter(({ literal, isAtTop }) => literal === undefined && isAtTop).length,
  }))
  .filter(({ count }) => count > 0);
const madeInFunctions = sources
  .filter(({ expressions }) => expressions.some(({ literal, isAtTop }) => literal === undefined && !isAtTop))
  .map(({ path }) => `${path} made in a function`);

/** What a file makes when it is loaded, seen by standing in for the constructor. */
async function madeBy(path: string): Promise<readonly RegExp[]> {
  const made: RegExp[] = [];
  const native = globalThis.RegExp;
  const file = join(root, path);
  globalThis.RegExp = new Proxy(native, {
    construct(target, given) {
      const expression = new target(...(given as [string, string]));
      // Not those of other files that this one imports.
      if (new Error('who asks').stack?.split('\n')[2]?.includes(file) === true) made.push(expression);
      return expression;
    },
  });
  try {
    await import(file);
  } finally {
    globalThis.RegExp = native;
  }
  return made;
}

const known = new Map<string, string>();

/** What is wrong with an expression; the empty text when nothing is. */
function faultOf(source: string, flags: string): string {
  const key = `/${source}/${flags}`;
  const fault = known.get(key) ?? describedFault(checkSync(source, flags, patience));
  known.set(key, fault);
  return fault;
}

function describedFault(diagnostics: recheck.Diagnostics): string {
  switch (diagnostics.status) {
    case 'safe':
      return '';
    case 'vulnerable':
      return `takes ${diagnostics.complexity.summary} time, such as on ${diagnostics.attack.pattern}`;
    default:
      return `could not be checked: ${diagnostics.error.kind}`;
  }
}

describe('regular expressions', { timeout: 300_000 }, () => {
  beforeAll(() => vi.resetModules());
  afterAll(() => vi.resetModules());

  test('[CONV-12] the checker knows those that are slow', () => {
    for (const [source, flags] of [
      ['^(a+)+$', ''],
      [',+$', ''],
      ['T\\d{2}:\\d{2}\\S* \\d{2}:\\d{2}$', ''],
    ] as const)
      expect(faultOf(source, flags)).toContain('time');
    expect(faultOf('^[a-z]+$', 'i')).toBe('');
  });

  test('[CONV-12] those that are written take a time in proportion to the text', () => {
    expect(literals.length).toBeGreaterThan(200);
    const faults = literals
      .filter(({ path, source, flags }) => !exceptions.has(`${path} /${source}/${flags}`))
      .map(({ path, source, flags }) => [`${path} /${source}/${flags}`, faultOf(source, flags)])
      .filter(([, fault]) => fault !== '');
    expect(faults).toEqual([]);
  });

  test.each(makers)('[CONV-12] so do those that $path makes', async ({ path, count }) => {
    const made = await madeBy(path);
    expect(made).toHaveLength(count);
    const faults = made
      .map(
        ({ source, flags }) => [`${path} /${source.slice(0, 200)}/${flags}`, faultOf(source, flags)] as const,
      )
      .filter(([name, fault]) => fault !== '' && !exceptions.has(name));
    expect(faults).toEqual([]);
  });

  test('[CONV-12] none is made of what comes in, and the exceptions are still there', () => {
    const there = new Set([
      ...madeInFunctions,
      ...literals.map(({ path, source, flags }) => `${path} /${source}/${flags}`),
    ]);
    expect(madeInFunctions.filter((name) => !exceptions.has(name))).toEqual([]);
    expect([...exceptions.keys()].filter((name) => !there.has(name))).toEqual([]);
  });
});
