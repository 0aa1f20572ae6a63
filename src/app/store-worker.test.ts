import { readFileSync } from 'node:fs';
import { buildSync } from 'esbuild';
import { expect, test } from 'vitest';

/** The packages and Node modules that a module loads immediately, as found by bundling it. */
function loadedImmediately(entry: string): readonly string[] {
  const { metafile } = buildSync({
    entryPoints: [entry],
    outdir: 'nowhere',
    write: false,
    metafile: true,
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
  });
  const loaded = new Set<string>();
  const visit = (path: string): void => {
    for (const { path: used, kind, external } of metafile.outputs[path]?.imports ?? []) {
      if (kind !== 'import-statement' || loaded.has(used)) continue;
      loaded.add(used);
      if (external !== true) visit(used);
    }
  };
  for (const [path, { entryPoint }] of Object.entries(metafile.outputs))
    if (entryPoint === entry) visit(path);
  return [...loaded].filter((path) => !path.startsWith('nowhere/'));
}

test('[RUN-1] The thread of the store starts without loading any package', () => {
  expect(loadedImmediately('src/app/app.ts')).toContain('typebox');
  expect(loadedImmediately('src/app/store-worker.ts')).toContain('node:worker_threads');
  expect(loadedImmediately('src/app/store-worker.ts').filter((path) => !path.startsWith('node:'))).toEqual(
    [],
  );
});

test('[RUN-1] A start loads none of the packages that have files of their own', () => {
  const [, names = ''] =
    /^const apart = \[([^\]]*)\];$/m.exec(readFileSync('scripts/bundle.mjs', 'utf8')) ?? [];
  const apart = [...names.matchAll(/'(.+?)'/g)].map(([, name]) => name);
  expect(apart).toContain('mailauth');
  const loaded = loadedImmediately('src/app/app.ts');
  expect(loaded).toContain('fastify');
  expect(apart.filter((name) => loaded.includes(name as string))).toEqual([]);
});
