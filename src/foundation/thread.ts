/** Starts a thread from an entry file, be that source or built. */
import { Worker } from 'node:worker_threads';

export function startThread(
  entry: URL,
  { name, workerData }: { readonly name: string; readonly workerData?: unknown },
): Worker {
  const execArgv = entry.pathname.endsWith('.ts') ? typeScriptLoader() : [];
  return new Worker(entry, { workerData, execArgv, name });
}

/**
 * From source (development, tests) a thread needs a loader for TypeScript. `--import tsx` serves only the main thread of
 * Node 20; what registers the loader in a thread is tsx's own `register`.
 */
function typeScriptLoader(): string[] {
  const tsx = import.meta.resolve('tsx/esm/api');
  return ['--import', `data:text/javascript,import { register } from '${tsx}'; register();`];
}
