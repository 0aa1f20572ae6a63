/** Checks every regular expression in the source: none may take longer than linear time on its text. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Expression, faultOf, written } from './expression-faults.ts';
import { judged } from './judged-expressions.ts';
import { parsedSources, root } from './sources.ts';

/** Expressions that are slow or that the checker cannot see, and why that does not matter. */
const exceptions: ReadonlyMap<string, string> = new Map([
  ['src/yaml/by-schema.ts made in a function', 'Of patterns in our own schemas, over the operator’s file.'],
  ['src/wire/country.ts made in a function', 'Of the series in the library’s data, over 15 digits at most.'],
]);

const sources = parsedSources('src').filter(({ path }) => !path.endsWith('.test.ts'));
const literals = sources.flatMap(({ path, expressions }) =>
  expressions.flatMap(({ literal }) => (literal === undefined ? [] : [{ path, ...literal }])),
);
/** How many expressions each file builds from strings when loaded. */
const makers = sources
  .map(({ path, expressions }) => ({
    path,
    count: expressions.filter(({ literal, isAtTop }) => literal === undefined && isAtTop).length,
  }))
  .filter(({ count }) => count > 0);
const madeInFunctions = sources
  .filter(({ expressions }) => expressions.some(({ literal, isAtTop }) => literal === undefined && !isAtTop))
  .map(({ path }) => `${path} made in a function`);

/** The expressions that a file builds when loaded, caught by replacing the constructor. */
async function madeBy(path: string): Promise<readonly RegExp[]> {
  const made: RegExp[] = [];
  const native = globalThis.RegExp;
  const file = join(root, path);
  globalThis.RegExp = new Proxy(native, {
    construct(target, given) {
      const expression = new target(...(given as [string, string]));
      // Skips expressions built by other files that this one imports.
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

const known = new Map<string, string>(judged.map((expression) => [written(expression), '']));

function fault(expression: Expression): string {
  const key = written(expression);
  const found = known.get(key) ?? faultOf(expression);
  known.set(key, found);
  return found;
}

describe('regular expressions', { timeout: 300_000 }, () => {
  beforeAll(() => vi.resetModules());
  afterAll(() => vi.resetModules());

  test('[CONV-12] The checker of regular expressions recognises those that are slow', () => {
    for (const source of ['^(a+)+$', ',+$', 'T\\d{2}:\\d{2}\\S* \\d{2}:\\d{2}$'])
      expect(faultOf({ source, flags: '' })).toContain('time');
    expect(faultOf({ source: '^[a-z]+$', flags: 'i' })).toBe('');
  });

  test('[CONV-12] Every regular expression in the source takes a time in proportion to the text', () => {
    expect(literals.length).toBeGreaterThan(200);
    const faults = literals
      .map(({ path, ...expression }) => ({ name: `${path} ${written(expression)}`, expression }))
      .filter(({ name }) => !exceptions.has(name))
      .map(({ name, expression }) => [name, fault(expression)])
      .filter(([, fault]) => fault !== '');
    expect(faults).toEqual([]);
  });

  test.each(makers)(
    '[CONV-12] Every regular expression that $path makes takes a time in proportion to the text',
    async ({ path, count }) => {
      const made = await madeBy(path);
      expect(made).toHaveLength(count);
      const faults = made
        .map(
          ({ source, flags }) =>
            [`${path} /${source.slice(0, 200)}/${flags}`, fault({ source, flags })] as const,
        )
        .filter(([name, fault]) => fault !== '' && !exceptions.has(name));
      expect(faults).toEqual([]);
    },
  );

  test('[CONV-12] No regular expression is made from what comes in, and the listed exceptions still exist', () => {
    const there = new Set([
      ...madeInFunctions,
      ...literals.map(({ path, ...expression }) => `${path} ${written(expression)}`),
    ]);
    expect(madeInFunctions.filter((name) => !exceptions.has(name))).toEqual([]);
    expect([...exceptions.keys()].filter((name) => !there.has(name))).toEqual([]);
  });

  test('[CONV-12] Every regular expression on the list of earlier verdicts is still in the source', () => {
    const there = new Set(literals.map(written));
    expect(judged.map(written).filter((name) => !there.has(name))).toEqual([]);
  });
});
