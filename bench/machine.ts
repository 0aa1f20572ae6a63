/** Describes the machine behind the figures: enough to judge them, and nothing that reveals whose machine it is. */
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  fdatasyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { availableParallelism, cpus, loadavg, release, tmpdir, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../src/storage/sqlite/database.ts';
import { findPostgres } from '../test/harness/postgres.ts';
import { findWrk } from './load.ts';
import { format } from './report.ts';

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly system: string;
  readonly fileSystem: string;
  /** Milliseconds to append a block of 4 KiB and flush it to disk with fdatasync. */
  readonly syncMs: { readonly median: number; readonly p99: number };
  readonly node: string;
  readonly sqlite: string;
  readonly postgres: string | undefined;
  readonly load: string;
  /** The load of the minute before the first benchmark, caused by other processes. */
  readonly loadBefore: number;
}

export function describeMachine(): Machine {
  const [loadBefore = 0] = loadavg();
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    fileSystem: fileSystemOf(realpathSync(tmpdir())),
    syncMs: measureSync(),
    node: process.version.slice(1),
    sqlite: sqliteVersion(),
    postgres: postgresVersion(),
    load: findWrk() ?? 'a Node process, since wrk is missing',
    loadBefore,
  };
}

export function machineLines(machine: Machine): readonly string[] {
  const { median, p99 } = machine.syncMs;
  return [
    `${machine.cores} cores of ${machine.cpu}, ${machine.memoryGiB} GiB of memory, ${machine.system}`,
    `Node ${machine.node}, SQLite ${machine.sqlite}, ${machine.postgres === undefined ? 'no PostgreSQL' : `PostgreSQL ${machine.postgres} with its default settings and fsync`}`,
    `stores on ${machine.fileSystem}; to write 4 KiB and sync takes ${format(median)} ms (median), ${format(p99)} ms (99th percentile)`,
    `load by ${machine.load} on the same cores; load average before the first benchmark: ${machine.loadBefore.toFixed(2)}`,
  ];
}

/** Warnings that a reader needs before any figure. */
export function warnings({ fileSystem, loadBefore, syncMs }: Machine): readonly string[] {
  return [
    ...(loadBefore > 0.5
      ? ['The machine was not idle beforehand, so the figures are lower than they could be.']
      : []),
    ...(fileSystem === 'tmpfs' || fileSystem === 'ramfs'
      ? ['The stores were in memory, so nothing was durable. Set TMPDIR to a folder on a disk.']
      : []),
    ...(syncMs.median < 0.2
      ? ['This disk answers a sync faster than one that must survive a power loss usually can (0.2 to 2 ms).']
      : []),
  ];
}

/** Finds the mount point with the longest path that contains the folder. */
function fileSystemOf(folder: string): string {
  const mounts = readFileSync('/proc/self/mounts', 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
    .map(([, point = '', kind = '']) => ({ point, kind }))
    .filter(({ point }) => folder === point || folder.startsWith(point.endsWith('/') ? point : `${point}/`));
  return mounts.sort((a, b) => b.point.length - a.point.length)[0]?.kind ?? 'an unknown file system';
}

const syncs = 400;

function measureSync(): Machine['syncMs'] {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-sync-'));
  const file = openSync(join(folder, 'blocks'), 'w');
  const block = Buffer.alloc(4_096, 1);
  const times: number[] = [];
  try {
    for (let index = 0; index < syncs; index++) {
      const startedAt = performance.now();
      writeSync(file, block);
      fdatasyncSync(file);
      times.push(performance.now() - startedAt);
    }
  } finally {
    closeSync(file);
    rmSync(folder, { recursive: true });
  }
  times.sort((a, b) => a - b);
  return { median: times[syncs / 2] as number, p99: times[Math.floor(syncs * 0.99)] as number };
}

function sqliteVersion(): string {
  const database = openDatabase(':memory:');
  const { version } = database.prepare('SELECT sqlite_version() AS version').get() as { version: string };
  database.close();
  return version;
}

function postgresVersion(): string | undefined {
  const programs = findPostgres();
  if (programs === undefined) return undefined;
  const text = execFileSync(join(programs, 'postgres'), ['--version'], { encoding: 'utf8' });
  return /[\d.]+/.exec(text)?.[0];
}
