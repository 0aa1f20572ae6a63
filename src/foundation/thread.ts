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
 * From source (development, tests) an entry is built, with its packages and apart from what it may load later, once for
 * each process, or for all that share the fresh folder that `CARILLON_THREADS` names. With a loader for TypeScript, each
 * thread would take half a second to start; with its packages file by file, nearly as much.
 */
function bundleOf(entry: URL): URL {
  const known = bundles.get(entry.href);
  if (known !== undefined) return known;
  const source = fileURLToPath(entry);
  const folder = join(process.env.CARILLON_THREADS ?? ownFolder(), source.replaceAll(/[^\w.-]/g, '_'));
  if (!existsSync(folder)) build(source, folder);
  const bundle = pathToFileURL(join(folder, 'thread.mjs'));
  bundles.set(entry.href, bundle);
  return bundle;
}

function build(source: string, folder: string): void {
  const draft = `${folder}.${process.pid}`;
  const { buildSync } = createRequire(import.meta.url)('esbuild') as typeof import('esbuild');
  buildSync({
    entryPoints: [{ in: source, out: 'thread' }],
    outdir: draft,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    // Packages with programs of their own beside their code.
    external: ['@node-rs/argon2', '@photostructure/sqlite'],
    platform: 'node',
    format: 'esm',
    target: 'node20',
    keepNames: true,
    logLevel: 'error',
  });
  try {
    renameSync(draft, folder);
  } catch (error) {
    // Another process was quicker.
    if (!existsSync(folder)) throw error;
    rmSync(draft, { recursive: true });
  }
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
