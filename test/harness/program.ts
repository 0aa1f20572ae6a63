/**
 * The program as tests start it, some hundred times in a run: its source and its packages in a few files, compiled once,
 * which start in a third of the processor time that `dist/` takes. `CARILLON_TEST_PROGRAM=built` has all tests start what
 * users start.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { folderOfThreads } from '../../src/foundation/thread.ts';

const project = fileURLToPath(new URL('../../', import.meta.url));

/** What `node` runs. */
export function program(): string {
  return process.env.CARILLON_TEST_PROGRAM === 'built' ? builtProgram() : bundledProgram();
}

let isBuilt = false;

/** What users start; made once in a run, where it is older than the source. */
export function builtProgram(): string {
  if (!isBuilt) run(join('scripts', 'build.mjs'), '--when-needed');
  isBuilt = true;
  return join(project, 'bin', 'carillon.js');
}

let folder: string | undefined;

/** Once for all processes of a run. */
function bundledProgram(): string {
  if (folder === undefined) {
    folder = join(process.env.CARILLON_THREADS ?? folderOfThreads(), 'program');
    if (!existsSync(folder)) run(join('test', 'harness', 'bundle-program.mjs'), folder);
  }
  return join(folder, 'main.js');
}

function run(script: string, parameter: string): void {
  execFileSync(process.execPath, [join(project, script), parameter], { cwd: project });
}
