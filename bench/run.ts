/** Runs a benchmark if its file is the one that was started. */
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { Benchmark } from './measure.ts';
import { readOptions } from './options.ts';
import { print } from './report.ts';

export async function runWhenMain(meta: ImportMeta, benchmark: Benchmark): Promise<void> {
  if (meta.url !== pathToFileURL(process.argv[1] ?? '').href) return;
  // A process killed by a signal runs no exit handlers, but only they stop the servers that it started.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));
  try {
    const options = readOptions();
    const report = await benchmark(options);
    print(report);
    if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(report));
    process.exit(0);
  } catch (error) {
    console.error(error);
    process.exit(1);
  }
}
