/** Starts a thread from an entry file, be that source or built. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

export function startThread(
  entry: URL,
  { name, workerData }: { readonly name: string; readonly workerData?: unknown },
): Worker {
  const file = entry.pathname.endsWith('.ts') ? bundleOf(entry) : entry;
  return new Worker(file, { workerData, execArgv: [], name });
}

const bundles = new Map<string, URL>();

/**
 * From source (development, tests) an entry is built into one file, once for each process, or for all that share the
 * fresh folder that `CARILLON_THREADS` names. With a loader for TypeScript, each thread would take half a second to start.
 */
function bundleOf(entry: URL): URL {
  const known = bundles.get(entry.href);
  if (known !== undefined) return known;
  const folder = process.env.CARILLON_THREADS ?? ownFolder();
  const source = fileURLToPath(entry);
  const file = join(folder, `${source.replaceAll(/[^\w.-]/g, '_')}.mjs`);
  if (!existsSync(file)) build(source, file);
  const bundle = pathToFileURL(file);
  bundles.set(entry.href, bundle);
  return bundle;
}

const withNativeParts = ['@node-rs/argon2', '@photostructure/sqlite'];

function build(source: string, file: string): void {
  const draft = `${file}.${process.pid}`;
  const { buildSync } = createRequire(import.meta.url)('esbuild') as typeof import('esbuild');
  buildSync({
    entryPoints: [source],
    outfile: draft,
    bundle: true,
    // All others go into the file: read one by one, those of the store's threads take each thread three times as long.
    external: withNativeParts,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    keepNames: true,
    logLevel: 'error',
  });
  // Another process may be building the same.
  renameSync(draft, file);
}

let own: string | undefined;

function ownFolder(): string {
  own ??= folderOfThreads();
  return own;
}

/** Beside the packages, some of which what is built still imports. It goes with this process. */
export function folderOfThreads(): string {
  const cache = fileURLToPath(new URL('../../node_modules/.cache/carillon', import.meta.url));
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'threads-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
