/**
 * The program that tests start some hundred times in a run: the program that users start, rebuilt if the source is
 * newer.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { folderOfThreads } from '../../src/foundation/thread.ts';

const project = fileURLToPath(new URL('../../', import.meta.url));

let isBuilt = false;

/** The script that `node` runs. */
export function program(): string {
  if (!isBuilt) run(join('scripts', 'build.mjs'), '--when-needed');
  isBuilt = true;
  return join(project, 'dist', 'main.js');
}

let ledgerFolder: string | undefined;

/** The same program with the carrier ledger loaded, built once for all processes of a run. */
export function programWithLedger(): string {
  program();
  if (ledgerFolder === undefined) {
    ledgerFolder = join(process.env.CARILLON_THREADS ?? folderOfThreads(), 'ledger');
    if (isFirst(ledgerFolder)) run(join('test', 'harness', 'ledger-program.mjs'), ledgerFolder);
    else waitFor(ledgerFolder);
  }
  return join(ledgerFolder, 'dist', 'main.js');
}

function isFirst(folder: string): boolean {
  mkdirSync(dirname(folder), { recursive: true });
  try {
    mkdirSync(`${folder}.begun`);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}

/** Waits for minutes, far longer than the build takes; if it fails, the process that runs it reports why. */
function waitFor(folder: string): void {
  const nobody = new Int32Array(new SharedArrayBuffer(4));
  for (let asked = 0; !existsSync(folder); asked++) {
    if (asked > 6_000) throw new Error(`another process has not made ${folder}`);
    Atomics.wait(nobody, 0, 0, 50);
  }
}

function run(script: string, parameter: string): void {
  execFileSync(process.execPath, [join(project, script), parameter], { cwd: project });
}
