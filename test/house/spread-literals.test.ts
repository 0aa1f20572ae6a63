/** Runs the linter on the lint rule against spread literals, because a pattern that matches nothing would go unnoticed. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { root } from './sources.ts';

const folder = mkdtempSync(join(tmpdir(), 'carillon-lint-'));
afterAll(() => rmSync(folder, { recursive: true }));

const { plugins } = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8')) as {
  readonly plugins: string[];
};

/** The lines that the rule reports. */
function faultyLines(lines: readonly string[]): readonly number[] {
  const rules = plugins.map((path) => join(root, path));
  writeFileSync(join(folder, 'biome.json'), JSON.stringify({ root: true, plugins: rules }));
  writeFileSync(join(folder, 'spread.tsx'), `${lines.join('\n')}\n`);
  const biome = join(root, 'node_modules/.bin/biome');
  const { stdout } = spawnSync(biome, ['lint', '--reporter=github', 'spread.tsx'], {
    cwd: folder,
    encoding: 'utf8',
  });
  return [...stdout.matchAll(/^::error .*line=(\d+),.*::Write the keys themselves/gm)].map(([, line]) =>
    Number(line),
  );
}

test('The lint rule reports a literal that is spread, in brackets and with a type too, but not a name', () => {
  const wrong = [
    'export const plain = { ...{ a: 1 } };',
    'export const bracketed = { ...({ a: 1 }) };',
    'export const constant = { ...({ a: 1 } as const) };',
    'export const satisfying = { ...({ a: 1 } satisfies object) };',
    "export const element = <div {...{ id: 'a' }} />;",
  ];
  const right = [
    'export const named = { ...plain, ...(plain as object) };',
    'export const chosen = { ...(plain.a === 1 ? { b: 2 } : {}), ...(plain.a === 2 && { c: 3 }) };',
  ];
  expect(faultyLines([...wrong, ...right])).toEqual([1, 2, 3, 4, 5]);
});
