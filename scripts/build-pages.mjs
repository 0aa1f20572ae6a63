/** Makes the pages of the portal and of the API, with compressed copies beside them, so that no request needs compression. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const project = fileURLToPath(new URL('..', import.meta.url));

/** Returns the exit code. */
export function buildPages(folder) {
  const vite = join(project, 'node_modules', 'vite', 'bin', 'vite.js');
  const config = join(project, 'portal', 'vite.config.ts');
  const { status } = spawnSync(
    process.execPath,
    [vite, 'build', '--config', config, '--outDir', folder, '--logLevel', 'warn'],
    { cwd: project, stdio: 'inherit', env: { ...process.env, NODE_ENV: 'production' } },
  );
  if (status !== 0) return status ?? 1;
  const assets = join(folder, 'assets');
  for (const name of readdirSync(assets)) {
    const content = readFileSync(join(assets, name));
    writeFileSync(join(assets, `${name}.br`), brotliCompressSync(content));
    writeFileSync(join(assets, `${name}.gz`), gzipSync(content, { level: 9 }));
  }
  return 0;
}

/** Makes the pages at `/docs` from the endpoint tables and `docs/`. Returns the exit code. */
export function buildDocs(folder) {
  const tsx = join(project, 'node_modules', 'tsx', 'dist', 'cli.mjs');
  const script = join(project, 'scripts', 'build-docs.ts');
  const { status } = spawnSync(process.execPath, [tsx, script, folder], { cwd: project, stdio: 'inherit' });
  return status ?? 1;
}

/** The paths of all bundled files, as listed by `portal/vite.config.ts`. Removes the list, which is not a page. */
export function takeModulesOfPages(folder) {
  const list = join(folder, 'modules.json');
  const modules = JSON.parse(readFileSync(list, 'utf8'));
  rmSync(list);
  return modules;
}
