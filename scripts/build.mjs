/** Makes `dist/` from `src/` and `portal/`. With `--when-needed` it does so only if a source is newer. */
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chosenNode } from '../bin/node.js';

const project = fileURLToPath(new URL('..', import.meta.url));
const dist = join(project, 'dist');
const stamp = join(dist, '.built');
const lock = join(project, 'dist.lock');
const isAsked = !process.argv.includes('--when-needed');

if (isAsked || isNeeded()) {
  await takeTurn();
  try {
    // Another build may have made `dist/` while this one waited.
    if (isAsked || isNeeded()) process.exitCode = await build();
  } finally {
    rmSync(lock, { force: true });
  }
}

function isNeeded() {
  if (!existsSync(stamp)) return true;
  const built = statSync(stamp).mtimeMs;
  // The bundles contain the packages too.
  const versions = ['package.json', 'package-lock.json'].map((name) => join(project, name));
  return (
    versions.some((path) => statSync(path).mtimeMs > built) ||
    ['src', 'portal', 'scripts', 'docs'].some((folder) => hasNewer(join(project, folder), built))
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

/** Only one build runs at a time; the lock of a build that was killed is removed. */
async function takeTurn() {
  const own = `${lock}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    for (let isFirst = true; ; isFirst = false) {
      try {
        // Linking creates the lock with its content, or not at all.
        linkSync(own, lock);
        return;
      } catch (error) {
        if (error.code !== 'EEXIST') throw error;
      }
      const holder = Number(readIfThere(lock));
      if (holder === process.pid || !isRunning(holder)) rmSync(lock, { force: true });
      else if (isFirst) console.error(`Waiting for the build of process ${holder} …`);
      await delay(100);
    }
  } finally {
    rmSync(own);
  }
}

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return '';
    throw error;
  }
}

function isRunning(pid) {
  if (pid === 0) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Builds in another folder and swaps the two, so that `dist/` is never half built and keeps no outdated files. */
async function build() {
  if (!existsSync(join(project, 'node_modules', 'esbuild'))) {
    console.error('The build needs packages that are not installed. Run: npm ci');
    return 1;
  }
  console.error('Building Carillon. This is done once and takes about ten seconds …');
  const { bundle, compile } = await import('./bundle.mjs');
  const { buildDocs, buildPages, takeModulesOfPages } = await import('./build-pages.mjs');
  const { thirdPartyNotices } = await import('./third-party.mjs');
  // Whatever changes during the build counts as newer than the build.
  const startedAt = new Date();
  const draft = join(project, `dist.${process.pid}`);
  try {
    mkdirSync(draft);
    const pages = join(draft, 'pages');
    const exitCodes = await Promise.all([buildPages(pages), buildDocs(join(draft, 'docs'))]);
    const failed = exitCodes.find((code) => code !== 0);
    if (failed !== undefined) return failed;
    const modules = [...takeModulesOfPages(pages), ...(await bundle(draft))];
    writeFileSync(join(draft, 'THIRD-PARTY.txt'), thirdPartyNotices(modules));
    const fault = await compile(draft, chosenNode());
    if (fault !== undefined)
      console.error(
        `The server did not start here, so it is not compiled ahead of time and starts more slowly:\n${fault}`,
      );
    writeFileSync(join(draft, '.built'), '');
    utimesSync(join(draft, '.built'), startedAt, startedAt);
    swap(draft);
    return 0;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function swap(draft) {
  const old = `${draft}.old`;
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(draft, dist);
  rmSync(old, { recursive: true, force: true });
}
