/** Makes `dist/` from `src/` and `portal/`. With `--when-needed` only when a source is newer, and then without a word. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPages } from './build-pages.mjs';

const project = fileURLToPath(new URL('..', import.meta.url));
const dist = join(project, 'dist');
const stamp = join(dist, '.built');

if (!process.argv.includes('--when-needed') || isNeeded()) process.exitCode = build();

function isNeeded() {
  if (!existsSync(stamp)) return true;
  const built = statSync(stamp).mtimeMs;
  const settings = ['package.json', 'tsconfig.json', 'tsconfig.build.json'].map((name) =>
    join(project, name),
  );
  return (
    settings.some((path) => statSync(path).mtimeMs > built) ||
    ['src', 'portal'].some((folder) => hasNewer(join(project, folder), built))
  );
}

/** A folder is newer than its files when one of them was removed or renamed. */
function hasNewer(folder, built) {
  if (statSync(folder).mtimeMs > built) return true;
  return readdirSync(folder, { withFileTypes: true }).some((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return hasNewer(path, built);
    return !entry.name.endsWith('.test.ts') && statSync(path).mtimeMs > built;
  });
}

/** Builds aside and swaps, so that no moment has half of a build, and nothing is left of files that are gone. */
function build() {
  const compiler = join(project, 'node_modules', 'typescript', 'bin', 'tsc');
  if (!existsSync(compiler)) {
    console.error('The build needs TypeScript. Run: npm ci');
    return 1;
  }
  // Whatever is changed while the compiler runs counts as newer than the build.
  const startedAt = new Date();
  const draft = join(project, `dist.${process.pid}`);
  try {
    const options = ['-p', 'tsconfig.build.json', '--outDir', draft];
    const { status } = spawnSync(process.execPath, [compiler, ...options], {
      cwd: project,
      stdio: 'inherit',
    });
    if (status !== 0) return status ?? 1;
    const ofPages = buildPages(join(draft, 'pages'));
    if (ofPages !== 0) return ofPages;
    writeFileSync(join(draft, '.built'), '');
    utimesSync(join(draft, '.built'), startedAt, startedAt);
    swap(draft);
    return 0;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Another build may finish in the same moment: the last one stays. */
function swap(draft) {
  const old = `${draft}.old`;
  for (;;) {
    try {
      if (existsSync(dist)) renameSync(dist, old);
      renameSync(draft, dist);
      return;
    } catch (error) {
      if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(error.code) || !existsSync(draft)) throw error;
    } finally {
      rmSync(old, { recursive: true, force: true });
    }
  }
}
