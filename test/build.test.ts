/**
 * Tests what `npm start` says about the build that precedes it, in a folder in which nothing can be built.
 */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';

const project = join(import.meta.dirname, '..');
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A clone with only the build script: no sources, and one empty package folder, which the build looks for first. */
function bareClone(): string {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-build-'));
  folders.push(folder);
  for (const name of ['bin', 'scripts', 'src', 'portal']) mkdirSync(join(folder, name));
  for (const file of ['package.json', 'package-lock.json', 'bin/node.js', 'scripts/build.mjs'])
    copyFileSync(join(project, file), join(folder, file));
  mkdirSync(join(folder, 'docs'));
  mkdirSync(join(folder, 'node_modules', 'esbuild'), { recursive: true });
  return folder;
}

function buildWhenNeeded(folder: string) {
  const script = join(folder, 'scripts', 'build.mjs');
  const { status, stderr } = spawnSync(process.execPath, [script, '--when-needed'], { encoding: 'utf8' });
  return { status, lines: stderr.split('\n') };
}

test('[RUN-1] A first start says that it builds before it begins building, and leaves nothing behind when it cannot', () => {
  const folder = bareClone();
  const { status, lines } = buildWhenNeeded(folder);
  expect(lines[0]).toBe('Building Carillon. This is done once and takes about ten seconds …');
  expect(status).not.toBe(0);
  expect(readdirSync(folder).filter((name) => name.startsWith('dist'))).toEqual([]);
});

test('[RUN-1] Without its packages, the build says how to get them', () => {
  const folder = bareClone();
  rmSync(join(folder, 'node_modules'), { recursive: true });
  expect(buildWhenNeeded(folder)).toEqual({
    status: 1,
    lines: ['The build needs packages that are not installed. Run: npm ci', ''],
  });
});

test('[RUN-1] A start that finds everything built says nothing about building', () => {
  const folder = bareClone();
  mkdirSync(join(folder, 'dist'));
  const stamp = join(folder, 'dist', '.built');
  writeFileSync(stamp, '');
  const later = new Date(Date.now() + 3_600_000);
  utimesSync(stamp, later, later);
  expect(buildWhenNeeded(folder)).toEqual({ status: 0, lines: [''] });
});
